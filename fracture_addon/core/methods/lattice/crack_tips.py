"""Cracks of deformable lattices: for a while a break weakens the bonds ahead of it and strengthens those beside it."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from .model import Model
from .state import State

# Time after a break in which bonds ahead of it have the threshold of a crack tip, in passages of the wave from node to
# node. A crack is not faster than the wave, and later the bonds lie beside the crack faces
# (docs/decisions/lattice_crack_tips.md).
FIRST_PASSAGE, LAST_PASSAGE = 1.0, 6.0
# Largest distance of the bonds ahead and beside, in spacings, and the cosine of the largest angle to the broken bond at
# which a bond lies beside the crack. Measured on the same page.
AHEAD, BESIDE, BESIDE_COSINE = 1.6, 3.0, 0.5
# Threshold beside a crack over that of sound material. At 1 a plate of 2,000 cells has 9 to 10 fragments at 0.5 and 1.1
# MPa sqrt(m) and 6 at 4; at 2, 2 or 3 at 4. Without a break a crushed block stretches to 25 times its length.
BESIDE_FACTOR = 2.0
# Exponent of the cosine between the broken bond and one ahead, as in the network (docs/decisions/crack_growth.md).
SHARPNESS = 4.0


class CrackTips:
    """Thresholds of the bonds around cracks.

    Args:
        model: The lattice.
        shares: (B,) threshold at a crack tip over that of sound material.
        spacings: (B,) m between nodes.
        passages: (B,) s that a wave takes from node to node. At 0, a break changes no threshold.
        owners: (B,) body of each bond. Cracks of one body change no other.

    Notes:
        Own: stress falls beside a crack, whose faces are free, and rises ahead of it. Bonds ahead are parallel to the
        broken one and lie to its side, as in the crack growth of Smith et al. 2001, section 3.4.

    Example:
        Bond 0 breaks. Bond 1 continues it, lies beside the crack and gets stronger for a while. Bond 2 is parallel to
        it, lies ahead of the crack, and gets weaker after a passage of the wave. Bond 3 is too far.

        >>> from .advance import initial_state
        >>> from .cells.cells import lattice_of_cells
        >>> from .model import model_of
        >>> points = np.array([[0.0, 0, 0], [0, 0, 1], [0, 0, 2], [1, 0, 0], [1, 0, 1], [2, 0, 0], [2, 0, 1]])
        >>> bonds = np.array([[0, 1], [1, 2], [3, 4], [5, 6]])
        >>> model = model_of(lattice_of_cells(points, bonds, np.full(4, 1e-3), "rope", regular=True), 1000.0, 1e6)
        >>> tips = CrackTips(model, np.full(4, 0.25), np.ones(4), np.full(4, 1e-3), np.zeros(4))
        >>> state = initial_state(model)
        >>> rows = tips.add(state, np.array([0]))
        >>> state.time = 2e-3
        >>> tips.update(state)
        True
        >>> state.threshold_factors.tolist()
        [1.0, 2.0, 0.25, 1.0]
    """

    def __init__(
        self, model: Model, shares: np.ndarray, spacings: np.ndarray, passages: np.ndarray, owners: np.ndarray
    ):
        self._model, self._shares, self._spacings, self._owners = model, shares, spacings, owners
        self._passages = passages
        self._recent: np.ndarray | None = None
        self._shortest = float(passages[passages > 0.0].min(initial=np.inf))

    @cached_property
    def _shape(self) -> tuple[np.ndarray, np.ndarray, cKDTree]:
        """Midpoints (B, 3) and directions (B, 3) of the bonds at rest, and a tree of the midpoints."""
        first, second = self._model.lattice.points[self._model.lattice.bonds.T]
        middles = 0.5 * (first + second)
        return middles, (second - first) / self._model.lattice.rest_lengths[:, None], cKDTree(middles)

    def steps(self, step: float, count: int) -> int:
        """Return the number of steps, at most ``count``, in which a wave passes from node to node."""
        return min(count, max(int(self._shortest / step), 1)) if np.isfinite(self._shortest) else count

    def update(self, state: State) -> bool:
        """Set the limits of bonds near recent breaks; return whether there are any."""
        if self._recent is None:
            self._recent = np.flatnonzero(np.maximum(state.ahead_times, state.beside_times) > -np.inf)
        rows = self._recent
        if not len(rows):
            return False
        passages = self._passages[rows]
        ages, ages_beside = state.time - state.ahead_times[rows], state.time - state.beside_times[rows]
        ahead = (ages >= FIRST_PASSAGE * passages) & (ages < LAST_PASSAGE * passages)
        factors = np.where(ahead, 1.0 - (1.0 - self._shares[rows]) * state.ahead_weights[rows], 1.0)
        factors[ages_beside < LAST_PASSAGE * passages] = BESIDE_FACTOR
        state.threshold_factors[rows] = factors
        limits = state.rest_lengths[rows] * (1.0 + self._model.thresholds[rows] * factors)
        state.limits[rows] = np.where(state.alive[rows], limits, np.inf)
        self._recent = rows[np.minimum(ages, ages_beside) < LAST_PASSAGE * passages]
        return len(self._recent) > 0

    def restart(self) -> None:
        """Forget which breaks were recent; the next ``update`` finds them in the state."""
        self._recent = None

    def add(self, state: State, rows: np.ndarray) -> np.ndarray:
        """Start a crack at bonds that are to break.

        Args:
            state: Its weights and times are changed.
            rows: Bonds beyond their limit. The one that exceeds it the most breaks first.

        Returns:
            The rows without those that lie beside another one that breaks first.
        """
        middles, directions, tree = self._shape
        lengths = np.linalg.norm(np.diff(state.positions[self._model.lattice.bonds[rows]], axis=1)[:, 0], axis=1)
        rows = rows[np.argsort(-lengths / state.limits[rows], kind="stable")]
        kept, changed, spared = [], [np.empty(0, np.int64)], np.zeros(len(self._passages), bool)
        for row in rows:
            if self._passages[row] > 0.0:
                if spared[row]:
                    continue
                near = np.array(tree.query_ball_point(middles[row], BESIDE * self._spacings[row]))
                near = near[(near != row) & (self._owners[near] == self._owners[row])]
                arms = middles[near] - middles[row]
                distances = np.maximum(np.linalg.norm(arms, axis=1), 1e-9 * self._spacings[row])
                along = np.abs(arms @ directions[row]) / distances
                beside = near[along > BESIDE_COSINE]
                spared[beside], state.beside_times[beside] = True, state.time
                weights = np.abs(directions[near] @ directions[row]) ** SHARPNESS * (1.0 - along**2) ** 2
                weights[distances > AHEAD * self._spacings[row]] = 0.0
                old = state.time - state.ahead_times[near] < LAST_PASSAGE * self._passages[near]
                stronger = (weights > 0.0) & (weights >= state.ahead_weights[near] * old)
                state.ahead_weights[near[stronger]] = weights[stronger]
                state.ahead_times[near[stronger]] = state.time
                changed.append(near)
            kept.append(row)
        if self._recent is not None:
            self._recent = np.unique(np.concatenate([self._recent, *changed]))
        return np.array(kept, rows.dtype)
