"""Floors, sheets and projectiles: they hold, they weigh what they should, and impossible ones are refused."""

from __future__ import annotations

import numpy as np
import pytest

from fracture_addon.core.data.errors import InvalidMeshError
from fracture_addon.core.data.job import Collider
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.rigid import collision_shape
from fracture_addon.core.rigid.rigid_properties import cell_properties
from fracture_addon.core.rigid.world import World
from tests import shapes
from tests.core.balls import DOWN, STILL, add_cells, balls_of, sheet, world_of

FLOORS = {
    "sheet": sheet(20.0),
    "thin box": shapes.box((40.0, 40.0, 0.001), (0.0, 0.0, -0.0005)),
    "bowl-shaped sheet": Surface(
        [[-20, -20, 1], [20, -20, 1], [20, 20, 1], [-20, 20, 1], [0, 0, 0]],
        [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]],
    ),
}


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("speed", [5.0, 50.0, 200.0])
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
