"""Strength and toughness of each node, as tension in Pa, while cracks add nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....data.material import Material
from ....data.mixture import Part
from ....data.settings.settings import ModelSettings
from ....fields.sheets import SheetField
from ....fields.strength import WEAKEST, grain_directions, noise, placed_factor
from ....numerics.random_streams import rng
from ..state import Mesh
from .separation import direction_metric, grain_metric

# Cosine of the angle between two planes above which one continues the other, about 45 degrees. Insensitive from 0.5 to
# 0.84: fragments of an impact change no more than by rounding (docs/decisions/constants.md).
CONTINUES = 0.7
# Tension of a node at the front of a straight crack over K / sqrt(h), with stress intensity K and element size h.
# Measured at the front of a notch on even meshes (docs/equations.md).
AT_FRONT = 0.48
# Increase of AT_FRONT for elements that use none of their own stress. With an own share of a tenth, 0.77 was measured.
AT_FRONT_OF_WALL = 0.31


def as_printed(material: Material, force: float, size: float) -> Material:
    """Return a material that cracks at an eigenvalue of the separation tensor.

    The strength is the force over the square of an element's edge. The paper has only this threshold, so cracks start
    and continue at the same tension.

    Args:
        material: All other properties.
        force: N.
        size: Edge of an element, m.

    Returns:
        The material with this strength, Pa, and a toughness, Pa m^1/2, that gives the same tension at a crack front.

    Notes:
        O'Brien and Hodgins 1999, table 1.

    Example:
        100 N on an element of 10 cm.

        >>> from ....data.material import PORCELAIN
        >>> round(as_printed(PORCELAIN, 100.0, 0.1).tensile_strength, 6)
        10000.0
    """
    strength = force / size**2
    return replace(material, tensile_strength=strength, toughness=strength * float(np.sqrt(size)) / AT_FRONT)


class Strengths:
    """Tension at which each node cracks. A new node has its own random strength, a copy that of its origin.

    A crack starts where the tension exceeds the strength. It continues in its direction where the tension at its front
    exceeds the toughness, which is less. A crack turns or branches only where the tension exceeds the strength. Placed
    and painted factors apply to both. The directions of grain, cleavage planes and drawn sheets are in ``metric``. A
    plane or a sheet affects the nodes within half an element of it.

    Args:
        mesh: The uncracked mesh; its ``objects`` have materials and settings of their own.
        material: Strength and toughness of a body of one object.
        settings: ModelSettings of a body of one object.

    Attributes:
        metric: (N, 3, 3) in rest space, see ``separation.direction_metric``; ``None`` for an isotropic body.

    Notes:
        Own (docs/decisions/separation_in_pascals.md). O'Brien and Hodgins 1999 have one threshold, a force.

    Example:
        All nodes of porcelain without scatter have its strength; at the front of a crack, 0.48 K / sqrt(h) counts.

        >>> from ....data.material import PORCELAIN
        >>> from ....data.solid import from_cells
        >>> from ..state import from_solid
        >>> mesh = from_solid(from_cells([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]], []), 2400.0)
        >>> porcelain = replace(PORCELAIN, strength_variation=0.0)
        >>> strengths = Strengths(mesh, porcelain, ModelSettings().changed(noise=0.0))
        >>> strengths.set_front(np.empty(0, int), np.array([3]), np.array([0.0, 0.0, 1.0]))
        >>> tip = 0.48 * porcelain.toughness / np.sqrt(np.median(mesh.size))
        >>> (strengths.weakest() / [40e6, 40e6, 40e6, tip]).round(6).tolist()
        [1.0, 1.0, 1.0, 1.0]
    """

    def __init__(self, mesh: Mesh, material: Material, settings: ModelSettings):
        parts = (Part(material, settings),) if mesh.objects is None else mesh.objects.parts
        rows = np.flatnonzero(~mesh.ghost)
        of_element = np.zeros(len(rows), int) if mesh.objects is None else mesh.objects.of_cell[mesh.parent[rows]]
        # Nodes of padding belong to the first object.
        self._of_node = np.full(mesh.node_count, of_element[0], np.int64)
        self._of_node[mesh.elements[rows]] = of_element[:, None]
        self._start, self._crack_normal = np.empty(0), np.empty((0, 3))
        self._sizes, self._masses = np.empty((2, len(parts)))
        self._objects: dict[int, _Object] = {}
        self._placed, self._toughness, self._skin_toughness = np.ones((3, mesh.node_count))
        own_share = _own_share(mesh)
        # A fragment of joined objects need not contain all of them.
        for number in np.unique(of_element).tolist():
            nodes = np.flatnonzero(self._of_node == number)
            heavy = nodes[mesh.mass[nodes] > 0.0]
            self._sizes[number] = size = float(np.median(mesh.size[rows[of_element == number]]))
            self._masses[number] = np.median(mesh.mass[heavy])
            item = _Object(parts[number], mesh.rest[heavy], size, number if len(parts) > 1 else None)
            self._objects[number] = item
            placed = item.placed(mesh.rest[nodes])
            front = AT_FRONT + AT_FRONT_OF_WALL * (1.0 - own_share[nodes])
            self._placed[nodes] = placed
            self._toughness[nodes] = np.minimum(item.mean, item.intensity * front) * placed
            self._skin_toughness[nodes] = min(item.mean, item.intensity * AT_FRONT) * placed
        self._weakest = np.empty(0)
        self.metric = np.empty((0, 3, 3)) if any(item.has_directions for item in self._objects.values()) else None
        self._add(mesh)

    @property
    def sizes(self) -> np.ndarray:
        """Median size (N,) m of the elements of the object that each node belongs to."""
        return self._sizes[self._of_node]

    @property
    def masses(self) -> np.ndarray:
        """Median mass (N,) kg of the nodes of the object that each node belongs to."""
        return self._masses[self._of_node]

    def grow(self, mesh: Mesh) -> None:
        """Add the strengths of new nodes; placed and painted factors are the mean of the two ends of their edge."""
        old = len(self._placed)
        added = np.ones(mesh.node_count - old)
        origins = mesh.origin[old:].tolist()
        for name in ("_placed", "_toughness", "_skin_toughness"):
            values = np.append(getattr(self, name), added)
            # One after another, because the origin of a new node may be new too.
            for node, (first, second) in enumerate(origins, old):
                values[node] = 0.5 * (values[first] + values[second])
            setattr(self, name, values)
        self._of_node = np.append(self._of_node, np.zeros(len(added), np.int64))
        for node, (first, _) in enumerate(origins, old):
            self._of_node[node] = self._of_node[first]
        self._add(mesh)

    def _add(self, mesh: Mesh) -> None:
        """Draw the strengths of new nodes, and compute their metrics."""
        old = len(self._start)
        count = mesh.node_count - old
        start, metric, weakest = np.empty(count), np.broadcast_to(np.eye(3), (count, 3, 3)).copy(), np.ones(count)
        for number, item in self._objects.items():
            rows = np.flatnonzero(self._of_node[old:] == number)
            points = mesh.rest[old + rows]
            start[rows] = item.mean * self._placed[old + rows] * item.factors(points)
            metric[rows], weakest[rows] = item.metric(points)
        self._start = np.concatenate([self._start, start])
        self._start[old:] = self._start[mesh.rest_node[old:]]
        self._crack_normal = np.concatenate([self._crack_normal, np.zeros((count, 3))])
        self._weakest = np.concatenate([self._weakest, weakest])
        if self.metric is not None:
            self.metric = np.concatenate([self.metric, metric])

    def set_front(self, nodes: np.ndarray, front: np.ndarray, normal: np.ndarray) -> None:
        """Move the front of a crack: nodes of the new front crack at the toughness if they continue the crack.

        Args:
            nodes: (P,) the cracked node and its copies, which leave the front.
            front: (F,) nodes of the new front.
            normal: (3,) unit normal of the crack.
        """
        self._crack_normal[nodes] = 0.0
        self._crack_normal[front] = normal

    @property
    def crack_normals(self) -> np.ndarray:
        """Normals (N, 3) of the cracks at whose fronts nodes lie; zero for the others."""
        return self._crack_normal

    def restore(self, mesh: Mesh, crack_normals: np.ndarray) -> None:
        """Continue with a mesh that has cracked since; the strengths of its nodes follow from the settings.

        Args:
            mesh: The mesh; its first nodes are those of the uncracked one.
            crack_normals: (N, 3) ``crack_normals``.
        """
        self.grow(mesh)
        self._crack_normal = crack_normals

    @property
    def at_front(self) -> np.ndarray:
        """Nodes on a crack front, (N,) bool."""
        return (self._crack_normal != 0.0).any(axis=1)

    def continues(self, nodes: np.ndarray | slice, normal: np.ndarray) -> np.ndarray:
        """Return (K,) bool, whether a plane with ``normal`` (K, 3) continues a crack at each of ``nodes`` (K,)."""
        return np.abs(np.einsum("ni,ni->n", normal, self._crack_normal[nodes])) > CONTINUES

    def weakest(self) -> np.ndarray:
        """Return the (N,) strength of each node in its weakest direction, Pa."""
        return self._weakest * np.where(self.at_front, np.minimum(self._start, self._toughness), self._start)

    def across(self, normal: np.ndarray) -> np.ndarray:
        """Return the (N,) strength of each node across its ``normal`` (N, 3), Pa, for tension scaled by ``metric``."""
        return self._strength(normal, self._toughness)

    def across_skin(self, normal: np.ndarray) -> np.ndarray:
        """Return the (N,) strength across ``normal`` (N, 3), Pa, for tension in the surface of thin walls."""
        return self._strength(normal, self._skin_toughness)

    def _strength(self, normal: np.ndarray, toughness: np.ndarray) -> np.ndarray:
        """Return (N,) Pa: the strength, or the smaller ``toughness`` (N,) where a crack continues."""
        continues = self.continues(slice(len(normal)), normal)
        return np.where(continues, np.minimum(self._start, toughness), self._start)


class _Object:
    """Strength of an object at any point.

    Args:
        part: Its material and settings.
        points: (M, 3) m, its nodes.
        size: m, median size of its elements.
        number: Its number among joined objects, which get different scatter; ``None`` for a body of one object.
    """

    def __init__(self, part: Part, points: np.ndarray, size: float, number: int | None):
        material, settings = part.material, part.settings
        self.mean, self._scatter, self._settings = material.tensile_strength, material.strength_variation, settings
        self.intensity = self.mean * np.sqrt(material.material_length / size)
        self._wavelength = settings.strength.noise_size * float(np.linalg.norm(np.ptp(points, axis=0)))
        self._random = rng(settings.seed, "element strength", *(() if number is None else (number,)))
        self._planes = [replace(plane, width=max(plane.width, size)) for plane in settings.strength.planes]
        self._ratio = material.grain_strength_ratio
        # The width of a sheet is at least an element, as that of a plane.
        self._sheets = [(SheetField(sheet), max(sheet.width, size)) for sheet in settings.strength.sheets]

    @property
    def has_directions(self) -> bool:
        """Whether the strength depends on the direction."""
        return bool(self._planes or self._sheets or self._ratio > 1.0)

    def placed(self, points: np.ndarray) -> np.ndarray:
        """Return the (M,) placed and painted factors on the strength at ``points`` (M, 3) m."""
        return placed_factor(points, _pairs(points), self._settings.changed(planes=(), sheets=()))

    def factors(self, points: np.ndarray) -> np.ndarray:
        """Draw the (M,) random factors on the strength at ``points`` (M, 3) m."""
        factor = 1.0 + self._scatter * self._random.standard_normal(len(points))
        if self._settings.strength.noise > 0.0:
            factor *= 1.0 + self._settings.strength.noise * noise(points, self._settings, self._wavelength)
        return np.maximum(factor, WEAKEST)

    def metric(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the (M, 3, 3) metrics of ``points`` (M, 3), and (M,) the smallest factor on their strength."""
        metric, weakest = np.broadcast_to(np.eye(3), (len(points), 3, 3)), np.ones(len(points))
        if self._ratio > 1.0:
            metric = grain_metric(
                grain_directions(points, self._settings.strength.grain, self._settings.strength.grains), self._ratio
            )
        for plane in self._planes:
            factor = plane.strength(points, _pairs(points))
            metric = direction_metric(np.broadcast_to(plane.normal, points.shape), factor) @ metric
            weakest = weakest * np.minimum(factor, 1.0)
        for sheet, width in self._sheets:
            factor = sheet.strength(points, _pairs(points), width)
            metric = direction_metric(sheet.normals(points), factor) @ metric
            weakest = weakest * np.minimum(factor, 1.0)
        return metric, weakest


def _own_share(mesh: Mesh) -> np.ndarray:
    """Return the (N,) mean share of own stress of the elements around each node; 1 without elements."""
    rows = np.flatnonzero(~mesh.ghost)
    nodes, own = mesh.elements[rows].ravel(), np.repeat(mesh.own[rows], 4)
    count = np.bincount(nodes, minlength=mesh.node_count)
    return np.divide(np.bincount(nodes, own, mesh.node_count), count, out=np.ones(mesh.node_count), where=count > 0)


def _pairs(points: np.ndarray) -> np.ndarray:
    """Return (N, 2, 3) bonds from points to themselves. They cross no plane, but may lie in one."""
    return np.repeat(points[:, None], 2, axis=1)
