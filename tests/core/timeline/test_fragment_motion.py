"""Limits of the velocities that fragments get from an impact."""

from __future__ import annotations

import numpy as np
import pytest

from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.solid import cell_centers
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.method import Break, RigidMotion
from fracture_addon.core.rigid.rigid_properties import RigidProperties, cell_properties
from fracture_addon.core.timeline.fragment_group import FragmentGroup
from fracture_addon.core.timeline.fragment_motion import impact_limit, limited_velocities, with_masses
from tests import shapes

STILL = np.zeros(3)


@pytest.fixture(scope="module")
def broken():
    """A block and its fragments: a large, a medium and a small one."""
    solid = tetrahedralize(shapes.box((0.1, 0.06, 0.08)), 300, 0)
    along = cell_centers(solid.points, solid.cells)[:, 0]
    label = np.searchsorted(np.quantile(along, [0.6, 0.98]), along)
    whole = cell_properties(solid.points, solid.cells, 2400.0)
    return whole, [cell_properties(solid.points, solid.cells[label == row], 2400.0) for row in range(3)]


def energy(properties, velocities, spins, frame=STILL):
    return 0.5 * sum(
        item.mass * (velocity - frame) @ (velocity - frame) + spin @ item.inertia @ spin
        for item, velocity, spin in zip(properties, velocities, spins, strict=True)
    )


def found(velocities, spins):
    count = len(velocities)
    return Break(np.zeros(0), np.array(velocities), np.array(spins), 2.0, 1, 0, 0.0, np.ones(count, bool))


def random_break(seed, size):
    random = np.random.default_rng(seed)
    return random.normal(size=(3, 3)) * size, random.normal(size=(3, 3)) * size * 20.0


def hit(point, impulse):
    size = np.linalg.norm(impulse)
    return Impact(point, np.asarray(impulse) / size, size, 1e-4, 0.01)


HITS = [hit([-0.05, 0.0, 0.01], [0.0, 0.3, 2.0]), hit([0.02, 0.03, -0.04], [0.1, 0.0, 1.0])]


def causes(fragments, velocities, spins):
    """Impulses that give fragments these velocities: one at each centre of mass, and a couple."""
    for item, velocity, spin in zip(fragments, velocities, spins, strict=True):
        yield hit(item.center, item.mass * velocity)
        turn = item.inertia @ spin
        arm = np.cross(turn, [0.3, -0.5, 0.7])
        push = np.cross(turn, arm) / (2.0 * arm @ arm)
        yield from (hit(item.center + arm, push), hit(item.center - arm, -push))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [0.1, 3.0, 100.0])
@pytest.mark.parametrize("impactor", [np.inf, 0.5, 20.0])
def test_no_impact_raises_the_energy_of_body_and_impactor(broken, seed, size, impactor):
    """In the frame of their common centre of mass, for any velocities that the method finds."""
    whole, fragments = broken
    random = np.random.default_rng(seed)
    motion = RigidMotion(random.normal(size=3), 5.0 * random.normal(size=3))
    velocity = random.normal(size=3)
    limit = impact_limit(whole, motion, impactor, velocity, 1e9, 0.1, 1.0)
    velocities, spins, _ = limited_velocities(whole, motion, fragments, *random_break(seed, size), HITS, [limit])
    before = energy([whole], [motion.velocity], [motion.angular_velocity], limit.frame)
    if np.isfinite(impactor):
        before += 0.5 * impactor * np.sum((velocity - limit.frame) ** 2)
    after = energy(fragments, velocities, spins, limit.frame)
    assert after <= before * (1.0 + 1e-6)
    if size == 100.0:
        np.testing.assert_allclose(after, before, rtol=1e-3)


def test_the_energy_does_not_depend_on_the_observer(broken):
    """A common velocity of everything, impactor included, changes nothing."""
    whole, fragments = broken
    common, result = np.array([3.0, -2.0, 7.0]), random_break(1, 20.0)
    results = []
    for add in (STILL, common):
        motion = RigidMotion(np.array([0.0, 0.0, -2.0]) + add, np.array([1.0, 2.0, 3.0]))
        limit = impact_limit(whole, motion, 4.0, np.array([0.5, 0.0, 1.0]) + add, 3.0, 0.1, 1.0)
        moved = result[0] + add, result[1]
        velocities, spins, _ = limited_velocities(whole, motion, fragments, *moved, HITS, [limit])
        results.append((velocities - add, spins))
    np.testing.assert_allclose(results[0][0], results[1][0], atol=1e-9)
    np.testing.assert_allclose(results[0][1], results[1][1], atol=1e-9)


