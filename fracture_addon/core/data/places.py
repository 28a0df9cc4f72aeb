"""Where a body is weaker or stronger, lighter or heavier, finer or coarser: what an artist places and paints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import frozen
from .errors import SettingsError


@dataclass(frozen=True)
class CleavingPlane:
    """A flat place along which a body comes apart (Smith et al. 2001, section 2.1), or a joint in masonry.

    Attributes:
        point: (3,) m, rest space, where it lies.
        normal: (3,) any length.
        factor: Strength across it over that around it, 0.001 to 1000.
        width: m, faces within half of that of it count too; 0 for the one layer of bonds that crosses it.
        reach: m, how far it goes from its point; infinite for all the way.
    """

    point: np.ndarray
    normal: np.ndarray
    factor: float = 0.1
    width: float = 0.0
    reach: float = float("inf")

    def __post_init__(self):
        object.__setattr__(self, "point", frozen(self.point, np.float64, 3))
        object.__setattr__(self, "normal", frozen(_unit(self.normal, "a cleaving plane's normal"), np.float64, 3))
        _check_factor("a cleaving plane's strength factor", self.factor)

    def strength(self, face_centers: np.ndarray, cell_centers: np.ndarray) -> np.ndarray:
        """(F,) factors for faces at (F, 3) between cells whose centroids are (F, 2, 3)."""
        sides = (cell_centers - self.point) @ self.normal
        away = face_centers - self.point
        height = away @ self.normal
        crossed = (sides[:, 0] > 0.0) != (sides[:, 1] > 0.0)
        crossed |= np.abs(height) < 0.5 * self.width
        crossed &= np.einsum("fi,fi->f", away, away) - height**2 <= self.reach**2
        return np.where(crossed, self.factor, 1.0)


@dataclass(frozen=True)
class Region:
    """A ball in which a body is different.

    Attributes:
        center: (3,) m, rest space.
        radius: m.
        strength: Over that around it, 0.001 to 1000.
        density: Likewise.
        fineness: How many times smaller cells are, 0.001 to 1000; all places together stay within ``FINENESS``.
        softness: Share of the radius over which it fades out, 0 (a sharp edge) to 1.
    """

    center: np.ndarray
    radius: float
    strength: float = 1.0
    density: float = 1.0
    fineness: float = 1.0
    softness: float = 0.5

    def __post_init__(self):
        object.__setattr__(self, "center", frozen(self.center, np.float64, 3))
        _check_factor("a region's strength", self.strength)
        _check_factor("a region's density", self.density)
        _check_factor("a region's fineness", self.fineness)
        if self.radius <= 0.0:
            raise SettingsError(f"a region's radius is {self.radius:g} m; make it more than 0")

    def weight(self, points: np.ndarray) -> np.ndarray:
        """(N,) from 0 outside to 1 within."""
        distance = np.linalg.norm(points - self.center, axis=1) / self.radius
        if self.softness <= 0.0:
            return (distance <= 1.0).astype(float)
        share = np.clip((1.0 - distance) / self.softness, 0.0, 1.0)
        return share * share * (3.0 - 2.0 * share)


@dataclass(frozen=True)
class Alternation:
    """Strength that rises and falls along an axis: a pot built of one coil (Smith et al. 2001, section 4.2).

    Attributes:
        axis: (3,) any length.
        period: m, from one weak layer to the next.
        factor: Strength in the weak layers, 0.001 to 1; in the middle between them it is as much greater.
        offset: m along the axis, where one weak layer lies in rest space.
    """

    axis: np.ndarray
    period: float
    factor: float = 0.3
    offset: float = 0.0

    def __post_init__(self):
        object.__setattr__(self, "axis", frozen(_unit(self.axis, "an alternation's axis"), np.float64, 3))
        _check_factor("an alternation's factor", self.factor)
        if self.period <= 0.0:
            raise SettingsError(f"an alternation's period is {self.period:g} m; make it more than 0")

    def strength(self, points: np.ndarray) -> np.ndarray:
        """(N,) factors."""
        return self.factor ** np.cos(2.0 * np.pi * (points @ self.axis - self.offset) / self.period)


@dataclass(frozen=True)
class GrainDirection:
    """Which way the grain runs at a place; several make a field, as around a knot or in a bent board.

    Attributes:
        point: (3,) m, rest space.
        direction: (3,) any length; its sign does not matter.
    """

    point: np.ndarray
    direction: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "point", frozen(self.point, np.float64, 3))
        object.__setattr__(self, "direction", frozen(_unit(self.direction, "a grain's direction"), np.float64, 3))


@dataclass(frozen=True)
class PaintedField:
    """Weights painted on a surface (a vertex group); a point inside has the weight of the nearest place on it.

    Attributes:
        points: (P, 3) m, rest space.
        faces: (F, 3) rows of ``points``.
        weights: (P,) 0 to 1.
        factor: Where they are 1 over where they are 0, of whatever they are painted for, 0.001 to 1000.
    """

    points: np.ndarray
    faces: np.ndarray
    weights: np.ndarray
    factor: float = 1.0

    def __post_init__(self):
        object.__setattr__(self, "points", frozen(self.points, np.float64, -1, 3))
        object.__setattr__(self, "faces", frozen(self.faces, np.int32, -1, 3))
        object.__setattr__(self, "weights", frozen(self.weights, np.float64, -1))
        _check_factor("a painted factor", self.factor)
        if len(self.weights) != len(self.points):
            raise SettingsError(f"{len(self.weights)} weights are painted on {len(self.points)} points; give each one")


def _unit(vector, name: str) -> np.ndarray:
    vector = np.asarray(vector, float)
    length = np.linalg.norm(vector)
    if length == 0.0:
        raise SettingsError(f"{name} has no length; point it somewhere")
    return vector / length


def _check_factor(name: str, factor: float) -> None:
    if not 1e-3 <= factor <= 1e3:
        raise SettingsError(f"{name} is {factor:g}; set it between 0.001 and 1000")
