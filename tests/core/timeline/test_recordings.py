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
