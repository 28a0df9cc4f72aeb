"""Recordings stay the same byte for byte, unless a change of the code is meant to change them."""

import pytest

from tests import recordings


@pytest.mark.parametrize("name", recordings.SCENES)
def test_a_recording_is_the_stored_one(name):
    known = recordings.stored()
    if name not in known:
        pytest.skip(f"no digest is stored for {recordings.machine()}: python -m tests.recordings --write")
    assert recordings.digest(recordings.record(name)) == known[name]


def test_every_scene_breaks_or_deforms_something():
    """A scene without breaks would test nothing."""
    for name in ("network hit by a ball", "separate islands", "network impact, point bonds"):
        assert len(recordings.record(name).fragments) > 2


def test_a_change_drops_the_digests_of_other_processors():
    every = {"a, numpy 1": {"x": "old", "y": "old"}, "b, numpy 1": {"x": "old", "y": "old"}, "b, numpy 2": {"x": "new"}}
    kept = recordings.without_changed(every, "b, numpy 1", {"x"})
    assert kept == {"a, numpy 1": {"y": "old"}, "b, numpy 1": {"x": "old", "y": "old"}, "b, numpy 2": {"x": "new"}}
