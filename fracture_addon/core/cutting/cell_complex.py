"""Complex of a solid's cells and padding, with the quantities that every cut needs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..data.arrays import cross_rows, sum_by, unit
from ..data.solid import CELL_FACES, SolidModel, cell_centers, cell_edge, cell_volumes
from ..numerics.distinct_simplices import distinct_simplices
from .crack_face_shape import is_flat


@dataclass(frozen=True)
class CellComplex:
    """Quantities of a solid that do not depend on the labels of its cells, each computed on first use.

    Attributes:
        solid: Cells and the padding around them.
    """

    solid: SolidModel

    @cached_property
    def tets(self) -> np.ndarray:
        """All tetrahedra (T, 4), cells before padding."""
        return np.concatenate([self.solid.cells, self.solid.padding_cells])

    @cached_property
    def triangles(self) -> tuple[np.ndarray, np.ndarray]:
        """Result of ``complex_faces``."""
        return complex_faces(self.tets, len(self.solid.points))

    @cached_property
    def pairs(self) -> np.ndarray:
        """Pairs (N, 2) of tetrahedra with a common face."""
        _, owners = self.triangles
        return owners[owners[:, 1] >= 0]

    @cached_property
    def centers(self) -> np.ndarray:
        """Centroids (T, 3) of the tetrahedra, m."""
        return cell_centers(self.solid.points, self.tets)

    @cached_property
    def size(self) -> float:
        """Mean size of a cell, m."""
        return cell_size(self.solid)

    @cached_property
    def flat(self) -> np.ndarray:
        """Flat tetrahedra (T,) bool."""
        return is_flat(self.solid.points, self.tets)

    @cached_property
    def flat_contacts(self) -> tuple[np.ndarray, np.ndarray]:
        """Pairs (K, 2) of a flat tetrahedron and a neighbour, and twice the area (K,) of their common face, m2."""
        faces, owners = self.triangles
        touching = self.flat[owners].any(axis=1) & (owners[:, 1] >= 0)
        faces, owners = faces[touching], owners[touching]
        areas = np.linalg.norm(normals_of(self.solid.points, faces), axis=1)
        both_ways, both_areas = np.concatenate([owners, owners[:, ::-1]]), np.concatenate([areas, areas])
        from_flat = self.flat[both_ways[:, 0]]
        return both_ways[from_flat], both_areas[from_flat]

    @cached_property
    def boundary_normals(self) -> np.ndarray:
        """Outward unit normals (P, 3) of points on the boundary of the cells; zero at other points."""
        solid, (faces, owners) = self.solid, self.triangles
        # Cells come first, so that the normal of a face between cell and padding points out of the cell.
        ends = (owners[:, 1] < 0) | (owners[:, 1] >= solid.cell_count)
        faces = faces[(owners[:, 0] < solid.cell_count) & ends]
        vectors = np.repeat(normals_of(solid.points, faces), 3, axis=0)
        return unit(sum_by(faces.ravel(), vectors, len(solid.points)))


def cell_size(solid: SolidModel) -> float:
    """Return the mean edge of regular tetrahedra with the volumes of the cells, m."""
    return float(np.mean(cell_edge(cell_volumes(solid.points, solid.cells))))


def complex_faces(tets: np.ndarray, point_count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return all triangles of tetrahedra of positive volume.

    Args:
        tets: (T, 4) points of tetrahedra.
        point_count: Number of points.

    Returns:
        (F, 3) faces with normals out of their first tetrahedron, and (F, 2) rows of ``tets``; the second is -1 on the
        hull.

    Notes:
        Own; see ``distinct_simplices`` (Knuth 1998).

    Example:
        Two tetrahedra have seven triangles. They share one.

        >>> faces, owners = complex_faces(np.array([[0, 1, 2, 3], [4, 2, 1, 3]]), 5)
        >>> len(faces), owners[owners[:, 1] >= 0].tolist()
        (7, [[0, 1]])
    """
    faces = tets[:, CELL_FACES].reshape(-1, 3)
    first, number = distinct_simplices(faces, point_count)
    owners = np.full((len(first), 2), -1)
    # Of two owners, the later one is the second.
    owners[number, 1] = np.arange(len(faces)) // 4
    owners[:, 0] = first // 4
    owners[owners[:, 0] == owners[:, 1], 1] = -1
    return faces[first], owners


def normals_of(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return the normals (F, 3) of triangles with twice the area as length, m2."""
    a, b, c = (points[corners] for corners in faces.T)
    return cross_rows(b - a, c - a)
