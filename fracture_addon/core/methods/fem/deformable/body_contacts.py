"""Contact between deformable bodies, which have separate meshes and time steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...snapshots import prefixed, with_prefix
from ..contact.contact import Contacts
from .shot import Shot
from .ties import Ties
from .work_limit import WorkLimit

# Largest approach of two near bodies between two pushes, in element sizes. Fewer pushes let bodies sink into each
# other: two bricks on a blade break into 13, 10 and 11 fragments at 0.05, 0.1 and 0.2.
APPROACH = 0.1
# Distance between the boxes of two bodies below which they are near, in element sizes. From 0.01 to 100 all recordings
# keep their bytes.
NEAR = 1.0
# Largest number of pushes in one step. From 8 to 320 all recordings keep their bytes.
MAX_PUSHES = 16


class BodyContacts:
    """Contact between the bodies of a scene: pushes between their time steps.

    Args:
        shots: The bodies.
        work_limit: Limit of small steps of the scene. After it is reached, pushes do not shorten the steps.
        glue: Glue between them.
    """

    def __init__(self, shots: Sequence[Shot], work_limit: WorkLimit | None = None, glue: Sequence[Ties] = ()):
        self._shots, self._work_limit, self._glue = shots, work_limit, glue
        self._size = min((shot.size for shot in shots), default=1.0)
        # The node criterion only if all bodies use it. The volume criterion also finds crossing edges.
        by_nodes = bool(shots) and all(shot.contact_by_nodes for shot in shots)
        friction = float(np.mean([shot.friction for shot in shots])) if shots else 0.0
        self._contacts = Contacts(friction, by_nodes)
        # Numbers of nodes and elements of each body, and of the ties of each glue, at the last search.
        self._counts: list[tuple[int, int]] = []

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return all data on which the next pushes depend; see ``restore``."""
        counts = np.array(self._counts, np.int64).reshape(-1, 2)
        return {"counts": counts, **prefixed("contacts", self._contacts.snapshot())}

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> None:
        """Continue from a ``snapshot`` of the same bodies."""
        self._counts = [(nodes, elements) for nodes, elements in snapshot["counts"].tolist()]
        self._contacts.restore(with_prefix("contacts", snapshot))

    def push_count(self, seconds: float) -> int:
        """Return the number of pushes in the next ``seconds``; 0 if no two bodies are near each other."""
        bodies = [_extent(shot) for shot in self._shots]
        limit = 1 if self._work_limit is not None and self._work_limit.is_spent else MAX_PUSHES
        count = 0
        for row, (low, high, velocity, spread) in enumerate(bodies):
            for other_low, other_high, other_velocity, other_spread in bodies[:row]:
                travel = seconds * (float(np.linalg.norm(velocity - other_velocity)) + spread + other_spread)
                if (np.maximum(low, other_low) - np.minimum(high, other_high) < NEAR * self._size + travel).all():
                    count = max(count, min(int(np.ceil(travel / (APPROACH * self._size))), limit), 1)
        return count

    def push(self, seconds: float) -> None:
        """Push overlapping elements of different bodies apart; ``seconds`` is the time until the next push."""
        meshes = [shot.mesh for shot in self._shots]
        sizes = [(mesh.node_count, mesh.element_count) for mesh in meshes]
        counts = [*sizes, *((item.count, 0) for item in self._glue)]
        starts = np.concatenate([[0], np.cumsum([nodes for nodes, _ in sizes])])
        position = np.concatenate([mesh.position for mesh in meshes])
        velocity = np.concatenate([mesh.velocity for mesh in meshes])
        mass = np.concatenate([mesh.mass for mesh in meshes])
        elements = np.concatenate([mesh.elements + start for mesh, start in zip(meshes, starts[:-1], strict=True)])
        if counts != self._counts:
            body = np.repeat(np.arange(len(meshes)), [count for _, count in sizes])
            rows = np.flatnonzero(~np.concatenate([mesh.ghost for mesh in meshes]))
            self._contacts.begin(position, elements, rows, body=body, glued=self._glued(body))
            self._counts = counts
        if self._work_limit is not None:
            self._work_limit.spend(len(elements))
        self._contacts.push(position, velocity, mass, elements, seconds)
        for shot, changed in zip(self._shots, np.split(velocity, starts[1:-1]), strict=True):
            shot.push(changed)

    def _glued(self, body: np.ndarray) -> np.ndarray | None:
        """Return the elements at glue that holds, among all elements (E,) of ``body``; ``None`` without glue."""
        if not self._glue:
            return None
        result = np.zeros(len(body), bool)
        for ties in self._glue:
            for row, elements in ties.elements.items():
                result[np.flatnonzero(body == row)[elements]] = True
        return result


def _extent(shot: Shot) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return the extent of a body.

    Returns:
        (3,) m lower and (3,) m upper corner of its box; (3,) m/s mean velocity of its nodes; m/s largest difference of
        a node's velocity from that mean.
    """
    rows = shot.mesh.mass > 0.0
    position, velocity = shot.mesh.position[rows], shot.mesh.velocity[rows]
    mean = velocity.mean(axis=0)
    return position.min(axis=0), position.max(axis=0), mean, float(np.linalg.norm(velocity - mean, axis=1).max())
