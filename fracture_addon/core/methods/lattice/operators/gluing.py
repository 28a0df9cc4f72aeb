"""The gluing operator: two objects become one, and keep their sub-objects.

The papers mean two things by it. Norton et al. 1991 let points of the one object stand in for points of the other;
Sweeney et al. 1991 (section 5.3) tie near points with new edges. Both are here, for objects of any dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ....data.arrays import distinct
from .hierarchy import NONE, Hierarchy, Rows, hierarchy_of, numbered_edges, parts_of_cells


@dataclass(frozen=True)
class Glued:
    """Two objects as one.

    Attributes:
        hierarchy: The whole; parts of the first come before those of the second.
        first_points, second_points: (P,) where the points of each went.
        first_edges, second_edges: (E,) where their edges went; -1 where both ends became one.
        first_cells, second_cells: (K,) where their cells went.
        glue_edges: (N,) new edges.
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
    """(N, 2) all pairs of a point of (P, 3) ``first`` and one of (Q, 3) ``second`` at most ``distance`` apart."""
    near = cKDTree(first).sparse_distance_matrix(cKDTree(second), distance, output_type="ndarray")
    pairs = np.stack([near["i"], near["j"]], axis=1)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def nearest_pairs(first: np.ndarray, second: np.ndarray, distance: float) -> np.ndarray:
    """(N, 2) points of ``first`` that have one of ``second`` within ``distance``, and the nearest such."""
    gap, row = cKDTree(second).query(first)
    near = np.flatnonzero(gap <= distance)
    return np.stack([near, row[near]], axis=1)


def glue_by_edges(first: Hierarchy, second: Hierarchy, pairs: np.ndarray) -> Glued:
    """Sweeney's glue: a new edge, in no cell, between the two points of each pair.

    Args:
        first: One object.
        second: Another, in place beside it.
        pairs: (N, 2) a point of each, as from ``pairs_within``.
    """
    first_points = np.arange(len(first.points))
    second_points = len(first.points) + np.arange(len(second.points))
    ties = np.stack([first_points[pairs[:, 0]], second_points[pairs[:, 1]]], axis=1)
    return _joined(first, second, first_points, second_points, ties)


def glue_by_points(first: Hierarchy, second: Hierarchy, pairs: np.ndarray) -> Glued:
    """Norton's glue: points of the first object are dropped, and what held them holds points of the second instead.

    Args:
        first: One object.
        second: Another, in place beside it.
        pairs: (N, 2) a point of the first, each once, and the one of the second that takes its place, as from
            ``nearest_pairs``.
    """
    stays = np.ones(len(first.points), bool)
    stays[pairs[:, 0]] = False
    first_points = np.cumsum(stays) - 1
    second_points = int(stays.sum()) + np.arange(len(second.points))
    first_points[pairs[:, 0]] = second_points[pairs[:, 1]]
    return _joined(first, second, first_points, second_points, np.empty((0, 2), np.int64))


def _joined(first: Hierarchy, second: Hierarchy, first_points, second_points, ties) -> Glued:
    # Points of the first that stay are numbered before those of the second.
    stays = ~np.isin(first_points, second_points)
    offset = int(stays.sum())
    count = offset + len(second.points)
    points = np.empty((count, 3))
    # The second object's points, last, stay where they are when they take another's place.
    points[first_points], points[second_points] = first.points, second.points

    pairs = np.concatenate([first_points[first.edges], second_points[second.edges], ties])
    rows = np.full(len(pairs), NONE)
    apart = pairs[:, 0] != pairs[:, 1]
    edges, rows[apart] = numbered_edges(pairs[apart], count)
    first_edges, second_edges, glue_edges = np.split(rows, np.cumsum([len(first.edges), len(second.edges)]))

    # A part that lost all its points keeps an empty range.
    first_starts = np.concatenate([[0], np.cumsum(stays)])[first.part_starts[:, 0]]
    point_starts = np.concatenate([first_starts, offset + second.part_starts[1:, 0]])

    width = max(first.cells.shape[1], second.cells.shape[1])
    cells = [_numbered_cells(*item, width) for item in ((first, first_points), (second, second_points))]
    cells = np.concatenate(cells)
    order = np.argsort(parts_of_cells(cells, point_starts), kind="stable")
    owners = np.concatenate([first.cell_edges.owners, len(first.cells) + second.cell_edges.owners])
    items = np.concatenate([first_edges[first.cell_edges.items], second_edges[second.cell_edges.items]])
    place = np.empty(len(cells), np.int64)
    place[order] = np.arange(len(cells))
    cell_edges = _each_once(place[owners], items, len(cells), len(edges))
    dimensions = np.concatenate([first.dimensions, second.dimensions])[order]
    hierarchy = hierarchy_of(points, edges, cells[order], dimensions, cell_edges, point_starts)
    first_cells, second_cells = np.split(place, [len(first.cells)])
    return Glued(
        hierarchy, first_points, second_points, first_edges, second_edges, first_cells, second_cells, glue_edges
    )


def _numbered_cells(hierarchy: Hierarchy, numbers: np.ndarray, width: int) -> np.ndarray:
    """Cells with new points, as wide as those that they are joined with."""
    cells = np.full((len(hierarchy.cells), width), NONE)
    given = hierarchy.cells.shape[1]
    cells[:, :given] = np.where(hierarchy.cells >= 0, numbers[hierarchy.cells], NONE)
    return cells


def _each_once(owners: np.ndarray, items: np.ndarray, owner_count: int, item_count: int) -> Rows:
    """Lists in which each item is named once; items below 0 are left out."""
    keys = distinct(owners[items >= 0].astype(np.int64) * max(item_count, 1) + items[items >= 0])
    owners = keys // max(item_count, 1)
    return Rows(np.searchsorted(owners, np.arange(owner_count + 1)), keys % max(item_count, 1))
