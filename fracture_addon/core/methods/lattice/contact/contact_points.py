"""Points at which lattices touch obstacles: nodes, places on the surface, and places between the nodes of sheets.

Own: in Norton et al. 1991 the nodes touch. Obstacles smaller than a cell would then fall between the nodes, and nodes
outside the visible surface would touch too early.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ....data.arrays import ReadOnlyArrays
from ....data.solid import outer_faces
from ....data.surface import Surface
from ....geometry.embedding import embed
from ....geometry.inside import is_inside
from ....geometry.nearest import nearest
from ...obstacle import PLACES

# Mass of a sheet node in contact over its mass. Its share of the points around it (four quad centres at a quarter and
# four edge midpoints at a half) makes up the rest.
NODE_SHARE = 0.25
NO_CELL = -1


@dataclass(frozen=True)
class ContactPoints(ReadOnlyArrays):
    """Points that move with the nodes.

    Attributes:
        corners: (P, 4) nodes that carry each point.
        weights: (P, 4) their weights, with the sum 1; those of unused corners are 0.
        masses: (P,) kg, masses for the stiffness of the contact.
        cells: (P,) cell of the lattice on whose bonds a point depends; ``NO_CELL`` for a point that needs none.
        nodes: (P,) node that touches instead when that cell is broken.
    """

    corners: np.ndarray
    weights: np.ndarray
    masses: np.ndarray
    cells: np.ndarray
    nodes: np.ndarray

    def of(self, values: np.ndarray) -> np.ndarray:
        """Return the values (P, ...) at the points, from those of the nodes (N, ...)."""
        return np.einsum("pc,pc...->p...", self.weights, values[self.corners])

    def some(self, rows: np.ndarray | slice) -> ContactPoints:
        """Return the points of some rows."""
        return ContactPoints(
            self.corners[rows], self.weights[rows], self.masses[rows], self.cells[rows], self.nodes[rows]
        )

    def without(self, broken: np.ndarray) -> ContactPoints:
        """Return the points after cells are broken: nodes touch instead of the points in them.

        Args:
            broken: (C,) bool, broken cells of the lattice.
        """
        bound = np.flatnonzero(self.cells != NO_CELL)
        replaced = bound[broken[self.cells[bound]]]
        if not len(replaced):
            return self
        corners, weights, cells = self.corners.copy(), self.weights.copy(), self.cells.copy()
        corners[replaced], weights[replaced] = self.nodes[replaced, None], (1.0, 0.0, 0.0, 0.0)
        cells[replaced] = NO_CELL
        return replace(self, corners=corners, weights=weights, cells=cells)


def nodes_as_points(masses: np.ndarray) -> ContactPoints:
    """Return the nodes with masses (N,) kg as contact points."""
    rows = np.arange(len(masses))
    weights = np.tile([1.0, 0.0, 0.0, 0.0], (len(masses), 1))
    return ContactPoints(np.repeat(rows[:, None], 4, axis=1), weights, masses, np.full(len(masses), NO_CELL), rows)


def on_surface(
    points: ContactPoints,
    surface: Surface,
    nodes: np.ndarray,
    rows: np.ndarray,
    corners: np.ndarray,
    owners: np.ndarray,
) -> ContactPoints:
    """Let a solid body touch at places on its surface, instead of at its nodes outside the surface.

    The places are those nearest to these nodes, and to four places on each outer face of the tetrahedra.

    Args:
        points: The nodes of all bodies as contact points, perhaps with places of other bodies.
        surface: Closed surface of the body.
        nodes: (B, 3) m, the nodes of the body in rest space.
        rows: (B,) their rows among all nodes.
        corners: (C, 4) rows of the nodes of the body, of tetrahedra that fill it.
        owners: (C,) cell of the lattice that each tetrahedron belongs to.

    Returns:
        The points, with the places of the nodes first, and those of the faces at the end.

    Notes:
        Own.

    Example:
        The surface is the middle of a tetrahedron. The node at the top touches at the place nearest to it.

        >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> middle = Surface(0.25 + 0.5 * (corners - 0.25), [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> one = np.array([[0, 1, 2, 3]]), np.zeros(1, int)
        >>> found = on_surface(nodes_as_points(np.ones(4)), middle, corners, np.arange(4), *one)
        >>> found.of(corners)[3].round(9).tolist(), len(found.masses)
        ([0.125, 0.125, 0.625], 20)
    """
    is_outside = ~is_inside(surface, nodes)
    faces, masses, outside = outer_faces(corners)[0], points.masses[rows], rows[is_outside]
    between = np.einsum("pc,fci->fpi", PLACES, nodes[faces]).reshape(-1, 3)
    found, shares, _ = nearest(surface, np.concatenate([nodes[is_outside], between]))
    found_in, cell = embed(np.einsum("nc,nci->ni", shares, surface.corners[found]), nodes, corners)
    # A place outside all cells moves into its cell.
    weights = np.maximum(found_in.weights, 0.0)
    weights /= weights.sum(axis=1, keepdims=True)
    # A node has two faces on average. It keeps one third of its mass.
    shared = np.repeat(masses[faces].mean(axis=1) / len(PLACES), len(PLACES))
    wanted = np.concatenate([masses[is_outside], shared]) / 3.0
    # A place moves more easily than a node if lighter nodes carry it.
    lightest = 1.0 / (weights**2 / masses[found_in.corners]).sum(axis=1)
    own = np.concatenate([outside, rows[faces[:, PLACES.argmax(axis=1)].ravel()]])
    places = rows[found_in.corners], weights, np.minimum(wanted, lightest), owners[cell], own
    count = len(outside)
    changed = _extended(points, tuple(array[count:] for array in places))
    values = {name: np.array(getattr(changed, name)) for name in ("corners", "weights", "masses", "cells")}
    for array, place in zip(values.values(), places, strict=False):
        array[outside] = place[:count]
    return replace(changed, **values)


def with_sheets(points: ContactPoints, quads: np.ndarray) -> ContactPoints:
    """Add the centres of the quads of sheets, and the midpoints of their edges.

    Args:
        points: The nodes as contact points.
        quads: (K, 4) nodes in order; a triangle repeats its last one.

    Returns:
        The nodes, K centres, then the edges by their nodes.

    Notes:
        Own.

    Example:
        A quad has its four nodes, its centre and the midpoints of four edges.

        >>> corners = np.array([[0.0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]])
        >>> points = with_sheets(nodes_as_points(np.ones(4)), np.array([[0, 1, 2, 3]]))
        >>> points.of(corners)[4:, :2].tolist()
        [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [2.0, 1.0], [1.0, 2.0]]
    """
    if not len(quads):
        return points
    edges = np.sort(np.stack([quads, np.roll(quads, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    edges = np.unique(edges[edges[:, 0] != edges[:, 1]], axis=0)
    corners = np.concatenate([quads, np.concatenate([edges, edges], axis=1)])
    weights = np.full(corners.shape, 0.25)
    weights[: len(quads)][quads[:, 2] == quads[:, 3], 2:] = 0.5, 0.0
    weights[len(quads) :] = 0.5, 0.5, 0.0, 0.0
    in_sheet = np.zeros(len(points.masses), bool)
    in_sheet[quads] = True
    own = NODE_SHARE * (weights * points.masses[corners]).sum(axis=1)
    added = corners, weights, own, np.full(len(corners), NO_CELL), corners[:, 0]
    lighter = replace(points, masses=np.where(in_sheet, NODE_SHARE, 1.0) * points.masses)
    return _extended(lighter, added)


def _extended(points: ContactPoints, added: tuple[np.ndarray, ...]) -> ContactPoints:
    """Return the points, followed by others with the given arrays."""
    own = (points.corners, points.weights, points.masses, points.cells, points.nodes)
    return ContactPoints(*(np.concatenate(pair) for pair in zip(own, added, strict=True)))
