"""Springs in cells (Norton et al. 1991, figures 1 and 2), and assembly of cells to a lattice.

The stiffness of a bond is the sum over the cells that contain it. One stiffness for all bonds would make a wall one
cell thick too stiff.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....data.arrays import ReadOnlyArrays, distinct
from ..lattice import Lattice
from ..operators.hierarchy import numbered_edges
from .stiffness import fitted_shares

CORNERS = np.array(list(np.ndindex(2, 2, 2)))
_PAIRS = np.array([(a, b) for a in range(8) for b in range(a + 1, 8)])
_STEPS = np.abs(CORNERS[_PAIRS[:, 0]] - CORNERS[_PAIRS[:, 1]]).sum(axis=1)
EDGES, FACE_DIAGONALS, BODY_DIAGONALS = (_PAIRS[count == _STEPS] for count in (1, 2, 3))
# One diagonal in each face, between corners with an even index sum. Every second cube uses those with an odd sum.
_ODD = CORNERS[FACE_DIAGONALS[:, 0]].sum(axis=1) % 2
EVEN_DIAGONALS, ODD_DIAGONALS = FACE_DIAGONALS[_ODD == 0], FACE_DIAGONALS[_ODD == 1]
# The five tetrahedra of a cube, divided along the diagonals between corners with an even or an odd index sum. Adjacent
# cubes of even and odd parity agree on their common face. All are positively oriented.
FIVE_TETRAHEDRA = np.array(
    [
        [[0, 3, 5, 6], [1, 0, 3, 5], [2, 0, 6, 3], [4, 0, 5, 6], [7, 3, 6, 5]],
        [[1, 2, 7, 4], [0, 1, 4, 2], [3, 1, 2, 7], [5, 1, 7, 4], [6, 2, 4, 7]],
    ]
)
QUAD_EDGES, QUAD_DIAGONALS = np.array([(0, 1), (1, 2), (2, 3), (3, 0)]), np.array([(0, 2), (1, 3)])
# Springs of a shell cell, a quad with two sides. Each edge and each diagonal has one spring on each side and two from
# side to side. Four springs connect opposite corners of the sides. Corner 4 i + 2 j + k of a hexahedron lies at (i, j)
# around the quad and on side k.
_AROUND = np.array([0, 4, 6, 2])[np.concatenate([QUAD_EDGES, QUAD_DIAGONALS])]
SIDES_OF_SPRINGS = np.array([(0, 0), (1, 1), (0, 1), (1, 0)])
SHELL_PAIRS = np.concatenate([(_AROUND[:, None] + SIDES_OF_SPRINGS).reshape(-1, 2), [(0, 1), (2, 3), (4, 5), (6, 7)]])


@dataclass(frozen=True)
class CellKind(ReadOnlyArrays):
    """The springs of one kind of cell.

    Attributes:
        dimension: 1 to 3.
        pairs: (2, W, 2) corners that the springs join, in cells of even and of odd parity.
        shares: (W,) spring constant times squared length, over Young's modulus times the cell's volume, in a regular
            cell: a cube, a square or a segment. All springs of a regular cell together are isotropic.
    """

    dimension: int
    pairs: np.ndarray
    shares: np.ndarray


Springs = tuple[np.ndarray, float]


def _kind(dimension: int, *springs: Springs, odd: Sequence[Springs] = ()) -> CellKind:
    """Build a kind of cell from groups of springs: corner pairs and their share."""
    pairs = [np.concatenate([pairs for pairs, _ in chosen]) for chosen in (springs, odd or springs)]
    shares = np.concatenate([np.full(len(pairs), share) for pairs, share in springs])
    return CellKind(dimension, np.stack(pairs), shares)


# Shares of the springs, from the condition that a regular cell is isotropic with Young's modulus E.
# "body": edges and body diagonals of a cube, 0.8 E h and 0.3 E h in all; three mechanisms remain.
# "face": edges and face diagonals, 0.4 E h and 0.8 E h; no mechanism remains.
# "fitted": all 28 springs, so that deformed cells can be fitted too.
# "sheet": edges and diagonals of a square, 3/4 E t and 3/8 E t with the thickness t.
CELL_KINDS = {
    "body": _kind(3, (EDGES, 0.2), (BODY_DIAGONALS, 0.9)),
    "face": _kind(3, (EDGES, 0.1), (EVEN_DIAGONALS, 0.8), odd=((EDGES, 0.1), (ODD_DIAGONALS, 0.8))),
    "fitted": _kind(3, (EDGES, 0.15), (BODY_DIAGONALS, 0.45), (FACE_DIAGONALS, 0.2)),
    "sheet": _kind(2, (QUAD_EDGES, 0.375), (QUAD_DIAGONALS, 0.75)),
    "rope": _kind(1, (np.array([(0, 1)]), 1.0)),
}


# The shares of a shell cell depend on the cell; see ``thin_bodies``.
SHELL = _kind(3, (SHELL_PAIRS, 1.0))


def lattice_of_cells(
    points: np.ndarray,
    cells: np.ndarray,
    volumes: np.ndarray,
    kind: str | CellKind,
    *,
    parity: np.ndarray | None = None,
    regular: bool = False,
    fractions: np.ndarray | None = None,
    shares: np.ndarray | None = None,
) -> Lattice:
    """Assemble a lattice from the springs of cells.

    Args:
        points: (N, 3) m.
        cells: (K, 8) hexahedra with corner 4 i + 2 j + k at (i, j, k), (K, 4) quads in order, or (K, 2) segments.
            Corners may be repeated.
        volumes: (K,) m3.
        kind: A name in ``CELL_KINDS``, or a kind together with ``shares``.
        parity: (K,) 0 or 1, alternating from cell to cell. Only cells with one diagonal in each face need it.
        regular: Whether all cells are cubes, squares or segments. Then nothing is fitted.
        fractions: (K,) share of each cell filled with material; 1 by default.
        shares: (K, W) shares of the springs, as in ``CellKind``; fitted by default.

    Returns:
        The lattice; a spring that several cells have is one bond.

    Notes:
        Norton et al. 1991, figures 1 and 2. Own: springs of unequal stiffness, so that each kind is isotropic.

    Example:
        A cube of 2 m with body diagonals: 12 edges of 0.2 E h and 4 diagonals of 0.3 E h.

        >>> cube = lattice_of_cells(2.0 * CORNERS, np.arange(8)[None], np.array([8.0]), "body", regular=True)
        >>> sorted(cube.stiffness.round(9).tolist())[::5]
        [0.4, 0.4, 0.4, 0.6]
    """
    points, cells = np.asarray(points, float), np.asarray(cells)
    filled = np.asarray(volumes, float) * (1.0 if fractions is None else fractions)
    pairs = pairs_of_cells(cells, kind, parity)
    if shares is None and regular:
        shares = np.broadcast_to(_cell_kind(kind).shares, pairs.shape[:2])
    elif shares is None:
        shares, _ = cell_shares(points, cells, kind, parity)
    owners = np.repeat(np.arange(len(cells)), pairs.shape[1])
    pairs, work = pairs.reshape(-1, 2), (shares * filled[:, None]).ravel()
    distinct_ends = pairs[:, 0] != pairs[:, 1]
    if not distinct_ends.all():
        pairs, work, owners = pairs[distinct_ends], work[distinct_ends], owners[distinct_ends]
    bonds, rows = numbered_edges(pairs, len(points))
    rest_lengths = np.linalg.norm(points[bonds[:, 1]] - points[bonds[:, 0]], axis=1)
    stiffness = np.bincount(rows, work, len(bonds)) / rest_lengths**2
    if not distinct_ends.all():
        # A wedge contains a bond twice.
        keys = distinct(owners * len(bonds) + rows)
        owners, rows = keys // len(bonds), keys % len(bonds)
    node_volumes = np.bincount(cells.ravel(), np.repeat(filled / cells.shape[1], cells.shape[1]), len(points))
    starts = np.searchsorted(owners, np.arange(len(cells) + 1))
    part_starts, dimensions = np.array([0, len(points)]), np.array([_cell_kind(kind).dimension])
    return Lattice(
        points=points,
        volumes=node_volumes,
        bonds=bonds,
        rest_lengths=rest_lengths,
        stiffness=stiffness,
        cells=cells,
        cell_bonds=rows,
        cell_starts=starts,
        part_starts=part_starts,
        part_dimensions=dimensions,
    )


def _cell_kind(kind: str | CellKind) -> CellKind:
    return CELL_KINDS[kind] if isinstance(kind, str) else kind


def pairs_of_cells(cells: np.ndarray, kind: str | CellKind, parity: np.ndarray | None = None) -> np.ndarray:
    """Return the (K, W, 2) nodes that the springs of each cell join; see ``lattice_of_cells``."""
    even, odd = (cells[:, pairs] for pairs in _cell_kind(kind).pairs)
    return even if parity is None else np.where(np.asarray(parity)[:, None, None] == 0, even, odd)


def cell_shares(
    points: np.ndarray, cells: np.ndarray, kind: str | CellKind, parity: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Fit the springs of deformed cells to an isotropic material; see ``stiffness.fitted_shares``.

    Returns:
        (K, W) shares, and (K,) relative residuals.
    """
    pairs = pairs_of_cells(cells, kind, parity)
    spans = points[pairs[..., 1]] - points[pairs[..., 0]]
    return fitted_shares(spans, _cell_kind(kind).shares, _cell_kind(kind).dimension)


