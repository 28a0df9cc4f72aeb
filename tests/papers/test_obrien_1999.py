"""O'Brien and Hodgins 1999: the elastic model against closed forms, and what a struck body becomes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator, cg
from scipy.spatial.transform import Rotation

from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Body, Collider, Job, Settings
from fracture_addon.core.data.material import Material
from fracture_addon.core.data.placed_fields import Region
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.fem import method as fem
from fracture_addon.core.methods.fem.advance import Leapfrog
from fracture_addon.core.methods.fem.elements import law_of
from fracture_addon.core.methods.fem.fracture import Cracking
from fracture_addon.core.methods.fem.state import crack_faces, from_solid
from fracture_addon.core.methods.fem.walls import mesh_with_walls
from fracture_addon.core.methods.method import RigidMotion
from fracture_addon.core.methods.rigid_components import cells_of
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes
from tests.core.grid import block

GLASS = Material("Glass", 2500.0, 71e9, 0.23, 40e6, 330e6, 0.75e6, strength_variation=0.0)
STRAIGHT = Material("Straight", 2500.0, 71e9, 0.0, 40e6, 330e6, 0.75e6, strength_variation=0.0)


def at_rest(motion, load, held):
    """Displace a mesh to where its forces balance a small ``load`` (N, 3), with the coordinates ``held`` at rest."""
    mesh, step = motion.mesh, 1e-9
    free = ~held.ravel()

    def stiffness(values):
        moves = np.zeros(held.size)
        moves[free] = values
        mesh.position[:] = mesh.rest + step * moves.reshape(-1, 3) / max(np.abs(moves).max(), 1e-300)
        return -motion.forces().ravel()[free] * np.abs(moves).max() / step

    operator = LinearOperator((free.sum(), free.sum()), matvec=stiffness)
    solution, failed = cg(operator, load.ravel()[free], rtol=1e-6, maxiter=4000)
    assert not failed
    moves = np.zeros(held.size)
    moves[free] = solution
    mesh.position[:] = mesh.rest + moves.reshape(-1, 3)
    return moves.reshape(-1, 3)


@pytest.mark.parametrize("cells", [50, 100, 200])
def test_a_step_load_travels_at_the_bar_speed(cells):
    """P1: sqrt(E / rho) within 5 %, from when half of the final speed passes two places."""
    depth = 2.0 / cells
    mesh = from_solid(block((cells, 2, 2), (1.0, depth, depth)), GLASS.density)
    motion = Leapfrog(mesh, law_of(GLASS, 2e-8))
    end = mesh.rest[:, 0] < 1e-9
    motion.load[end, 0] = 100.0 * mesh.mass[end] / mesh.mass[end].sum()
    speed = np.sqrt(GLASS.young_modulus / GLASS.density)
    final = 100.0 / (depth**2 * GLASS.density * speed)
    near, far = (np.abs(mesh.rest[:, 0] - place) < 1e-6 for place in (0.2, 0.8))
    arrivals = {}
    for step in range(int(1.0 / speed / motion.step)):
        motion.advance(np.ones(1))
        for name, nodes in (("near", near), ("far", far)):
            if mesh.velocity[nodes, 0].mean() > 0.5 * final:
                arrivals.setdefault(name, step * motion.step)
    assert 0.6 / (arrivals["far"] - arrivals["near"]) == pytest.approx(speed, rel=0.05)


def test_a_cantilever_comes_down_to_beam_theory_from_above_its_stiffness():
    """P2: linear tetrahedra lock in bending; the deflection rises to P L^3 / 3 E I as they get smaller."""
    length, depth = 0.16, 0.02
    ratios = []
    for layers in (2, 5, 10):
        mesh = from_solid(block((8 * layers, 1, layers), (length, depth / layers, depth)), STRAIGHT.density)
        held = np.repeat(mesh.rest[:, :1] < 1e-9, 3, axis=1)
        # As in plane stress of a strip; Poisson's ratio is nothing here.
        held[:, 1] = True
        load = np.zeros_like(mesh.rest)
        tip = mesh.rest[:, 0] > length - 1e-9
        load[tip, 2] = -1.0 / tip.sum()
        moves = at_rest(Leapfrog(mesh, law_of(STRAIGHT)), load, held)
        inertia = depth / layers * depth**3 / 12.0
        deflection = length**3 / (3.0 * STRAIGHT.young_modulus * inertia)
        deflection += 1.2 * length / (STRAIGHT.shear_modulus * depth / layers * depth)
        ratios.append(-moves[tip, 2].mean() / deflection)
    assert ratios[0] < ratios[1] < ratios[2] <= 1.0
    assert ratios[2] > 0.95


@pytest.mark.parametrize("layers", [1, 2, 3, 4])
def test_a_free_bar_rings_at_its_frequency(layers):
    """P2: (22.37 / 2 pi L^2) sqrt(E I / rho A) of a bar 16 times as long as deep.

    Measured: 0.958, 0.996, 1.017 and 1.016 of it with 1, 2, 3 and 4 elements through its depth.
    """
    length, depth = 0.32, 0.02
    solid = block((16 * layers, layers, layers), (length, depth, depth))
    motion = Leapfrog(mesh_with_walls(solid, STRAIGHT.density), law_of(STRAIGHT))
    mesh, root = motion.mesh, 4.730041
    x = mesh.rest[:, 0] / length
    share = (np.cosh(root) - np.cos(root)) / (np.sinh(root) - np.sin(root))
    shape = np.cosh(root * x) + np.cos(root * x) - share * (np.sinh(root * x) + np.sin(root * x))
    mesh.position[:, 2] += 1e-7 * shape
    frequency = 22.37 / (2.0 * np.pi * length**2) * np.sqrt(STRAIGHT.young_modulus * depth**2 / 12.0 / STRAIGHT.density)
    crossings, before = [], np.inf
    for look in range(int(0.9 / frequency / motion.step / 8)):
        motion.advance(np.zeros(8))
        now = mesh.mass * shape @ (mesh.position[:, 2] - mesh.rest[:, 2])
        if now * before < 0.0:
            crossings.append((look + 1.0 - now / (now - before)) * 8 * motion.step)
        before = now
    assert 0.5 / (crossings[1] - crossings[0]) == pytest.approx(frequency, rel=0.05)


@pytest.mark.parametrize("layers", [4, 6, 8, 12])
def test_three_point_bend_recovers_the_strength(layers):
    """P3: it cracks when 3 P L / 2 b d^2 is the set strength, within 15 %, and within two cells of mid-span.

    Measured: at 1.07 times the load, as less than the surface's tension is found on cells of an eighth of the depth.
    """
    span, depth = 0.12, 0.02
    cell = depth / layers
    mesh = from_solid(block((6 * layers, 2, layers), (span, 2.0 * cell, depth)), STRAIGHT.density)
    held = np.zeros(mesh.rest.shape, bool)
    low = mesh.rest[:, 2] < 1e-9
    held[low & ((mesh.rest[:, 0] < 1e-9) | (mesh.rest[:, 0] > span - 1e-9)), 2] = True
    held[low & (mesh.rest[:, 0] < 1e-9), 0] = True
    held[low & (mesh.rest[:, 0] < 1e-9) & (mesh.rest[:, 1] < 1e-9), 1] = True
    held[low & (mesh.rest[:, 0] > span - 1e-9) & (mesh.rest[:, 1] < 1e-9), 1] = True
    middle = (mesh.rest[:, 2] > depth - 1e-9) & (np.abs(mesh.rest[:, 0] - 0.5 * span) < 1e-9)
    load, force = np.zeros_like(mesh.rest), 10.0
    load[middle, 2] = -force / middle.sum()
    motion = Leapfrog(mesh, law_of(STRAIGHT))
    moves = at_rest(motion, load, held)
    bending = 3.0 * force * span / (2.0 * 2.0 * cell * depth**2)
    cracking = Cracking(mesh, motion, motion.law, STRAIGHT, QUICK)
    for times, cracks in ((0.85, False), (1.15, True)):
        mesh.position[:] = mesh.rest + times * STRAIGHT.tensile_strength / bending * moves
        cracking.check(0.0, cracking=True)
        assert (cracking.result.crack_count > 0) == cracks
    faces, _ = crack_faces(mesh)
    corners = mesh.rest[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.abs(corners[..., 0] - 0.5 * span).max() <= 2.0 * cell
    assert corners[..., 2].min() < 1e-9
    assert (np.abs(normals[:, 0]) > 0.9 * np.linalg.norm(normals, axis=1)).mean() > 0.9


@pytest.fixture(scope="module")
def plank():
    solid = tetrahedralize(shapes.box((0.3, 0.06, 0.02)), 700, 0)
    return fem.build(solid, GLASS, QUICK)


QUICK = Settings.of(method="fem", noise=0.0)
MOTION = RigidMotion(np.array([1.0, 2.0, -3.0]), np.array([0.0, 5.0, 0.0]))


def impact_of(force, duration=3e-4):
    """On the middle of the upper side, down."""
    return Impact([0.0, 0.0, 0.01], [0.0, 0.0, -1.0], 0.5 * force * duration, duration, 0.0)


def strike(model, violence, **changes):
    settings = QUICK.changed(**changes)
    critical = fem.critical_force(model, settings, [impact_of(1.0)])
    return fem.strike(model, settings, MOTION, [replace(impact_of(critical), load_factor=violence)]), critical


@pytest.mark.parametrize("cells", [350, 700, 1400])
def test_nothing_breaks_below_the_critical_load_and_more_breaks_above_it(cells):
    """P9: a threshold, and more fragments by more violent impacts."""
    model = fem.build(tetrahedralize(shapes.box((0.3, 0.06, 0.02)), cells, 0), GLASS, QUICK)
    counts = []
    for violence in (0.8, 3.0, 12.0):
        found, _ = strike(model, violence)
        counts.append(len(found.velocity))
        if violence < 1.0:
            assert found.load_factor == pytest.approx(violence, rel=0.05)
    assert counts[0] == 1 < counts[1] < counts[2]


def test_fragments_share_the_body_and_its_momentum(plank):
    found, critical = strike(plank, 6.0)
    cells = cells_of(found.solid, GLASS)
    assert len(found.fragment_of_cell) == found.solid.cell_count > plank.solid.cell_count
    whole = cells_of(plank.solid, GLASS).masses.sum()
    assert cells.masses.sum() == pytest.approx(whole, rel=1e-12)
    masses = np.bincount(found.fragment_of_cell, cells.masses)
    assert (np.diff(masses) <= 0.0).all()
    gained = masses @ found.velocity / whole - MOTION.velocity
    # No more than the whole impulse, along its direction: the load ends where the contact breaks away.
    impulse = 0.5 * critical * 3e-4 / whole
    assert 0.0 < -gained[2] < 1.02 * impulse
    assert np.abs(gained[:2]).max() < 0.02 * impulse


def test_the_same_impact_gives_the_same_fragments(plank):
    first, second = strike(plank, 6.0)[0], strike(plank, 6.0)[0]
    np.testing.assert_array_equal(first.fragment_of_cell, second.fragment_of_cell)
    np.testing.assert_array_equal(first.velocity, second.velocity)
    other, _ = strike(plank, 6.0, seed=1, noise=0.5)
    assert not np.array_equal(other.fragment_of_cell, first.fragment_of_cell)


def test_a_plank_breaks_across(plank):
    """The largest tension of a bent plank is along it, so that a crack runs across."""
    found, _ = strike(plank, 3.0)
    largest = [found.solid.points[found.solid.cells[found.fragment_of_cell == row]].mean(axis=(0, 1)) for row in (0, 1)]
    assert largest[0][0] * largest[1][0] < 0.0


def new_area_along(grain, ratio, cells):
    """Share of the new area whose normal is within 30 degrees of perpendicular to the grain; of a struck board."""
    pine = Material("Pine", 500.0, 10e9, 0.3, 4e6, 40e6, 0.4e6, strength_variation=0.0, grain_strength_ratio=ratio)
    settings = QUICK.changed(grain=np.array(grain))
    model = fem.build(tetrahedralize(shapes.box((0.3, 0.2, 0.03)), cells, 0), pine, settings)
    critical = fem.critical_force(model, settings, [impact_of(1.0)])
    found = fem.strike(model, settings, MOTION, [replace(impact_of(critical), load_factor=4.0)])
    fragment = found.fragment_of_cell[found.solid.face_cells]
    corners = found.solid.points[found.solid.faces[fragment[:, 0] != fragment[:, 1]]]
    vectors = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(vectors, axis=1)
    return areas[np.abs(vectors @ grain) < 0.5 * areas].sum() / areas.sum()


@pytest.mark.parametrize("cells", [500, 1000])
def test_wood_splits_along_its_grain(cells):
    """P12: with a strength ratio of 20, 70 % of the new area; without a grain far less. 2,000 cells give that too."""
    assert new_area_along([1.0, 0.0, 0.0], 20.0, cells) > 0.7
    assert new_area_along([1.0, 0.0, 0.0], 1.0, cells) < 0.65


def test_a_dropped_tile_breaks_on_the_timeline_and_its_fragments_fill_it():
    surface = shapes.box((0.2, 0.2, 0.015), (0.0, 0.0, 0.15))
    turned = replace(surface, points=surface.points @ Rotation.from_rotvec([0.9, 0.2, 0.0]).as_matrix() + [0, 0, 0.1])
    settings = QUICK.changed(cell_count=400, violence=4.0, break_depth=1)
    tile = Body("tile", turned, GLASS, settings, velocity=np.array([0.0, 0.0, -5.0]))
    floor = Collider("floor", shapes.box((2.0, 2.0, 0.2), (0.0, 0.0, -0.1)), shape="box")
    recording = simulate(Job((tile,), (floor,), frame_end=8), lambda *_: None)
    (report,) = recording.report["bodies"]
    assert report["breaks"] == 1
    assert report["fragments"] > 2
    assert report["volume_error"] < 1e-9


def test_a_plate_comes_apart_where_it_was_made_weak(plank):
    """A region of a fifth of the strength takes the crack that the impact would make under itself."""
    weak = Region([0.06, 0.0, 0.0], 0.03, strength=0.2, softness=0.1)
    found, critical = strike(plank, 1.3, regions=(weak,))
    _, unplaced = strike(plank, 1.3)
    assert critical < 0.8 * unplaced
    fragment = found.fragment_of_cell[found.solid.face_cells]
    crack = found.solid.points[found.solid.faces[fragment[:, 0] != fragment[:, 1]]].mean(axis=1)
    assert len(crack)
    assert np.abs(np.median(crack[:, 0]) - 0.06) < 0.03
