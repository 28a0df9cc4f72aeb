"""A triangulated boundary, and where each of its faces came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .arrays import cross_rows, frozen


@dataclass(frozen=True)
class Surface:
    """Triangles over shared points, wound so that normals point out of the solid.

    Attributes:
        points: (P, 3) float64, metres.
        faces: (F, 3) int32 rows of ``points``.
        face_source: (F,) int32, the triangle of the artist's surface that a face is a part of; -1 for a face that the
            run made (the inside of a crack, a cap put on by a repair).
        face_attributes: values a face, ``{name: (F,) or (F, K)}``: ``material_index`` and ``smooth`` always
            have their names; others carry Blender's attribute name behind ``face/``.
        corner_attributes: values a face corner, ``{name: (F, 3, K) float64}``. ``normal`` is the artist's
            shading normal; others are ``uv/NAME``, ``color/NAME``, ``weight/NAME``, and so on: the side that
            read the mesh chose the prefix and reads it again when it writes.
    """

    points: np.ndarray
    faces: np.ndarray
    face_source: np.ndarray | None = None
    face_attributes: Mapping[str, np.ndarray] = field(default_factory=dict)
    corner_attributes: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self):
        face_source = np.arange(len(self.faces)) if self.face_source is None else self.face_source
        object.__setattr__(self, "points", frozen(self.points, np.float64, -1, 3))
        object.__setattr__(self, "faces", frozen(self.faces, np.int32, -1, 3))
        object.__setattr__(self, "face_source", frozen(face_source, np.int32, -1))

    @property
    def corners(self) -> np.ndarray:
        """(F, 3, 3) positions of the corners of each face."""
        return self.points.take(self.faces, axis=0)

    @cached_property
    def diagonal(self) -> float:
        """Length of the bounding box's diagonal, metres."""
        return float(np.linalg.norm(np.ptp(self.points, axis=0))) if len(self.points) else 0.0


def area_vectors(surface: Surface) -> np.ndarray:
    """(F, 3) outward normals, as long as the area of each face in square metres."""
    a, b, c = (surface.points[corners] for corners in surface.faces.T)
    return 0.5 * cross_rows(b - a, c - a)


def area(surface: Surface) -> float:
    """Total area, square metres."""
    return float(np.linalg.norm(area_vectors(surface), axis=1).sum())


def volume(surface: Surface) -> float:
    """Signed volume by the divergence theorem, m3; exact for a closed surface, positive when wound outwards."""
    corners = surface.corners - surface.points.mean(axis=0)
    return float(np.einsum("fi,fi->", corners[:, 0], cross_rows(corners[:, 1], corners[:, 2])) / 6.0)


def center_of_volume(surface: Surface) -> np.ndarray:
    """(3,) centre of mass of the even solid inside a closed surface, metres: that of ``mass_properties``."""
    reference, corners, volumes = _tetrahedra(surface)
    return reference + np.einsum("f,fi->i", volumes, _sums(corners)) / 4.0 / volumes.sum()


def center_of(surface: Surface) -> np.ndarray:
    """The centre of mass (3,) where the surface bounds a volume, else the mean of its points."""
    if abs(volume(surface)) > 1e-9 * surface.diagonal**3:
        return center_of_volume(surface)
    return surface.points.mean(axis=0)


def mass_properties(surface: Surface, density: float = 1.0) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass (3,) and inertia about it (3, 3) of the solid inside a closed surface.

    Each face spans a tetrahedron with a reference point; the second moment of a tetrahedron with one corner
    at the origin is V/20 (sum of corner outer products + outer product of the corner sum).

    Args:
        surface: Closed, wound outwards.
        density: Kilograms a cubic metre.
    """
    reference, corners, volumes = _tetrahedra(surface)
    corner_sum = _sums(corners)
    mass = density * volumes.sum()
    offset = density * np.einsum("f,fi->i", volumes, corner_sum) / 4.0 / mass
    second = np.einsum("f,fki,fkj->ij", volumes, corners, corners)
    second += np.einsum("f,fi,fj->ij", volumes, corner_sum, corner_sum)
    second = density * second / 20.0 - mass * np.outer(offset, offset)
    return float(mass), reference + offset, np.trace(second) * np.eye(3) - second


def _tetrahedra(surface: Surface) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A point (3,), the corners of the faces as seen from it (F, 3, 3), and the volumes (F,) that both span."""
    reference = surface.points.mean(axis=0)
    corners = surface.corners - reference
    return reference, corners, np.einsum("fi,fi->f", corners[:, 0], cross_rows(corners[:, 1], corners[:, 2])) / 6.0


def _sums(corners: np.ndarray) -> np.ndarray:
    return corners[:, 0] + corners[:, 1] + corners[:, 2]


def joined(surfaces: Sequence[Surface]) -> Surface:
    """Several surfaces with the same attributes as one of several shells."""
    if len(surfaces) == 1:
        return surfaces[0]
    starts = np.cumsum([0, *(len(surface.points) for surface in surfaces[:-1])])
    first = surfaces[0]
    return Surface(
        np.concatenate([surface.points for surface in surfaces]),
        np.concatenate([surface.faces + start for surface, start in zip(surfaces, starts, strict=True)]),
        np.concatenate([surface.face_source for surface in surfaces]),
        {name: np.concatenate([item.face_attributes[name] for item in surfaces]) for name in first.face_attributes},
        {name: np.concatenate([item.corner_attributes[name] for item in surfaces]) for name in first.corner_attributes},
    )
