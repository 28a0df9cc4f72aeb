"""How a rigid fragment follows the grips that hold it, and what they pull with."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from fracture_addon.core.numerics.rotations import matrices
from fracture_addon.core.timeline.holds import hold
from tests import shapes

CENTER = np.array([0.02, 0.0, 0.01])
START = np.concatenate([CENTER, [1.0, 0.0, 0.0, 0.0]])
ROWS = 6
NOTHING = np.zeros(3)


def track(middle, shift=NOTHING, turn=NOTHING, rows=ROWS):
    """A grip that moves evenly by ``shift`` and turns by ``turn`` (rotation vector) in all ``ROWS`` frames."""
    steps = np.arange(rows)[:, None] / (ROWS - 1)
    quaternions = Rotation.from_rotvec(steps * np.array(turn)).as_quat()[:, [3, 0, 1, 2]]
    return np.concatenate([middle + steps * np.array(shift), quaternions], axis=1)


def ends(count, seed):
    """``count`` groups of held points, 20 each, and the middles of the groups."""
    random = np.random.default_rng(seed)
    middles = random.uniform(-0.1, 0.1, (count, 3))
    return (middles[:, None] + random.uniform(-0.01, 0.01, (count, 20, 3))).reshape(-1, 3), middles, random


def places(points, pose):
    return pose[:3] + (points - CENTER) @ matrices(pose[3:]).T


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("count", [2, 3])
def test_the_forces_of_all_grips_balance(count, seed):
    points, middles, random = ends(count, seed)
    tracks = [track(middle, *random.uniform(-0.02, 0.02, (2, 3))) for middle in middles]
    owners, stiffness = np.repeat(np.arange(count), 20), random.uniform(10.0, 1000.0, count)
    held = hold(points, owners, stiffness[owners], tracks, range(ROWS), START, CENTER)
    assert not held.pulls[0].any()
    for pose, pulls in zip(held.poses[1:], held.pulls[1:], strict=True):
        size = np.linalg.norm(pulls, axis=1).sum()
        assert size > 0.0
        assert np.linalg.norm(pulls.sum(axis=0)) < 1e-6 * size
        turns = np.cross(places(points, pose) - places(points, pose).mean(axis=0), pulls)
        assert np.linalg.norm(turns.sum(axis=0)) < 1e-6 * size * 0.1


@pytest.mark.parametrize("seed", range(3))
def test_a_fragment_follows_its_only_grip_exactly_and_without_force(seed):
    points, middles, random = ends(1, seed)
    moving = track(middles[0], *random.uniform(-1.0, 1.0, (2, 3)))
    held = hold(points, np.zeros(20, int), np.full(20, 100.0), [moving], range(ROWS), START, CENTER)
    expected = moving[-1, :3] + (points - middles[0]) @ matrices(moving[-1, 3:]).T
    assert np.abs(places(points, held.poses[-1]) - expected).max() < 1e-12
    assert np.abs(held.pulls).max() < 1e-9


def test_the_stiffer_grip_gives_way_less():
    middles = np.array([[-0.1, 0.0, 0.0], [0.1, 0.0, 0.0]])
    points = (middles[:, None] + 0.01 * shapes.cube().points).reshape(-1, 3)
    tracks = [track(middles[0]), track(middles[1], (0.01, 0.0, 0.0))]
    owners = np.repeat([0, 1], 8)
    moved = [
        hold(points, owners, springs[owners], tracks, range(ROWS), START, CENTER).poses[-1, 0] - CENTER[0]
        for springs in np.array([[1.0, 9.0], [5.0, 5.0], [9.0, 1.0]])
    ]
    assert moved == pytest.approx([0.009, 0.005, 0.001], abs=5e-4)


def test_a_fragment_stays_where_it_is_when_a_grip_lets_go_and_then_follows_the_other():
    points, middles, _ = ends(2, 1)
    shift = np.array([0.0, 0.0, 0.05])
    tracks = [track(middles[0], rows=3), track(middles[1], shift)]
    held = hold(points, np.repeat([0, 1], 20), np.full(40, 50.0), tracks, range(ROWS), START, CENTER)
    assert held.pulls[2].any()
    assert not held.pulls[3:, :20].any()
    steps = np.diff(held.poses[2:, :3], axis=0)
    assert np.allclose(steps, shift / (ROWS - 1))
    assert np.abs(held.pulls[3:]).max() < 1e-9


def test_a_hold_ends_with_the_last_grip():
    points, middles, _ = ends(2, 1)
    tracks = [track(middles[0], rows=2), track(middles[1], rows=4)]
    assert len(hold(points, np.repeat([0, 1], 20), np.ones(40), tracks, range(ROWS), START, CENTER).poses) == 4
