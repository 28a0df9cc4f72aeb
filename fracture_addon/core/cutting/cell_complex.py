"""The complex that walls lie in: a solid's cells, the padding around them, and what a cut asks of both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..data.arrays import cross_rows
from ..data.solid import CELL_FACES, SolidModel, cell_centers, cell_volumes
from ..numerics.distinct_simplices import distinct_simplices
from .crack_face_shape import is_flat


@dataclass(frozen=True)
class CellComplex:
    """What a cut reads of a solid whatever the labels of its cells are, worked out when it is first asked for.

    Attributes:
        solid: Cells and the padding around them.
    """

    solid: SolidModel

    @cached_property
    def tets(self) -> np.ndarray:
        """(T, 4) all tetrahedra, cells first."""
        return np.concatenate([self.solid.cells, self.solid.padding_cells])

    @cached_property
    def triangles(self) -> tuple[np.ndarray, np.ndarray]:
        """As of ``complex_faces``."""
        return complex_faces(self.tets, len(self.solid.points))

    @cached_property
    def pairs(self) -> np.ndarray:
        """(N, 2) tetrahedra that share a face."""
        _, owners = self.triangles
        return owners[owners[:, 1] >= 0]

    @cached_property
    def centers(self) -> np.ndarray:
        """(T, 3) m, of the tetrahedra."""
        return cell_centers(self.solid.points, self.tets)

    @cached_property
    def size(self) -> float:
        """Of a cell, metres."""
        return cell_size(self.solid)

    @cached_property
    def flat(self) -> np.ndarray:
        """(T,) bool, tetrahedra without thickness."""
        return is_flat(self.solid.points, self.tets)

    @cached_property
    def flat_contacts(self) -> tuple[np.ndarray, np.ndarray]:
        """(K, 2) tetrahedra without thickness, each with one that shares a face with it, and (K,) twice its area."""
        faces, owners = self.triangles
        touching = self.flat[owners].any(axis=1) & (owners[:, 1] >= 0)
        faces, owners = faces[touching], owners[touching]
        areas = np.linalg.norm(normals_of(self.solid.points, faces), axis=1)
        both_ways, both_areas = np.concatenate([owners, owners[:, ::-1]]), np.concatenate([areas, areas])
        from_flat = self.flat[both_ways[:, 0]]
        return both_ways[from_flat], both_areas[from_flat]

    @cached_property
    def boundary_normals(self) -> np.ndarray:
        """(P, 3) unit normals, out of the cells, of the points that lie on the cells' boundary; zero elsewhere."""
        solid, (faces, owners) = self.solid, self.triangles
        # Cells come first, so that a triangle between both is wound out of the cell.
        ends = (owners[:, 1] < 0) | (owners[:, 1] >= solid.cell_count)
        faces = faces[(owners[:, 0] < solid.cell_count) & ends]
        vectors = normals_of(solid.points, faces)
        normals = np.stack(
            [np.bincount(faces.ravel(), np.repeat(vectors[:, axis], 3), len(solid.points)) for axis in range(3)], axis=1
        )
        length = np.linalg.norm(normals, axis=1, keepdims=True)
        return np.divide(normals, length, out=np.zeros_like(normals), where=length > 0.0)


def cell_size(solid: SolidModel) -> float:
    """Mean edge, metres, of regular tetrahedra as large as the cells."""
    return float(np.mean(np.cbrt(6.0 * np.sqrt(2.0) * cell_volumes(solid.points, solid.cells))))


def complex_faces(tets: np.ndarray, point_count: int) -> tuple[np.ndarray, np.ndarray]:
    """All triangles of positively oriented tetrahedra, each once.

    Returns:
        (F, 3) faces wound out of their first owner, (F, 2) rows of ``tets``, the second -1 on the hull.
    """
    faces = tets[:, CELL_FACES].reshape(-1, 3)
    first, number = distinct_simplices(faces, point_count)
    owners = np.full((len(first), 2), -1)
    # The second owner is the one that comes last, where there are two.
    owners[number, 1] = np.arange(len(faces)) // 4
    owners[:, 0] = first // 4
    owners[owners[:, 0] == owners[:, 1], 1] = -1
    return faces[first], owners


def normals_of(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """(F, 3) normals of triangles, twice as long as their areas."""
    a, b, c = (points[corners] for corners in faces.T)
    return cross_rows(b - a, c - a)