def momenta(properties, velocities, spins):
    momentum = sum(item.mass * velocity for item, velocity in zip(properties, velocities, strict=True))
    angular = sum(
        item.inertia @ spin + np.cross(item.center, item.mass * velocity)
        for item, velocity, spin in zip(properties, velocities, spins, strict=True)
    )
    return np.concatenate([momentum, angular])


def test_drawn_fragments_get_the_momentum_and_angular_momentum_of_their_cells(broken):
    """Without a motion before the impact; the drawn fragments are heavier and lie elsewhere."""
    _, cells = broken
    drawn = [RigidProperties(1.4 * item.mass, item.center + 0.004, 1.7 * item.inertia) for item in cells]
    result = found(*random_break(3, 2.0))
    moved = with_masses(result, RigidMotion(STILL, STILL), STILL, cells, drawn)
    expected = momenta(cells, result.velocity, result.angular_velocity)
    np.testing.assert_allclose(momenta(drawn, moved.velocity, moved.angular_velocity), expected, rtol=1e-12)
    assert np.abs(moved.velocity - result.velocity).max() > 0.1


def test_drawn_fragments_without_an_impact_move_with_the_body(broken):
    whole, cells = broken
    drawn = [RigidProperties(1.4 * item.mass, item.center + 0.004, 1.7 * item.inertia) for item in cells]
    motion = RigidMotion(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))
    before = [motion.velocity + np.cross(motion.angular_velocity, item.center - whole.center) for item in cells]
    moved = with_masses(found(before, [motion.angular_velocity] * 3), motion, whole.center, cells, drawn)
    after = [motion.velocity + np.cross(motion.angular_velocity, item.center - whole.center) for item in drawn]
    np.testing.assert_allclose(moved.velocity, after, rtol=1e-12)
    np.testing.assert_allclose(moved.angular_velocity, [motion.angular_velocity] * 3, rtol=1e-12)


