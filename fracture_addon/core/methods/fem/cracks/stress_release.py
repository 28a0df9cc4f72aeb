"""Where a crack has taken the stress away, or will have in a moment."""

from __future__ import annotations

import numpy as np

from ....data.solid import CELL_FACES
from ..elements import Law
from ..mesh import Mesh

# A crack relieves what lies beside it as far as this many wall thicknesses, in a thick body this share of its diagonal,
# and shear waves go there and back until that is so: what would crack meanwhile is on its way down, and nothing but
# powder would be left.
REACH, MOST_REACH, TRIPS = 4.0, 0.15, 2.0
# What cracked, or what a plane did not divide, waits until shear waves have gone through so many elements.
PAUSE = 2.8
# Directions steeper than this against the crack's plane (sine) are its flanks, not its front.
FLANK = 0.5


class Relief:
    """Until when each node of a mesh waits with cracking."""

    def __init__(self, mesh: Mesh, law: Law):
        diagonal = float(np.linalg.norm(np.ptp(mesh.rest[mesh.mass > 0.0], axis=0)))
        self._reach = min(REACH * wall_thickness(mesh), MOST_REACH * diagonal)
        self._seconds = TRIPS * self._reach * float(np.sqrt(law.density / law.rigidity))
        self._pause = PAUSE * float(np.median(mesh.size[~mesh.ghost]) * np.sqrt(law.density / law.rigidity))
        self._until, self._paused = np.zeros(mesh.node_count), np.zeros(mesh.node_count)

    def over(self, time: float, nodes: np.ndarray, goes_on: np.ndarray) -> np.ndarray:
        """(K,) whether each of ``nodes`` (K,) may crack at a time, s.

        Where a crack ``goes_on`` (K,) it is not held up by others beside it: what is left between two cracks would
        hold a body together that is in pieces but for that.
        """
        return ((self._until[nodes] <= time) | goes_on) & (self._paused[nodes] <= time)

    def wait(self, mesh: Mesh, nodes: np.ndarray, time: float) -> None:
        """Let nodes wait a little that cracked at a time, s, or that the plane of a crack did not divide."""
        added = np.zeros(mesh.node_count - len(self._until))
        self._until, self._paused = np.concatenate([self._until, added]), np.concatenate([self._paused, added])
        self._paused[nodes] = time + self._pause

    def relieve(self, mesh: Mesh, nodes: np.ndarray, normal: np.ndarray, time: float) -> None:
        """Let the parts of a node that cracked wait, and what lies beside the crack.

        Args:
            mesh: After the crack.
            nodes: (P,) that the node became.
            normal: (3,) of the crack in world space.
            time: s.
        """
        self.wait(mesh, nodes, time)
        arms = mesh.position - mesh.position[nodes[0]]
        squares = np.einsum("ni,ni->n", arms, arms)
        self._until[nodes] = time + self._seconds
        beside = (arms @ (normal / np.linalg.norm(normal))) ** 2 > FLANK**2 * squares
        self._until[beside & (squares < self._reach**2)] = time + self._seconds


def wall_thickness(mesh: Mesh) -> float:
    """m, twice the volume over the surface: that of a sheet, and a third of a cube's side."""
    cells = mesh.rest_node[mesh.elements[~mesh.ghost]]
    faces = cells[:, CELL_FACES].reshape(-1, 3)
    _, rows, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    corners = mesh.rest[faces[rows[count == 1]]]
    vectors = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return 4.0 * float(mesh.volume[~mesh.ghost].sum() / np.linalg.norm(vectors, axis=1).sum())
