"""The impact and its schedule."""

import numpy as np
import pytest
from scipy.integrate import trapezoid

from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.impact import PAPER_SCHEDULE, Impact, Schedule, hertz_duration


def test_the_schedule_is_a_triangle_whose_mean_is_one_half():
    times = np.linspace(0.0, 1.0, 2001)
    loads = np.array([PAPER_SCHEDULE.load(time) for time in times])
    assert trapezoid(loads, times) == pytest.approx(0.5)
    assert loads.max() == PAPER_SCHEDULE.load(0.5) == 1.0
    assert not PAPER_SCHEDULE.load([0.0, 1.0, -0.3, 1.7]).any()
    assert PAPER_SCHEDULE.load(0.25) == pytest.approx(0.5)
    assert loads == pytest.approx(loads[::-1])


def test_the_peak_force_carries_the_whole_impulse():
    impact = Impact((0, 0, 0), (0, 0, -5.0), impulse=3.0, duration=0.01, radius=0.1)
    times = np.linspace(0.0, 1.0, 2001)
    force = impact.peak_force * np.array([PAPER_SCHEDULE.load(time) for time in times])
    assert trapezoid(force, times * impact.duration) == pytest.approx(impact.impulse)


def test_the_direction_has_unit_length():
    assert Impact((0, 0, 0), (3.0, 0.0, -4.0), 1.0, 1.0, 1.0).direction == pytest.approx([0.6, 0.0, -0.8])


def test_contact_time_grows_with_mass_and_falls_with_speed():
    usual = hertz_duration(0.5, 0.05, 40e9, 3.0)
    assert hertz_duration(16.0, 0.05, 40e9, 3.0) == pytest.approx(usual * 32.0**0.4)
    assert hertz_duration(0.5, 0.05, 40e9, 96.0) == pytest.approx(usual / 2.0)


@pytest.mark.parametrize("points", [((0, 0), (0.2, 3), (1, 0)), ((0, 2), (1, 2)), ((0, 0), (0.3, 1), (0.6, 0), (1, 2))])
def test_any_schedule_carries_the_same_impulse(points):
    course = Schedule(*np.array(points, float).T)
    times = np.linspace(0.0, 1.0, 10001)
    assert trapezoid(course.load(times), times) == pytest.approx(0.5, rel=1e-6)
    assert course.share(0.0) == 0.0
    assert course.share(1.0) == pytest.approx(1.0)
    assert course.share(0.45) == pytest.approx(2.0 * trapezoid(course.load(times[:4501]), times[:4501]), rel=1e-6)
    for load in np.linspace(0.01, 1.0, 5) * course.peak:
        first = course.time_of(load)
        assert (course.load(times[times < first - 1e-9]) < load).all()
        assert course.load(first) >= load * (1.0 - 1e-9)


@pytest.mark.parametrize(
    "points", [((0, 0), (0.5, 1)), ((0, 0), (0.5, -1), (1, 1)), ((0, 0), (1, 0)), ((0, 1), (0, 2))]
)
def test_senseless_schedules_are_refused(points):
    with pytest.raises(SettingsError, match="schedule"):
        Schedule(*np.array(points, float).T)
