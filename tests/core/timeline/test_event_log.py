"""The log of events: when, where and with what energy a body is hit, breaks, and its fragments land."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data import arrays
from fracture_addon.core.data.events import BREAK, COLLISION, IMPACT
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.timeline.authored_impacts import impact_on
from tests import shapes
from tests.core import timeline_scenes
from tests.core.timeline_scenes import DOWN, FLOOR, SETTINGS, WEIGHTLESS, ball, block, tap

pytestmark = pytest.mark.usefixtures("halving")

MASS = PORCELAIN.density * 0.1 * 0.06 * 0.08
UNBREAKABLE = SETTINGS.changed(violence=1e-6)


def run(*bodies, **values):
    return timeline_scenes.run(*bodies, log_events=True, **values)


def test_the_impact_of_a_fall_has_at_most_the_kinetic_energy():
    """A block that falls flat: the contact takes nearly all of it, at the moment and place of the landing."""
    height, gravity = 0.5, 9.81
    recording = run(block(height, settings=UNBREAKABLE), colliders=[FLOOR], frames=24)
    events = recording.events
    first, kinetic = events.rows(events.kinds == IMPACT), MASS * gravity * height
    assert not recording.fragments
    assert 0.9 * kinetic < first.energies[0] < 1.02 * kinetic  # the sub-steps end up to 1 % later
    assert first.times[0] == pytest.approx(np.sqrt(2.0 * height / gravity), abs=0.01)
    assert first.frames[0] == 1 + np.ceil(24.0 * first.times[0] - 1e-9)
    np.testing.assert_allclose(first.points[0], [0.0, 0.0, 0.0], atol=0.005)
    assert events.energies[1:].sum() < 0.5 * kinetic


def test_a_break_is_an_event_and_the_fragments_that_land_are_others():
    recording = run(block(1.0), colliders=[FLOOR], frames=30)
    events, kinetic = recording.events, MASS * 9.81
    assert len(recording.fragments) == 2
    broken, landed = (events.rows(events.kinds == kind) for kind in (BREAK, COLLISION))
    assert len(broken) == 1
    assert broken.frames[0] == recording.bodies[0].break_frame
    assert 0.9 * kinetic < broken.energies[0] < 1.02 * kinetic
    assert len(landed)
    assert landed.times.min() >= broken.times[0]
    # The first impact leaves the fragments what the restitution and the halves' own speed give them.
    assert landed.energies.sum() < kinetic
    assert (np.diff(events.times) >= 0.0).all()
    assert set(events.bodies) == {0}


def test_the_energy_of_a_ball_is_that_of_the_reduced_mass():
    speed, mass = 20.0, 0.2
    events = run(block(settings=UNBREAKABLE), colliders=[ball(speed, mass)], gravity=WEIGHTLESS, frames=6).events
    reduced = mass * MASS / (mass + MASS)
    assert len(events) == 1
    # It hits a little beside the centre of mass.
    assert 0.9 * 0.5 * reduced * speed**2 < events.energies[0] < 1.02 * 0.5 * reduced * speed**2
    np.testing.assert_allclose(events.points[0], [-0.05, 0.0, 0.04], atol=0.01)


def test_an_impact_of_the_artist_has_the_energy_that_it_gives(monkeypatch):
    from fracture_addon.core.timeline import rigid_timeline

    seen = []

    def watched(*values):
        seen.append(impact_on(*values))
        return seen[-1]

    monkeypatch.setattr(rigid_timeline, "impact_on", watched)
    events = run(block(impacts=(tap(1.0001),)), gravity=WEIGHTLESS, frames=4).events
    assert (events.kinds.tolist(), events.frames.tolist()) == ([BREAK], [2])
    np.testing.assert_allclose(seen[0].direction, DOWN)
    assert events.energies[0] == pytest.approx(0.5 * seen[0].impulse ** 2 / MASS, rel=1e-3)
    np.testing.assert_allclose(events.points[0], [0.0, 0.0, 0.08], atol=1e-6)


def test_a_body_at_rest_has_no_events():
    events = run(block(settings=UNBREAKABLE), colliders=[FLOOR], frames=24).events
    assert len(events) == 0


def test_an_event_names_its_body():
    low = replace(block(settings=UNBREAKABLE), name="low")
    low = replace(low, surface=shapes.moved(low.surface, offset=(1.0, 0.0, 0.0)))
    events = run(low, block(0.4, settings=UNBREAKABLE), colliders=[FLOOR], frames=12).events
    assert len(events)
    assert set(events.bodies) == {1}


def test_the_log_is_off_by_default_and_changes_nothing_else():
    scene = {"colliders": [FLOOR], "frames": 30}
    logged, plain = run(block(1.0), **scene), timeline_scenes.run(block(1.0), **scene)
    assert len(logged.events) > 1
    assert len(plain.events) == 0
    assert arrays.digest(replace(logged, events=plain.events)) == arrays.digest(plain)
