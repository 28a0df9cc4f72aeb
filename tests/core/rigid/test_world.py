"""The rigid world: shapes that do not jump, floors that hold, impulses that add up."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial import cKDTree

from fracture_addon.core.data.errors import FractureError
from fracture_addon.core.data.job import Collider
from fracture_addon.core.data.solid import cell_centers
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.numerics.rotations import matrices
from fracture_addon.core.rigid import engine
from fracture_addon.core.rigid.contact_reports import Contact
from fracture_addon.core.rigid.rigid_properties import RigidProperties, cell_properties
from fracture_addon.core.rigid.world import World
from tests import shapes
from tests.core.balls import DOWN, STILL, add_cells, sheet, world_of


def test_a_heap_falls_asleep(cup_solid):
    """Two seconds after it fell nothing moves, nothing is awake, and nothing lies in the floor."""
    world = world_of(cup_solid)
    world.add_collider(Collider("floor", sheet(2.0)), np.array([0.0, 0.0, 1.0]))
    centers = cell_centers(cup_solid.points, cup_solid.cells)
    label = cKDTree(centers[np.random.default_rng(3).choice(len(centers), 15, replace=False)]).query(centers)[1]
    keys = [add_cells(world, cup_solid, np.flatnonzero(label == row), height=0.05)[0] for row in range(15)]
    for _ in range(54):
        world.calm(1.0 / 24.0)
        for _ in range(5):
            world.step(1.0 / 120.0)
    assert world.awake_count() == 0
    assert all(np.linalg.norm(world.velocities(key)[0]) == 0.0 for key in keys)
    assert world.is_at_rest()
    changes = world.changes
    poses = [world.pose(key) for key in keys]
    world.step(1.0 / 120.0)
    np.testing.assert_array_equal([world.pose(key) for key in keys], poses)
    assert world.is_at_rest()
    assert world.changes > changes


CHANGES = {
    "push": lambda world, key: world.push(key, np.array([0.0, 0.0, 1e-3]), world.pose(key)[:3]),
    "turn": lambda world, key: world.turn(key, np.array([0.0, 0.0, 1e-4])),
    "velocity": lambda world, key: world.set_velocities(key, np.array([0.0, 0.0, 0.5]), STILL),
    "removal": lambda world, key: world.remove(key),
    "hold": lambda world, key: world.hold(key, 1.0, reported=False),
    "collider": lambda world, key: world.add_collider(Collider("floor", sheet(2.0)), np.array([0.0, 0.0, 1.0])),
    "group": lambda world, key: world.regroup(key, engine.TOUCHES_EVERYTHING),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_ends_the_rest_of_a_world(cup_solid, change):
    world = world_of(cup_solid, STILL)
    key, _ = add_cells(world, cup_solid, np.arange(60))
    for _ in range(60):
        world.step(1.0 / 120.0)
    assert world.is_at_rest()
    CHANGES[change](world, key)
    assert not world.is_at_rest()


@pytest.mark.parametrize(("gravity", "speed"), [(STILL, 0.01), (DOWN, 0.5)])
def test_calming_leaves_drifting_and_flying_alone(cup_solid, gravity, speed):
    world = world_of(cup_solid, gravity)
    key, _ = add_cells(world, cup_solid, np.arange(300), np.array([speed, 0.0, 0.0]), np.array([0.0, 0.0, 0.2]))
    world.calm(1.0 / 24.0)
    for _ in range(5):
        world.step(1.0 / 120.0)
    np.testing.assert_allclose(
        world.velocities(key)[0] - 5.0 / 120.0 * gravity, [speed, 0.0, 0.0], rtol=1e-5, atol=1e-6
    )


def test_calming_ends_where_a_body_leaves_what_it_lay_on(cup_solid):
    """Damping, of 6/s, would take 3 % of what gravity takes."""
    world = world_of(cup_solid)
    world.add_collider(Collider("floor", sheet(2.0)), np.array([0.0, 0.0, 1.0]))
    key, _ = add_cells(world, cup_solid, np.arange(cup_solid.cell_count))
    for _ in range(20):
        world.calm(1.0 / 240.0)
        world.step(1.0 / 240.0)
    world.set_velocities(key, np.array([0.0, 0.0, 0.3]), STILL)
    for _ in range(6):
        world.step(1.0 / 240.0)
    before = world.velocities(key)[0]
    world.calm(1.0 / 80.0)
    for _ in range(3):
        world.step(1.0 / 240.0)
    np.testing.assert_allclose(world.velocities(key)[0] - before, DOWN * 3.0 / 240.0, rtol=1e-3, atol=1e-5)


def test_free_flight_is_how_bodies_move_after_a_step_in_which_nothing_touches(cup_solid):
    world = world_of(cup_solid)
    floor, _ = world.add_collider(Collider("floor", sheet(2.0, -5.0)), np.array([0.0, 0.0, 1.0]))
    key, _ = add_cells(world, cup_solid, np.arange(300), np.array([0.5, 0.0, 0.2]), np.array([0.0, 0.3, 0.0]))
    ahead = world.free_flight([floor, key], 0.01)
    world.step(0.01)
    assert list(ahead) == [floor, key]
    for body in ahead:
        np.testing.assert_allclose(ahead[body], world.velocities(body), rtol=1e-5, atol=1e-4)
    assert key + 1 not in ahead


@pytest.mark.parametrize("length", [0.01, 1.0, 400.0])
def test_things_of_any_size_fall_alike(length):
    """From rest, by half a length, which takes a little time of calm at first."""
    solid = tetrahedralize(shapes.cube(length), 100, 3)
    world = world_of(solid)
    key, _ = add_cells(world, solid, np.arange(solid.cell_count))
    seconds = float(np.sqrt(length / 9.81))
    for _ in range(20):
        world.calm(1.0 / 24.0)
        for _ in range(5):
            world.step(seconds / 100.0)
    assert world.velocities(key)[0][2] == pytest.approx(-9.81 * seconds, rel=0.05)


@pytest.mark.parametrize("count", [2, 40])
def test_fragments_do_not_jump(cup_solid, count):
    """Zero gravity, zero velocity: nothing moves faster than 0.01 m/s in the first frame, nor in the second."""
    world = world_of(cup_solid, STILL)
    centers = cell_centers(cup_solid.points, cup_solid.cells)
    seeds = centers[np.random.default_rng(0).choice(len(centers), count, replace=False)]
    label = cKDTree(seeds).query(centers)[1]
    keys = [add_cells(world, cup_solid, np.flatnonzero(label == row))[0] for row in range(count)]
    start = np.array([world.pose(key) for key in keys])
    for _ in range(20):
        world.step(1.0 / 240.0)
        assert max(np.linalg.norm(world.velocities(key)[0]) for key in keys) < 0.01
    moved_by = np.linalg.norm(np.array([world.pose(key) for key in keys]) - start, axis=1).max()
    assert moved_by < 0.01 / 12.0


def test_a_contact_tells_the_impulse(cup_solid):
    """The push on a falling body is the change of its momentum, gravity apart."""
    world = world_of(cup_solid)
    key, properties = add_cells(world, cup_solid, np.arange(cup_solid.cell_count), np.array([0, 0, -3.0]), height=0.05)
    floor, _ = world.add_collider(Collider("floor", sheet(1.0)), np.array([0.0, 0.0, 1.0]))
    for _ in range(30):
        before = world.velocities(key)[0]
        contacts = world.step(1.0 / 240.0)
        if contacts:
            break
    (contact,) = contacts
    assert {contact.first, contact.second} == {key, floor}
    push = contact.push if contact.second == key else -contact.push
    expected = properties.mass * (world.velocities(key)[0] - before - DOWN / 240.0)
    np.testing.assert_allclose(push[2], expected[2], rtol=1e-3)
    assert push[2] > 2.5 * properties.mass
    offsets, gaps = world.contacts.touching(contact, key)
    assert len(offsets) == len(gaps) > 0
    lowest = cup_solid.points[cup_solid.cells.ravel()][:, 2].min() - properties.center[2]
    np.testing.assert_allclose(offsets[0, 2], lowest, atol=2e-3)


@pytest.mark.parametrize(("gap", "count"), [(1e-3, 0), (3e-4, 1)])
def test_only_what_nearly_touches_is_in_contact(gap, count):
    world, properties, radius = World(STILL, 1.0, 1.0), RigidProperties(1.0, STILL, np.eye(3)), 0.1
    keys = [
        world.add_balls(
            properties,
            STILL[None],
            np.array([radius]),
            np.array([x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
            STILL,
            STILL,
            friction=0.5,
            restitution=0.0,
        )
        for x in (0.0, 2.0 * radius + gap)
    ]
    world.step(1e-3)
    assert len(world.contacts.touching(Contact(*keys, STILL), keys[0])[0]) == count


def test_pushes_that_cancel_are_no_contact(monkeypatch):
    """A contact without an impulse has no direction, and no duration."""
    world, properties = World(STILL, 1.0, 1.0), RigidProperties(1.0, STILL, np.eye(3))
    first, second, third = (
        world.add_balls(
            properties,
            STILL[None],
            np.array([0.1]),
            np.array([x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
            STILL,
            STILL,
            friction=0.5,
            restitution=0.0,
        )
        for x in (0.0, 1.0, 2.0)
    )
    force = SimpleNamespace(to_tuple=lambda: (0.0, 0.0, 1.0))
    pairs = ((first, second), (second, first), (second, third))
    strong = {"total_force": force, "total_force_magnitude": 1.0}
    events = [SimpleNamespace(collider1=one, collider2=other, **strong) for one, other in pairs]
    monkeypatch.setattr(world.contacts, "_events", SimpleNamespace(drain_contact_force_events=lambda: events))
    monkeypatch.setattr(world.contacts, "_key", lambda handle: handle)
    monkeypatch.setattr(world.contacts, "_least_force", lambda event: 0.5)
    assert [(contact.first, contact.second) for contact in world.step(1e-3)] == [(second, third)]


@pytest.mark.parametrize("scale", [0.3, 1.0, 100.0], ids=["3 cm", "10 cm", "10 m"])
def test_a_body_comes_to_rest_on_the_floor_and_not_in_it(cup_solid, scale):
    solid = type(cup_solid)(
        cup_solid.points * scale, cup_solid.cells, cup_solid.padding_cells, cup_solid.faces, cup_solid.face_cells
    )
    world = world_of(solid)
    world.mass = cell_properties(solid.points, solid.cells, 2400.0).mass
    key, properties = add_cells(world, solid, np.arange(solid.cell_count), height=0.02 * scale)
    world.add_collider(Collider("floor", sheet(2.0 * scale)), np.array([0.0, 0.0, scale]))
    for _ in range(int(240 * max(1.0, scale**0.5))):
        world.step(1.0 / 240.0)
    pose = world.pose(key)
    points = (solid.points[np.unique(solid.cells)] - properties.center) @ matrices(pose[3:]).T + pose[:3]
    assert abs(points[:, 2].min()) < 0.01 * 0.09 * scale
    assert np.linalg.norm(world.velocities(key)[0]) < 0.02 * (9.81 * 0.09 * scale) ** 0.5


def test_fast_bodies_keep_their_speed(cup_solid):
    world = world_of(cup_solid, STILL)
    key, _ = add_cells(world, cup_solid, np.arange(20), np.array([300.0, 0.0, 0.0]))
    world.step(1.0 / 240.0)
    np.testing.assert_allclose(world.velocities(key)[0], [300.0, 0.0, 0.0], rtol=1e-5)


def test_momentum_and_spin_of_a_lopsided_body_are_kept(cup_solid):
    """Free flight with the exact inertia: angular momentum stays put while the axis wanders."""
    world = world_of(cup_solid, STILL)
    key, properties = add_cells(world, cup_solid, np.arange(200), np.array([1.0, 0, 0]), np.array([3.0, 5.0, 2.0]))

    def spin():
        rotation = matrices(world.pose(key)[3:])
        return rotation @ properties.inertia @ rotation.T @ world.velocities(key)[1]

    first = spin()
    for _ in range(60):
        world.step(1.0 / 240.0)
    np.testing.assert_allclose(spin(), first, atol=0.02 * np.linalg.norm(first))
    np.testing.assert_allclose(world.velocities(key)[0], [1.0, 0.0, 0.0], atol=1e-5)


def test_a_push_moves_what_is_free_and_nothing_else(cup_solid):
    world = world_of(cup_solid, STILL)
    key, properties = add_cells(world, cup_solid, np.arange(200))
    floor, _ = world.add_collider(Collider("floor", sheet(1.0, -5.0)), np.zeros(3))
    world.step(1e-3)
    arm = np.array([0.0, 0.01, 0.0])
    impulse = np.array([0.02, 0.0, 0.0])
    for target in (key, floor, 99):
        world.push(target, impulse, properties.center + arm)
    velocity, turn = world.velocities(key)
    np.testing.assert_allclose(velocity, impulse / properties.mass, rtol=1e-4)
    np.testing.assert_allclose(turn, np.linalg.solve(properties.inertia, np.cross(arm, impulse)), rtol=1e-2, atol=1e-2)
    assert not world.velocities(floor)[0].any()


def test_a_panic_is_an_error_with_a_remedy_and_an_interrupt_is_not():
    class PanicException(BaseException):
        pass

    def physics(error):
        def step():
            raise error

        return SimpleNamespace(step=step, integration_parameters=SimpleNamespace())

    with pytest.raises(FractureError, match="thickness"):
        engine.step(physics(PanicException("not yet implemented")), 1e-3)
    with pytest.raises(KeyboardInterrupt):
        engine.step(physics(KeyboardInterrupt()), 1e-3)


def test_fast_fragments_over_a_mesh_have_few_contacts(cup_solid):
    """Within what they look ahead, all the balls of two fragments would be in contact."""
    world = world_of(cup_solid)
    tray = shapes.moved(shapes.cup(2.0, 1.0, 0.1), offset=(0.0, 0.0, -2.0))
    world.add_collider(Collider("tray", tray), np.array([0.0, 0.0, 1.0]))
    right = cell_centers(cup_solid.points, cup_solid.cells)[:, 0] > 0.0
    speed = np.array([50.0, 0.0, 0.0])
    first, _ = add_cells(world, cup_solid, np.flatnonzero(right), speed)
    second, _ = add_cells(world, cup_solid, np.flatnonzero(~right), -speed)
    world.step(1.0 / 240.0)
    pairs = world._world.narrow_phase.contact_pairs_with(world._bodies[first].colliders[0])
    counts = [len(world.contacts._ball_centers[key]) for key in (first, second)]
    assert min(counts) > 100
    assert sum(len(pair.manifolds) for pair in pairs) < 0.2 * counts[0] * counts[1]
