"""The discretised solid: points, cells, the faces between cells and their incidence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import cross_rows, distinct, frozen


@dataclass(frozen=True)
class SolidModel:
    """Tetrahedra that fill a surface, within a complex that reaches beyond it.

    Attributes:
        points: (P, 3) float64, metres; those of the padding included.
        cells: (C, 4) int32, positively oriented tetrahedra inside the surface.
        padding_cells: (Q, 4) int32, the remaining tetrahedra of the same complex. They have no mass; region walls
            are carried outwards through them, so that no wall lies on the artist's surface.
        faces: (F, 3) int32, triangles shared by two cells.
        face_cells: (F, 2) int32, the two cells; the area vector of a face points from the first to the second.
    """

    points: np.ndarray
    cells: np.ndarray
    padding_cells: np.ndarray
    faces: np.ndarray
    face_cells: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "points", frozen(self.points, np.float64, -1, 3))
        for name, width in (("cells", 4), ("padding_cells", 4), ("faces", 3), ("face_cells", 2)):
            object.__setattr__(self, name, frozen(getattr(self, name), np.int32, -1, width))

    @property
    def cell_count(self) -> int:
        """Number of tetrahedra with mass."""
        return len(self.cells)

    @property
    def face_count(self) -> int:
        """Number of faces shared by two cells."""
        return len(self.faces)


def from_cells(points, cells, padding_cells) -> SolidModel:
    """A solid from its tetrahedra: orients them positively and finds their shared faces."""
    points = np.asarray(points, float)
    cells = oriented(points, np.asarray(cells, np.int32))
    padding_cells = oriented(points, np.asarray(padding_cells, np.int32).reshape(-1, 4))
    faces, face_cells = shared_faces(points, cells)
    return SolidModel(points, cells, padding_cells, faces, face_cells)


def extract(solid: SolidModel, cell_rows: np.ndarray, padded: bool = True) -> SolidModel:
    """The part of a solid that ``cell_rows`` (rows of ``solid.cells``) make up.

    Everything else becomes padding, or nothing where it is not to be ``padded``.
    """
    kept = np.zeros(solid.cell_count, bool)
    kept[cell_rows] = True
    padding = np.concatenate([solid.cells[~kept], solid.padding_cells]) if padded else np.empty((0, 4), np.int32)
    # Cells keep their order, and so do the faces between them: nothing has to be sorted out again.
    row, inner = np.cumsum(kept) - 1, kept[solid.face_cells].all(axis=1)
    return SolidModel(solid.points, solid.cells[kept], padding, solid.faces[inner], row[solid.face_cells[inner]])


def compacted(solid: SolidModel) -> SolidModel:
    """The same tetrahedra without the points that none of them has."""
    used = distinct(np.concatenate([solid.cells.ravel(), solid.padding_cells.ravel()]))
    row = np.full(len(solid.points), -1, np.int32)
    row[used] = np.arange(len(used))
    tets = row[solid.cells], row[solid.padding_cells], row[solid.faces]
    return SolidModel(solid.points[used], *tets, solid.face_cells)


def cell_volumes(points: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """(C,) signed volumes of tetrahedra, cubic metres."""
    a, b, c, d = (points[corners] for corners in cells.T)
    return np.einsum("ci,ci->c", b - a, cross_rows(c - a, d - a)) / 6.0


def cell_centers(points: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """(C, 3) centroids of tetrahedra, metres."""
    a, b, c, d = (points[corners] for corners in cells.T)
    return (a + b + c + d) / 4.0


def face_vectors(solid: SolidModel) -> np.ndarray:
    """(F, 3) area vectors of the faces that two cells share, square metres, from the first cell to the second."""
    a, b, c = (solid.points[corners] for corners in solid.faces.T)
    return 0.5 * cross_rows(b - a, c - a)


def appears_once(faces: np.ndarray) -> np.ndarray:
    """(F,) whether no other of some faces (F, 3) has the same corners."""
    corners = np.sort(faces, axis=1).astype(np.int64)
    # A number a face: rows are told apart several times as slowly.
    count = int(corners.max(initial=0)) + 1
    keys = (corners[:, 0] * count + corners[:, 1]) * count + corners[:, 2]
    _, row, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return counts[row] == 1


def oriented(points: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """The same tetrahedra, each with a positive volume."""
    cells = cells.copy()
    negative = cell_volumes(points, cells) < 0.0
    cells[negative, 2], cells[negative, 3] = cells[negative, 3], cells[negative, 2].copy()
    return cells


# Faces of a positive tetrahedron, wound so that their normals point out; row i is opposite corner i.
CELL_FACES = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]], np.int32)


def shared_faces(points: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Faces that two cells share, and the two cells of each.

    Returns:
        (F, 3) faces wound from the first cell to the second, (F, 2) cells, in a fixed order.
    """
    faces = cells[:, CELL_FACES].reshape(-1, 3)
    owners = np.repeat(np.arange(len(cells), dtype=np.int32), 4)
    keys = np.sort(faces, axis=1).astype(np.int64)
    key = (keys[:, 0] * len(points) + keys[:, 1]) * len(points) + keys[:, 2]
    order = np.argsort(key, kind="stable")
    pair = np.flatnonzero(key[order][1:] == key[order][:-1])
    first, second = order[pair], order[pair + 1]
    return faces[first], np.stack([owners[first], owners[second]], axis=1)
