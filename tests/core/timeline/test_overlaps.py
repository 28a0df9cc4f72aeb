"""Bodies that overlap on the first frame pass through each other; bodies that only touch do not."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from fracture_addon.core.timeline.overlaps import MOST_GROUPS, Overlap, collision_groups, warning
from tests import shapes
from tests.core.timeline_scenes import FLOOR, SETTINGS, WEIGHTLESS, block, run, tap, velocities

pytestmark = pytest.mark.usefixtures("halving")
# m/s: a fall over 12 frames at 24 frames per second.
FALL_SPEED = 9.81 * 12 / 24


def pair(offset):
    """Two blocks of 0.1 m; the second is moved along X, and its name is 'other'."""
    other = block()
    surface = shapes.moved(other.surface, offset=(offset, 0.0, 0.0))
    return block(), replace(other, name="other", surface=surface)


def warnings_of(recording):
    return [text for body in recording.report["bodies"] for text in body["warnings"] if "overlap" in text]


def test_overlapping_blocks_stay_where_they_are_and_a_warning_names_them():
    recording = run(*pair(0.05), colliders=(FLOOR,), gravity=WEIGHTLESS)
    assert len(recording.bodies) == 2
    for track in recording.bodies:
        assert np.abs(track.poses[:, :3] - track.poses[0, :3]).max() < 1e-4
    (text,) = warnings_of(recording)
    assert "'block' and 'other' overlap by" in text
    assert "move them apart" in text


def test_fragments_of_overlapping_blocks_pass_through_the_other_block_and_rest_on_the_floor():
    first, second = pair(0.05)
    recording = run(replace(first, impacts=(tap(4.0),)), second, colliders=(FLOOR,), frames=24)
    assert len(recording.fragments) == 2
    for item in (*recording.fragments, recording.bodies[1]):
        assert np.linalg.norm(velocities(item.poses), axis=1).max() < FALL_SPEED
        assert item.poses[-1, 2] > 0.02


@pytest.mark.parametrize("offset", [0.099, 0.2])
def test_blocks_that_touch_or_are_apart_collide(offset):
    unbreakable = SETTINGS.changed(violence=0.0)
    first, second = (replace(body, settings=unbreakable) for body in pair(offset))
    recording = run(replace(first, velocity=np.array([2.0, 0.0, 0.0])), second, gravity=WEIGHTLESS)
    assert not warnings_of(recording)
    poses = recording.bodies[1].poses
    assert poses[-1, 0] - poses[0, 0] > 0.05


def test_each_overlapping_body_has_a_group_and_ignores_its_partners_only():
    groups = collision_groups([Overlap(0, 3, 0.2), Overlap(3, 5, 0.4)])
    assert set(groups) == {0, 3, 5}
    assert len({group.number for group in groups.values()} | {0}) == 4
    assert groups[3].ignored == {groups[0].number, groups[5].number}
    assert groups[0].ignored == {groups[3].number}


def test_the_deepest_overlaps_get_the_groups_if_there_are_too_many():
    chain = [Overlap(row, row + 1, 0.1 + 0.001 * row) for row in range(60)]
    groups = collision_groups(chain)
    assert len(groups) == MOST_GROUPS
    assert min(groups) > 60 - MOST_GROUPS
    assert {group.number for group in groups.values()} == set(range(1, MOST_GROUPS + 1))


def test_the_warning_says_what_happens_to_a_pair_without_a_group():
    names = [SimpleNamespace(body=SimpleNamespace(name=name)) for name in "abc"]
    pairs = Overlap(0, 1, 0.5), Overlap(1, 2, 0.1)
    groups = collision_groups(pairs[:1])
    assert "'a' and 'b' overlap by 50% on the first frame, so they pass through each other" in warning(
        pairs[0], groups, names
    )
    assert "'b' and 'c' overlap by 10% on the first frame, and their contacts throw them apart" in warning(
        pairs[1], groups, names
    )