def corner_volumes(corners: np.ndarray) -> np.ndarray:
    """Compute the signed volumes that the three edges at each corner of hexahedra span.

    They are triple products; negative ones occur in folded cells.

    Args:
        corners: (K, 8, 3) m.

    Returns:
        (K, 8) m3.

    Example:
        >>> corner_volumes(np.array([[1.0, 2.0, 3.0]]) * CORNERS[None]).tolist()
        [[6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0]]
    """
    along = [corners[:, CORNERS @ [4, 2, 1] | bit] - corners[:, CORNERS @ [4, 2, 1] & ~bit] for bit in (4, 2, 1)]
    return np.einsum("kci,kci->kc", along[0], np.cross(along[1], along[2]))


def hexahedron_volumes(corners: np.ndarray) -> np.ndarray:
    """Compute the volumes of hexahedra; exact for bilinear sides.

    They are the mean over both divisions into five tetrahedra.

    Args:
        corners: (K, 8, 3) m.

    Returns:
        (K,) m3.

    Example:
        >>> hexahedron_volumes(np.array([[1.0, 2.0, 3.0]]) * CORNERS[None]).round(9).tolist()
        [6.0]
    """
    a, b, c, d = np.moveaxis(corners[:, FIVE_TETRAHEDRA.reshape(-1, 4)], 2, 0)
    return np.einsum("kti,kti->k", b - a, np.cross(c - a, d - a)) / 12.0
