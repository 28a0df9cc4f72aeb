"""How much tension each node bears, from place to place, as the mesh grows."""

from __future__ import annotations

import numpy as np

from ..job import Settings
from ..material import Material
from ..strength import WEAKEST, noise, size_effect
from .mesh import Mesh

# Cosine of the angle between two planes within which the one continues the other.
GOES_ON = 0.7


class Strengths:
    """Tension that each node bears: a node made by a crack has a strength of its own, a copy that of its origin.

    A crack starts where the tension passes the material's strength. It goes on where the tension over the elements at
    its front passes what they stand for of its toughness, which is less, as long as it keeps its direction; to turn
    off or to branch it has to start again.
    """

    def __init__(self, mesh: Mesh, material: Material, settings: Settings):
        points = mesh.rest[mesh.mass > 0.0]
        size = float(np.median(mesh.size[~mesh.ghost]))
        self._mean = material.tensile_strength
        self._toughness = self._mean * size_effect(material, size)
        self._scatter, self._settings = material.strength_variation, settings
        self._wavelength = settings.noise_size * float(np.linalg.norm(np.ptp(points, axis=0)))
        self._random = np.random.default_rng([settings.seed, 4])
        self._start, self._crack_normal = np.empty(0), np.empty((0, 3))
        self.grow(mesh)

    def grow(self, mesh: Mesh) -> None:
        """Give strengths to the nodes that came since."""
        old = len(self._start)
        factor = 1.0 + self._scatter * self._random.standard_normal(mesh.node_count - old)
        if self._settings.noise > 0.0:
            factor *= 1.0 + self._settings.noise * noise(mesh.rest[old:], self._settings, self._wavelength)
        self._start = np.concatenate([self._start, self._mean * np.maximum(factor, WEAKEST)])
        self._start[old:] = self._start[mesh.rest_node[old:]]
        self._crack_normal = np.concatenate([self._crack_normal, np.zeros((mesh.node_count - old, 3))])

    def weaken(self, front: np.ndarray, normal: np.ndarray) -> None:
        """Let nodes that a crack has reached bear no more than its toughness, where the crack would go on.

        Args:
            front: (F,) nodes.
            normal: (3,) unit, of the crack.
        """
        self._crack_normal[front] = normal

    def least(self) -> np.ndarray:
        """(N,) Pa, in whatever direction a node is weakest."""
        reached = (self._crack_normal != 0.0).any(axis=1)
        return np.where(reached, np.minimum(self._start, self._toughness), self._start)

    def across(self, normal: np.ndarray) -> np.ndarray:
        """(N,) Pa, of each node across its ``normal`` (N, 3)."""
        goes_on = np.abs(np.einsum("ni,ni->n", normal, self._crack_normal)) > GOES_ON
        return np.where(goes_on, np.minimum(self._start, self._toughness), self._start)
