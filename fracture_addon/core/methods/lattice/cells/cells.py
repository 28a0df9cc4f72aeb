"""Springs within cells (Norton et al. 1991, figures 1 and 2), and the lattice that cells make together.

Stiffness is added up a cell at a time, an edge having a share of each cell around it: a wall one cell thick would be
too stiff else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....data.arrays import distinct
from ..model import Lattice
from ..operators.hierarchy import numbered_edges
from .stiffness import fitted_shares

CORNERS = np.array(list(np.ndindex(2, 2, 2)))
_PAIRS = np.array([(a, b) for a in range(8) for b in range(a + 1, 8)])
_STEPS = np.abs(CORNERS[_PAIRS[:, 0]] - CORNERS[_PAIRS[:, 1]]).sum(axis=1)
EDGES, FACE_DIAGONALS, BODY_DIAGONALS = (_PAIRS[count == _STEPS] for count in (1, 2, 3))
# One diagonal to a face: those between corners with an even sum, or with an odd one in every second cube.
_ODD = CORNERS[FACE_DIAGONALS[:, 0]].sum(axis=1) % 2
EVEN_DIAGONALS, ODD_DIAGONALS = FACE_DIAGONALS[_ODD == 0], FACE_DIAGONALS[_ODD == 1]
# A cube in five tetrahedra, along the diagonals between corners with an even sum or with an odd one: cubes of even and
# of odd parity, side by side, agree on their common face. Positively oriented.
FIVE_TETRAHEDRA = np.array(
    [
        [[0, 3, 5, 6], [1, 0, 3, 5], [2, 0, 6, 3], [4, 0, 5, 6], [7, 3, 6, 5]],
        [[1, 2, 7, 4], [0, 1, 4, 2], [3, 1, 2, 7], [5, 1, 7, 4], [6, 2, 4, 7]],
    ]
)
QUAD_EDGES, QUAD_DIAGONALS = np.array([(0, 1), (1, 2), (2, 3), (3, 0)]), np.array([(0, 2), (1, 3)])
# Springs through a quad with two sides: along each edge and diagonal on both sides and twice across, then from side to
# side. Corner 4 i + 2 j + k of a hexahedron lies at (i, j) around the quad and on side k.
_AROUND = np.array([0, 4, 6, 2])[np.concatenate([QUAD_EDGES, QUAD_DIAGONALS])]
SIDES_OF_SPRINGS = np.array([(0, 0), (1, 1), (0, 1), (1, 0)])
SHELL_PAIRS = np.concatenate([(_AROUND[:, None] + SIDES_OF_SPRINGS).reshape(-1, 2), [(0, 1), (2, 3), (4, 5), (6, 7)]])


@dataclass(frozen=True)
class CellKind:
    """Springs of one kind of cell.

    Attributes:
        dimension: 1 to 3.
        pairs: (2, W, 2) corners that they join, in cells of even and of odd parity.
        shares: (W,) spring constant times squared length, over Young's modulus times the cell's volume, where the cell
            is a cube, a square or a segment. There their sum of n n n n is isotropic.
    """

    dimension: int
    pairs: np.ndarray
    shares: np.ndarray


def _kind(dimension: int, *springs, odd=None) -> CellKind:
    pairs = [np.concatenate([pairs for pairs, _ in chosen]) for chosen in (springs, odd or springs)]
    shares = np.concatenate([np.full(len(pairs), share) for pairs, share in springs])
    return CellKind(dimension, np.stack(pairs), shares)


# A cube's edges and body diagonals, 0.8 E h and 0.3 E h in all: three mechanisms stay. Edges and face diagonals, 0.4
# E h and 0.8 E h: none. All 28 have room to be fitted to a deformed cell. A square's edges and diagonals, 3/4 E t and
# 3/8 E t, t its thickness.
CELL_KINDS = {
    "body": _kind(3, (EDGES, 0.2), (BODY_DIAGONALS, 0.9)),
    "face": _kind(3, (EDGES, 0.1), (EVEN_DIAGONALS, 0.8), odd=((EDGES, 0.1), (ODD_DIAGONALS, 0.8))),
    "fitted": _kind(3, (EDGES, 0.15), (BODY_DIAGONALS, 0.45), (FACE_DIAGONALS, 0.2)),
    "sheet": _kind(2, (QUAD_EDGES, 0.375), (QUAD_DIAGONALS, 0.75)),
    "rope": _kind(1, (np.array([(0, 1)]), 1.0)),
}


# Its shares are known only with its cells.
SHELL = _kind(3, (SHELL_PAIRS, 1.0))


def lattice_of_cells(
    points, cells, volumes, kind: str | CellKind, *, parity=None, regular: bool = False, fractions=None, shares=None
) -> Lattice:
    """Springs in cells, summed.

    Args:
        points: (N, 3) m.
        cells: (K, 8) hexahedra with corner 4 i + 2 j + k at (i, j, k), (K, 4) quads in turn or (K, 2) segments.
            Corners may be repeated.
        volumes: (K,) m3.
        kind: A name in ``CELL_KINDS``, or a kind with ``shares`` of its own.
        parity: (K,) 0 or 1, alternating from cell to cell; only cells with one diagonal to a face need it.
        regular: All cells are cubes, squares or segments: nothing needs to be fitted.
        fractions: (K,) of each cell that is filled with material; all by default.
        shares: (K, W) as of ``CellKind``, where they are known.
    """
    points, cells = np.asarray(points, float), np.asarray(cells)
    filled = np.asarray(volumes, float) * (1.0 if fractions is None else fractions)
    pairs = pairs_of_cells(cells, kind, parity)
    if shares is None and regular:
        shares = np.broadcast_to(CELL_KINDS[kind].shares, pairs.shape[:2])
    elif shares is None:
        shares, _ = cell_shares(points, cells, kind, parity)
    owners = np.repeat(np.arange(len(cells)), pairs.shape[1])
    pairs, work = pairs.reshape(-1, 2), (shares * filled[:, None]).ravel()
    apart = pairs[:, 0] != pairs[:, 1]
    if not apart.all():
        pairs, work, owners = pairs[apart], work[apart], owners[apart]
    bonds, rows = numbered_edges(pairs, len(points))
    rest_lengths = np.linalg.norm(points[bonds[:, 1]] - points[bonds[:, 0]], axis=1)
    stiffness = np.bincount(rows, work, len(bonds)) / rest_lengths**2
    if not apart.all():
        # A wedge names the same bond twice.
        keys = distinct(owners * len(bonds) + rows)
        owners, rows = keys // len(bonds), keys % len(bonds)
    node_volumes = np.bincount(cells.ravel(), np.repeat(filled / cells.shape[1], cells.shape[1]), len(points))
    starts = np.searchsorted(owners, np.arange(len(cells) + 1))
    dimension = _named(kind).dimension
    part = [0, len(points)]
    return Lattice(points, node_volumes, bonds, rest_lengths, stiffness, cells, rows, starts, part, [dimension])


def _named(kind: str | CellKind) -> CellKind:
    return CELL_KINDS[kind] if isinstance(kind, str) else kind


def pairs_of_cells(cells: np.ndarray, kind: str | CellKind, parity=None) -> np.ndarray:
    """(K, W, 2) nodes that the springs of each cell join."""
    even, odd = (cells[:, pairs] for pairs in _named(kind).pairs)
    return even if parity is None else np.where(np.asarray(parity)[:, None, None] == 0, even, odd)


def cell_shares(points: np.ndarray, cells: np.ndarray, kind: str, parity=None) -> tuple[np.ndarray, np.ndarray]:
    """(K, W) shares of the springs of deformed cells, fitted, and (K,) how far each stays from isotropy.

    See ``stiffness.fitted_shares``.
    """
    pairs = pairs_of_cells(cells, kind, parity)
    spans = points[pairs[..., 1]] - points[pairs[..., 0]]
    return fitted_shares(spans, CELL_KINDS[kind].shares, CELL_KINDS[kind].dimension)


def corner_volumes(corners: np.ndarray) -> np.ndarray:
    """(K, 8) m3 of the parallelepipeds on the edges at each of (K, 8, 3) corners; below 0 where a cell is folded."""
    along = [corners[:, CORNERS @ [4, 2, 1] | bit] - corners[:, CORNERS @ [4, 2, 1] & ~bit] for bit in (4, 2, 1)]
    return np.einsum("kci,kci->kc", along[0], np.cross(along[1], along[2]))


def hexahedron_volumes(corners: np.ndarray) -> np.ndarray:
    """(K,) m3 inside (K, 8, 3) corners: the mean of both divisions into tetrahedra, exact for bilinear sides."""
    a, b, c, d = np.moveaxis(corners[:, FIVE_TETRAHEDRA.reshape(-1, 4)], 2, 0)
    return np.einsum("kti,kti->k", b - a, np.cross(c - a, d - a)) / 12.0
