"""The impact window: loads, stress release beside cracks, and the fragments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.impact import Impact, PressedFaces
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.solid import cell_volumes
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.fem import fracture as cracking
from fracture_addon.core.methods.fem import method as fem
from fracture_addon.core.methods.fem.advance import Leapfrog
from fracture_addon.core.methods.fem.contact.impact_pressure import ImpactPressure
from fracture_addon.core.methods.fem.cracks.stress_release import MAX_REACH, REACH, StressRelease, wall_of
from fracture_addon.core.methods.fem.elements import elastic_energy, law_of, stresses
from fracture_addon.core.methods.fem.impact_window import Window
from fracture_addon.core.methods.fem.state import crack_faces, from_solid
from fracture_addon.core.methods.fem.walls import mean_stress, mesh_with_walls
from fracture_addon.core.methods.method import RigidMotion
from tests import shapes
from tests.core.grid import block

STILL = RigidMotion(np.zeros(3), np.zeros(3))


@pytest.mark.parametrize(("speed", "expected"), [(0.0, 2.0), (5.0, 5.0)])
def test_no_node_gets_faster_than_the_impactor(speed, expected):
    """An impactor of unknown speed has that of the impact point of a rigid body: J / m at the centre."""
    mesh = from_solid(block((4, 4, 2), (0.4, 0.4, 0.2)), 1000.0)
    impact = Impact([0.2, 0.2, 0.2], [0.0, 0.0, -1.0], 2.0 * mesh.mass.sum(), 1e-3, 0.1, speed)
    pressing, load = ImpactPressure(mesh, [impact], 0.1), np.zeros((mesh.node_count, 3))
    pressing.press(mesh, load, 1e-6)
    assert 0.0 < -load[:, 2].sum() <= impact.peak_force
    mesh.velocity[:, 2] = -0.99 * expected
    pressing.press(mesh, load, 1e-6)
    assert load.any()
    mesh.velocity[:, 2] = -1.01 * expected
    pressing.press(mesh, load, 1e-6)
    assert not load.any()


@pytest.mark.parametrize(("left", "loads"), [(0, False), (2, False), (3, True)])
def test_a_steady_pressure_acts_on_the_nodes_that_are_left(left, loads):
    """A face shares its force among its three nearest nodes. A body that is crushed to fewer has no load."""
    mesh = from_solid(block((2, 2, 2), (0.2, 0.2, 0.2)), 1000.0)
    faces = PressedFaces(np.array([[0.1, 0.1, 0.2]]), np.array([[0.0, 0.0, -1.0]]))
    impact = Impact([0.1, 0.1, 0.2], [0.0, 0.0, -1.0], 1.0, 1e-3, 0.1, faces=faces)
    pressing, load = ImpactPressure(mesh, [impact], 0.1), np.zeros((mesh.node_count, 3))
    carries = np.zeros(mesh.node_count, bool)
    carries[np.flatnonzero(mesh.rest[:, 2] == 0.2)[:left]] = True
    pressing.find_patches(mesh, carries)
    pressing.press(mesh, load, 1e-6)
    assert load[:, 2].sum() == pytest.approx(-impact.peak_force if loads else 0.0)
    assert not load[~carries].any()


def test_a_ball_loads_only_nodes_it_has_reached():
    """It loads neither the far side of the body nor the edges of a hole wider than the ball."""
    mesh = from_solid(block((8, 8, 4), (0.4, 0.4, 0.2)), 1000.0)
    impact = Impact([0.2, 0.2, 0.2], [0.0, 0.0, -1.0], 1.0, 1e-3, 0.06, 5.0, impactor_radius=0.15)
    pressing, widest = ImpactPressure(mesh, [impact], 0.02), []
    for _ in range(3):
        load = np.zeros((mesh.node_count, 3))
        pressing.press(mesh, load, 2e-3)
        pressed = mesh.rest[load[:, 2] < 0.0]
        assert (pressed[:, 2] == 0.2).all()
        widest.append(np.linalg.norm(pressed[:, :2] - 0.2, axis=1).max())
    assert widest[0] <= 0.09 < widest[1] <= widest[2] < 0.15
    # What has gone ahead of the ball it does not touch any more.
    mesh.position[:, 2] -= 0.1
    pressing.press(mesh, load, 1e-6)
    assert not load.any()


def test_wall_thickness():
    assert wall_of(from_solid(block((10, 10, 1), (1.0, 1.0, 0.01)), 1.0)) == pytest.approx(0.01, rel=0.05)
    assert wall_of(from_solid(block((2, 2, 2), (0.3, 0.3, 0.3)), 1.0)) == pytest.approx(0.1)


def test_nodes_beside_a_crack_wait_and_its_front_does_not():
    mesh, law = from_solid(block((12, 12, 1), (1.2, 1.2, 0.1)), 1000.0), law_of(PORCELAIN)
    reach = min(REACH * wall_of(mesh), MAX_REACH * np.linalg.norm([1.2, 1.2, 0.1]))
    release = StressRelease(mesh, law)
    node = int(np.argmin(np.linalg.norm(mesh.rest - [0.6, 0.6, 0.0], axis=1)))
    release.release(mesh, np.array([node]), np.array([1.0, 0.0, 0.0]), 0.0)
    arms = mesh.rest - mesh.rest[node]
    beside, at_front = np.zeros(mesh.node_count, bool), np.ones(mesh.node_count, bool)
    nodes = np.arange(mesh.node_count)
    waiting = ~release.may_crack(1e-9, nodes, beside)
    distance = np.linalg.norm(arms, axis=1)
    assert waiting[node]
    assert waiting[(np.abs(arms[:, 0]) > 0.6 * distance) & (distance < 0.99 * reach)].all()
    assert not waiting[(np.abs(arms[:, 0]) < 0.4 * distance) | (distance > 1.01 * reach)].any()
    # Where a crack goes on it does not wait for others; what has cracked just now does, for a moment.
    assert np.flatnonzero(~release.may_crack(1e-9, nodes, at_front)).tolist() == [node]
    crossing = np.sqrt(law.density / law.rigidity)
    assert release.may_crack(0.1 * 4.0 * crossing, nodes, at_front).all()
    assert release.may_crack(4.0 * reach * crossing, nodes, beside).all()


def test_the_load_follows_the_users_curve():
    """A schedule without load in the first half of the pulse, then a short peak."""
    solid = tetrahedralize(shapes.box((0.3, 0.06, 0.02)), 200, 0)
    settings = Settings.of(method="fem", noise=0.0, impact_schedule=((0.0, 0.0), (0.5, 0.0), (0.75, 1.0), (1.0, 0.0)))
    impact = Impact([0.0, 0.0, 0.01], [0.0, 0.0, -1.0], 1e-4, 3e-4, 0.0)
    window = fem.stress_window(fem.build(solid, PORCELAIN, settings), solid, settings, [impact])
    early, peak = window.times < 0.45 * 3e-4, (window.times > 0.7 * 3e-4) & (window.times < 1.2 * 3e-4)
    assert early.sum() > 1
    assert np.abs(window.stress[early]).max() < 1e-6 * window.stress.max()
    assert window.stress[peak].max() > 0.5 * window.stress.max() > 0.0


def test_a_node_pauses_after_a_null_crack(monkeypatch):
    """Without the pause, a null crack would be tried again at each check."""
    mesh, law, tried = from_solid(block((3, 3, 3), (0.3, 0.3, 0.3)), 1000.0), law_of(PORCELAIN), []
    mesh.position[:, 0] *= 1.0 + 2.0 * PORCELAIN.tensile_strength / PORCELAIN.young_modulus
    monkeypatch.setattr(cracking, "advance_crack", lambda mesh, node, *others: tried.append(int(node)) or [])
    checked = cracking.Cracking(mesh, Leapfrog(mesh, law), law, PORCELAIN, Settings.of(method="fem", noise=0.0))
    checked.check(0.0, cracking=True)
    first = list(tried)
    assert len(first) == len(set(first)) > 5
    checked.check(1e-9, cracking=True)
    assert tried == first
    checked.check(1.0, cracking=True)
    assert tried[len(first) :] == first


def test_a_bowl_breaks_into_few_large_fragments_and_some_small_ones():
    solid = tetrahedralize(shapes.shipped("bowl"), 3000, 0)
    settings = Settings.of(method="fem", noise=0.0)
    model = fem.build(solid, PORCELAIN, settings)
    points = solid.points[np.unique(solid.cells)]
    impact = Impact(points[np.argmax(points @ [0.5, 0.1, -1.0])], [-0.4, 0.0, 1.0], 1.0, 3e-4, 0.0)
    told = []
    impact = replace(impact, impulse=0.5 * fem.critical_force(model, settings, [impact], told.append) * impact.duration)
    assert told == sorted(told)
    assert told[0] < 0.1 < 0.9 < told[-1] <= 1.0
    found = fem.strike(model, settings, STILL, [replace(impact, load_factor=1.2)])
    volumes = np.bincount(found.fragment_of_cell, cell_volumes(found.solid.points, found.solid.cells))
    shares = np.sort(volumes / volumes.sum())[::-1]
    assert 3 <= np.count_nonzero(shares > 0.02) <= 20
    assert shares[:8].sum() > 0.6
    assert len(shares) < 70


def stored(motion):
    """Energy in the strain of elements and in the mean strain around nodes, J."""
    mesh, law, rows, shared = motion.mesh, motion.law, motion.rows, motion.shared
    share, still = motion.shares[0], np.zeros(len(rows))
    state = mesh.elements[rows], mesh.basis[rows]
    stress, _ = stresses(law, mesh.position, mesh.velocity, *state, share, still, mesh.plastic_strain[rows])
    strained = share * mesh.volume[rows]
    own = elastic_energy(
        law, mesh.position, *state, mesh.own[rows] * strained, np.ones(len(rows)), mesh.plastic_strain[rows]
    )
    if not len(shared.own):
        return own
    mean = mean_stress(stress, state[0], shared)
    trace = mean[:, :3].sum(axis=1)
    squares = (mean[:, :3] ** 2).sum(axis=1) + 2.0 * (mean[:, 3:] ** 2).sum(axis=1)
    # Half of stress times the strain that goes with it, by Lame's law turned round.
    density = (squares - law.dilation / (3.0 * law.dilation + 2.0 * law.rigidity) * trace**2) / (4.0 * law.rigidity)
    around = np.divide(1.0, shared.inverse, out=np.zeros_like(density), where=shared.inverse > 0.0)
    return own + float(around @ density)


@pytest.mark.parametrize(("times", "breaks"), [(0.9, False), (1.2, True), (4.0, True)])
def test_cracks_cost_the_energy_of_their_area_at_least(times, breaks):
    """P9: the work of the impact less motion and strain energy at the end is at least G_c times the new area.

    No crack adds energy: a check never increases it.
    """
    solid, settings = tetrahedralize(shapes.bowl(), 1500, 0), Settings.of(method="fem", noise=0.0)
    model = fem.build(solid, PORCELAIN, settings)
    points = solid.points[np.unique(solid.cells)]
    impact = Impact(points[np.argmax(points @ [0.5, 0.1, -1.0])], [-0.4, 0.0, 1.0], 1.0, 3e-4, 0.0)
    critical = fem.critical_force(model, settings, [impact])
    mesh = mesh_with_walls(solid, PORCELAIN.density)
    impact = replace(impact, impulse=0.5 * times * critical * impact.duration)
    window = Window(mesh, model.law, model.step, PORCELAIN, settings, [impact])
    motion, cracks = window._motion, window._cracking
    advance, check, work, gains = motion.advance, cracks.check, [], []

    def energy():
        return 0.5 * float((mesh.mass[:, None] * mesh.velocity**2).sum()) + stored(motion)

    def advanced(amplitudes):
        for amplitude in amplitudes:
            before = mesh.velocity.copy()
            advance(np.array([amplitude]))
            work.append(0.5 * amplitude * motion.step * float((motion.load * (before + mesh.velocity)).sum()))

    def checked(time, *, cracking):
        before = energy()
        changed = check(time, cracking=cracking)
        if changed:
            gains.append(energy() - before)
        return changed

    motion.advance, cracks.check = advanced, checked
    window.run(cracking=True)
    lost = sum(work) - energy()
    corners = mesh.rest[crack_faces(mesh)[0]]
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum()
    release = PORCELAIN.toughness**2 * (1.0 - PORCELAIN.poisson_ratio**2) / PORCELAIN.young_modulus
    assert (area > 0.0) == breaks
    assert release * area <= lost
    if breaks:
        assert max(gains) < 1e-10 * sum(work)
    else:
        assert lost < 5e-3 * sum(work)
