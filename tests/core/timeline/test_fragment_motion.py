"""What fragments may take from a blow."""

from __future__ import annotations

import numpy as np
import pytest

from fracture_addon.core.data.solid import cell_centers
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.method import Break, RigidMotion
from fracture_addon.core.rigid.rigid_properties import cell_properties
from fracture_addon.core.timeline.fragment_motion import allowance, departures
from tests import shapes

STILL = np.zeros(3)


@pytest.fixture(scope="module")
def broken():
    """A block and its fragments: a large one, a middling one and a crumb."""
    solid = tetrahedralize(shapes.box((0.1, 0.06, 0.08)), 300, 0)
    along = cell_centers(solid.points, solid.cells)[:, 0]
    label = np.searchsorted(np.quantile(along, [0.6, 0.98]), along)
    whole = cell_properties(solid.points, solid.cells, 2400.0)
    return whole, [cell_properties(solid.points, solid.cells[label == row], 2400.0) for row in range(3)]


def energy(properties, velocities, turns, frame=STILL):
    return 0.5 * sum(
        item.mass * (velocity - frame) @ (velocity - frame) + turn @ item.inertia @ turn
        for item, velocity, turn in zip(properties, velocities, turns, strict=True)
    )


def found(velocities, turns):
    count = len(velocities)
    return Break(np.zeros(0), np.array(velocities), np.array(turns), 2.0, 1, 0, 0.0, np.ones(count, bool))


def wild(seed, size):
    random = np.random.default_rng(seed)
    return found(random.normal(size=(3, 3)) * size, random.normal(size=(3, 3)) * size * 20.0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [0.1, 3.0, 100.0])
@pytest.mark.parametrize("striker", [np.inf, 0.5, 20.0])
def test_no_blow_raises_the_energy_of_those_who_met(broken, seed, size, striker):
    """In the frame of the two, whatever velocities the method found."""
    whole, parts = broken
    random = np.random.default_rng(seed)
    motion = RigidMotion(random.normal(size=3), 5.0 * random.normal(size=3))
    velocity = random.normal(size=3)
    limit = allowance(whole, motion, striker, velocity, 1e9, 0.1, 1.0)
    velocities, turns = departures(whole, motion, parts, wild(seed, size), [limit])
    before = energy([whole], [motion.velocity], [motion.angular_velocity], limit.frame)
    if np.isfinite(striker):
        before += 0.5 * striker * np.sum((velocity - limit.frame) ** 2)
    after = energy(parts, velocities, turns, limit.frame)
    assert after <= before * (1.0 + 1e-6)
    if size == 100.0:
        np.testing.assert_allclose(after, before, rtol=1e-3)


def test_energy_is_counted_in_the_frame_of_the_two(broken):
    """Everything that moves along, striker included, changes nothing: whoever watches sees the same."""
    whole, parts = broken
    wind, result = np.array([3.0, -2.0, 7.0]), wild(1, 20.0)
    seen = []
    for add in (STILL, wind):
        motion = RigidMotion(np.array([0.0, 0.0, -2.0]) + add, np.array([1.0, 2.0, 3.0]))
        limit = allowance(whole, motion, 4.0, np.array([0.5, 0.0, 1.0]) + add, 3.0, 0.1, 1.0)
        moved = found(result.velocity + add, result.angular_velocity)
        velocities, turns = departures(whole, motion, parts, moved, [limit])
        seen.append((velocities - add, turns))
    np.testing.assert_allclose(seen[0][0], seen[1][0], atol=1e-9)
    np.testing.assert_allclose(seen[0][1], seen[1][1], atol=1e-9)


def test_a_crumb_gets_no_more_than_a_bounce(broken):
    whole, parts = broken
    motion = RigidMotion(np.array([0.0, 0.0, -2.0]), STILL)
    result = found([[0.0, 0.0, -2.0], [0.0, 0.0, -2.0], [0.0, 0.0, 50.0]], np.zeros((3, 3)))
    limit = allowance(whole, motion, np.inf, STILL, 2.0, 0.1, 1.0)
    velocities, _ = departures(whole, motion, parts, result, [limit])
    np.testing.assert_allclose(velocities[2], [0.0, 0.0, 0.2])
    np.testing.assert_allclose(velocities[:2], result.velocity[:2])


def test_what_is_within_the_limit_stays_as_it_was_found(broken):
    whole, parts = broken
    motion = RigidMotion(np.array([0.0, 0.0, -4.0]), STILL)
    result = found([[0.1, 0.0, -0.5], [0.0, 0.2, -1.0], [0.0, 0.0, -3.0]], [[1.0, 0.0, 0.0]] * 3)
    for limits in ([], [allowance(whole, motion, np.inf, STILL, 4.0, 0.1, 1.0)]):
        velocities, turns = departures(whole, motion, parts, result, limits)
        np.testing.assert_allclose(velocities, result.velocity)
        np.testing.assert_allclose(turns, result.angular_velocity)


def test_the_most_generous_blow_counts_and_violence_gives_more(broken):
    whole, parts = broken
    motion, result = RigidMotion(np.array([0.0, 0.0, -1.0]), STILL), wild(2, 50.0)
    mean = allowance(whole, motion, np.inf, STILL, 1.0, 0.1, 1.0)
    generous = allowance(whole, motion, np.inf, STILL, 1.0, 0.1, 3.0)
    np.testing.assert_allclose([generous.fastest, generous.energy], [3.0 * mean.fastest, 9.0 * mean.energy])
    alone = departures(whole, motion, parts, result, [generous])
    both = departures(whole, motion, parts, result, [mean, generous])
    np.testing.assert_array_equal(alone[0], both[0])
    assert energy(parts, *alone) > 2.0 * energy(parts, *departures(whole, motion, parts, result, [mean]))
