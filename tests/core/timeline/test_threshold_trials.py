"""Test the trials of thresholds on cylinders."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.job import Job
from fracture_addon.core.data.trial_results import OUTCOMES
from fracture_addon.core.methods.lattice.cylinder_trials import drop_cylinders
from fracture_addon.core.timeline.threshold_trials import USUAL_SPEED, hit_speed, proposal, try_thresholds
from tests.core.soft_bricks import CHALK, FLOOR, brick


def test_cylinders_crumble_break_and_survive_in_that_order_and_the_middle_is_proposed():
    trials = drop_cylinders(CHALK, 1.0, 1.0, 0.05, factors=(0.02, 0.1, 0.5, 1.0, 20.0), seed=3)
    outcomes = [OUTCOMES.index(trial.outcome) for trial in trials]
    assert outcomes == sorted(outcomes)
    assert {0, 2} <= set(outcomes)
    breaking = [trial.factor for trial in trials if trial.outcome == "breaks"]
    assert min(breaking) <= proposal(trials) <= max(breaking)
    with pytest.raises(SettingsError, match="survives at every"):
        proposal(trials[-1:])


def test_trials_use_the_impact_speed_of_the_body():
    body = brick((0.0, 0.0, 1.025))
    job = Job((body,), colliders=(FLOOR,))
    assert hit_speed(job, body) == pytest.approx(np.sqrt(2.0 * 9.81))
    assert hit_speed(replace(job, colliders=()), body) == USUAL_SPEED
    shares = []
    (trials,) = try_thresholds(job, lambda stage, share: shares.append(share)).bodies
    assert len(trials) == len(shares) == 9
