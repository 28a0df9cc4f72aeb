"""A blow: where, which way, how hard, for how long and over what patch."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .arrays import frozen
from .errors import SettingsError


@dataclass(frozen=True)
class Impact:
    """One blow on one body.

    Attributes:
        point: (3,) metres, rest space of the body.
        direction: (3,) unit vector, the way the body is pushed.
        impulse: N s, how much momentum the blow carries in all.
        duration: s, from first touch to parting.
        radius: m, of the contact patch.
        speed: m/s, at which the two met; 0 where nobody knows, as with an authored blow.
        striker_radius: m, of a ball that stands for what struck; 0 where nobody knows, or for what is flat.
    """

    point: np.ndarray
    direction: np.ndarray
    impulse: float
    duration: float
    radius: float
    speed: float = 0.0
    striker_radius: float = 0.0

    def __post_init__(self):
        direction = np.asarray(self.direction, float)
        object.__setattr__(self, "point", frozen(self.point, np.float64, 3))
        object.__setattr__(self, "direction", frozen(direction / np.linalg.norm(direction), np.float64, 3))

    @property
    def peak_force(self) -> float:
        """N, of a triangular pulse: twice the impulse over the duration."""
        return 2.0 * self.impulse / self.duration


@dataclass(frozen=True)
class Schedule:
    """How the load of a blow goes with time, piecewise linear.

    Loads are scaled so that their mean is one half: whatever the course, the blow carries its impulse, and a
    ``load`` of 1 is ``Impact.peak_force``, the peak of a triangular pulse.

    Attributes:
        times: (K,) rising from 0 to 1, shares of the impact's duration.
        loads: (K,) 0 and up.
    """

    times: np.ndarray
    loads: np.ndarray

    def __post_init__(self):
        times, loads = np.asarray(self.times, float), np.asarray(self.loads, float)
        if len(times) < 2 or times[0] != 0.0 or times[-1] != 1.0 or (np.diff(times) <= 0.0).any():
            raise SettingsError("the times of an impact schedule must rise from 0 to 1")
        if loads.min() < 0.0 or loads.max() <= 0.0:
            raise SettingsError("the loads of an impact schedule must be 0 or more, and not all 0")
        mean = 0.5 * ((loads[1:] + loads[:-1]) * np.diff(times)).sum()
        object.__setattr__(self, "times", frozen(times, np.float64))
        object.__setattr__(self, "loads", frozen(0.5 * loads / mean, np.float64))

    @property
    def peak(self) -> float:
        """The largest load."""
        return float(self.loads.max())

    def load(self, time):
        """Load at a time in 0..1, or at several."""
        return np.interp(time, self.times, self.loads)

    def time_of(self, load: float) -> float:
        """When a load, at most the peak, is first reached."""
        after = int(np.argmax(self.loads >= min(load, self.peak)))
        if after == 0:
            return 0.0
        low, high = self.loads[after - 1 : after + 1]
        start, end = self.times[after - 1 : after + 1]
        return float(start + (end - start) * (min(load, self.peak) - low) / (high - low))

    def share(self, time: float) -> float:
        """Share of the impulse that is delivered by a time in 0..1."""
        times = np.append(self.times[self.times < time], time)
        loads = self.load(times)
        return float(((loads[1:] + loads[:-1]) * np.diff(times)).sum())


# The paper's (Smith et al. 2001, figure 3): up to the peak in the middle, and down again.
PAPER_SCHEDULE = Schedule(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 0.0]))


def schedule(time: float) -> float:
    """The paper's impact schedule: load over peak load at ``time`` in 0..1; its mean is one half."""
    return float(PAPER_SCHEDULE.load(time))


def hertz_duration(mass: float, radius: float, young_modulus: float, speed: float) -> float:
    """Contact time of an elastic sphere on a flat wall, s: 2.87 (m^2 / (R E*^2 v))^(1/5) (Johnson 1985, 11.24).

    Args:
        mass: Reduced mass of the two bodies, kg.
        radius: Radius of curvature at the contact, m.
        young_modulus: Effective modulus E*, Pa.
        speed: Closing speed, m/s.
    """
    return 2.87 * math.pow(mass * mass / (radius * young_modulus * young_modulus * speed), 0.2)
