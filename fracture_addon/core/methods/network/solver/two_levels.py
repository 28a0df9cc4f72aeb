"""The stiffness of bodies too large for a factor: cells one after the other, and clumps of cells as rigid bodies."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import bsr_array

from ....numerics.sparse.blocks import CHAINS, inverted, lower_half, side_by_side, sweep, sweep_back, take_products
from ....numerics.sparse.cholesky import CholeskyFactor
from ....numerics.sparse.conjugate_gradients import conjugate_gradients
from ....numerics.sparse.elimination import analyse
from ...rigid_parts import sum_by
from ..bonds.full_bonds import FullBonds, add_resistance
from .clumps import clump_stiffness, clumped, fallen_apart, gather, scatter

# What iterations take off the error tells how large it is (Hestenes and Stiefel 1952; Strakos and Tichy 2002): as much
# as further ones would, falling on as they fall from so many to the next. The remainder tells less: 1e-2 of the load is
# an error of 4e-4 in energy norm on a whole bowl, but of 6e-5 where pieces hang on little.
SEEN = 2


class TwoLevels:
    """Conjugate gradients; the preconditioner takes the cells, then clumps of them, then the cells the other way round.

    A sweep of block Gauss-Seidel, what that leaves balanced exactly among the clumps, and a sweep back: multiplicative
    and symmetric, in single precision. The products are of double precision, bond by bond.
    """

    def __init__(self, bonds: FullBonds, stiffness: bsr_array, shift: float):
        """For a body as it is now.

        Args:
            bonds: All bonds.
            stiffness: (6C, 6C), before anything broke, full 6 x 6 blocks in a pattern that stays.
            shift: N/m, of the diagonal, which no bond gives.
        """
        places = bonds.cells.centers / bonds.cell_size
        self._shift, self._whole = shift, clumped(stiffness, places)
        order, labels, *pattern = self._whole
        self._places, count = places[order], len(labels)
        # Chains of whole clumps: two cells that hold to nothing but each other must not be looked at apart.
        middles = np.linspace(0, count, CHAINS + 1)[:-1].astype(int)
        self._half = half = lower_half(*pattern, np.append(np.searchsorted(labels, labels[middles]), count))
        # The bond of each of its blocks: both are unique by their rows and columns.
        pairs = np.argsort(order)[bonds.pairs]
        of_bonds = np.lexsort((pairs.min(axis=1), pairs.max(axis=1)))
        bond = np.empty(len(pairs), np.int64)
        bond[np.lexsort((half.columns, half.rows))] = of_bonds
        self._network = pairs[bond], bonds.arms[bond], bonds.normals[bond]
        third = bonds.areas[bond] / 3.0
        self._whole_stiffness = third * bonds.normal_stiffness[bond], third * bonds.shear_stiffness[bond]
        self._made_of, self._factor = np.full((count, 6), np.nan), None
        self._blocks, self._inverses = (np.empty((rows, 6, 6), np.float32) for rows in (len(bond), count))
        self.adapted(stiffness)

    def adapted(self, stiffness: bsr_array) -> TwoLevels:
        """Itself, made to fit a matrix with the same pattern: of fewer or of more bonds."""
        half, data = self._half, stiffness.data
        diagonal = np.take(data, 36 * half.diagonal[:, None] + np.arange(0, 36, 7))
        changed = (diagonal != self._made_of).any(axis=1)
        if changed.any():
            self._made_of = diagonal
            stale = np.flatnonzero(changed[half.rows])
            self._blocks[stale] = data[half.entries[stale]]
            self._inverses[changed] = inverted(data[half.diagonal[changed]])
            holds = self._blocks[:, 0, 0] != 0.0
            self._stiffness = [np.where(holds, whole, 0.0) for whole in self._whole_stiffness]
            self._make_clumps(data)
        return self

    def solve(self, load: np.ndarray, displacement: np.ndarray, residual: float, limit: int) -> int | None:
        """Write the displacement (6C,) under a balanced load (6C,); see ``conjugate_gradients``.

        It starts from nothing, as the last answer is full of soft motions of what has broken since, and ends when the
        remainder, or about the error in energy norm, is the ``residual``'s share of what it was.
        """
        scale = np.abs(load).max()
        remainder = load.reshape(-1, 6)[self._whole.order] / scale
        goal, solution = residual * float(np.linalg.norm(remainder)), np.zeros_like(remainder)

        def is_settled(norm: float, gains: list[float]) -> bool:
            return norm <= goal or _still_to_gain(gains) <= residual**2 * sum(gains)

        iterations = conjugate_gradients(self._product, self._precondition(), solution, remainder, is_settled, limit)
        displacement.reshape(-1, 6)[self._whole.order] = scale * solution
        return iterations

    def _make_clumps(self, data: np.ndarray) -> None:
        """Clumps of what is left, as they fall apart, and their factor."""
        pattern = self._whole.indptr, self._whole.indices, self._whole.entries
        labels, rows, starts = fallen_apart(self._whole.labels, *pattern, data)
        middles = sum_by(labels, self._places, len(starts) - 1) / np.diff(starts)[:, None]
        arms = self._places - middles[labels]
        indptr, indices, sums = clump_stiffness(labels, rows, starts, pattern, data, arms)
        coarse = bsr_array((sums, indices, indptr), shape=(6 * len(middles), 6 * len(middles)))
        self._factor = CholeskyFactor(coarse, analyse(coarse, np.arange(len(middles))), self._factor)
        self._labels, self._arms = labels, arms.astype(np.float32)

    def _product(self, vector: np.ndarray, result: np.ndarray) -> None:
        half, (pairs, arms, normals) = self._half, self._network
        arguments = (pairs, arms, normals, *self._stiffness, vector, result)

        def rows(first: int, end: int) -> None:
            result[first:end] = self._shift * vector[first:end]
            add_resistance(half.indptr[first], half.indptr[end], *arguments)

        self._along_chains(rows)
        add_resistance(half.indptr[-1], len(pairs), *arguments)

    def _precondition(self) -> Callable[[np.ndarray], np.ndarray]:
        """The preconditioner, with a place for what it works on."""
        half, shape = self._half, (len(self._labels), 6)
        first, left, between, last = np.empty((4, *shape), np.float32)
        within = half.indptr, half.columns, self._blocks, self._inverses
        across = tuple(part[half.indptr[-1] :] for part in (half.rows, half.columns, self._blocks))
        clumps = self._labels, self._arms

        def precondition(load: np.ndarray) -> np.ndarray:
            self._along_chains(lambda *rows: sweep(*rows, *within, load, first, left))
            take_products(*across, first, left)
            together = np.zeros((self._labels.max() + 1, 6), np.float32)
            self._along_chains(lambda *rows: gather(*rows, *clumps, left, together))
            motions = self._factor.solve(together.ravel()).reshape(-1, 6)
            self._along_chains(lambda *rows: scatter(*rows, *clumps, motions, between))
            take_products(*across, between, left)
            self._along_chains(lambda *rows: sweep_back(*rows, *within, between, left, last))
            return np.add(first, last, out=last)

        return precondition

    def _along_chains(self, kernel: Callable[[int, int], None]) -> None:
        ends = self._half.ends
        side_by_side(lambda chain: kernel(ends[chain], ends[chain + 1]))


def _still_to_gain(gains: list[float]) -> float:
    """What further iterations will about take off the square of the error's energy norm: a geometric series."""
    early, late = sum(gains[-2 * SEEN : -SEEN]), sum(gains[-SEEN:])
    return late * late / (early - late) if len(gains) >= 2 * SEEN and late < early else np.inf
