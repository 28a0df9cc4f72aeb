"""The rigid world: shapes that do not jump, floors that hold, impulses that add up."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

from fracture_addon.core.errors import InvalidMeshError
from fracture_addon.core.fragments import cut
from fracture_addon.core.geometry.inside import is_inside
from fracture_addon.core.geometry.nearest import nearest
from fracture_addon.core.job import Collider, Settings
from fracture_addon.core.pose import along, between, continuous, cross, length, matrices, moved
from fracture_addon.core.rigid import collision_shape
from fracture_addon.core.rigid.rigid_properties import RigidProperties, cell_properties
from fracture_addon.core.solid import cell_centers
from fracture_addon.core.surface import Surface, mass_properties
from fracture_addon.core.tetrahedralize import tetrahedralize
from fracture_addon.core.world import Contact, World
from tests import shapes

DOWN = np.array([0.0, 0.0, -9.81])
STILL = np.zeros(3)
# Of the cup, metres: balls may stay behind a corner by a thousandth of it.
SIZE = 0.15


@pytest.fixture(scope="module")
def cup_solid(cup):
    return tetrahedralize(cup, 1200, 3)


def sheet(size: float, height: float = 0.0) -> Surface:
    return Surface(
        np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * size + [0, 0, height], [[0, 1, 2], [0, 2, 3]]
    )


def balls_of(solid, cells, count=1000):
    """The surface around cells, and the balls inside it."""
    surface, outer = collision_shape.boundary(solid.points, solid.cells[cells])
    middles, _ = collision_shape.inspheres(solid.points, solid.cells[cells[outer]])
    return surface, *collision_shape.balls(surface, middles, surface.points, count, SIZE)


def add_cells(world, solid, cells, velocity=STILL, turn=STILL, height=0.0):
    properties = cell_properties(solid.points, solid.cells[cells], 2400.0)
    x, y, z = properties.center
    pose = np.array([x, y, z + height, 1.0, 0.0, 0.0, 0.0])
    balls = balls_of(solid, cells)[1:]
    return world.add_balls(properties, *balls, pose, velocity, turn, friction=0.5, restitution=0.1), properties


def world_of(solid, gravity=DOWN):
    return World(gravity, float(np.linalg.norm(np.ptp(solid.points[solid.cells.ravel()], axis=0))), 0.1)


@pytest.mark.parametrize("count", [40, 400])
def test_balls_lie_inside_the_surface(cup_solid, count):
    surface, centers, radii = balls_of(cup_solid, np.arange(0, 600), count)
    assert count // 3 < len(radii) <= count
    assert is_inside(surface, centers).all()
    assert (nearest(surface, centers)[2] > radii).all()


def below_the_balls(surface, count):
    """By how much a surface reaches beyond its balls, metres, in 500 directions."""
    centers, radii = collision_shape.balls(surface, np.empty((0, 3)), surface.points, count, SIZE)
    directions = np.random.default_rng(1).normal(size=(500, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return (surface.points @ directions.T).max(axis=0) - (centers @ directions.T + radii[:, None]).max(axis=0)


SURFACES = {
    "cube": shapes.cube(0.1),
    "plate": shapes.box((0.1, 0.08, 0.004)),
    "needle": shapes.box((0.1, 0.003, 0.002)),
    "ball": shapes.icosphere(0.05),
    "cup": shapes.cup(),
}


@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES)
def test_a_fragment_stands_on_balls_whichever_way_it_lies(surface):
    """In every direction the balls reach as far as the surface, but for the tolerance (twice: hull and ball)."""
    gaps = below_the_balls(surface, 600)
    assert gaps.min() > 0.0
    assert gaps.max() < 2.1 * collision_shape.TOLERANCE * SIZE


@pytest.mark.parametrize("seed", [0, 1])
def test_shards_stand_on_their_splinters(cup_solid, seed):
    """The tips of real shards are so sharp that their normals lead out of them."""
    centers = cell_centers(cup_solid.points, cup_solid.cells)
    seeds = centers[np.random.default_rng(seed).choice(len(centers), 20, replace=False)]
    label = cKDTree(seeds).query(centers)[1]
    for part in cut(shapes.cup(), cup_solid, label, Settings(seed=seed)):
        gaps = below_the_balls(part.surface, 200)
        assert np.median(gaps) < 2.0 * collision_shape.TOLERANCE * SIZE
        assert gaps.max() < 15.0 * collision_shape.TOLERANCE * SIZE


def test_wide_faces_have_balls_between_their_corners():
    cube = shapes.cube(0.1)
    solid = tetrahedralize(cube, 600, 1)
    around, outer = collision_shape.boundary(solid.points, solid.cells)
    middles, _ = collision_shape.inspheres(solid.points, solid.cells[outer])
    centers, radii = collision_shape.balls(cube, middles, around.points, 500, cube.diagonal)
    low, high = cube.points.min(axis=0), cube.points.max(axis=0)
    sites = low + np.random.default_rng(0).uniform(size=(100, 3)) * (high - low)
    sites[:, 2] = high[2]
    gap = np.linalg.norm(sites[:, None] - centers, axis=2) - radii
    assert gap.min(axis=1).max() < 0.012


def test_an_insphere_touches_all_four_faces():
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    centers, radii = collision_shape.inspheres(points, np.array([[0, 1, 2, 3]]))
    expected = 1.0 / (3.0 + 3.0**0.5)
    np.testing.assert_allclose(radii, [expected])
    np.testing.assert_allclose(centers, [[expected] * 3])


def test_corners_are_those_of_the_hull_and_the_farthest_first():
    cube = np.array(np.meshgrid([-1.0, 1], [-1.0, 1], [-1.0, 1])).reshape(3, -1).T
    inside = np.random.default_rng(0).uniform(-0.9, 0.9, (50, 3))
    bump = np.array([[0.0, 0.0, 1.05]])
    points = np.concatenate([inside, cube, bump])
    assert set(collision_shape.corners(points, 0.01, 100)) == set(range(50, 59))
    assert len(collision_shape.corners(points, 0.01, 6)) == 6
    flat = inside * [1.0, 1.0, 0.0]
    assert len(collision_shape.corners(flat, 0.01, 7)) == 7


def test_spread_takes_the_farthest_next():
    points = np.array([[0.0, 0, 0], [1, 0, 0], [1.1, 0, 0], [5, 0, 0], [5, 0, 0]])
    np.testing.assert_array_equal(collision_shape.spread(points, np.array([2]), 3), [2, 3, 0])
    np.testing.assert_array_equal(np.sort(collision_shape.spread(points, np.array([2]), 9)), [0, 1, 2, 3])


def test_a_heap_falls_asleep(cup_solid):
    """Two seconds after it fell nothing moves, nothing is awake, and nothing lies in the floor."""
    world = world_of(cup_solid)
    world.add_collider(Collider("floor", sheet(2.0)), np.array([0.0, 0.0, 1.0]))
    centers = cell_centers(cup_solid.points, cup_solid.cells)
    label = cKDTree(centers[np.random.default_rng(3).choice(len(centers), 15, replace=False)]).query(centers)[1]
    keys = [add_cells(world, cup_solid, np.flatnonzero(label == row), height=0.05)[0] for row in range(15)]
    for _ in range(54):
        world.calm()
        for _ in range(5):
            world.step(1.0 / 120.0)
    assert world.awake_count() == 0
    assert all(np.linalg.norm(world.velocities(key)[0]) == 0.0 for key in keys)


@pytest.mark.parametrize(("gravity", "speed"), [(STILL, 0.01), (DOWN, 0.5)])
def test_calming_leaves_drifting_and_flying_alone(cup_solid, gravity, speed):
    world = world_of(cup_solid, gravity)
    key, _ = add_cells(world, cup_solid, np.arange(300), np.array([speed, 0.0, 0.0]), np.array([0.0, 0.0, 0.2]))
    world.calm()
    for _ in range(5):
        world.step(1.0 / 120.0)
    np.testing.assert_allclose(
        world.velocities(key)[0] - 5.0 / 120.0 * gravity, [speed, 0.0, 0.0], rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("length", [0.01, 1.0, 400.0])
def test_things_of_any_size_fall_alike(length):
    """From rest, by half a length, which takes a little time of calm at first."""
    solid = tetrahedralize(shapes.cube(length), 100, 3)
    world = world_of(solid)
    key, _ = add_cells(world, solid, np.arange(solid.cell_count))
    seconds = float(np.sqrt(length / 9.81))
    for _ in range(20):
        world.calm()
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
    offsets, gaps = world.touching(contact, key)
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
    assert len(world.touching(Contact(*keys, STILL), keys[0])[0]) == count


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


FLOORS = {
    "sheet": sheet(20.0),
    "thin box": shapes.box((40.0, 40.0, 0.001), (0.0, 0.0, -0.0005)),
    "bowl-shaped sheet": Surface(
        [[-20, -20, 1], [20, -20, 1], [20, 20, 1], [-20, 20, 1], [0, 0, 0]],
        [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]],
    ),
}


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("speed", [5.0, 50.0])
def test_nothing_tunnels(cup_solid, floor, speed):
    """No backstop behind the floor, and single small fragments that move many times their size a step."""
    world = world_of(cup_solid)
    world.add_collider(Collider("floor", FLOORS[floor]), np.array([0.0, 0.0, 1.0]))
    velocity = np.array([0.0, 0.0, -speed])
    # Slivers of a tenth of a millimetre may: nothing so thin is a fragment of its own unless dust is kept.
    thick = np.flatnonzero(collision_shape.inspheres(cup_solid.points, cup_solid.cells)[1] > 0.0015)
    keys = [add_cells(world, cup_solid, np.array([row]), velocity, height=0.4)[0] for row in thick[::20]]
    for _ in range(48):
        world.step(1.0 / 96.0)
    assert all(world.pose(key)[2] > -0.001 for key in keys)


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


@pytest.mark.parametrize("shape", ["mesh", "hull", "box", "sphere"])
def test_projectiles_have_the_mass_and_the_speed_they_are_given(shape):
    world = World(STILL, 0.2, 1.0)
    ball = Collider("ball", shapes.moved(shapes.icosphere(0.05), offset=(1.0, 0.0, 0.0)), shape, mass=0.7)
    key, properties = world.add_collider(ball, np.zeros(3))
    world.step(0.01)
    world.push(key, np.array([0.0, 0.7, 0.0]), properties.center)
    world.step(0.01)
    np.testing.assert_allclose(world.velocities(key)[0], [0.0, 1.0, 0.0], atol=1e-4)
    np.testing.assert_allclose(world.pose(key)[:3], [1.0, 0.01, 0.0], atol=1e-4)


@pytest.mark.parametrize(
    "surface",
    [
        Surface(np.zeros((0, 3)), np.zeros((0, 3))),
        Surface([[0, 0, np.nan]] * 3, [[0, 1, 2]]),
        Surface([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]]),
    ],
    ids=["empty", "not finite", "a line"],
)
def test_an_impossible_collider_is_refused_by_name(surface):
    with pytest.raises(InvalidMeshError, match="'wall'"):
        World(DOWN, 1.0, 1.0).add_collider(Collider("wall", surface, "hull"), np.zeros(3))


TURN = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize("points", [sheet(1.0).points @ TURN.T, sheet(1.0).points[[0, 1, 2, 2]]], ids=["turned", "cut"])
def test_a_sheet_holds_up_to_its_edge_and_not_beyond(cup_solid, points):
    world = world_of(cup_solid)
    world.add_collider(Collider("floor", Surface(points, [[0, 1, 2], [0, 2, 3]])), np.array([0.0, 0.0, 1.0]))
    middle = points[:3].mean(axis=0)
    falls = {}
    for share in (0.85, 1.2):
        place = middle + share * (points[1] - middle)
        properties = cell_properties(cup_solid.points, cup_solid.cells[:30], 2400.0)
        pose = np.array([place[0], place[1], 0.02, 1.0, 0.0, 0.0, 0.0])
        balls = balls_of(cup_solid, np.arange(30))[1:]
        falls[share] = world.add_balls(properties, *balls, pose, STILL, STILL, friction=0.5, restitution=0.1)
    for _ in range(120):
        world.step(1.0 / 240.0)
    assert world.pose(falls[0.85])[2] > 0.0
    assert world.pose(falls[1.2])[2] < -0.3


@pytest.mark.parametrize("shape", ["mesh", "hull", "box"])
def test_a_flat_floor_holds_whatever_its_shape_is_called(cup_solid, shape):
    world = world_of(cup_solid)
    world.add_collider(Collider("floor", sheet(1.0), shape), np.array([0.0, 0.0, 1.0]))
    key, properties = add_cells(world, cup_solid, np.arange(cup_solid.cell_count), height=0.05)
    for _ in range(120):
        world.step(1.0 / 120.0)
    np.testing.assert_allclose(world.pose(key)[2], properties.center[2], atol=0.001)


def test_mass_properties_of_cells_are_those_of_their_surface():
    solid = tetrahedralize(shapes.cube(0.2), 600, 1)
    mass, center, inertia = mass_properties(shapes.cube(0.2), 2400.0)
    cells = cell_properties(solid.points, solid.cells, 2400.0)
    np.testing.assert_allclose(cells.mass, mass, rtol=0.08)
    np.testing.assert_allclose(cells.center, center, atol=0.005)
    np.testing.assert_allclose(cells.inertia, inertia, rtol=0.15, atol=0.02 * inertia.max())


def test_tracks_count_from_their_first_row():
    half = np.sqrt(0.5)
    track = np.array([[1.0, 0, 0, half, 0, 0, half], [2.0, 0, 0, half, 0, 0, half], [2.0, 0, 0, 0, 0, 0, 1]])
    center = np.array([1.0, 1.0, 0.0])
    np.testing.assert_allclose(along(track, 0.0, center), [1, 1, 0, 1, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(along(track, 0.5, center), [1.5, 1, 0, 1, 0, 0, 0], atol=1e-12)
    # A quarter turn about Z takes the arm from Y to -X; the last row holds.
    np.testing.assert_allclose(along(track, 9.0, center), [1, 0, 0, half, 0, 0, half], atol=1e-12)
    np.testing.assert_allclose(along(track[:1], 5.0, center), [1, 1, 0, 1, 0, 0, 0], atol=1e-12)


def test_poses_between_and_about_other_points():
    turn = np.array([0.0, 0.0, 0.0, np.cos(0.4), 0.0, 0.0, np.sin(0.4)])
    middle = between(np.array([0.0, 0, 0, 1, 0, 0, 0]), -turn, 0.5)
    np.testing.assert_allclose(np.abs(middle[3:]), [np.cos(0.2), 0, 0, np.sin(0.2)], atol=1e-12)
    np.testing.assert_allclose(moved(turn, np.zeros(3), np.array([1.0, 0, 0]))[0, :2], [np.cos(0.8), np.sin(0.8)])
    poses = np.stack([turn, -turn, turn])
    assert (np.diff(continuous(poses), axis=0) == 0.0).all()


def test_one_vector_is_as_one_of_many():
    """What is written out for one is numpy's, to the bit."""
    first, second = np.random.default_rng(0).normal(size=(2, 20, 3))
    turns = np.random.default_rng(1).normal(size=(20, 4))
    np.testing.assert_array_equal([cross(a, b) for a, b in zip(first, second, strict=True)], np.cross(first, second))
    assert [length(a) for a in first] == [np.linalg.norm(a) for a in first]
    np.testing.assert_array_equal([matrices(turn) for turn in turns], matrices(turns))
