"""A solid of tetrahedra: points, cells, and the faces that two cells share."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from .arrays import ReadOnlyArrays, cross_rows, distinct, frozen
from .mixture import Mixture


@dataclass(frozen=True)
class SolidModel(ReadOnlyArrays):
    """Tetrahedra that fill a surface, and padding around it.

    Attributes:
        points: (P, 3) float64, m, of cells and padding.
        cells: (C, 4) int32, tetrahedra of positive volume that fill the surface.
        padding_cells: (Q, 4) int32, tetrahedra around them, without mass. Crack faces continue outwards through them.
            Therefore no crack face lies on the artist's surface.
        faces: (F, 3) int32, triangles that two cells share.
        face_cells: (F, 2) int32, the two cells; the area vector of a face points from the first to the second.
        mixture: Values of cells and faces if the solid joins several objects; ``None`` for one material. Faces between
            two objects share no points with other faces. They have the area and the position of the joint.
    """

    points: np.ndarray
    cells: np.ndarray
    padding_cells: np.ndarray
    faces: np.ndarray
    face_cells: np.ndarray
    mixture: Mixture | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", frozen(self.points, np.float64, -1, 3))
        for name, width in (("cells", 4), ("padding_cells", 4), ("faces", 3), ("face_cells", 2)):
            object.__setattr__(self, name, frozen(getattr(self, name), np.int32, -1, width))
        super().__post_init__()

    @property
    def cell_count(self) -> int:
        """Number of cells, without the padding."""
        return len(self.cells)

    @property
    def face_count(self) -> int:
        """Number of faces that two cells share."""
        return len(self.faces)


def from_cells(points: ArrayLike, cells: ArrayLike, padding_cells: ArrayLike) -> SolidModel:
    """Build a solid from tetrahedra in any orientation.

    Args:
        points: (P, 3) m.
        cells: (C, 4) rows of ``points``.
        padding_cells: (Q, 4) rows of ``points``; may be empty.

    Returns:
        The solid, with the faces that its cells share.

    Example:
        >>> points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
        >>> solid = from_cells(points, [[0, 1, 2, 3], [1, 2, 3, 4]], [])
        >>> cell_volumes(solid.points, solid.cells).round(3).tolist()
        [0.167, 0.333]
        >>> solid.face_cells.tolist()
        [[0, 1]]
    """
    places = np.asarray(points, float)
    inner = oriented(places, np.asarray(cells, np.int32))
    padding = oriented(places, np.asarray(padding_cells, np.int32).reshape(-1, 4))
    return SolidModel(places, inner, padding, *shared_faces(places, inner))


def extract(solid: SolidModel, cell_rows: np.ndarray, padded: bool = True) -> SolidModel:
    """Return the solid that consists of some of the cells.

    Args:
        solid: The whole solid.
        cell_rows: Rows of ``solid.cells``.
        padded: Whether the other cells become padding; otherwise the result has no padding.

    Returns:
        The solid over the same points. Cells and shared faces keep their order.
    """
    kept = np.zeros(solid.cell_count, bool)
    kept[cell_rows] = True
    padding = np.concatenate([solid.cells[~kept], solid.padding_cells]) if padded else np.empty((0, 4), np.int32)
    # Cells and shared faces keep their order, so the shared faces need not be found again.
    row, inner = np.cumsum(kept) - 1, kept[solid.face_cells].all(axis=1)
    mixture = solid.mixture and solid.mixture.of(kept, inner)
    pairs = row[solid.face_cells[inner]]
    return SolidModel(solid.points, solid.cells[kept], padding, solid.faces[inner], pairs, mixture=mixture)


def compacted(solid: SolidModel) -> SolidModel:
    """Return the solid without unused points."""
    used = distinct(np.concatenate([solid.cells.ravel(), solid.padding_cells.ravel(), solid.faces.ravel()]))
    row = np.full(len(solid.points), -1, np.int32)
    row[used] = np.arange(len(used))
    tets = row[solid.cells], row[solid.padding_cells], row[solid.faces]
    return SolidModel(solid.points[used], *tets, solid.face_cells, mixture=solid.mixture)


def cell_volumes(points: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Return the signed volumes of tetrahedra.

    Args:
        points: (P, 3) m.
        cells: (C, 4) corners, rows of ``points``.

    Returns:
        (C,) m3; positive if the last three corners run clockwise as seen from the first.

    Example:
        >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> (6.0 * cell_volumes(corners, np.array([[0, 1, 2, 3], [0, 2, 1, 3]]))).tolist()
        [1.0, -1.0]
    """
    a, b, c, d = (points[corners] for corners in cells.T)
    return np.einsum("ci,ci->c", b - a, cross_rows(c - a, d - a)) / 6.0


