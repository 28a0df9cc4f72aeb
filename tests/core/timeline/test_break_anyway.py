"""Break Anyway: the same scene with stronger impacts, if nothing breaks in it."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.job import AuthoredImpact, Job
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.solid import cell_centers
from fracture_addon.core.timeline import break_anyway
from fracture_addon.core.timeline.break_anyway import TARGET_LOAD
from fracture_addon.core.timeline.timeline import simulate
from tests.core import halving
from tests.core.timeline_scenes import DOWN, FLOOR, SETTINGS, WEIGHTLESS, block, run, tap

pytestmark = pytest.mark.usefixtures("halving")
WEAK = SETTINGS.changed(violence=0.01)


def report(recording):
    return recording.report["bodies"][0]


def test_a_drop_that_breaks_nothing_breaks_with_the_computed_factor():
    drop = {"colliders": [FLOOR], "frames": 14}
    whole = run(block(0.2, settings=WEAK), **drop)
    assert not whole.fragments
    recording = run(block(0.2, settings=WEAK), break_anyway=True, **drop)
    assert len(recording.fragments) == 2
    factor = TARGET_LOAD / report(whole)["load_factor"]
    assert report(recording)["strengthened"] == pytest.approx(factor)
    assert report(recording)["load_factor"] == pytest.approx(TARGET_LOAD)
    assert not report(recording)["warnings"]


def test_a_scene_that_breaks_stays_as_it_is():
    plain = run(block(impacts=(tap(3.0),)), gravity=WEIGHTLESS)
    asked = run(block(impacts=(tap(3.0),)), gravity=WEIGHTLESS, break_anyway=True)
    assert "strengthened" not in report(asked)
    assert all(np.array_equal(a.poses, b.poses) for a, b in zip(plain.fragments, asked.fragments, strict=True))


def test_a_weak_impact_is_strengthened():
    recording = run(block(impacts=(tap(0.1),)), gravity=WEIGHTLESS, break_anyway=True)
    assert len(recording.fragments) == 2
    assert report(recording)["strengthened"] == pytest.approx(TARGET_LOAD / 0.1)


@pytest.mark.parametrize(("shares", "runs"), [((0.02, 0.02), 7), ((0.05,), 1), ((0.02, 0.2, 0.4), 3)])
def test_a_small_chip_does_not_count_as_a_break(shares, runs, monkeypatch):
    """A chip of 0.05 counts in the first run, and one of 0.2 does not in runs with stronger impacts."""
    strike, made = halving.strike, []

    def chip(model, settings, motion, impacts, **values):
        result = strike(model, settings, motion, impacts, **values)
        if result.broken:
            share = shares[min(len(made), len(shares) - 1)]
            made.append(share)
            heights = cell_centers(model[0].points, model[0].cells)[:, 0]
            label = (heights > np.quantile(heights, 1.0 - share)).astype(np.int32)
            result = replace(result, fragment_of_cell=label)
        return result

    monkeypatch.setattr(halving.Halving, "strike", staticmethod(chip))
    recording = run(block(0.2, settings=SETTINGS), colliders=[FLOOR], frames=14, break_anyway=True)
    assert recording.fragments
    assert len(made) == runs
    assert ("strengthened" in report(recording)) == (runs > 1)


def test_without_any_load_nothing_breaks():
    recording = run(block(settings=SETTINGS.changed(violence=0.0)), colliders=[FLOOR], break_anyway=True)
    assert not recording.fragments
    assert "strengthened" not in report(recording)


def test_the_search_ends_where_only_dust_comes_off():
    corner = AuthoredImpact(2, np.array([0.05, -0.03, 0.08]), DOWN, 3.0)  # nothing is beyond its plane
    recording = run(block(impacts=(corner,)), gravity=WEIGHTLESS, break_anyway=True)
    assert not recording.fragments
    assert "stayed in one piece" in report(recording)["warnings"][0]
    assert "strengthened" not in report(recording)
    plain = run(block(impacts=(corner,)), gravity=WEIGHTLESS)
    assert np.array_equal(recording.bodies[0].poses, plain.bodies[0].poses)


def test_a_ductile_body_stays_whole():
    impact = (tap(0.1),)
    assert run(block(impacts=impact), gravity=WEIGHTLESS, break_anyway=True).fragments
    metal = replace(PORCELAIN, yield_strength=0.5 * PORCELAIN.tensile_strength)
    recording = run(block(impacts=impact, material=metal), gravity=WEIGHTLESS, break_anyway=True)
    assert not recording.fragments
    assert "strengthened" not in report(recording)


def test_the_progress_bar_moves_on_in_the_second_run():
    """Not only up to the end of the first run, in which nothing breaks."""
    shares = []
    job = Job((block(impacts=(tap(0.1),)),), (), 1, 20, gravity=WEIGHTLESS, break_anyway=True)
    simulate(job, lambda stage, share: shares.append(share) if stage == "Simulating" else None)
    assert len(np.unique(np.round(shares, 2))) > 15
    assert shares == sorted(shares)


def test_pieces_are_hit_as_hard_as_without_it(monkeypatch):
    """The factor is for whole bodies. The same factor as *Violence* breaks pieces again where they land."""
    monkeypatch.setattr(break_anyway, "TARGET_LOAD", 20.0)
    drop, weak = {"colliders": [FLOOR], "frames": 20}, WEAK.changed(break_depth=3)
    recording = run(block(0.2, settings=weak), break_anyway=True, **drop)
    assert len(recording.fragments) == 2
    violence = WEAK.cracks.violence * report(recording)["strengthened"]
    assert len(run(block(0.2, settings=weak.changed(violence=violence)), **drop).fragments) > 2
