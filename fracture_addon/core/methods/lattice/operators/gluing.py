"""The gluing operator: join two objects to one, and keep their parts.

Norton et al. 1991 replace points of one object by points of the other. Sweeney et al. 1991 (section 5.3) join near
points by new edges. Both work for objects of any dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ....data.arrays import ReadOnlyArrays, distinct
from .hierarchy import NONE, Hierarchy, Rows, hierarchy_of, numbered_edges, parts_of_cells

NO_PAIRS = np.empty((0, 2), np.int64)


@dataclass(frozen=True)
class Glued(ReadOnlyArrays):
    """Two objects glued to one.

    Attributes:
        hierarchy: The glued object. Parts of the first object come before those of the second.
        first_points, second_points: (P,) new row of each object's points.
        first_edges, second_edges: (E,) new row of their edges; -1 where both ends became one point.
        first_cells, second_cells: (K,) new row of their cells.
        glue_edges: (N,) rows of the new edges; -1 where both ends became one point.
    """

    hierarchy: Hierarchy
    first_points: np.ndarray
    second_points: np.ndarray
    first_edges: np.ndarray
    second_edges: np.ndarray
    first_cells: np.ndarray
    second_cells: np.ndarray
    glue_edges: np.ndarray


def pairs_within(first: np.ndarray, second: np.ndarray, distance: float) -> np.ndarray:
    """Find all pairs of a point of one object and a point of another within a distance.

    Args:
        first: (P, 3) m.
        second: (Q, 3) m.
        distance: m.

    Returns:
        (N, 2) rows, by the first and then the second point.

    Notes:
        Sweeney et al. 1991, section 5.3.

    Example:
        >>> line = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]])
        >>> pairs_within(line, line[:1] + [0.5, 0, 0], 0.6).tolist()
        [[0, 0], [1, 0]]
    """
    near = cKDTree(first).sparse_distance_matrix(cKDTree(second), distance, output_type="ndarray")
    pairs = np.stack([near["i"], near["j"]], axis=1)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def nearest_pairs(first: np.ndarray, second: np.ndarray, distance: float) -> np.ndarray:
    """Pair each point of one object with the nearest point of another, if that is within a distance.

    Args:
        first: (P, 3) m.
        second: (Q, 3) m.
        distance: m.

    Returns:
        (N, 2) rows.

    Notes:
        Norton et al. 1991, glue.

    Example:
        >>> line = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]])
        >>> nearest_pairs(line, line + [0.1, 0, 0], 0.5).tolist()
        [[0, 0], [1, 1], [2, 2]]
    """
    gap, row = cKDTree(second).query(first)
    near = np.flatnonzero(gap <= distance)
    return np.stack([near, row[near]], axis=1)


def glue(first: Hierarchy, second: Hierarchy, replaced: np.ndarray, tied: np.ndarray = NO_PAIRS) -> Glued:
    """Join two objects by points that they share, by new edges in no cell, or by both.

    Args:
        first: First object.
        second: Second object, in its place beside the first.
        replaced: (N, 2) a point of the first, each at most once, and the point of the second that replaces it (Norton
            et al. 1991), for example from ``nearest_pairs``.
        tied: (N, 2) a point of each that a new edge joins (Sweeney et al. 1991), for example from ``pairs_within``.
    """
    stays = np.ones(len(first.points), bool)
    stays[replaced[:, 0]] = False
    first_points = np.cumsum(stays) - 1
    second_points = int(stays.sum()) + np.arange(len(second.points))
    first_points[replaced[:, 0]] = second_points[replaced[:, 1]]
    new_edges = np.stack([first_points[tied[:, 0]], second_points[tied[:, 1]]], axis=1)
    return _joined(first, second, first_points, second_points, new_edges)


def _joined(
    first: Hierarchy, second: Hierarchy, first_points: np.ndarray, second_points: np.ndarray, new_edges: np.ndarray
) -> Glued:
    """Build the glued object from the new rows of all points and (N, 2) new edges."""
    # The remaining points of the first object come before those of the second.
    stays = ~np.isin(first_points, second_points)
    offset = int(stays.sum())
    count = offset + len(second.points)
    points = np.empty((count, 3))
    # Points of the second object are written last: they keep their position when they replace another.
    points[first_points], points[second_points] = first.points, second.points

    pairs = np.concatenate([first_points[first.edges], second_points[second.edges], new_edges])
    rows = np.full(len(pairs), NONE)
    distinct_ends = pairs[:, 0] != pairs[:, 1]
    edges, rows[distinct_ends] = numbered_edges(pairs[distinct_ends], count)
    first_edges, second_edges, glue_edges = np.split(rows, np.cumsum([len(first.edges), len(second.edges)]))

    # A part without remaining points keeps an empty range.
    first_starts = np.concatenate([[0], np.cumsum(stays)])[first.part_starts[:, 0]]
    point_starts = np.concatenate([first_starts, offset + second.part_starts[1:, 0]])

    width = max(first.cells.shape[1], second.cells.shape[1])
    cells = np.concatenate(
        [_renumbered_cells(first, first_points, width), _renumbered_cells(second, second_points, width)]
    )
    order = np.argsort(parts_of_cells(cells, point_starts), kind="stable")
    owners = np.concatenate([first.cell_edges.owners, len(first.cells) + second.cell_edges.owners])
    items = np.concatenate([first_edges[first.cell_edges.items], second_edges[second.cell_edges.items]])
    new_rows = np.empty(len(cells), np.int64)
    new_rows[order] = np.arange(len(cells))
    cell_edges = _without_repeats(new_rows[owners], items, len(cells), len(edges))
    dimensions = np.concatenate([first.dimensions, second.dimensions])[order]
    hierarchy = hierarchy_of(points, edges, cells[order], dimensions, cell_edges, point_starts)
    first_cells, second_cells = np.split(new_rows, [len(first.cells)])
    return Glued(
        hierarchy=hierarchy,
        first_points=first_points,
        second_points=second_points,
        first_edges=first_edges,
        second_edges=second_edges,
        first_cells=first_cells,
        second_cells=second_cells,
        glue_edges=glue_edges,
    )


def _renumbered_cells(hierarchy: Hierarchy, numbers: np.ndarray, width: int) -> np.ndarray:
    """Renumber the points of cells, and pad the rows with -1 to ``width``."""
    cells = np.full((len(hierarchy.cells), width), NONE)
    columns = hierarchy.cells.shape[1]
    cells[:, :columns] = np.where(hierarchy.cells >= 0, numbers[hierarchy.cells], NONE)
    return cells


def _without_repeats(owners: np.ndarray, items: np.ndarray, owner_count: int, item_count: int) -> Rows:
    """Build lists in which each item occurs once; drop items below 0."""
    keys = distinct(owners[items >= 0].astype(np.int64) * max(item_count, 1) + items[items >= 0])
    owners = keys // max(item_count, 1)
    return Rows(np.searchsorted(owners, np.arange(owner_count + 1)), keys % max(item_count, 1))
