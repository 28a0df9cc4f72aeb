"""Whole bodies look ahead for what could pass through them, and for nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from fracture_addon.core.rigid.rigid_properties import cell_properties
from fracture_addon.core.rigid.world import World
from tests.core.balls import STILL

STEP = 1.0 / 120.0
FAST = np.array([0.0, 0.0, -80.0])


def layer_of_balls(world: World, solid, height: float, velocity: np.ndarray, *, whole: bool) -> int:
    """Add a flat body of 20 x 20 balls of 1 cm at a height."""
    properties = cell_properties(solid.points, solid.cells, 1000.0)
    x, y = np.meshgrid(*2 * [np.linspace(-0.2, 0.2, 20)])
    flat = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
    pose = np.array([0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0])
    return world.add_balls(
        properties,
        properties.center + flat,
        np.full(len(flat), 0.01),
        pose,
        velocity,
        STILL,
        friction=0.3,
        restitution=0.0,
        far_sighted=whole,
    )


def contact_count(world: World, key: int) -> int:
    """Count the pairs of parts that Rapier examines for one body."""
    pairs = world._world.narrow_phase.contact_pairs_with(world._bodies[key].colliders[0])
    return sum(len(pair.manifolds) for pair in pairs)


def test_a_fast_body_beside_fragments_that_move_with_it_has_few_contacts(cup_solid):
    """Within the distance of a step, 0.7 m, each ball of one would be in contact with many balls of the other."""
    world = World(STILL, 0.4, 1.0)
    whole = layer_of_balls(world, cup_solid, 0.0, FAST, whole=True)
    layer_of_balls(world, cup_solid, 0.03, FAST + np.array([0.0, 0.0, -0.1]), whole=False)
    world.step(STEP)
    assert contact_count(world, whole) < 20 * 400


def test_a_body_that_slows_down_looks_ahead_again(cup_solid):
    world = World(STILL, 0.4, 1.0)
    whole = layer_of_balls(world, cup_solid, 0.0, FAST, whole=True)
    unlimited = world._bodies[whole].soft_ccd_prediction
    world.step(STEP)
    assert world._bodies[whole].soft_ccd_prediction == 0.0
    world.set_velocities(whole, STILL, STILL)
    world.step(STEP)
    assert world._bodies[whole].soft_ccd_prediction == unlimited > 0.0


@pytest.mark.parametrize(("lower_is_whole", "drift"), [(True, 0.0), (True, -300.0), (False, 0.0)])
@pytest.mark.parametrize("speed", [5.0, 50.0, 200.0])
def test_a_whole_body_hits_another_body_at_any_speed(cup_solid, speed, drift, lower_is_whole):
    """The two move together with ``drift`` and approach each other with ``speed``."""
    world = World(STILL, 0.4, 1.0)
    common = np.array([0.0, 0.0, drift])
    lower = layer_of_balls(world, cup_solid, 0.0, common, whole=lower_is_whole)
    layer_of_balls(world, cup_solid, 0.3, common + np.array([0.0, 0.0, -speed]), whole=True)
    for _ in range(20):
        world.step(STEP)
    assert world.velocities(lower)[0][2] < drift - 0.1 * speed


@pytest.mark.parametrize("speed", [50.0, 200.0])
def test_a_fast_fragment_hits_a_whole_body_at_rest(cup_solid, speed):
    """The fragment moves by 0.4 m and more in a step, and the body is 2 cm thick."""
    world = World(STILL, 0.4, 1.0)
    whole = layer_of_balls(world, cup_solid, 0.0, STILL, whole=True)
    layer_of_balls(world, cup_solid, 0.3, np.array([0.0, 0.0, -speed]), whole=False)
    for _ in range(20):
        world.step(STEP)
    assert world.velocities(whole)[0][2] < -0.1 * speed
