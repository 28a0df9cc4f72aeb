"""Triangulated surface with the source of each face; area, volume and mass of the solid inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .arrays import ReadOnlyArrays, cross_rows, frozen

# Volume over the cube of the diagonal below which a surface bounds no volume. Rounding of float64 is far below it.
LEAST_VOLUME = 1e-9


@dataclass(frozen=True)
class Surface(ReadOnlyArrays):
    """Triangles over shared points, with normals out of the solid.

    Attributes:
        points: (P, 3) float64, m.
        faces: (F, 3) int32 rows of ``points``.
        face_source: (F,) int32, triangle of the artist's surface that contains the face; -1 for a face that the run
            added (crack face, cap of a repair). Default: each face is its own source.
        face_attributes: Values of each face, ``{name: (F,) or (F, K)}``. The names are ``material_index``, ``smooth``,
            and ``face/`` before the name of Blender's attribute.
        corner_attributes: Values of each face corner, ``{name: (F, 3, K) float64}``. ``normal`` is the artist's shading
            normal. The others are ``uv/NAME``, ``color/NAME``, ``weight/NAME`` and so on. Only the Blender side chooses
            and reads these prefixes.

    Example:
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> tetrahedron = Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> round(volume(tetrahedron), 3), center_of_volume(tetrahedron).tolist()
        (0.167, [0.25, 0.25, 0.25])
    """

    points: np.ndarray
    faces: np.ndarray
    face_source: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))
    face_attributes: Mapping[str, np.ndarray] = field(default_factory=dict)
    corner_attributes: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        face_source = self.face_source if len(self.face_source) else np.arange(len(self.faces))
        object.__setattr__(self, "points", frozen(self.points, np.float64, -1, 3))
        object.__setattr__(self, "faces", frozen(self.faces, np.int32, -1, 3))
        object.__setattr__(self, "face_source", frozen(face_source, np.int32, -1))
        super().__post_init__()

    @property
    def corners(self) -> np.ndarray:
        """Positions (F, 3, 3) of the corners of each face, m."""
        return self.points.take(self.faces, axis=0)

    @cached_property
    def diagonal(self) -> float:
        """Diagonal of the bounding box, m."""
        return float(np.linalg.norm(np.ptp(self.points, axis=0))) if len(self.points) else 0.0


def area_vectors(surface: Surface) -> np.ndarray:
    """Return the area vectors of the faces: outward normals with the length of the area.

    Args:
        surface: Any surface.

    Returns:
        (F, 3) m2.
    """
    a, b, c = (surface.points[corners] for corners in surface.faces.T)
    return 0.5 * cross_rows(b - a, c - a)


def area(surface: Surface) -> float:
    """Return the total area, m2."""
    return float(np.linalg.norm(area_vectors(surface), axis=1).sum())


def volume(surface: Surface) -> float:
    """Return the signed volume of a closed surface.

    Args:
        surface: Closed surface.

    Returns:
        m3; positive for outward normals.

    Notes:
        The divergence theorem, as in Mirtich 1996, Fast and Accurate Computation of Polyhedral Mass Properties.

    Example:
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> [round(6.0 * volume(Surface(corners, rows)), 9) for rows in (faces, faces[:, ::-1])]
        [1.0, -1.0]
    """
    corners = surface.corners - surface.points.mean(axis=0)
    return float(np.einsum("fi,fi->", corners[:, 0], cross_rows(corners[:, 1], corners[:, 2])) / 6.0)


def wall_thickness(volume: float, area: float) -> float:
    """Return the thickness of a thin wall: twice its volume over the area of its surface.

    Args:
        volume: m3.
        area: m2, of both sides.

    Returns:
        m; for a cube, a third of the edge.

    Example:
        A square plate of 1 m, 1 cm thick.

        >>> round(wall_thickness(1.0 * 1.0 * 0.01, 2.0 * 1.0 * 1.0 + 4.0 * 1.0 * 0.01), 4)
        0.0098
    """
    return 2.0 * volume / area


def center_of_volume(surface: Surface) -> np.ndarray:
    """Return the centre of mass of the homogeneous solid inside a closed surface.

    Args:
        surface: Closed surface with a volume.

    Returns:
        (3,) m.

    Notes:
        As ``mass_properties`` (Mirtich 1996).

    Example:
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> center_of_volume(Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])).round(9).tolist()
        [0.25, 0.25, 0.25]
    """
    reference, corners, volumes = _tetrahedra(surface)
    return reference + np.einsum("f,fi->i", volumes, _sums(corners)) / 4.0 / volumes.sum()


def center_of(surface: Surface) -> np.ndarray:
    """Return the centre of mass (3,) if the surface bounds a volume, else the mean of its points, m."""
    if abs(volume(surface)) > LEAST_VOLUME * surface.diagonal**3:
        return center_of_volume(surface)
    return surface.points.mean(axis=0)


def mass_properties(surface: Surface, density: float = 1.0) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the mass properties of the homogeneous solid inside a closed surface.

    Args:
        surface: Closed surface with outward normals.
        density: kg/m3.

    Returns:
        Mass (kg), centre of mass (3,) (m) and inertia tensor about it (3, 3) (kg m2).

    Notes:
        Compare Mirtich 1996, Fast and Accurate Computation of Polyhedral Mass Properties. Each face and a reference
        point span a tetrahedron. With the reference point as origin, the second moment of a tetrahedron is V/20 (sum of
        a a^T over its corners a + s s^T), where s is the sum of the corners.

    Example:
        >>> corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
        >>> quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
        >>> cube = Surface(corners, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]))
        >>> mass, center, inertia = mass_properties(cube, density=6.0)
        >>> round(mass, 9), center.tolist(), inertia.diagonal().round(9).tolist()
        (6.0, [0.5, 0.5, 0.5], [1.0, 1.0, 1.0])
    """
    reference, corners, volumes = _tetrahedra(surface)
    corner_sum = _sums(corners)
    mass = density * volumes.sum()
    offset = density * np.einsum("f,fi->i", volumes, corner_sum) / 4.0 / mass
    second = np.einsum("f,fki,fkj->ij", volumes, corners, corners)
    second += np.einsum("f,fi,fj->ij", volumes, corner_sum, corner_sum)
    second = density * second / 20.0 - mass * np.outer(offset, offset)
    return float(mass), reference + offset, np.trace(second) * np.eye(3) - second


