"""The outside of what a hierarchy still holds together: the boundary operator (Sweeney et al. 1991, section 5.4)."""

from __future__ import annotations

import numpy as np

from ....data.surface import Surface
from .hierarchy import Hierarchy, Intact, numbered_edges


def boundary(hierarchy: Hierarchy, intact: Intact | None = None) -> np.ndarray:
    """The boundary operator (section 5.4): rows of the faces of valid cells that are on the outside.

    Sides of solid cells on the same points cancel when they are wound against each other, quads as a whole: two
    triangles of one quad may be divided differently. All sides of a sheet are outside.
    """
    valid = np.ones(len(hierarchy.cells), bool) if intact is None else intact.cells
    rows = np.flatnonzero(valid[hierarchy.side_cells])
    solid = hierarchy.dimensions[hierarchy.side_cells[rows]] == 3
    exposed = np.zeros(len(hierarchy.sides), bool)
    exposed[rows[~solid]] = True
    rows = rows[solid]
    exposed[rows[_uncancelled(hierarchy.sides[rows])]] = True
    return np.flatnonzero(exposed[hierarchy.face_sides])


def rim(faces: np.ndarray) -> np.ndarray:
    """(N, 2) directed edges around (F, 3) triangles, less those that run in both directions.

    Empty for what ``boundary`` gives of a solid: a boundary has no boundary.
    """
    start, end = np.asarray(faces).ravel(), np.roll(faces, -1, axis=1).ravel()
    sign = np.where(start < end, 1, -1)
    width = int(max(start.max(initial=0), end.max(initial=0))) + 1
    pairs, row = numbered_edges(np.stack([start, end], axis=1), width)
    net = np.bincount(row, sign, len(pairs)).astype(int)
    directed = np.where(net[:, None] > 0, pairs, pairs[:, ::-1])
    return np.repeat(directed, np.abs(net), axis=0)


def surface_model(hierarchy: Hierarchy, intact: Intact | None = None, positions=None) -> tuple[Surface, np.ndarray]:
    """The surface model (sections 4 and 5.4): the outside, with only the points that it needs.

    Args:
        hierarchy: The object.
        intact: What holds; all of it by default.
        positions: (P, 3) m, where points are now; at rest by default.

    Returns:
        The surface, whose ``face_source`` is the face of the hierarchy, and (V,) the point behind each of its points.
    """
    rows = boundary(hierarchy, intact)
    used, faces = np.unique(hierarchy.faces[rows], return_inverse=True)
    points = hierarchy.points if positions is None else np.asarray(positions)
    return Surface(points[used], faces.reshape(-1, 3), rows), used


def euler_characteristic(sides: np.ndarray, cell_count: int = 0) -> int:
    """Points less edges plus polygons less cells: pieces, less tunnels, plus cavities.

    Args:
        sides: (N, 4) polygons, each once or once from either side.
        cell_count: Cells that they close; 0 for a surface.
    """
    groups = _alike(np.sort(sides, axis=1))
    ends = np.stack([sides, np.roll(sides, -1, axis=1)], axis=-1).reshape(-1, 2)
    edges = _alike(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1))
    return len(np.unique(sides)) - int(edges.max(initial=-1)) + int(groups.max(initial=-1)) - cell_count


def _uncancelled(sides: np.ndarray) -> np.ndarray:
    """Rows of polygons that are left when opposite ones cancel pair by pair."""
    place = _alike(np.sort(sides, axis=1))
    sign = np.where(sides[:, 1] < sides[:, 3], 1, -1)
    net = np.bincount(place, sign, int(place.max(initial=-1)) + 1).astype(int)
    candidates = np.flatnonzero(sign * net[place] > 0)
    # Of several that are wound alike, as many stay as the net number says.
    order = candidates[np.argsort(place[candidates], kind="stable")]
    first = np.searchsorted(place[order], place[order])
    return order[np.arange(len(order)) - first < np.abs(net[place[order]])]


def _alike(rows: np.ndarray) -> np.ndarray:
    """(N,) number of each row of integers, the same for equal rows."""
    order = np.lexsort(rows.T[::-1])
    changes = (np.diff(rows[order], axis=0) != 0).any(axis=1)
    number = np.empty(len(rows), np.int64)
    number[order] = np.concatenate([np.zeros(min(len(rows), 1), np.int64), np.cumsum(changes)])
    return number
