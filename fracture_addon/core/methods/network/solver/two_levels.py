"""Two-level solver for large networks: block Gauss-Seidel on cells, and a coarse level of rigid aggregates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import bsr_array

from ....data.arrays import sum_by
from ....numerics.sparse.block_matrix import (
    CHAINS,
    inverted,
    lower_half,
    side_by_side,
    subtract_products,
    sweep,
    sweep_back,
)
from ....numerics.sparse.cholesky import CholeskyFactor
from ....numerics.sparse.conjugate_gradients import conjugate_gradients
from ....numerics.sparse.elimination import analyse
from ..bonds.full_bonds import FullBonds, add_resistance
from .aggregates import CoarseStiffness, aggregate, coarse_stiffness, gather, scatter, split_aggregates

# Iterations per group in the estimate of the error: the decrease of the squared energy norm in the last two groups
# gives the remaining error as a geometric series (Hestenes and Stiefel 1952; Strakos and Tichy 2002). The residual is a
# worse measure: a residual of 1e-2 is an error of 4e-4 on an unbroken bowl, and of 6e-5 on a broken one (measured).
GROUP = 2
# Cells up to which one thread is faster than two, because waking a thread takes longer than the work. It only affects
# speed.
WORTH_A_THREAD = 4_000


class TwoLevels:
    """Conjugate gradients with a symmetric multiplicative two-level preconditioner.

    The preconditioner is a forward sweep of block Gauss-Seidel, an exact solve of the coarse level, and a backward
    sweep, in single precision. Matrix products are in double precision, bond by bond.
    """

    def __init__(self, bonds: FullBonds, stiffness: bsr_array, shift: np.ndarray):
        """Build the solver for an unbroken body.

        Args:
            bonds: All bonds.
            stiffness: (6C, 6C) N/m, full 6 x 6 blocks. Its pattern is the same at every call.
            shift: (C,) N/m, part of the diagonal that does not come from bonds.
        """
        places = bonds.cells.centers / bonds.cell_size
        self._whole = aggregate(stiffness, places)
        order, labels, indptr, indices, entries = self._whole
        self._shift, self._places, count = shift[order, None], places[order], len(labels)
        # A chain consists of whole aggregates, so that two cells that are bonded only to each other share a chain.
        middles = np.linspace(0, count, CHAINS + 1)[:-1].astype(int)
        self._half = half = lower_half(
            indptr, indices, entries, np.append(np.searchsorted(labels, labels[middles]), count)
        )
        # The bond of each block of the lower half. Rows and columns identify both.
        pairs = np.argsort(order)[bonds.pairs]
        of_bonds = np.lexsort((pairs.min(axis=1), pairs.max(axis=1)))
        bond = np.empty(len(pairs), np.int64)
        bond[np.lexsort((half.columns, half.rows))] = of_bonds
        third = bonds.areas[bond] / 3.0
        self._pairs, self._arms_of_bonds = pairs[bond], bonds.arms[bond]
        # Directions and stiffness of each kind of resistance: of the faces, and of fibres in them.
        of_faces = third * bonds.normal_stiffness[bond], third * bonds.shear_stiffness[bond]
        self._resistances = [(bonds.normals[bond], *of_faces)]
        if bonds.fibres is not None:
            along_grain = third * bonds.fibres.stiffness[bond], np.zeros_like(third)
            self._resistances.append((bonds.fibres.directions[bond], *along_grain))
        self._diagonal = np.full((count, 6), np.nan)
        self._factor: CholeskyFactor | None = None
        self._coarse: CoarseStiffness | None = None
        self._blocks, self._inverses = (np.empty((rows, 6, 6), np.float32) for rows in (len(bond), count))
        self.adapted(stiffness)

    def adapted(self, stiffness: bsr_array) -> TwoLevels:
        """Return this solver for a new matrix with the same pattern and fewer or more bonds."""
        half, data = self._half, stiffness.data
        diagonal = np.take(data, 36 * half.diagonal[:, None] + np.arange(0, 36, 7))
        changed = (diagonal != self._diagonal).any(axis=1)
        if changed.any():
            self._diagonal = diagonal
            stale = np.flatnonzero(changed[half.rows])
            self._blocks[stale] = data[half.entries[stale]]
            self._inverses[changed] = inverted(data[half.diagonal[changed]])
            holds = self._blocks[:, 0, 0] != 0.0
            self._unbroken = [
                (directions, np.where(holds, normal, 0.0), np.where(holds, shear, 0.0))
                for directions, normal, shear in self._resistances
            ]
            self._update_aggregates(data, changed)
        return self

    def solve(self, load: np.ndarray, displacement: np.ndarray, residual: float, limit: int) -> int | None:
        """Write the displacement under a balanced load; see ``Factored.solve``.

        The iteration starts at the given displacement, scaled for the least energy. It stops when the relative
        residual, or the estimated relative error in the energy norm, is at most ``residual``.
        """
        scale = np.abs(load).max()
        remainder = load.reshape(-1, 6)[self._whole.order] / scale
        goal = residual * float(np.linalg.norm(remainder))
        solution, known = self._start(displacement.reshape(-1, 6)[self._whole.order], remainder)

        def is_settled(norm: float, gains: list[float]) -> bool:
            return norm <= goal or _still_to_gain(gains) <= residual**2 * (known + sum(gains))

        iterations = conjugate_gradients(self._product, self._precondition(), solution, remainder, is_settled, limit)
        displacement.reshape(-1, 6)[self._whole.order] = scale * solution
        return iterations

    def _start(self, start: np.ndarray, remainder: np.ndarray) -> tuple[np.ndarray, float]:
        """Return the start (C, 6) scaled for the least energy, and the square of its energy norm.

        Its product is subtracted from ``remainder`` (C, 6), the load.
        """
        image = np.empty_like(start)
        self._product(start, image)
        energy = float(np.einsum("ci,ci->", start, image))
        if not energy > 0.0:
            return np.zeros_like(start), 0.0
        work = float(np.einsum("ci,ci->", start, remainder))
        remainder -= work / energy * image
        return work / energy * start, work * work / energy

    def _update_aggregates(self, data: np.ndarray, changed: np.ndarray) -> None:
        """Split the aggregates along broken bonds, and factorise the coarse stiffness.

        ``changed`` (C,) bool are the cells whose bonds have changed.
        """
        pattern = self._whole.indptr, self._whole.indices, self._whole.entries
        labels, rows, starts = split_aggregates(self._whole.labels, *pattern, data)
        middles = sum_by(labels, self._places, len(starts) - 1) / np.diff(starts)[:, None]
        arms = self._places - middles[labels]
        self._coarse = coarse_stiffness(labels, rows, starts, pattern, data, arms, self._coarse, changed)
        _, _, indptr, indices, blocks = self._coarse
        coarse = bsr_array((blocks, indices, indptr), shape=(6 * len(middles), 6 * len(middles)))
        self._factor = CholeskyFactor(coarse, analyse(coarse, np.arange(len(middles))), self._factor)
        self._labels, self._arms = labels, arms.astype(np.float32)

    def _product(self, vector: np.ndarray, result: np.ndarray) -> None:
        indptr, pairs = self._half.indptr, self._pairs

        def add(first: int, end: int) -> None:
            for resistance in self._unbroken:
                add_resistance(first, end, pairs, self._arms_of_bonds, *resistance, vector, result)

        def rows(first: int, end: int) -> None:
            result[first:end] = self._shift[first:end] * vector[first:end]
            add(indptr[first], indptr[end])

        self._along_chains(rows)
        add(indptr[-1], len(pairs))

    def _precondition(self) -> Callable[[np.ndarray], np.ndarray]:
        """Return the preconditioner with its work arrays."""
        half, shape = self._half, (len(self._labels), 6)
        first, left, between, last = np.empty((4, *shape), np.float32)
        within = half.indptr, half.columns, self._blocks, self._inverses
        rest = slice(half.indptr[-1], None)
        across = half.rows[rest], half.columns[rest], self._blocks[rest]
        aggregates = self._labels, self._arms
        factor = self._factor
        assert factor is not None

        def precondition(load: np.ndarray) -> np.ndarray:
            self._along_chains(lambda start, end: sweep(start, end, *within, load, first, left))
            subtract_products(*across, first, left)
            coarse = np.zeros((self._labels.max() + 1, 6), np.float32)
            self._along_chains(lambda start, end: gather(start, end, *aggregates, left, coarse))
            motions = factor.solve(coarse.ravel()).reshape(-1, 6)
            self._along_chains(lambda start, end: scatter(start, end, *aggregates, motions, between))
            subtract_products(*across, between, left)
            self._along_chains(lambda start, end: sweep_back(start, end, *within, between, left, last))
            return np.add(first, last, out=last)

        return precondition

    def _along_chains(self, kernel: Callable[[int, int], None]) -> None:
        ends, at_once = self._half.ends, len(self._labels) > WORTH_A_THREAD
        side_by_side(lambda chain: kernel(ends[chain], ends[chain + 1]), at_once=at_once)


def _still_to_gain(gains: list[float]) -> float:
    """Estimate the decrease of the squared energy norm of the error by further iterations, as a geometric series."""
    early, late = sum(gains[-2 * GROUP : -GROUP]), sum(gains[-GROUP:])
    return late * late / (early - late) if len(gains) >= 2 * GROUP and late < early else np.inf
