"""Places between the nodes of sheets where obstacles push too: what is smaller than a cell does not slip through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from .obstacles import Obstacle
from .shape_obstacle import ShapeObstacle

# A node and its share of the places around it, four middles of quads and four of edges, push as hard as it alone would.
SHARE = 0.25


@dataclass(frozen=True)
class Samples:
    """Middles of the quads of sheets and of their edges.

    Attributes:
        weights: (G, N) of the nodes whose mean each place is.
        masses: (N + G,) kg that nodes and places count for when they are pushed.
    """

    weights: sparse.csr_array
    masses: np.ndarray

    def extended(self, values: np.ndarray) -> np.ndarray:
        """Values of the nodes (N, ...), and behind them those of the places."""
        return np.concatenate([values, self.weights @ values])

    def gathered(self, values: np.ndarray) -> np.ndarray:
        """(N, 3) sums at the nodes, of what acts on nodes and places (N + G, 3)."""
        count = self.weights.shape[1]
        return values[:count] + self.weights.T @ values[count:]


def samples_of(quads: np.ndarray, masses: np.ndarray) -> Samples:
    """The places between nodes.

    Args:
        quads: (K, 4) nodes in turn; a triangle repeats its last one.
        masses: (N,) kg.
    """
    edges = np.sort(np.stack([quads, np.roll(quads, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    edges = np.unique(edges[edges[:, 0] != edges[:, 1]], axis=0)
    rows = np.concatenate([np.repeat(np.arange(len(quads)), 4), len(quads) + np.repeat(np.arange(len(edges)), 2)])
    columns = np.concatenate([quads.ravel(), edges.ravel()])
    values = np.concatenate([np.full(quads.size, 0.25), np.full(edges.size, 0.5)])
    shape = (len(quads) + len(edges), len(masses))
    weights = sparse.csr_array(sparse.coo_array((values, (rows, columns)), shape=shape))
    beside = np.zeros(len(masses), bool)
    beside[columns] = True
    return Samples(weights, np.concatenate([np.where(beside, SHARE, 1.0) * masses, SHARE * (weights @ masses)]))


@dataclass(frozen=True)
class Sampled:
    """An obstacle that pushes nodes and the places between them; as ``Obstacle`` otherwise.

    Attributes:
        obstacle: Of nodes and places together.
        samples: The places.
    """

    obstacle: Obstacle | ShapeObstacle
    samples: Samples

    @property
    def taken(self) -> np.ndarray:
        """See ``Obstacle``."""
        return self.obstacle.taken

    def push(self, positions: np.ndarray, velocities: np.ndarray, forces: np.ndarray) -> None:
        """See ``Obstacle.push``."""
        pushed = np.zeros((len(self.samples.masses), 3))
        self.obstacle.push(self.samples.extended(positions), self.samples.extended(velocities), pushed)
        forces += self.samples.gathered(pushed)

    def rub(self, positions: np.ndarray, velocities: np.ndarray, masses: np.ndarray, step: float) -> None:
        """See ``Obstacle.rub``."""
        before = self.samples.extended(velocities)
        after = before.copy()
        self.obstacle.rub(self.samples.extended(positions), after, self.samples.masses, step)
        impulses = self.samples.masses[:, None] * (after - before)
        velocities += self.samples.gathered(impulses) / masses[:, None]