@pytest.mark.parametrize("scale", [1.0, 1.3], ids=["exact cut", "other mass"])
@pytest.mark.parametrize("violence", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("size", [0.1, 3.0, 100.0])
def test_momenta_are_those_of_the_body_and_of_one_share_of_the_impulses(broken, size, violence, scale):
    """For any velocities that the method finds, with and without limits (a violence of 0)."""
    whole, fragments = broken
    fragments = [RigidProperties(scale * item.mass, item.center + 0.001, scale * item.inertia) for item in fragments]
    motion = RigidMotion(np.array([0.5, 1.0, -2.0]), np.array([3.0, -4.0, 5.0]))
    limits = [impact_limit(whole, motion, 0.5, np.array([0.0, 0.0, 3.0]), 3.0, 0.1, violence)] if violence else []
    velocities, spins, share = limited_velocities(whole, motion, fragments, *random_break(4, size), HITS, limits)
    impulses = [item.impulse * item.direction for item in HITS]
    given = np.concatenate(
        [sum(impulses), sum(np.cross(item.point, push) for item, push in zip(HITS, impulses, strict=True))]
    )
    expected = momenta([whole], [motion.velocity], [motion.angular_velocity]) + share * given
    np.testing.assert_allclose(momenta(fragments, velocities, spins), expected, rtol=1e-9, atol=1e-12 * size)
    assert 0.0 <= share <= 1.0


def test_the_share_is_that_of_the_method(broken):
    """Half of the impulses move the fragments half as fast; without impulses the fragments take nothing."""
    whole, fragments = broken
    still = RigidMotion(STILL, STILL)
    velocities, spins = random_break(5, 1.0)
    impacts = list(causes(fragments, velocities, spins))
    for share in (1.0, 0.5):
        found = limited_velocities(whole, still, fragments, share * velocities, share * spins, impacts, [])
        np.testing.assert_allclose(found[2], share)
        np.testing.assert_allclose(found[0], share * velocities, atol=1e-12)
        np.testing.assert_allclose(found[1], share * spins, atol=1e-10)
    nothing = limited_velocities(whole, still, fragments, velocities, spins, [], [])
    assert nothing[2] == 0.0
    np.testing.assert_allclose(momenta(fragments, *nothing[:2]), 0.0, atol=1e-12)


def test_a_small_fragment_gets_no_more_than_a_bounce(broken):
    whole, fragments = broken
    motion = RigidMotion(np.array([0.0, 0.0, -2.0]), STILL)
    result = np.array([[0.0, 0.0, -2.0], [0.0, 0.0, -2.0], [0.0, 0.0, 50.0]]), np.zeros((3, 3))
    limit = impact_limit(whole, motion, np.inf, STILL, 2.0, 0.1, 1.0)
    hits = [hit(fragments[2].center, [0.0, 0.0, 52.0 * fragments[2].mass])]
    velocities, _, share = limited_velocities(whole, motion, fragments, *result, hits, [limit])
    np.testing.assert_allclose(velocities[2], [0.0, 0.0, 0.2], atol=1e-9)
    np.testing.assert_allclose(velocities[:2], result[0][:2], atol=1e-9)
    np.testing.assert_allclose(share, 2.2 / 52.0)


def test_velocities_within_the_limit_are_kept(broken):
    whole, fragments = broken
    motion = RigidMotion(np.array([0.0, 0.0, -4.0]), STILL)
    result = np.array([[0.1, 0.0, -0.5], [0.0, 0.2, -1.0], [0.0, 0.0, -3.0]]), np.array([[1.0, 0.0, 0.0]] * 3)
    impacts = list(causes(fragments, result[0] - motion.velocity, result[1]))
    for limits in ([], [impact_limit(whole, motion, np.inf, STILL, 4.0, 0.1, 1.0)]):
        velocities, spins, share = limited_velocities(whole, motion, fragments, *result, impacts, limits)
        np.testing.assert_allclose(velocities, result[0], atol=1e-9)
        np.testing.assert_allclose(spins, result[1], atol=1e-9)
        np.testing.assert_allclose(share, 1.0)


def test_limits_keep_motion_that_fragments_give_each_other(broken):
    """Gains without momentum and angular momentum, as those of release waves, pass unchanged below the limits."""
    whole, fragments = broken
    motion = RigidMotion(np.array([0.0, 0.0, -4.0]), STILL)
    group = FragmentGroup(fragments)
    apart, turns = group.with_momenta(*random_break(6, 0.3), STILL, STILL)
    result = np.array([[0.1, 0.0, -0.5], [0.0, 0.2, -1.0], [0.0, 0.0, -3.0]]), np.array([[1.0, 0.0, 0.0]] * 3)
    impacts = list(causes(fragments, result[0] - motion.velocity, result[1]))
    limit = impact_limit(whole, motion, np.inf, STILL, 4.0, 0.1, 1.0)
    moved = result[0] + apart, result[1] + turns
    velocities, spins, share = limited_velocities(whole, motion, fragments, *moved, impacts, [limit])
    np.testing.assert_allclose(velocities, moved[0], atol=1e-9)
    np.testing.assert_allclose(spins, moved[1], atol=1e-9)
    np.testing.assert_allclose(share, 1.0)


def test_the_largest_limit_counts_and_the_load_factor_raises_it(broken):
    whole, fragments = broken
    motion, result = RigidMotion(np.array([0.0, 0.0, -1.0]), STILL), (*random_break(2, 50.0), HITS)
    small = impact_limit(whole, motion, np.inf, STILL, 1.0, 0.1, 1.0)
    large = impact_limit(whole, motion, np.inf, STILL, 1.0, 0.1, 3.0)
    np.testing.assert_allclose([large.speed_gain, large.energy], [3.0 * small.speed_gain, 9.0 * small.energy])
    alone = limited_velocities(whole, motion, fragments, *result, [large])
    both = limited_velocities(whole, motion, fragments, *result, [small, large])
    np.testing.assert_array_equal(alone[0], both[0])
    assert energy(fragments, *alone[:2]) > 2.0 * energy(
        fragments, *limited_velocities(whole, motion, fragments, *result, [small])[:2]
    )


def test_a_body_of_which_only_dust_is_left_takes_the_whole_impulse(broken):
    whole, _ = broken
    still = RigidMotion(np.zeros(3), np.zeros(3))
    velocities, spins, share = limited_velocities(whole, still, [], np.zeros((0, 3)), np.zeros((0, 3)), HITS, [])
    assert velocities.shape == spins.shape == (0, 3)
    assert share == 1.0
