"""Glue between deformable finite elements: it holds, breaks at its strength, and keeps momentum."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.job import Body, Glue, Job, Settings
from fracture_addon.core.data.placed_fields import PaintedField
from fracture_addon.core.data.solid import from_cells
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.geometry.facing import contact_area
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.fem import method as fem
from fracture_addon.core.methods.fem.cracks.remesh import advance_crack
from fracture_addon.core.methods.fem.deformable.shot import Shot
from fracture_addon.core.methods.fem.deformable.ties import Ties
from fracture_addon.core.methods.fem.deformable.together import Together
from fracture_addon.core.methods.fem.places import Side
from fracture_addon.core.methods.fem.state import from_solid
from fracture_addon.core.methods.fem.walls import mesh_with_walls
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes
from tests.core.soft_bricks import BELOW, CHALK, FLOOR, RUBBER, middles
from tests.core.timeline.deformable.test_element_checkpoints import check_stops

SETTINGS = Settings.of(method="fem", dynamics="deformable", softening=1.0, cell_count=100, noise=0.0, seed=2)


def block(center, size, material=RUBBER, **settings):
    return Body("block", shapes.box(size, center), material, SETTINGS.changed(**settings))


def pinned(body, low):
    """Pin the points of a body above a height."""
    surface = shapes.divided(body.surface)
    pins = PaintedField(surface.points, surface.faces, (surface.points[:, 2] > low).astype(float))
    return replace(body, surface=surface, settings=body.settings.changed(pinned=pins))


def drop(recording, row):
    height = middles(recording.deformed[row])[:, 2]
    return height[0] - height[-1]


@pytest.mark.parametrize("kind", ["bonds", "nodes"])
def test_glue_holds_a_hanging_body_and_weak_glue_breaks(kind):
    """Across a gap of 1 cm. Measured: it sags by 0.03 mm."""
    upper = pinned(block((0.0, 0.0, 0.0), (0.1, 0.1, 0.04)), -1.0)
    lower = block((0.0, 0.0, -0.05), (0.05, 0.05, 0.04), CHALK)
    drops = []
    for glues in ((Glue(1, 0, 0.018, kind),), (Glue(1, 0, 0.018, kind, strength=1e-6),)):
        recording = simulate(Job((upper, lower), (BELOW,), frame_end=8, glues=glues), lambda *_: None)
        drops.append(drop(recording, 1))
    fall = 0.5 * 9.81 * (7 / 24.0) ** 2
    assert drops[0] < 1e-3
    assert drops[1] > 0.9 * fall


@pytest.mark.parametrize("cells", [60, 200])
def test_glue_breaks_at_its_strength(cells):
    """Measured: it carries a weight of 0.8 of its strength, but not of 0.9, at 100, 300 and 700 elements."""
    length, width, factor = 0.1, 0.03, 100.0
    strong = replace(RUBBER, tensile_strength=factor * RUBBER.density * 9.81 * length)
    upper = pinned(block((0.0, 0.0, 0.5 * length), (width, width, length), strong, cell_count=cells), length - 1e-3)
    lower = block((0.0, 0.0, -0.5 * length), (width, width, length), strong, cell_count=cells, seed=5)
    # Gravity rises slowly, so that nothing swings.
    gravity = np.multiply.outer(np.minimum(np.arange(16) / 12.0, 1.0), [0.0, 0.0, -9.81])
    drops = []
    for share in (0.9, 1.25):
        glue = Glue(1, 0, 0.005, strength=share / factor)
        job = Job((upper, lower), frame_end=16, gravity_track=gravity, glues=(glue,))
        drops.append(drop(simulate(job, lambda *_: None), 1))
    assert drops[0] > 0.1
    assert drops[1] < 1e-3


def together(steps, cells=60, velocity=(1.0, 2.0, 0.0)):
    """Two glued blocks, of which one moves."""
    bodies = [
        replace(block((-0.05, 0.0, 0.0), (0.1, 0.05, 0.05), time_steps=steps), velocity=np.array(velocity)),
        block(
            (0.052, 0.01, 0.0), (0.1, 0.05, 0.05), replace(RUBBER, density=3000.0, young_modulus=3e6), time_steps=steps
        ),
    ]
    shots = {}
    for row, body in enumerate(bodies):
        model = fem.build(tetrahedralize(body.surface, cells, row), body.material, body.settings)
        shots[row] = Shot(model, body, (), np.zeros((0, 3)))
    step = min(shot.step for shot in shots.values())
    for shot in shots.values():
        shot.shorten_step(step)
    meshes, surfaces = [shot.mesh for shot in shots.values()], [body.surface for body in bodies]
    area = contact_area(*surfaces, distance=0.005, spacing=shots[0].size)
    ties = Ties((0, 1), meshes, area, np.full(len(area.areas), 1e6 / shots[0].size), 1e9, step)
    return Together(shots, [ties]), meshes


def momenta(meshes):
    """Return the momentum and the angular momentum of meshes."""
    mass, place, speed = (
        np.concatenate([getattr(mesh, name) for mesh in meshes]) for name in ("mass", "position", "velocity")
    )
    return mass @ speed, np.cross(place, mass[:, None] * speed).sum(axis=0)


@pytest.mark.parametrize("cells", [60, 200])
@pytest.mark.parametrize("steps", ["explicit", "implicit"])
def test_glue_keeps_momentum_and_angular_momentum(steps, cells):
    """Measured in semi-implicit steps: momentum within 3e-4, angular momentum within 2 %; else only rounding."""
    group, meshes = together(steps, cells)
    before, turning = momenta(meshes)
    for _ in range(10):
        group.advance(0.005, np.zeros(3), (), {})
    after, turned = momenta(meshes)
    moved, turn = (1e-9, 1e-9) if steps == "explicit" else (1e-3, 0.05)
    np.testing.assert_allclose(after, before, atol=moved * np.linalg.norm(before))
    np.testing.assert_allclose(turned, turning, atol=turn * np.linalg.norm(turning))
    speeds = [mesh.mass @ mesh.velocity / mesh.mass.sum() for mesh in meshes]
    assert np.linalg.norm(speeds[1]) > 0.2


@pytest.mark.parametrize("cells", [150, 400])
def test_a_glued_cantilever_sags_like_one_of_one_piece(cells):
    """Two halves, glued in the middle. Measured: 0.89, 1.43 and 1.31 of its sag at 150, 400 and 800 elements.

    With glue that is a hundred times stiffer, 1.30 and 1.20 at 400 and 800: the halves have other meshes.
    """
    sags = []
    whole = shapes.divided(shapes.box((0.2, 0.04, 0.04), (0.1, 0.0, 0.0)))
    parts = [shapes.divided(shapes.box((0.1, 0.04, 0.04), (x, 0.0, 0.0))) for x in (0.05, 0.15)]
    stiff = replace(RUBBER, young_modulus=1e7)
    for surfaces in ((whole,), parts):
        bodies = []
        for surface in surfaces:
            pins = PaintedField(surface.points, surface.faces, (surface.points[:, 0] < 1e-3).astype(float))
            settings = SETTINGS.changed(cell_count=cells // len(surfaces), time_steps="implicit", pinned=pins)
            bodies.append(Body(f"part {len(bodies)}", surface, stiff, settings))
        glues = (Glue(0, 1, 0.004),) if len(bodies) > 1 else ()
        shown = simulate(Job(tuple(bodies), frame_end=12, glues=glues), lambda *_: None).deformed[-1].points
        tip = shown[0, :, 0] > 0.199
        sags.append((shown[0] - shown[-1])[tip, 2].mean())
    assert sags[0] > 1e-3
    assert 0.8 < sags[1] / sags[0] < 1.5


def test_a_body_glued_to_two_others_hangs_from_both():
    hooks = [pinned(block((x, 0.0, 0.0), (0.04, 0.05, 0.03)), -1.0) for x in (-0.06, 0.06)]
    bar = block((0.0, 0.0, -0.032), (0.16, 0.04, 0.03), replace(RUBBER, young_modulus=1e7))
    both = tuple(Glue(2, row, 0.006) for row in range(2))
    tips = []
    for glues in (both, both[:1]):
        job = Job((*hooks, bar), (BELOW,), frame_end=8, glues=glues)
        deformed = simulate(job, lambda *_: None).deformed[2]
        fall, x = deformed.points[0, :, 2] - deformed.points[-1, :, 2], deformed.points[0, :, 0]
        tips.append((fall[x < -0.07].mean(), fall[x > 0.07].mean()))
    assert 5.0 * max(tips[0]) < 1e-3 < tips[1][1]


def test_glued_bodies_break_and_continue_from_a_checkpoint_to_the_same_bytes(tmp_path):
    weak = SETTINGS.changed(cell_count=60, noise=0.3)
    down = np.array([0.0, 0.0, -2.5])
    lower = Body("lower", shapes.box((0.1, 0.05, 0.05), (0.0, 0.0, 0.04)), CHALK, weak, velocity=down)
    upper = replace(lower, name="upper", surface=shapes.box((0.1, 0.05, 0.05), (0.0, 0.0, 0.0905)))
    job = Job((lower, upper), (FLOOR,), frame_end=4, glues=(Glue(0, 1, 0.004),))
    counts, _ = check_stops(job, (1, 2), tmp_path)
    assert max(counts) > 1


def test_glue_that_reaches_nothing_is_reported_and_unknown_glue_is_refused():
    bodies = [block((0.0, 0.0, 0.1), (0.1, 0.05, 0.05)), block((0.0, 0.0, 0.3), (0.1, 0.05, 0.05))]
    job = Job(tuple(bodies), (FLOOR,), frame_end=2, glues=(Glue(1, 0, 0.01),))
    assert "do not face each other within 0.01 m" in simulate(job, lambda *_: None).report["warnings"][0]
    with pytest.raises(SettingsError, match="no kind of glue 'honey'; use nodes or bonds"):
        simulate(replace(job, glues=(Glue(1, 0, 0.3, "honey"),)), lambda *_: None)


def glued_tetrahedra():
    """Return the meshes of a tetrahedron and its mirror image across a gap of 1 cm, and the ties between them."""
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, -1]])
    surface = Surface(corners, [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])
    other = Surface(corners * [1, 1, -1] + [0, 0, 0.01], surface.faces[:, ::-1])
    solids = from_cells(corners, [[0, 2, 1, 3]], []), from_cells(other.points, [[0, 1, 2, 3]], [])
    meshes = [from_solid(solid, 1000.0) for solid in solids]
    area = contact_area(surface, other, 0.02, 0.3)
    return meshes, Ties((0, 1), meshes, area, np.full(len(area.areas), 1e6 / 0.3), 1e6, 1e-6)


def test_a_rigid_motion_strains_no_tie():
    meshes, ties = glued_tetrahedra()
    assert ties.count > 10
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    for mesh in meshes:
        mesh.position[:] = mesh.position @ turn.T + [1.0, 2.0, 3.0]
    loads = {0: np.zeros((4, 3)), 1: np.zeros((4, 3))}
    ties.add_forces(loads)
    assert np.abs(loads[0]).max() < 1e-6
    assert not ties.check()


@pytest.mark.parametrize(("direction", "breaks"), [((0, 0, 1), True), ((0, 1, 0), True), ((0, 0, -1), False)])
def test_tension_and_shear_break_ties_and_pressure_does_not(direction, breaks):
    meshes, ties = glued_tetrahedra()
    # A layer of 0.3 m with 1 MPa has the strength of 1 MPa at 0.3 m.
    for times in (0.9, 1.1):
        meshes[1].position[:] = meshes[1].rest + 0.3 * times * np.array(direction)
        assert ties.check() == (breaks and times > 1.0)


def test_ties_stay_at_their_points_when_a_crack_divides_elements():
    body = block((0.0, 0.0, 0.0), (0.1, 0.05, 0.05))
    mesh = mesh_with_walls(tetrahedralize(body.surface, 60, 0), 1000.0)
    points = np.random.default_rng(0).uniform(-0.4, 0.4, (2000, 3)) * [0.1, 0.05, 0.05]
    side, before = Side.of(0, mesh, points), np.count_nonzero(~mesh.ghost)
    middle = int(np.argmin(np.linalg.norm(mesh.rest[:, :1], axis=1) + 1e9 * (mesh.mass == 0.0)))
    advance_crack(mesh, middle, np.array([0.8, 0.0, 0.6]), 0.05, lambda front: np.ones(len(front), bool))
    assert np.count_nonzero(~mesh.ghost) > before
    found = side.found()
    assert (found.elements != side.elements).any()
    np.testing.assert_allclose(found.of_nodes(mesh.rest), points, atol=1e-9)
    assert found.weights.min() > -0.2
