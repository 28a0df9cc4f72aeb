"""How much tension each node bears, from place to place, as the mesh grows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....data.job import Settings
from ....data.material import Material
from ....fields.strength import WEAKEST, grain_directions, noise, placed_factor
from ..mesh import Mesh
from .separation import direction_metric, grain_metric

# Cosine of the angle between two planes within which the one continues the other.
GOES_ON = 0.7
# Tension of a node at the front of a straight crack, over K / sqrt(h) of its stress intensity, on even meshes.
AT_FRONT = 0.48
# By how much that grows where elements bear nothing of their own stress: with a tenth of it, 0.77 was measured.
AT_FRONT_OF_WALL = 0.31


def as_printed(material: Material, force: float, size: float) -> Material:
    """A material that cracks where the separation tensor's eigenvalue at a node passes a force (table 1 of the paper).

    Over the square of an element's edge that is a strength. The paper knows no other threshold: cracks go on at what
    they start at.

    Args:
        material: What it is beside that.
        force: N.
        size: m, of an element's edge.
    """
    strength = force / size**2
    return replace(material, tensile_strength=strength, toughness=strength * float(np.sqrt(size)) / AT_FRONT)


class Strengths:
    """Tension that each node bears: a node made by a crack has a strength of its own, a copy that of its origin.

    A crack starts where the tension passes the material's strength. It goes on where the tension over the elements at
    its front passes what they stand for of its toughness, which is less, as long as it keeps its direction; to turn
    off or to branch it has to start again. What is placed and painted counts for both. Grain and planes along which a
    body comes apart have directions: they are in ``metric``; a plane is the nodes within half an element of it.

    Attributes:
        metric: (N, 3, 3) in rest, see ``separation.direction_metric``; ``None`` for a body with no directions.
    """

    def __init__(self, mesh: Mesh, material: Material, settings: Settings):
        points = mesh.rest[mesh.mass > 0.0]
        size = float(np.median(mesh.size[~mesh.ghost]))
        self._mean = material.tensile_strength
        self._scatter, self._settings = material.strength_variation, settings
        self._wavelength = settings.noise_size * float(np.linalg.norm(np.ptp(points, axis=0)))
        self._random = np.random.default_rng([settings.seed, 4])
        self._start, self._crack_normal = np.empty(0), np.empty((0, 3))
        self._planes = [replace(plane, width=max(plane.width, size)) for plane in settings.planes]
        self._ratio = material.grain_strength_ratio
        self._placed = placed_factor(mesh.rest, _pairs(mesh.rest), replace(settings, planes=()))
        intensity = self._mean * np.sqrt(material.material_length / size)
        front = AT_FRONT + AT_FRONT_OF_WALL * (1.0 - _own_share(mesh))
        self._toughness = np.minimum(self._mean, intensity * front) * self._placed
        self._skin_toughness = min(self._mean, intensity * AT_FRONT) * self._placed
        self._weakest = np.empty(0)
        self.metric = np.empty((0, 3, 3)) if self._planes or self._ratio > 1.0 else None
        self._add(mesh)

    def grow(self, mesh: Mesh) -> None:
        """Give strengths to the nodes that came since; what is placed and painted they have from their edge's ends."""
        old = len(self._placed)
        added = np.ones(mesh.node_count - old)
        origins = mesh.origin[old:].tolist()
        for name in ("_placed", "_toughness", "_skin_toughness"):
            values = np.append(getattr(self, name), added)
            # One after another, as a node may come of one that came just before it.
            for node, (first, second) in enumerate(origins, old):
                values[node] = 0.5 * (values[first] + values[second])
            setattr(self, name, values)
        self._add(mesh)

    def _add(self, mesh: Mesh) -> None:
        old = len(self._start)
        factor = 1.0 + self._scatter * self._random.standard_normal(mesh.node_count - old)
        if self._settings.noise > 0.0:
            factor *= 1.0 + self._settings.noise * noise(mesh.rest[old:], self._settings, self._wavelength)
        self._start = np.concatenate([self._start, self._mean * self._placed[old:] * np.maximum(factor, WEAKEST)])
        self._start[old:] = self._start[mesh.rest_node[old:]]
        self._crack_normal = np.concatenate([self._crack_normal, np.zeros((mesh.node_count - old, 3))])
        metric, weakest = self._metric(mesh.rest[old:])
        self._weakest = np.concatenate([self._weakest, weakest])
        if self.metric is not None:
            self.metric = np.concatenate([self.metric, metric])

    def _metric(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(M, 3, 3) metrics of nodes in rest, and (M,) the least factor to their strength in any direction."""
        metric, weakest = np.broadcast_to(np.eye(3), (len(points), 3, 3)), np.ones(len(points))
        if self._ratio > 1.0:
            metric = grain_metric(grain_directions(points, self._settings), self._ratio)
        for plane in self._planes:
            factor = plane.strength(points, _pairs(points))
            metric = direction_metric(np.broadcast_to(plane.normal, points.shape), factor) @ metric
            weakest = weakest * np.minimum(factor, 1.0)
        return metric, weakest

    def weaken(self, nodes: np.ndarray, front: np.ndarray, normal: np.ndarray) -> None:
        """Let nodes that a crack has reached bear no more than its toughness, where the crack would go on.

        Args:
            nodes: (P,) what the node that cracked became: it is at the front no more.
            front: (F,) nodes.
            normal: (3,) unit, of the crack.
        """
        self._crack_normal[nodes] = 0.0
        self._crack_normal[front] = normal

    @property
    def at_front(self) -> np.ndarray:
        """(N,) bool, nodes at a crack's front."""
        return (self._crack_normal != 0.0).any(axis=1)

    def goes_on(self, nodes: np.ndarray | slice, normal: np.ndarray) -> np.ndarray:
        """(K,) bool, ``nodes`` (K,) at a crack's front that a plane across their ``normal`` (K, 3) would continue."""
        return np.abs(np.einsum("ni,ni->n", normal, self._crack_normal[nodes])) > GOES_ON

    def least(self) -> np.ndarray:
        """(N,) Pa, in whatever direction a node is weakest."""
        return self._weakest * np.where(self.at_front, np.minimum(self._start, self._toughness), self._start)

    def across(self, normal: np.ndarray) -> np.ndarray:
        """(N,) Pa, of each node across its ``normal`` (N, 3), for tension as ``metric`` counts it."""
        return self._borne(normal, self._toughness)

    def across_skin(self, normal: np.ndarray) -> np.ndarray:
        """(N,) Pa, the same for what is read off the sides of walls."""
        return self._borne(normal, self._skin_toughness)

    def _borne(self, normal: np.ndarray, toughness: np.ndarray) -> np.ndarray:
        goes_on = self.goes_on(slice(len(normal)), normal)
        return np.where(goes_on, np.minimum(self._start, toughness), self._start)


def _own_share(mesh: Mesh) -> np.ndarray:
    """(N,) share of their own stress that the elements around each node bear, in the mean; 1 where there are none."""
    rows = np.flatnonzero(~mesh.ghost)
    nodes, own = mesh.elements[rows].ravel(), np.repeat(mesh.own[rows], 4)
    count = np.bincount(nodes, minlength=mesh.node_count)
    return np.divide(np.bincount(nodes, own, mesh.node_count), count, out=np.ones(mesh.node_count), where=count > 0)


def _pairs(points: np.ndarray) -> np.ndarray:
    """(N, 2, 3) bonds from points to themselves: they cross no plane, but may lie in one."""
    return np.repeat(points[:, None], 2, axis=1)
