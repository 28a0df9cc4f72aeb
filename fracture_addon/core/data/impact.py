"""Impacts on bodies, the course of their load over time, and the duration of a contact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from .arrays import ReadOnlyArrays, frozen
from .errors import SettingsError

# Dimensionless factor of the duration of a Hertz contact (Johnson 1985, Contact Mechanics, equation 11.24).
HERTZ_DURATION_FACTOR = 2.87


# s, duration of an impact that stands for a steady pressure: longer than any impact window.
STEADY = 1.0


@dataclass(frozen=True)
class Deflection(ReadOnlyArrays):
    """Shape of a vibrating body at its largest amplitude, when its load breaks it.

    Attributes:
        points: (P, 3) m, in the body's rest space.
        displacements: (P, 3) m/N, displacements of the points over ``Impact.contact_force``.
    """

    points: np.ndarray
    displacements: np.ndarray

    def at(self, points: np.ndarray) -> np.ndarray:
        """Return the displacements (K, 3) m/N of points (K, 3) m: each has that of the nearest known point.

        The nodes of all methods are points of the solid, so that this is exact.
        """
        return self.displacements[cKDTree(self.points).query(points)[1]]


@dataclass(frozen=True)
class PressedFaces(ReadOnlyArrays):
    """Faces on which a steady pressure or a grip acts, or cells that a vibration loads.

    Attributes:
        points: (F, 3) m, in the body's rest space.
        shares: (F, 3) force on each face over ``Impact.contact_force``.
        bends: Whether the load bends or twists the body, so that the stress differs over its depth.
        deflection: Shape of the body under this load. A method that simulates the time of an impact starts from it,
            without further load; ``None`` starts at rest.
    """

    points: np.ndarray
    shares: np.ndarray
    bends: bool = False
    deflection: Deflection | None = None


@dataclass(frozen=True)
class FreeStrain(ReadOnlyArrays):
    """Strain, equal in all directions, that the material at each point would have if nothing held it.

    Attributes:
        points: (K, 3) m, in the body's rest space.
        strains: (K,) strain under ``Impact.contact_force``; expansion is positive.
    """

    points: np.ndarray
    strains: np.ndarray


@dataclass(frozen=True)
class Impact:
    """One impact on one body, or a part of a steady pressure.

    Attributes:
        point: (3,) m, in the body's rest space.
        direction: (3,) direction of the force on the body. It is normalised.
        impulse: N s, total momentum that the impact transfers.
        duration: s, time of contact.
        radius: m, radius of the contact patch.
        speed: m/s, approach speed; 0 if unknown, as for an impact that the artist placed.
        impactor_radius: m, radius of a ball that replaces the other body; 0 if that is flat or unknown.
        load_factor: Setting ``violence`` of the body. It multiplies the load, but not the momentum.
        faces: Where a steady load acts; ``None`` for a contact. Such a load does not fall when the body yields, and
            the method gives its momentum to no fragment.
        strain: Free strain of a thermal shock, which is a steady load without forces; ``None`` for others. Its forces
            are only the scale of the load.
        rebounds: Whether the force falls after its peak, because the other body bounces off. The force of placed
            impacts and of blasts stays while cracks run.
    """

    point: np.ndarray
    direction: np.ndarray
    impulse: float
    duration: float
    radius: float
    speed: float = 0.0
    impactor_radius: float = 0.0
    load_factor: float = 1.0
    faces: PressedFaces | None = None
    strain: FreeStrain | None = None
    rebounds: bool = False

    def __post_init__(self) -> None:
        direction = np.asarray(self.direction, float)
        object.__setattr__(self, "point", frozen(self.point, np.float64, 3))
        object.__setattr__(self, "direction", frozen(direction / np.linalg.norm(direction), np.float64, 3))

    @property
    def deflection(self) -> Deflection | None:
        """Shape of the body at the start, if the impact is a vibration."""
        return self.faces.deflection if self.faces is not None else None

    @property
    def elastic_energy(self) -> float:
        """Elastic energy of a vibration, J: half of its forces times their displacements; 0 for other impacts."""
        if self.faces is None or self.deflection is None:
            return 0.0
        displacements = self.deflection.at(self.faces.points)
        return 0.5 * self.contact_force**2 * float((self.faces.shares * displacements).sum())

    @property
    def is_steady(self) -> bool:
        """Whether the load stays while the body yields, and moves no fragment."""
        return self.faces is not None or self.strain is not None

    @property
    def contact_force(self) -> float:
        """Peak force of a triangular pulse with the impulse, N: twice the impulse over the duration."""
        return 2.0 * self.impulse / self.duration

    @property
    def peak_force(self) -> float:
        """Peak force that loads the body, N: ``load_factor`` times ``contact_force``."""
        return self.load_factor * self.contact_force


def deflected(impacts: Sequence[Impact], points: np.ndarray) -> np.ndarray:
    """Return the displacements (K, 3) m of points (K, 3) m, rest space, at the start of simultaneous impacts.

    Example:
        >>> nodes = np.array([[0.0, 0, 0], [1, 0, 0]])
        >>> faces = PressedFaces(nodes, nodes, deflection=Deflection(nodes, 1e-3 * nodes))
        >>> deflected([Impact([0, 0, 0], [1, 0, 0], 5.0, 1.0, 0.1, faces=faces)], nodes)[:, 0].round(9).tolist()
        [0.0, 0.01]
    """
    total = np.zeros(np.shape(points))
    for impact in impacts:
        if impact.deflection is not None:
            total += impact.peak_force * impact.deflection.at(points)
    return total


@dataclass(frozen=True)
class Schedule:
    """Load of an impact over time, piecewise linear.

    Loads are scaled to a mean of one half, so that every schedule transfers the impact's impulse. A load of 1 is
    ``Impact.peak_force``, the peak of a triangular pulse.

    Attributes:
        times: (K,) shares of the impact's duration, rising from 0 to 1.
        loads: (K,) loads of 0 or more, dimensionless.

    Raises:
        SettingsError: The times do not rise from 0 to 1, a load is negative, or all are 0.

    Notes:
        Smith et al. 2001, section 3.3 and figure 3.

    Example:
        >>> pulse = Schedule(np.array([0.0, 0.25, 1.0]), np.array([0.0, 3.0, 0.0]))
        >>> pulse.peak, pulse.time_of(1.0), pulse.share(0.25)
        (1.0, 0.25, 0.25)
    """

    times: np.ndarray
    loads: np.ndarray

    def __post_init__(self) -> None:
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

    def load(self, time: ArrayLike) -> np.ndarray:
        """Return the loads at times in 0..1, in the shape of the times."""
        return np.interp(np.asarray(time, float), self.times, self.loads)

    def time_of(self, load: float) -> float:
        """Return the first time in 0..1 at which a load is reached; for a load above the peak, that of the peak."""
        after = int(np.argmax(self.loads >= min(load, self.peak)))
        if after == 0:
            return 0.0
        low, high = self.loads[after - 1 : after + 1]
        start, end = self.times[after - 1 : after + 1]
        return float(start + (end - start) * (min(load, self.peak) - low) / (high - low))

    def share(self, time: float) -> float:
        """Return the share of the impulse that is transferred before a time in 0..1."""
        times = np.append(self.times[self.times < time], time)
        loads = self.load(times)
        return float(((loads[1:] + loads[:-1]) * np.diff(times)).sum())


# Triangular pulse of Smith et al. 2001, figure 3.
PAPER_SCHEDULE = Schedule(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 0.0]))


def hertz_duration(mass: float, radius: float, young_modulus: float, speed: float) -> float:
    """Return the contact time of an elastic sphere on a flat wall.

    Args:
        mass: Reduced mass m of the two bodies, kg.
        radius: Radius of curvature R at the contact, m.
        young_modulus: Effective modulus E*, Pa.
        speed: Approach speed v, m/s.

    Returns:
        2.87 (m^2 / (R E*^2 v))^(1/5), s.

    Notes:
        Johnson 1985, Contact Mechanics, equation 11.24.

    Example:
        A steel ball of 10 mm radius that meets steel at 1 m/s:

        >>> f"{1e6 * hertz_duration(0.033, 0.01, 115e9, 1.0):.0f} microseconds"
        '69 microseconds'
    """
    return HERTZ_DURATION_FACTOR * math.pow(mass * mass / (radius * young_modulus * young_modulus * speed), 0.2)
