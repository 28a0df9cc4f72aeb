"""The obstacles around one deformable body: which it can reach, and the impulses that it gives them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....data.job import Body, Collider
from ....data.motion import Motion
from ....data.solid import outer_faces
from ....data.surface import Surface
from ....geometry.inside import is_inside
from ....geometry.nearest import nearest
from ...obstacle import Obstacle, obstacle_of
from ...pushes import no_pushes, sum_of
from ..contact.exchange import FacePoints, exchange, points_on
from ..contact.impact_pressure import on_surface
from ..contact.obstacles import hold, keep_out, reachable, would_hit
from ..state import Mesh


class Surroundings:
    """Obstacles of a body. Each step calls ``find_reachable``, then ``touch_near`` or ``hold``, then ``move``.

    Attributes:
        impulses: (K, COLUMNS) sum of the impulses on each obstacle since ``begin``; see ``pushes``.

    Args:
        mesh: The body at rest.
        body: Body of the job.
        friction: Coefficient of friction of the body.
        size: Median size of an element, m.
    """

    def __init__(self, mesh: Mesh, body: Body, friction: float, size: float):
        self._mesh, self._friction, self._size = mesh, friction, size
        self._outer = on_surface(mesh)
        self._reach = _reach(body.surface, mesh, self._outer)
        self._faces: np.ndarray | None = None
        self._face_points: FacePoints | None = None
        self._inside = body.surface.points.mean(axis=0)
        self._obstacles: list[Obstacle] = []
        # Obstacles in the present step: all, and those within reach; those near in its explicit steps, by row.
        self._present: list[Obstacle | None] = []
        self._reachable: list[Obstacle | None] = []
        self._near: dict[int, Obstacle] = {}
        self._before = self.impulses = no_pushes(0)

    def add(self, colliders: Sequence[Collider], centers: Sequence[np.ndarray]) -> None:
        """Add the colliders that are new, with the reference point (3,) m of each in rest space.

        Args:
            colliders: All colliders, known ones first.
            centers: The reference points of all.
        """
        for item, center in list(zip(colliders, centers, strict=True))[len(self._obstacles) :]:
            self._obstacles.append(obstacle_of(item, center, self._size, self._friction, self._inside))

    def faces(self) -> np.ndarray:
        """Return the (F, 3) int32 nodes of surface faces, including crack faces, with outward normals."""
        if self._faces is None:
            self._faces = outer_faces(self._mesh.elements[~self._mesh.ghost])[0]
        return self._faces

    def refresh(self) -> None:
        """Take over the nodes and faces of new cracks; a new node on an edge is outside if both ends are."""
        for origin in self._mesh.origin[len(self._outer) :]:
            self._outer = np.append(self._outer, self._outer[origin].all())
            self._reach = np.append(self._reach, self._reach[origin].mean() if self._outer[-1] else 0.0)
        self._faces = self._face_points = None

    def begin(self, motions: Sequence[Motion | None]) -> None:
        """Place the obstacles by the pose and velocities of each; ``None`` for an absent one."""
        self._present = [
            None if motion is None else item.at(motion) for item, motion in zip(self._obstacles, motions, strict=True)
        ]
        self.impulses = no_pushes(len(self._present))

    def find_reachable(self, seconds: float, gravity: np.ndarray) -> None:
        """Find the obstacles that the body can touch within ``seconds``."""
        mesh = self._mesh
        fastest = mesh.velocity + seconds * gravity
        self._reachable = reachable(self._present, mesh.position, fastest, self._reach, seconds)
        self._before = self.impulses.copy()

    def move(self, seconds: float) -> None:
        """Move the obstacles by a step of ``seconds``, with the impulses that they got in it."""
        self._present = [
            item and item.pushed(gained).later(seconds)
            for item, gained in zip(self._present, self.impulses - self._before, strict=True)
        ]

    def would_hit(self, velocity: np.ndarray, seconds: float, speed: float) -> bool:
        """Return whether an obstacle hits a node faster than ``speed``, with ``velocity`` (N, 3) of the nodes, m/s."""
        mesh = self._mesh
        return would_hit(self._reachable, mesh.position, velocity, mesh.mass > 0.0, self._reach, seconds, speed)

    def find_near(self, seconds: float) -> bool:
        """Find the obstacles near the body within ``seconds`` of explicit steps; return whether there are any."""
        mesh = self._mesh
        ahead = mesh.position, mesh.position + seconds * mesh.velocity
        self._near = {
            row: item
            for row, item in enumerate(self._reachable)
            if item and (item.inverse_mass or any(item.touch(at, self._reach).depth.any() for at in ahead))
        }
        return bool(self._near)

    def touch_near(self, weights: np.ndarray, seconds: float, step: float) -> None:
        """Change the velocities of nodes that touch near obstacles, and move these obstacles by a ``step``, s.

        Args:
            weights: (N,) masses of the nodes, kg; 0 for fixed ones.
            seconds: Contact interval, s; see ``leaving_speed``.
            step: s.
        """
        for row, item in self._near.items():
            gained = self._touch(item, weights, seconds)
            self.impulses[row] += gained
            self._near[row] = item.pushed(gained).later(step)

    def touch_free(self, weights: np.ndarray, seconds: float) -> None:
        """Change the velocities of nodes that touch obstacles with a finite mass; see ``touch_near``."""
        for row, item in enumerate(self._reachable):
            if item and item.inverse_mass:
                self.impulses[row] += self._touch(item, weights, seconds)

    def hold(self, velocity: np.ndarray, weights: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
        """Return which nodes (N,) static and driven obstacles hold in a semi-implicit step, and their velocities.

        Args:
            velocity: (N, 3) m/s without contact.
            weights: (N,) masses of the nodes, kg; 0 for fixed ones.
            seconds: Time step, s.
        """
        not_free = [item if item and not item.inverse_mass else None for item in self._reachable]
        self._owner, leaving = hold(not_free, self._mesh.position, velocity, weights > 0.0, self._reach, seconds)
        return self._owner >= 0, leaving

    def take(self, reaction: np.ndarray) -> None:
        """Count the impulses (N, 3) N s that hold nodes as impulses on the obstacles of the last ``hold``."""
        owner = self._owner
        for row in np.unique(owner[owner >= 0]):
            held = owner == row
            self.impulses[row] += sum_of(self._mesh.position[held], -reaction[held])

    def _touch(self, item: Obstacle, weights: np.ndarray, seconds: float) -> np.ndarray:
        """Change the velocities of the nodes in contact with an obstacle; return the impulses on it (COLUMNS,)."""
        mesh, reach = self._mesh, self._reach
        if not item.inverse_mass:
            return keep_out(item, mesh.position, mesh.velocity, weights, reach, seconds)
        if self._face_points is None:
            self._face_points = points_on(self.faces())
        inverse = np.divide(1.0, weights, out=np.zeros_like(weights), where=weights > 0.0)
        return exchange(item, self._face_points, mesh.position, mesh.velocity, inverse, reach, seconds)


def _reach(surface: Surface, mesh: Mesh, outer: np.ndarray) -> np.ndarray:
    """Return the distance (N,) m from each ``outer`` node (N,) bool of a mesh to the surface outside of it.

    The cells only approximate the surface: the distance is negative for a node outside the surface, and 0 for others
    than ``outer`` nodes.
    """
    points = mesh.rest[outer]
    distance = nearest(surface, points)[2]
    result = np.zeros(mesh.node_count)
    result[outer] = np.where(is_inside(surface, points), distance, -distance)
    return result
