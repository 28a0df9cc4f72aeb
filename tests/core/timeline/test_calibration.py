"""Search for the load that gives a wanted number of fragments."""

import math
from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods import table
from fracture_addon.core.methods.method import Break, RigidMotion
from fracture_addon.core.timeline.calibration import COUNT_TOLERANCE, MAX_TRIALS, MOST_LOAD, match_fragment_count
from tests import shapes


class Body:
    """Breaks into ``law(load_factor)`` fragments, each a fifth smaller than the one before; dust joins the largest."""

    def __init__(self, law):
        self.law = law
        self.strikes = 0

    def strike(self, settings, load_factor):
        self.strikes += 1
        count = max(1, round(self.law(load_factor) * (2.0 if settings.cracks.crack_growth == 1.0 else 1.0)))
        sizes = np.maximum(1, 4000.0 * 0.8 ** np.arange(count)).astype(int)
        kept = sizes / sizes.sum() >= settings.pieces.dust_volume
        sizes[0] += sizes[~kept].sum()
        label = np.repeat(np.arange(kept.sum()), sizes[kept] if kept.any() else sizes[:1])
        if settings.pieces.piece_count:
            label = np.minimum(label, settings.pieces.piece_count - 1)
            kept = np.arange(label.max() + 1) >= 0
        motion = np.zeros((int(kept.sum()), 3))
        return Break(label, motion, motion, 1.0, 1, 0, 0.0, np.ones(len(motion), bool))


def found(law, wanted, load_factor=1.0):
    body = Body(law)
    settings = Settings.of(piece_count=wanted, dust_volume=0.0)
    first = body.strike(settings.changed(piece_count=0), load_factor)
    result, note = match_fragment_count(body.strike, settings, load_factor, first)
    return len(result.velocity), note, body.strikes


@pytest.mark.parametrize("wanted", [5, 12, 30])
@pytest.mark.parametrize("load_factor", [0.1, 1.0, 40.0])
def test_the_load_alone_is_enough_if_the_count_rises_smoothly(wanted, load_factor):
    count, note, strikes = found(lambda load: 10.0 * load, wanted, load_factor)
    assert abs(count / wanted - 1.0) <= COUNT_TOLERANCE
    assert note == ""
    assert strikes <= MAX_TRIALS


@pytest.mark.parametrize("wanted", [5, 12, 30])
def test_the_search_succeeds_in_spite_of_noise(wanted):
    count, _, strikes = found(lambda load: 10.0 * load * (1.0 + 0.35 * math.sin(40.0 * math.log(load))), wanted)
    assert abs(count / wanted - 1.0) <= COUNT_TOLERANCE
    assert strikes <= MAX_TRIALS + 1


@pytest.mark.parametrize("wanted", [5, 12, 30])
def test_a_jump_of_the_count_is_bridged_by_merging_small_fragments(wanted):
    count, note, _ = found(lambda load: 1.0 if load < 0.7 else 40.0, wanted)
    assert abs(count / wanted - 1.0) <= COUNT_TOLERANCE
    assert "neighbours" in note


def test_a_body_with_too_few_fragments_gets_full_crack_growth():
    count, note, _ = found(lambda load: 7.0, 12)
    assert count == 12
    assert "crack growth" in note


def test_an_impossible_count_ends_with_the_nearest():
    count, _, strikes = found(lambda load: 2.0, 30)
    assert count == 4
    assert strikes <= MAX_TRIALS + 1


def test_a_count_that_no_load_reaches_takes_few_trials_and_gets_the_largest_load():
    body, loads = Body(lambda load: 6.0 * load**0.3), []

    def strike(settings, load_factor):
        loads.append(load_factor)
        return body.strike(settings, load_factor)

    settings = Settings.of(piece_count=300, dust_volume=0.0)
    result, note = match_fragment_count(strike, settings, 2.0, strike(settings.changed(piece_count=0), 2.0))
    assert len(loads) <= 4
    assert loads[-1] == pytest.approx(2.0 * MOST_LOAD)
    assert len(result.velocity) == round(2.0 * 6.0 * (2.0 * MOST_LOAD) ** 0.3)
    assert "crack growth" in note


def test_far_below_the_wanted_count_the_load_rises_in_large_steps():
    count, note, strikes = found(lambda load: 2.0 * load, 120)
    assert abs(count / 120 - 1.0) <= COUNT_TOLERANCE
    assert note == ""
    assert strikes <= 5


@pytest.mark.parametrize(("name", "wanted"), [("bowl", 12), ("glass_12oz", 12), ("coffee-mug", 12)])
def test_a_shipped_mesh_breaks_into_about_the_wanted_number_of_fragments(name, wanted):
    """With the network method, in no more trials than allowed.

    Measured for other meshes, counts and numbers of cells: docs/measurements.md.
    """
    settings = Settings.of(cell_count=1500, seed=1, piece_count=wanted)
    surface, strikes = shapes.shipped(name), []
    model = table.build(tetrahedralize(surface, 1500, 1), PORCELAIN, settings)
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    point, direction = [high[0], 0.5 * (low[1] + high[1]), high[2]], [-1.0, 0.0, -0.6]
    force = 3.0 * table.critical_force(model, settings, [Impact(point, direction, 0.5e-4, 1e-4, 0.0)])
    impact = Impact(point, direction, 0.5e-4 * force, 1e-4, 0.0)

    def strike(settings, load_factor):
        strikes.append(load_factor)
        loads = [replace(impact, load_factor=load_factor)]
        return table.strike(model, settings, RigidMotion(np.zeros(3), np.zeros(3)), loads)

    result, _ = match_fragment_count(strike, settings, 1.0, strike(settings.changed(piece_count=0), 1.0))
    assert abs(len(result.velocity) / wanted - 1.0) <= 0.2
    assert len(strikes) <= MAX_TRIALS + 1


def test_a_break_that_leaves_only_dropped_dust_is_farther_from_the_number_than_any_fragments():
    def strike(settings, load_factor):
        count = round(10.0 * load_factor)
        kept = np.full(max(count, 1), load_factor < 1.2)
        return Break(np.arange(len(kept)), np.zeros((len(kept), 3)), np.zeros((len(kept), 3)), 1.0, 1, 0, 0.0, kept)

    settings = Settings.of(piece_count=12)
    result, _ = match_fragment_count(strike, settings, 0.5, strike(settings, 0.5))
    assert np.count_nonzero(result.kept) == 5
