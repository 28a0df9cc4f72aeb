"""Points in a mesh that cracks, at which ties or joints hold it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...geometry.embedding import embed
from .state import Mesh


class Side(NamedTuple):
    """Places of ties or joints in one of the two bodies that they hold together.

    Attributes:
        row: Row of the body.
        mesh: Its mesh.
        points: (T, 3) m, rest space, points that the ties hold.
        cells: (T,) cell of the uncracked body at each point.
        elements: (T,) element at each point.
        nodes: (T, 4) its nodes.
        weights: (T, 4) weights of the nodes; a point beside its element extrapolates them.
    """

    row: int
    mesh: Mesh
    points: np.ndarray
    cells: np.ndarray
    elements: np.ndarray
    nodes: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, row: int, mesh: Mesh, points: np.ndarray) -> Side:
        """Return the places of points (T, 3) m in an uncracked mesh."""
        rows = np.flatnonzero(~mesh.ghost)
        return cls.in_cells(row, mesh, points, rows[embed(points, mesh.rest, mesh.elements[rows])[1]])

    @classmethod
    def in_cells(cls, row: int, mesh: Mesh, points: np.ndarray, cells: np.ndarray) -> Side:
        """Return the places of points (T, 3) m in the cells (T,) of an uncracked mesh."""
        nothing = np.empty(0, np.int64)
        return cls(row, mesh, points, cells, nothing, nothing, nothing).found()

    def found(self) -> Side:
        """Find the element at each point again, among those that cracks made of its cell."""
        mesh = self.mesh
        rows = np.flatnonzero(~mesh.ghost & np.isin(mesh.parent, self.cells))
        rows = rows[np.argsort(mesh.parent[rows], kind="stable")]
        first = np.searchsorted(mesh.parent[rows], self.cells)
        counts = np.searchsorted(mesh.parent[rows], self.cells, side="right") - first
        tie = np.repeat(np.arange(len(self.cells)), counts)
        within = np.arange(len(tie)) - np.repeat(np.cumsum(counts) - counts, counts)
        candidates = rows[first[tie] + within]
        arms = self.points[tie] - mesh.rest[mesh.elements[candidates, 0]]
        others = np.einsum("tij,tj->ti", mesh.basis[candidates], arms)
        weights = np.concatenate([1.0 - others.sum(axis=1, keepdims=True), others], axis=1)
        # The deepest element is the last one of its tie in this order.
        order = np.lexsort((weights.min(axis=1), tie))
        best = order[np.cumsum(counts) - 1]
        elements = candidates[best]
        return self._replace(elements=elements, nodes=mesh.elements[elements], weights=weights[best])

    def of_nodes(self, values: np.ndarray) -> np.ndarray:
        """Return the values (T, 3) at the points, of values (N, 3) of the nodes."""
        return np.einsum("tk,tki->ti", self.weights, values[self.nodes])

    def without(self, holds: np.ndarray) -> Side:
        """Return the places of the ties for which ``holds`` (T,) is true."""
        return self._replace(**{name: getattr(self, name)[holds] for name in self._fields[2:]})
