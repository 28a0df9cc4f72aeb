"""How much tension each node bears, from place to place, as the mesh grows."""

from __future__ import annotations

import numpy as np

from ..job import Settings
from ..material import Material
from ..roughness import turbulence
from .mesh import Mesh

# No place is weaker than this share of the material's strength, whatever scatter and noise say.
WEAKEST = 0.2
NOISE_OCTAVES = 3


class Strengths:
    """Tension that each node bears, Pa: a node made by a crack has a strength of its own, a copy that of its origin.

    Attributes:
        values: (N,) Pa.
    """

    def __init__(self, mesh: Mesh, material: Material, settings: Settings):
        points = mesh.rest[mesh.mass > 0.0]
        size = float(np.median(mesh.size[~mesh.ghost]))
        self._mean = material.tensile_strength
        # A crack starts at the strength and goes on at its toughness, which the tension at its front stands for.
        self._at_front = min(1.0, float(np.sqrt(material.material_length / size)))
        self._scatter, self._noise, self._seed = material.strength_variation, settings.noise, settings.seed
        self._wavelength = settings.noise_size * float(np.linalg.norm(np.ptp(points, axis=0)))
        self._random = np.random.default_rng([settings.seed, 4])
        self.values = np.empty(0)
        self.grow(mesh)

    def grow(self, mesh: Mesh) -> None:
        """Give strengths to the nodes that came since."""
        old = len(self.values)
        factor = 1.0 + self._scatter * self._random.standard_normal(mesh.node_count - old)
        if self._noise > 0.0:
            factor *= 1.0 + self._noise * turbulence(mesh.rest[old:], self._seed, self._wavelength, NOISE_OCTAVES)
        self.values = np.concatenate([self.values, self._mean * np.maximum(factor, WEAKEST)])
        self.values[old:] = self.values[mesh.rest_node[old:]]

    def weaken(self, front: np.ndarray) -> None:
        """Let nodes that a crack has reached bear no more than its toughness."""
        limit = self._mean * self._at_front
        self.values[front] = np.minimum(self.values[front], limit)
