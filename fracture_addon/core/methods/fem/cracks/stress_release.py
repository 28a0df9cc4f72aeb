"""Stress release: nodes beside a fresh crack wait until shear waves have unloaded them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ....data.solid import outer_faces
from ....data.surface import Surface, area, wall_thickness
from ..elements import Law
from ..state import Mesh

# Reach of the stress release in wall thicknesses. Without the wait, falling stress would crack everything near a crack
# to dust. Measured on a bowl of 3,000 elements at 2 and 4 times the violence: 47 and 147 fragments with a reach of 3
# thicknesses, 135 and 151 if only neighbour nodes wait (docs/equations.md).
REACH = 4.0
# Largest reach over the body's diagonal. From 0.04 to 15, fragments of three small scenes change no more than by
# rounding (docs/decisions/constants.md).
MAX_REACH = 0.15
# Duration of the release, in trips of shear waves over the reach. From 0.02 to 8, fragments of three small scenes
# change no more than by rounding (docs/decisions/constants.md).
TRIPS = 2.0
# Pause of a node that cracked or whose plane divided nothing, in elements crossed by shear waves. Insensitive from 1.4
# to 5.6: fragments of an impact change no more than by rounding (docs/decisions/constants.md).
PAUSE = 2.8
# Sine of the angle to the crack's plane above which a node is beside the crack, not ahead. Insensitive from 0.35 to
# 0.6: fragments of an impact change no more than by rounding (docs/decisions/constants.md).
FLANK = 0.5


class StressRelease:
    """Waiting times of the nodes of a mesh.

    Args:
        mesh: The uncracked mesh.
        law: Its material, for the speed of shear waves.

    Attributes:
        slowness: Factor on the times that waves take from now on.

    Notes:
        Own (docs/decisions/stress_release.md).

    Example:
        Node 0 cracks at 0 s. It waits while shear waves travel there and back, and may crack again later.

        >>> from ....data.material import PORCELAIN
        >>> from ....data.solid import from_cells
        >>> from ..elements import law_of
        >>> from ..state import from_solid
        >>> mesh = from_solid(from_cells([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]], []), 2400.0)
        >>> waiting, node, fresh = StressRelease(mesh, law_of(PORCELAIN)), np.array([0]), np.zeros(1, bool)
        >>> waiting.release(mesh, node, np.array([1.0, 0.0, 0.0]), time=0.0)
        >>> [waiting.may_crack(time, node, fresh).tolist() for time in (0.0, 1.0)]
        [[False], [True]]
    """

    def __init__(self, mesh: Mesh, law: Law):
        diagonal = float(np.linalg.norm(np.ptp(mesh.rest[mesh.mass > 0.0], axis=0)))
        self._reach = min(REACH * wall_of(mesh), MAX_REACH * diagonal)
        self._seconds = TRIPS * self._reach * float(np.sqrt(law.density / law.rigidity))
        self._pause = PAUSE * float(np.median(mesh.size[~mesh.ghost]) * np.sqrt(law.density / law.rigidity))
        self._until, self._paused = np.zeros(mesh.node_count), np.zeros(mesh.node_count)
        self.slowness = 1.0

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return the times until which nodes wait; see ``restore``."""
        return {"until": self._until, "paused": self._paused}

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> None:
        """Continue from a ``snapshot``."""
        self._until, self._paused = snapshot["until"], snapshot["paused"]

    def may_crack(self, time: float, nodes: np.ndarray, continues: np.ndarray) -> np.ndarray:
        """Return (K,) bool, whether each node may crack.

        A node that continues a crack does not wait for other cracks beside it. Otherwise bridges between two cracks
        would hold the fragments together.

        Args:
            time: s.
            nodes: (K,).
            continues: (K,) bool, nodes whose plane continues an existing crack.
        """
        return ((self._until[nodes] <= time) | continues) & (self._paused[nodes] <= time)

    def pause(self, mesh: Mesh, nodes: np.ndarray, time: float) -> None:
        """Start the pause, at ``time`` (s), of nodes that cracked or that the plane of a crack did not divide."""
        added = np.zeros(mesh.node_count - len(self._until))
        self._until, self._paused = np.concatenate([self._until, added]), np.concatenate([self._paused, added])
        self._paused[nodes] = time + self.slowness * self._pause

    def release(self, mesh: Mesh, nodes: np.ndarray, normal: np.ndarray, time: float) -> None:
        """Let the copies of a cracked node wait, and the nodes beside the crack.

        Args:
            mesh: After the crack.
            nodes: (P,) the node and its copies.
            normal: (3,) of the crack in world space.
            time: s.
        """
        self.pause(mesh, nodes, time)
        arms = mesh.position - mesh.position[nodes[0]]
        squares = np.einsum("ni,ni->n", arms, arms)
        self._until[nodes] = time + self.slowness * self._seconds
        beside = (arms @ (normal / np.linalg.norm(normal))) ** 2 > FLANK**2 * squares
        self._until[beside & (squares < self._reach**2)] = time + self.slowness * self._seconds


def wall_of(mesh: Mesh) -> float:
    """Return the wall thickness of a body from its volume and outer surface at rest.

    Args:
        mesh: The mesh.

    Returns:
        m.
    """
    cells = mesh.rest_node[mesh.elements[~mesh.ghost]]
    return wall_thickness(float(mesh.volume[~mesh.ghost].sum()), area(Surface(mesh.rest, outer_faces(cells)[0])))
