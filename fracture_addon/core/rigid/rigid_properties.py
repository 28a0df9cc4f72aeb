"""Mass properties of rigid bodies: mass, centre of mass and inertia."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..data.arrays import ReadOnlyArrays
from ..data.errors import InvalidMeshError
from ..data.job import Collider
from ..data.solid import cell_centers, cell_volumes
from ..data.surface import Surface, joined, mass_properties, volume

# Volume over the diagonal's cube below which the points of a collider carry its mass. Open sheets have about 0; of the
# shipped meshes, the thinnest has 3e-3.
SOLID_VOLUME = 1e-4
# Half thickness of such a collider over its diagonal. Tuned by eye: without it, points on a line have no inertia about
# that line.
HALF_THICKNESS = 0.05


@dataclass(frozen=True)
class RigidProperties(ReadOnlyArrays):
    """Mass in kg, centre of mass (3,) in m, rest space, and inertia (3, 3) about it in kg m2."""

    mass: float
    center: np.ndarray
    inertia: np.ndarray

    @cached_property
    def inverse_inertia(self) -> np.ndarray:
        """(3, 3) 1/(kg m2); zero for an infinite mass."""
        return np.linalg.inv(self.inertia) if np.isfinite(self.mass) else np.zeros((3, 3))

    @cached_property
    def largest_inverse_inertia(self) -> float:
        """Inverse of the smallest moment of inertia, 1/(kg m2)."""
        return float(np.linalg.eigvalsh(self.inverse_inertia)[-1])

    @property
    def gyration(self) -> float:
        """Radius of gyration, m."""
        return (float(np.trace(self.inertia)) / (2.0 * self.mass)) ** 0.5

    @property
    def ball_radius(self) -> float:
        """Radius of a ball with the same mass and the smallest moment of inertia, 2/5 m r^2, m; 0 for infinite mass."""
        return float(np.sqrt(2.5 / (self.mass * self.largest_inverse_inertia))) if np.isfinite(self.mass) else 0.0

    def most_inverse_mass(self, reach: float) -> float:
        """Return the largest speed per impulse, 1/kg, of any point within ``reach``, m, of the centre of mass."""
        return 1.0 / self.mass + reach**2 * self.largest_inverse_inertia


def cell_properties(points: np.ndarray, cells: np.ndarray, density: np.ndarray | float) -> RigidProperties:
    """Compute the mass properties of tetrahedra.

    Args:
        points: (P, 3) m.
        cells: (C, 4) corners of each tetrahedron, rows of ``points``.
        density: kg/m3, of all tetrahedra, or (C,) of each.

    Returns:
        Mass, centre and inertia of all together.

    Notes:
        Compare Tonon 2004, Explicit Exact Formulas for the 3-D Tetrahedron Inertia Tensor: the second moment of a
        tetrahedron about its centroid is its mass / 20 times the sum over its corners of the outer product of the
        corner, relative to the centroid, with itself.

    Example:
        >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> properties = cell_properties(corners, np.array([[0, 1, 2, 3]]), 6.0)
        >>> round(properties.mass, 9), properties.center.tolist(), round(float(properties.inertia[0, 0]), 4)
        (1.0, [0.25, 0.25, 0.25], 0.075)
    """
    masses, centers = density * cell_volumes(points, cells), cell_centers(points, cells)
    mass = masses.sum()
    center = masses @ centers / mass
    offsets = points.take(cells, axis=0) - centers[:, None]
    second = np.einsum("c,cki,ckj->ij", masses, offsets, offsets) / 20.0
    second += np.einsum("c,ci,cj->ij", masses, centers - center, centers - center)
    return RigidProperties(float(mass), center, np.trace(second) * np.eye(3) - second)


def drawn_properties(surfaces: Sequence[Surface], density: float) -> RigidProperties:
    """Return the mass properties of the homogeneous solid inside closed surfaces.

    Args:
        surfaces: Surfaces with outward normals; at least one.
        density: kg/m3.

    Returns:
        Mass, centre and inertia of all together.
    """
    return RigidProperties(*mass_properties(joined(surfaces), density))


def combined(parts: Sequence[RigidProperties]) -> RigidProperties:
    """Return the mass properties of several bodies that are rigidly connected.

    Args:
        parts: Their mass properties; at least one.

    Returns:
        Mass, centre and inertia of all together.

    Notes:
        The parallel axis theorem (Huygens and Steiner; Goldstein 1980, Classical Mechanics, section 5-3).

    Example:
        Two balls of 1 kg and 0.4 kg m2, 2 m apart.

        >>> balls = [RigidProperties(1.0, np.array([x, 0.0, 0.0]), 0.4 * np.eye(3)) for x in (-1.0, 1.0)]
        >>> result = combined(balls)
        >>> result.mass, result.center.tolist(), np.diag(result.inertia).tolist()
        (2.0, [0.0, 0.0, 0.0], [0.8, 2.8, 2.8])
    """
    if len(parts) == 1:
        return parts[0]
    mass = sum(item.mass for item in parts)
    center = sum((item.mass * item.center for item in parts), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for item in parts:
        arm = item.center - center
        inertia += item.inertia + item.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return RigidProperties(mass, center, inertia)


def collider_properties(collider: Collider) -> RigidProperties:
    """Return the mass properties of an unbreakable object.

    Args:
        collider: The object.

    Returns:
        Those of its volume; of its points for an open or thin surface. Without a mass they are infinite, and the centre
        is the mean of its points.

    Raises:
        InvalidMeshError: It has no points, or a point is not finite.

    Example:
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> wedge = Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> properties = collider_properties(Collider("Wedge", wedge, mass=2.0))
        >>> properties.mass, properties.center.round(9).tolist()
        (2.0, [0.25, 0.25, 0.25])
    """
    points = collider.surface.points
    if not len(points) or not np.isfinite(points).all():
        raise InvalidMeshError(
            f"'{collider.name}' has no points, or points with invalid coordinates (NaN or infinity); give it a surface"
        )
    if collider.mass <= 0.0:
        return RigidProperties(np.inf, points.mean(axis=0), np.full((3, 3), np.inf))
    diagonal = collider.surface.diagonal
    if volume(collider.surface) > SOLID_VOLUME * diagonal**3:
        solid_mass, center, inertia = mass_properties(collider.surface)
        return RigidProperties(collider.mass, center, inertia * (collider.mass / solid_mass))
    # An open or thin surface has no volume: its points carry the mass.
    center = points.mean(axis=0)
    offsets = points - center
    second = offsets.T @ offsets / len(points) + np.eye(3) * (HALF_THICKNESS * diagonal) ** 2
    return RigidProperties(collider.mass, center, collider.mass * (np.trace(second) * np.eye(3) - second))
