"""A blow: where, which way, how hard, for how long and over what patch."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .arrays import frozen


@dataclass(frozen=True)
class Impact:
    """One blow on one body.

    Attributes:
        point: (3,) metres, rest space of the body.
        direction: (3,) unit vector, the way the body is pushed.
        impulse: N s, how much momentum the blow carries in all.
        duration: s, from first touch to parting.
        radius: m, of the contact patch.
    """

    point: np.ndarray
    direction: np.ndarray
    impulse: float
    duration: float
    radius: float

    def __post_init__(self):
        direction = np.asarray(self.direction, float)
        object.__setattr__(self, "point", frozen(self.point, np.float64, 3))
        object.__setattr__(self, "direction", frozen(direction / np.linalg.norm(direction), np.float64, 3))

    @property
    def peak_force(self) -> float:
        """N, of a triangular pulse: twice the impulse over the duration."""
        return 2.0 * self.impulse / self.duration


def schedule(time: float) -> float:
    """The paper's impact schedule (Smith et al. 2001, figure 3): load over peak load at ``time`` in 0..1.

    Piecewise linear: up to the peak in the middle and down again; its mean is one half.
    """
    return max(0.0, 1.0 - abs(2.0 * time - 1.0))


def hertz_duration(mass: float, radius: float, young_modulus: float, speed: float) -> float:
    """Contact time of an elastic sphere on a flat wall, s: 2.87 (m^2 / (R E*^2 v))^(1/5) (Johnson 1985, 11.24).

    Args:
        mass: Reduced mass of the two bodies, kg.
        radius: Radius of curvature at the contact, m.
        young_modulus: Effective modulus E*, Pa.
        speed: Closing speed, m/s.
    """
    return 2.87 * math.pow(mass * mass / (radius * young_modulus * young_modulus * speed), 0.2)
