"""Fields of strength, density, fineness and grain that the artist places as objects, or paints on a surface."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .arrays import frozen
from .errors import SettingsError

# Least and largest factor of a field. They refuse typing errors; no result depends on them.
LEAST_FACTOR, LARGEST_FACTOR = 1e-3, 1e3
# Largest prior stress, Pa. It refuses typing errors: glass is tempered to 100 MPa, chemically to 500 to 900 MPa.
MOST_STRESS = 1e9


@dataclass(frozen=True)
class CleavingPlane:
    """A plane along which a body breaks easily, as a joint in masonry.

    Attributes:
        point: (3,) m, rest space, a point of the plane.
        normal: (3,) normal of the plane. It is normalised.
        factor: Factor of the strength on the plane, 0.001 to 1000.
        width: m. Faces within half the width of the plane count too; with 0, only the bonds that cross the plane.
        reach: m, radius of the plane around its point; infinite for an unlimited plane.

    Raises:
        SettingsError: The normal is zero, or the factor is out of range.

    Notes:
        Smith et al. 2001, section 2.1. Width and reach are ours.

    Example:
        The first of two bonds crosses the plane z = 0.

        >>> plane = CleavingPlane([0, 0, 0], [0, 0, 2], factor=0.1)
        >>> cells = np.array([[[0.0, 0, -1], [0, 0, 1]], [[0, 0, 1], [0, 0, 3]]])
        >>> plane.strength(cells.mean(axis=1), cells).tolist()
        [0.1, 1.0]
    """

    point: np.ndarray
    normal: np.ndarray
    factor: float = 0.1
    width: float = 0.0
    reach: float = float("inf")

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", frozen(self.point, np.float64, 3))
        object.__setattr__(self, "normal", frozen(_unit(self.normal, "a cleaving plane's normal"), np.float64, 3))
        _check_factor("a cleaving plane's strength factor", self.factor)

    def strength(self, face_centers: np.ndarray, cell_centers: np.ndarray) -> np.ndarray:
        """Return strength factors of faces.

        Args:
            face_centers: (F, 3) m.
            cell_centers: (F, 2, 3) m, centroids of the two cells of each face.

        Returns:
            (F,) ``factor`` on the plane, 1 elsewhere.
        """
        sides = (cell_centers - self.point) @ self.normal
        away = face_centers - self.point
        height = away @ self.normal
        crossed = (sides[:, 0] > 0.0) != (sides[:, 1] > 0.0)
        crossed |= np.abs(height) < 0.5 * self.width
        crossed &= np.einsum("fi,fi->f", away, away) - height**2 <= self.reach**2
        return np.where(crossed, self.factor, 1.0)


@dataclass(frozen=True)
class WeakSheet:
    """A drawn surface along which a body breaks easily: a cleaving plane of any shape.

    Attributes:
        points: (P, 3) m, rest space.
        faces: (F, 3) rows of ``points``; at least one, each with an area.
        factor: Factor of the strength on the sheet, 0.001 to 1000.
        width: m. Bonds within half the width of the sheet count too; with 0, only those that cross it.

    Raises:
        SettingsError: The sheet has no faces with an area, or the factor is out of range.

    Notes:
        Own, after the planes of Smith et al. 2001, section 2.1. ``fields.sheets`` computes the factors.

    Example:
        >>> WeakSheet([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]).factor
        0.1
    """

    points: np.ndarray
    faces: np.ndarray
    factor: float = 0.1
    width: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", frozen(self.points, np.float64, -1, 3))
        faces = np.asarray(self.faces, np.int32).reshape(-1, 3)
        first, second, third = np.moveaxis(self.points[faces], 1, 0)
        faces = faces[np.linalg.norm(np.cross(second - first, third - first), axis=1) > 0.0]
        object.__setattr__(self, "faces", frozen(faces, np.int32, -1, 3))
        if not len(faces):
            raise SettingsError("a drawn crack has no faces; draw it again, or use a mesh with faces")
        _check_factor("a drawn crack's strength factor", self.factor)


@dataclass(frozen=True)
class Region:
    """A ball inside which properties of a body differ.

    Attributes:
        center: (3,) m, rest space.
        radius: m, above 0.
        strength: Factor of the strength inside, 0.001 to 1000.
        density: Factor of the density inside, 0.001 to 1000.
        fineness: Cell size outside over cell size inside, 0.001 to 1000. ``cell_sizes.FINENESS`` limits the product of
            all regions.
        stress: Pa, prior stress inside, tension positive; see ``fields/prior_stress.py``.
        softness: Share of the radius over which the effect fades, 0 (a sharp edge) to 1.

    Raises:
        SettingsError: A factor or the stress is out of range, or the radius is not positive.

    Notes:
        Smith et al. 2001, section 2.1: nodes of great strength. The fade is own, the cubic 3 s^2 - 2 s^3, because it
        has no edges.

    Example:
        >>> knot = Region(np.zeros(3), 0.1, strength=2.0)
        >>> knot.weight(np.array([[0.0, 0.0, 0.0], [0.075, 0.0, 0.0], [0.2, 0.0, 0.0]])).round(3).tolist()
        [1.0, 0.5, 0.0]
    """

    center: np.ndarray
    radius: float
    strength: float = 1.0
    density: float = 1.0
    fineness: float = 1.0
    softness: float = 0.5
    stress: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "center", frozen(self.center, np.float64, 3))
        _check_factor("a region's strength", self.strength)
        _check_factor("a region's density", self.density)
        _check_factor("a region's fineness", self.fineness)
        if not abs(self.stress) <= MOST_STRESS:
            problem = f"a region's prior stress is {self.stress:g} Pa"
            raise SettingsError(f"{problem}; set it between {-MOST_STRESS:g} and {MOST_STRESS:g} Pa")
        if self.radius <= 0.0:
            raise SettingsError(f"a region's radius is {self.radius:g} m; make it more than 0")

    def weight(self, points: np.ndarray) -> np.ndarray:
        """Return the weight of the region at points (N, 3): 0 outside, 1 inside."""
        distance = np.linalg.norm(points - self.center, axis=1) / self.radius
        if self.softness <= 0.0:
            return (distance <= 1.0).astype(float)
        share = np.clip((1.0 - distance) / self.softness, 0.0, 1.0)
        return share * share * (3.0 - 2.0 * share)


@dataclass(frozen=True)
class Alternation:
    """Strength that alternates along an axis, as in a coil-built pot.

    Attributes:
        axis: (3,) axis. It is normalised.
        period: m, distance between two weak layers, above 0.
        factor: Factor of the strength in the weak layers, 0.001 to 1000. It is 1 / ``factor`` midway between them.
        offset: m, position of one weak layer along the axis, in rest space.

    Raises:
        SettingsError: The axis is zero, the factor is out of range, or the period is not positive.

    Notes:
        Smith et al. 2001, section 4.2.

    Example:
        >>> coils = Alternation([0, 0, 1], period=0.02, factor=0.25)
        >>> coils.strength(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.005], [0.0, 0.0, 0.01]])).round(9).tolist()
        [0.25, 1.0, 4.0]
    """

    axis: np.ndarray
    period: float
    factor: float = 0.3
    offset: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", frozen(_unit(self.axis, "an alternation's axis"), np.float64, 3))
        _check_factor("an alternation's factor", self.factor)
        if self.period <= 0.0:
            raise SettingsError(f"an alternation's period is {self.period:g} m; make it more than 0")

    def strength(self, points: np.ndarray) -> np.ndarray:
        """Return the strength factors at points (N, 3): factor^cos(2 pi (position - offset) / period)."""
        return self.factor ** np.cos(2.0 * np.pi * (points @ self.axis - self.offset) / self.period)


@dataclass(frozen=True)
class GrainDirection:
    """Grain direction at one point. Several make a field, as around a knot or in a bent board.

    Attributes:
        point: (3,) m, rest space.
        direction: (3,) direction of the fibres. It is normalised; its sign does not matter.

    Raises:
        SettingsError: The direction is zero.
    """

    point: np.ndarray
    direction: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", frozen(self.point, np.float64, 3))
        object.__setattr__(self, "direction", frozen(_unit(self.direction, "a grain's direction"), np.float64, 3))


@dataclass(frozen=True)
class PaintedField:
    """Weights painted on a surface (a vertex group). A point inside has the weight of the nearest point on it.

    Attributes:
        points: (P, 3) m, rest space.
        faces: (F, 3) rows of ``points``.
        weights: (P,) 0 to 1.
        factor: Factor of the painted property where the weight is 1, 0.001 to 1000; it is 1 where the weight is 0.

    Raises:
        SettingsError: The factor is out of range, or a weight is missing.

    Notes:
        Smith et al. 2001, section 2.1: the artist changes the strength in space. ``fields.painting`` computes the
        values.

    Example:
        >>> painted = PaintedField([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], [0, 1, 0], factor=0.5)
        >>> (painted.factor**painted.weights).tolist()
        [1.0, 0.5, 1.0]
    """

    points: np.ndarray
    faces: np.ndarray
    weights: np.ndarray
    factor: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", frozen(self.points, np.float64, -1, 3))
        object.__setattr__(self, "faces", frozen(self.faces, np.int32, -1, 3))
        object.__setattr__(self, "weights", frozen(self.weights, np.float64, -1))
        _check_factor("a painted factor", self.factor)
        if len(self.weights) != len(self.points):
            raise SettingsError(f"{len(self.weights)} weights are painted on {len(self.points)} points; give each one")


def _unit(vector: ArrayLike, name: str) -> np.ndarray:
    values = np.asarray(vector, float)
    length = np.linalg.norm(values)
    if length == 0.0:
        raise SettingsError(f"{name} has length 0; give it a direction")
    return values / length


def _check_factor(name: str, factor: float) -> None:
    if not LEAST_FACTOR <= factor <= LARGEST_FACTOR:
        raise SettingsError(f"{name} is {factor:g}; set it between {LEAST_FACTOR:g} and {LARGEST_FACTOR:g}")