def cell_edge(volume: float | np.ndarray) -> np.ndarray:
    """Return the size of cells: the edge of a regular tetrahedron of the same volume.

    Args:
        volume: (...) m3.

    Returns:
        (...) m.

    Notes:
        Euclid's tetrahedron has the volume edge^3 / (6 sqrt(2)); own use as the size of irregular cells.

    Example:
        >>> round(float(cell_edge(1.0 / (6.0 * 2.0**0.5))), 9)
        1.0
    """
    return np.cbrt(6.0 * np.sqrt(2.0) * volume)


def cell_centers(points: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Return the centroids (C, 3) of tetrahedra, m."""
    a, b, c, d = (points[corners] for corners in cells.T)
    return (a + b + c + d) / 4.0


def face_vectors(solid: SolidModel) -> np.ndarray:
    """Return the area vectors (F, 3) of the shared faces, m2, from the first cell to the second."""
    a, b, c = (solid.points[corners] for corners in solid.faces.T)
    return 0.5 * cross_rows(b - a, c - a)


def appears_once(faces: np.ndarray) -> np.ndarray:
    """Return the mask (F,) of the faces (F, 3) whose three corners, in any order, are those of no other face.

    Example:
        >>> appears_once(np.array([[0, 1, 2], [2, 1, 0], [0, 1, 3]])).tolist()
        [False, False, True]
    """
    corners = np.sort(faces, axis=1).astype(np.int64)
    # One integer for each face: np.unique of rows takes several times as long.
    count = int(corners.max(initial=0)) + 1
    keys = (corners[:, 0] * count + corners[:, 1]) * count + corners[:, 2]
    _, row, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return counts[row] == 1


def outer_faces(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the faces (F, 3) of tetrahedra (C, 4) of positive volume that no two share, and the cell (F,) of each.

    The normals of the faces point outwards.

    Example:
        >>> faces, cells = outer_faces(np.array([[0, 1, 2, 3], [4, 2, 1, 3]]))
        >>> len(faces), cells.tolist()
        (6, [0, 0, 0, 1, 1, 1])
    """
    faces = cells[:, CELL_FACES].reshape(-1, 3)
    outer = np.flatnonzero(appears_once(faces))
    return faces[outer], outer // 4


def oriented(points: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Return tetrahedra with positive volumes.

    Args:
        points: (P, 3) m.
        cells: (C, 4) rows of ``points``.

    Returns:
        (C, 4) with the last two corners of the negative ones swapped.

    Example:
        >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> oriented(corners, np.array([[0, 2, 1, 3], [0, 1, 2, 3]])).tolist()
        [[0, 2, 3, 1], [0, 1, 2, 3]]
    """
    cells = cells.copy()
    negative = cell_volumes(points, cells) < 0.0
    cells[negative, 2], cells[negative, 3] = cells[negative, 3], cells[negative, 2].copy()
    return cells


# Corners of the faces of a tetrahedron of positive volume, with outward normals; row i is opposite corner i.
CELL_FACES = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]], np.int32)


def shared_faces(points: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the faces that two cells share, and their cells.

    Args:
        points: (P, 3) m; only their number is used.
        cells: (C, 4) tetrahedra of positive volume.

    Returns:
        (F, 3) faces with normals from the first cell to the second, and (F, 2) cells; sorted by corners.

    Notes:
        Own: the three corners of a face become one number, and equal neighbours in the sorted numbers are shared faces.

    Example:
        >>> faces, cells = shared_faces(np.zeros((5, 3)), np.array([[0, 1, 2, 3], [4, 2, 1, 3]]))
        >>> sorted(faces[0].tolist()), cells.tolist()
        ([1, 2, 3], [[0, 1]])
    """
    faces = cells[:, CELL_FACES].reshape(-1, 3)
    owners = np.repeat(np.arange(len(cells), dtype=np.int32), 4)
    keys = np.sort(faces, axis=1).astype(np.int64)
    key = (keys[:, 0] * len(points) + keys[:, 1]) * len(points) + keys[:, 2]
    order = np.argsort(key, kind="stable")
    pair = np.flatnonzero(key[order][1:] == key[order][:-1])
    first, second = order[pair], order[pair + 1]
    return faces[first], np.stack([owners[first], owners[second]], axis=1)