def longest_axis(corners: np.ndarray) -> np.ndarray:
    """Return the axis along which triangles extend furthest from their centroid, in the mean square.

    Args:
        corners: (F, 3, 3) of each triangle, m.

    Returns:
        (3,) unit vector, whose largest component is positive.

    Notes:
        Principal axis of the second moment of area; for boxes of triangles see Gottschalk, Lin and Manocha 1996,
        OBBTree.

    Example:
        >>> plank = np.array([[[0, 0, 0], [9, 0, 0], [9, 1, 0]], [[0, 0, 0], [9, 1, 0], [0, 1, 0]]], float)
        >>> longest_axis(plank).round(9).tolist()
        [1.0, 0.0, 0.0]
    """
    areas = np.linalg.norm(cross_rows(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    offsets = corners - (areas @ corners.mean(axis=1)) / areas.sum()
    sums = _sums(offsets)
    # 24 times the second moment of area about the centroid; the factor does not change the axes.
    second = np.einsum("f,fki,fkj->ij", areas, offsets, offsets) + np.einsum("f,fi,fj->ij", areas, sums, sums)
    axis = np.linalg.eigh(second)[1][:, 2]
    return axis * np.sign(axis[np.argmax(np.abs(axis))])


def _tetrahedra(surface: Surface) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a reference point (3,), the corners (F, 3, 3) relative to it, and the volumes (F,) that both span."""
    reference = surface.points.mean(axis=0)
    corners = surface.corners - reference
    return reference, corners, np.einsum("fi,fi->f", corners[:, 0], cross_rows(corners[:, 1], corners[:, 2])) / 6.0


def _sums(corners: np.ndarray) -> np.ndarray:
    return corners[:, 0] + corners[:, 1] + corners[:, 2]


def joined(surfaces: Sequence[Surface]) -> Surface:
    """Return several surfaces as one surface with several components.

    Args:
        surfaces: At least one.

    Returns:
        The surface, with the attributes that all of them have; the only surface itself.

    Example:
        >>> triangle = Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> joined([triangle, triangle]).faces.tolist()
        [[0, 1, 2], [3, 4, 5]]
    """
    if len(surfaces) == 1:
        return surfaces[0]
    starts = np.cumsum([0, *(len(surface.points) for surface in surfaces[:-1])])
    face_names = [
        name for name in surfaces[0].face_attributes if all(name in item.face_attributes for item in surfaces)
    ]
    corner_names = [
        name for name in surfaces[0].corner_attributes if all(name in item.corner_attributes for item in surfaces)
    ]
    return Surface(
        np.concatenate([surface.points for surface in surfaces]),
        np.concatenate([surface.faces + start for surface, start in zip(surfaces, starts, strict=True)]),
        np.concatenate([surface.face_source for surface in surfaces]),
        {name: np.concatenate([item.face_attributes[name] for item in surfaces]) for name in face_names},
        {name: np.concatenate([item.corner_attributes[name] for item in surfaces]) for name in corner_names},
    )
