"""A few draws: recordings that hold what they promise, or errors with a remedy; and that the harness finds what fails.

    python -m tests.fuzz --draws 1000

draws as many as wanted, of 600 cells.
"""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data import arrays
from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.recording import Recording
from tests.core import timeline_scenes as scenes
from tests.fuzz import checks, child, faulty
from tests.fuzz.draws import draw
from tests.fuzz.runner import Runner

SEED, DRAWS, CELLS = 0, 16, 200
FAULTY_MESSAGES = [
    ("'block': a; b\nc", "not one line"),
    ("", "not one line"),
    ("'block' failed", "no remedy"),
    ("it failed; try again", "none of the objects"),
]
# s of the processor, of every draw.
LIMIT = 90.0


@pytest.fixture(scope="session")
def runner():
    with Runner(LIMIT) as runner:
        yield runner


@pytest.mark.parametrize("number", range(DRAWS))
def test_a_draw_holds(runner, number):
    result = runner.run(SEED, number, CELLS)
    again = f"python -m tests.fuzz --draws 1 --seed {SEED} --first {number} --cells {CELLS}"
    assert not result.failed, f"{result.kind}: {result.text}\n{again}"


def test_a_draw_is_the_same_job_again():
    assert arrays.digest(draw(3, 7, CELLS)) == arrays.digest(draw(3, 7, CELLS))
    assert arrays.digest(draw(3, 7, CELLS)) != arrays.digest(draw(3, 8, CELLS))
    assert all(
        sum(body.settings.filling.cell_count for body in draw(3, number, 600).bodies) <= 600 for number in range(50)
    )


@pytest.mark.parametrize(
    ("serve", "limit", "kind"), [(faulty.hangs, 0.5, "slow"), (faulty.sleeps, 0.2, "slow"), (faulty.dies, 5.0, "died")]
)
def test_a_draw_that_hangs_or_dies_fails_and_the_next_one_runs(serve, limit, kind):
    with Runner(limit, serve) as runner:
        assert [runner.run(0, number, 100).kind for number in range(3)] == ["done", kind, "done"]


def test_where_a_draw_hung_is_said():
    with Runner(0.5, faulty.hangs) as runner:
        assert "in _hang" in runner.run(0, 1, 100).text


@pytest.fixture(scope="module")
def broken():
    """A job, and its recording."""
    settings = Settings.of(cell_count=200, break_depth=1)
    body = scenes.block(settings=settings, impacts=(scenes.tap(4.0),))
    job = replace(draw(0, 0, 100), bodies=(body,), colliders=(), frame_start=1, frame_end=6, glues=(), winds=())
    return job, child.simulate(job, lambda stage, share: None)


def spoilt(recording: Recording, **values) -> Recording:
    first, *others = recording.fragments
    return replace(recording, fragments=(replace(first, **values), *others))


def test_a_sound_recording_has_no_faults(broken):
    job, recording = broken
    assert len(recording.fragments) > 1
    assert list(checks.faults(job, recording)) == []


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (
            lambda item: {"surface": replace(item.surface, faces=item.surface.faces[1:], face_source=np.empty(0, int))},
            "not closed",
        ),
        (lambda item: {"surface": replace(item.surface, points=1.1 * item.surface.points)}, "of its volume"),
        (lambda item: {"poses": np.full_like(item.poses, np.nan)}, "poses that are not finite"),
        (lambda item: {"poses": 2.0 * item.poses}, "unit length"),
        (lambda item: {"poses": item.poses[1:]}, "poses of shape"),
        (lambda item: {"birth_frame": 99}, "born on frame 99"),
        (lambda item: {"death_frame": item.birth_frame}, "lives from frame"),
        (lambda item: {"mass": 0.0}, "a mass of 0 kg"),
    ],
)
def test_what_is_wrong_with_a_fragment_is_found(broken, spoil, fault):
    job, recording = broken
    found = list(checks.faults(job, spoilt(recording, **spoil(recording.fragments[0]))))
    assert any(fault in line for line in found)


def test_a_report_that_is_no_json_is_found(broken):
    job, recording = broken
    report = json.loads(json.dumps(recording.report))
    report["bodies"][0]["load_factor"] = float("nan")
    assert any("no JSON" in line for line in checks.faults(job, replace(recording, report=report)))


@pytest.mark.parametrize(("text", "fault"), FAULTY_MESSAGES)
def test_a_message_without_name_or_remedy_is_found(broken, text, fault):
    assert fault in checks.of_error(broken[0], SettingsError(text))


def test_a_message_with_name_and_remedy_is_fine(broken):
    assert checks.of_error(broken[0], SettingsError("'block' is flat; give it a thickness")) == ""
