"""Contact points between the nodes of sheets. They stop obstacles that are smaller than a cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ....data.arrays import ReadOnlyArrays
from .spring_contact import SpringContact

# Mass of a sheet node in contact over its mass. Its share of the samples around it (four quad centres at a quarter and
# four edge midpoints at a half) makes up the rest.
NODE_SHARE = 0.25


@dataclass(frozen=True)
class Samples(ReadOnlyArrays):
    """Samples of sheets for contact: centres of the quads and midpoints of their edges.

    Attributes:
        weights: (G, N) weights of the nodes whose mean each sample is.
        masses: (N + G,) kg, contact masses of nodes and samples.

    Notes:
        Own: obstacles smaller than a cell would fall between the nodes of Norton et al. 1991.

    Example:
        A quad has its four nodes, its centre and the midpoints of four edges.

        >>> corners = np.array([[0.0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]])
        >>> samples = samples_of(np.array([[0, 1, 2, 3]]), np.ones(4))
        >>> samples.extended(corners)[4:, :2].tolist()
        [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [2.0, 1.0], [1.0, 2.0]]
    """

    weights: sparse.csr_array
    masses: np.ndarray

    def extended(self, values: np.ndarray) -> np.ndarray:
        """Append the values of the samples to the (N, ...) values of the nodes."""
        return np.concatenate([values, self.weights @ values])

    def gathered(self, values: np.ndarray) -> np.ndarray:
        """Sum (N + G, 3) values of nodes and samples to (N, 3) values of the nodes."""
        count = self.weights.shape[1]
        return values[:count] + self.weights.T @ values[count:]


def samples_of(quads: np.ndarray, masses: np.ndarray) -> Samples:
    """Place samples in the quads and on the edges of sheets.

    Args:
        quads: (K, 4) nodes in order; a triangle repeats its last one.
        masses: (N,) kg.

    Returns:
        K centres, then the edges by their nodes.
    """
    edges = np.sort(np.stack([quads, np.roll(quads, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    edges = np.unique(edges[edges[:, 0] != edges[:, 1]], axis=0)
    rows = np.concatenate([np.repeat(np.arange(len(quads)), 4), len(quads) + np.repeat(np.arange(len(edges)), 2)])
    columns = np.concatenate([quads.ravel(), edges.ravel()])
    values = np.concatenate([np.full(quads.size, 0.25), np.full(edges.size, 0.5)])
    shape = (len(quads) + len(edges), len(masses))
    weights = sparse.csr_array(sparse.coo_array((values, (rows, columns)), shape=shape))
    in_sheet = np.zeros(len(masses), bool)
    in_sheet[columns] = True
    return Samples(
        weights, np.concatenate([np.where(in_sheet, NODE_SHARE, 1.0) * masses, NODE_SHARE * (weights @ masses)])
    )


@dataclass(frozen=True)
class SampledObstacle:
    """An obstacle that pushes nodes and samples. Its methods are those of ``SpringContact``.

    Attributes:
        obstacle: The obstacle for nodes and samples together.
        samples: The samples.
    """

    obstacle: SpringContact
    samples: Samples

    @property
    def force_sum(self) -> np.ndarray:
        """See ``SpringContact``."""
        return self.obstacle.force_sum

    def push(self, positions: np.ndarray, velocities: np.ndarray, forces: np.ndarray) -> None:
        """See ``SpringContact.push``."""
        pushed = np.zeros((len(self.samples.masses), 3))
        self.obstacle.push(self.samples.extended(positions), self.samples.extended(velocities), pushed)
        forces += self.samples.gathered(pushed)

    def apply_friction(self, positions: np.ndarray, velocities: np.ndarray, masses: np.ndarray, step: float) -> None:
        """See ``SpringContact.apply_friction``."""
        before = self.samples.extended(velocities)
        after = before.copy()
        self.obstacle.apply_friction(self.samples.extended(positions), after, self.samples.masses, step)
        impulses = self.samples.masses[:, None] * (after - before)
        velocities += self.samples.gathered(impulses) / masses[:, None]
