"""Bodies that keep one another out, each with a mesh and steps of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .contact.contact import Contacts
from .effort import Effort
from .whole_shot import Shot

# Bodies near to one another are pushed often enough that they approach by no more than this share of an element.
APPROACH = 0.1
# Boxes of bodies this many elements apart are not near.
NEAR = 1.0
# The same time is divided no further than this.
MOST_PUSHES = 16


class Between:
    """Contact between the bodies of a scene: pushes between their steps.

    Args:
        shots: The bodies.
        effort: As of ``Shot``; once it is spent, no time is divided.
    """

    def __init__(self, shots: Sequence[Shot], effort: Effort | None = None):
        self._shots, self._effort = shots, effort
        self._size = min((shot.size for shot in shots), default=1.0)
        # By nodes only where all bodies are: volume sees edges that cross as well.
        by_node = bool(shots) and all(shot.contact == "node" for shot in shots)
        friction = float(np.mean([shot.friction for shot in shots])) if shots else 0.0
        self._contacts = Contacts(friction, "node" if by_node else "volume")
        self._counts: list[tuple[int, int]] = []

    def pushes(self, seconds: float) -> int:
        """In how many parts so many ``seconds`` have to be taken; 0 when no two bodies are near one another."""
        bodies = [_extent(shot) for shot in self._shots]
        limit = 1 if self._effort is not None and self._effort.is_spent else MOST_PUSHES
        most = 0
        for row, (low, high, velocity, spread) in enumerate(bodies):
            for other_low, other_high, other_velocity, other_spread in bodies[:row]:
                way = seconds * (float(np.linalg.norm(velocity - other_velocity)) + spread + other_spread)
                if (np.maximum(low, other_low) - np.minimum(high, other_high) < NEAR * self._size + way).all():
                    most = max(most, min(int(np.ceil(way / (APPROACH * self._size))), limit), 1)
        return most

    def push(self, seconds: float) -> None:
        """Let what touches push each other, for the next so many ``seconds``."""
        meshes = [shot.mesh for shot in self._shots]
        counts = [(mesh.node_count, mesh.element_count) for mesh in meshes]
        starts = np.concatenate([[0], np.cumsum([nodes for nodes, _ in counts])])
        position = np.concatenate([mesh.position for mesh in meshes])
        velocity = np.concatenate([mesh.velocity for mesh in meshes])
        mass = np.concatenate([mesh.mass for mesh in meshes])
        elements = np.concatenate([mesh.elements + start for mesh, start in zip(meshes, starts[:-1], strict=True)])
        if counts != self._counts:
            body = np.repeat(np.arange(len(meshes)), [count for _, count in counts])
            rows = np.flatnonzero(~np.concatenate([mesh.ghost for mesh in meshes]))
            self._contacts.begin(position, elements, rows, body=body)
            self._counts = counts
        if self._effort is not None:
            self._effort.spend(len(elements))
        self._contacts.push(position, velocity, mass, elements, seconds)
        for shot, changed in zip(self._shots, np.split(velocity, starts[1:-1]), strict=True):
            shot.push(changed)


def _extent(shot: Shot) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Corners (3,) m of the box around a body, its mean velocity (3,) m/s, and by how much a node is faster at most."""
    rows = shot.mesh.mass > 0.0
    position, velocity = shot.mesh.position[rows], shot.mesh.velocity[rows]
    mean = velocity.mean(axis=0)
    return position.min(axis=0), position.max(axis=0), mean, float(np.linalg.norm(velocity - mean, axis=1).max())
