"""Joints of deformable bodies with rigid ones: ties of nodes to rigid bodies, which break by their stress.

In each step of the deformable bodies, a rigid body moves under the forces of its ties. The rigid world then gets their
impulses, as it gets those of contacts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..data.motion import Motion
from ..geometry.nearest import nearest
from ..numerics.rotations import matrices
from .joint_ties import Ties, share_that_holds
from .pushes import FORCE, moment_about, no_pushes, sum_of
from .whole_shot import Colliders


class RigidFrame:
    """A rigid body during a step of the rigid world.

    Attributes:
        place: (3,) m, its reference point.
        velocity, spin: (3,) m/s of that point, and rad/s.
        gravity: (3,) m/s2 on it; 0 for a body that forces do not move.
        motion: Its motion at the start of the step.
        impulses: (COLUMNS,) sum of the impulses of its ties in this step; see ``pushes``.

    Args:
        motion: Its motion.
        gravity: (3,) m/s2.
        seconds: Length of the step, s.
    """

    def __init__(self, motion: Motion, gravity: np.ndarray, seconds: float):
        self.motion, self._turn = motion, matrices(motion.pose[3:]).copy()
        self.gravity = gravity if self.is_free else np.zeros(3)
        # The rigid world adds gravity before it moves a body, so its velocity is that of half a step earlier.
        self.velocity = motion.velocity + 0.5 * seconds * self.gravity
        self.place, self.spin = motion.pose[:3].copy(), motion.angular_velocity.copy()
        self.impulses = no_pushes(1)[0]

    @property
    def is_free(self) -> bool:
        """Whether forces move the body."""
        return self.motion.inverse_mass > 0.0

    def turned(self, vectors: np.ndarray) -> np.ndarray:
        """Return vectors (T, 3) of the body at rest as they are now."""
        return vectors @ self._turn.T

    def push(self, points: np.ndarray, impulses: np.ndarray) -> None:
        """Change the velocities by impulses (T, 3) N s at points (T, 3) m."""
        total = sum_of(points, impulses)
        self.impulses += total
        self.velocity += self.motion.inverse_mass * total[FORCE]
        self.spin += self.motion.inverse_inertia @ moment_about(total, self.place)

    def move(self, seconds: float, velocity: np.ndarray | None = None, spin: np.ndarray | None = None) -> None:
        """Move the body for a time, s, at its velocities or at the given ones; the rotation is of first order."""
        self.place += seconds * (self.velocity if velocity is None else velocity)
        self._turn += seconds * np.cross(self.spin if spin is None else spin, self._turn, axisb=0, axisc=0)


class RigidJoints:
    """Joints of deformable bodies with rigid ones.

    The node and the rigid point of a tie are one point in rest space. Ties therefore keep momentum and angular
    momentum, and a common rotation strains none. Where the stress by tension and shear reaches the strength, a tie
    weakens as it opens further, and breaks. Pressure does not weaken it.

    Attributes:
        frames: The tied rigid bodies in the present step, by their colliders.
        impulses: (K, COLUMNS) sum of the impulses on each collider in the present step; see ``pushes``.

    Args:
        ties: The ties of each joint.
        colliders: The rigid bodies.
        rate: 1/s2, largest sum of stiffness over mass of the ties of a rigid body for which steps are stable.

    Notes:
        Own (docs/decisions/rigid_joints.md).

    Example:
        A node is 1 mm below its point on a wall of 1 kN/m, which it hangs from.

        >>> from types import SimpleNamespace
        >>> wall = SimpleNamespace(colliders=[None], centers=[np.zeros(3)])
        >>> one = np.zeros(1, int), np.zeros(1, int), np.zeros(1, int), np.zeros((1, 3)), np.array([[0.0, 0, 1]])
        >>> joints = RigidJoints([Ties(*one, np.array([2.0]), np.array([1e3]), np.zeros(1))], wall, 1e6)
        >>> still = Motion(np.array([0.0, 0, 0, 1, 0, 0, 0]), np.zeros(3), np.zeros(3))
        >>> joints.begin([still], np.zeros(3), 0.1)
        >>> loads = {0: np.zeros((1, 3))}
        >>> joints.add_forces({0: np.array([[0.0, 0.0, -1e-3]])}, loads)
        >>> loads[0].round(9).tolist(), joints.finish_step(0.1), joints.impulses[0, FORCE].round(9).tolist()
        ([[0.0, 0.0, 1.0]], False, [0.0, 0.0, -0.1])
    """

    def __init__(self, ties: Sequence[Ties], colliders: Colliders, rate: float):
        self._ties = Ties(*(np.concatenate(values) for values in zip(*ties, strict=True)))
        self._colliders, self._rate = colliders, rate
        self._numbers, self._factor, self._share = np.arange(self.count), *np.ones((2, self.count))
        self.frames: dict[int, RigidFrame] = {}
        self.impulses = no_pushes(0)
        self._refresh()

    @property
    def count(self) -> int:
        """Number of ties that hold."""
        return len(self._ties.nodes)

    @property
    def ties(self) -> Ties:
        """The ties that hold."""
        return self._ties

    @property
    def rows(self) -> list[int]:
        """Rows of the deformable bodies with ties that hold."""
        return list(self._by_row)

    @property
    def ratio(self) -> float:
        """Largest stress over strength in the last step."""
        return float(self._ratios.max(initial=0.0))

    def nodes(self, row: int) -> np.ndarray:
        """Return the tied nodes of a body."""
        return self._ties.nodes[self._by_row.get(row, [])]

    def begin(self, motions: Sequence[Motion | None], gravity: np.ndarray, seconds: float) -> None:
        """Begin a step of the rigid world.

        Args:
            motions: Motion of each collider; ``None`` for one that has broken. Its ties go over to its fragments.
            gravity: (3,) m/s2.
            seconds: Length of the step, s.
        """
        for owner in list(self._by_owner):
            if motions[owner] is None:
                self._follow(owner, motions)
        self.frames = {}
        for owner, rows in self._by_owner.items():
            motion = motions[owner]
            assert motion is not None
            frame = self.frames[owner] = RigidFrame(motion, gravity, seconds)
            # A push at a point accelerates it by its own share of the mass and of the inertia of the body.
            arms = frame.turned(self._ties.rest[rows] - self._colliders.centers[owner])
            easy = motion.inverse_mass + np.linalg.norm(motion.inverse_inertia, 2) * (arms**2).sum(axis=1)
            self._factor[rows] = min(1.0, self._rate / max(float(self._ties.stiffness[rows] @ easy), 1e-300))
        self.impulses = no_pushes(len(motions))
        self.start_step()

    def start_step(self) -> None:
        """Start a step of the deformable bodies, and forget the forces of one that was not finished."""
        self._pull = np.zeros((self.count, 3))
        self._points = self.points()

    def points(self) -> np.ndarray:
        """Return the rigid points (T, 3) of the ties now, m."""
        result = np.empty((self.count, 3))
        for owner, rows in self._by_owner.items():
            frame = self.frames[owner]
            result[rows] = frame.place + frame.turned(self._ties.rest[rows] - self._colliders.centers[owner])
        return result

    @property
    def stiffness(self) -> np.ndarray:
        """Stiffness (T,) of the ties now, N/m: lower if a rigid body is too light for the steps, and as they open."""
        return self._share * self._factor * self._ties.stiffness

    def add_forces(self, places: Mapping[int, np.ndarray], loads: Mapping[int, np.ndarray], share: float = 1.0) -> None:
        """Add the forces of the ties to the loads on nodes.

        Args:
            places: (N, 3) m, the nodes of each row.
            loads: (N, 3) N, the loads on them, changed in place.
            share: Weight of these forces in the step.
        """
        forces = self.stiffness[:, None] * (self._points - self._of_nodes(places))
        for row, rows in self._by_row.items():
            np.add.at(loads[row], self._ties.nodes[rows], forces[rows])
        self._pull -= share * forces

    def finish_step(self, seconds: float) -> bool:
        """Move the rigid bodies by a step, s, with the forces of their ties, and break ties.

        Returns:
            Whether a tie broke.
        """
        for owner, rows in self._by_owner.items():
            frame = self.frames[owner]
            frame.push(self._points[rows], seconds * self._pull[rows])
            frame.velocity += seconds * frame.gravity
            frame.move(seconds)
        return self._finish()

    def take(self, pull: np.ndarray, points: np.ndarray, seconds: float) -> bool:
        """Take over the forces of ties in a step in which the rigid bodies have moved.

        Args:
            pull: (T, 3) N, forces on the rigid bodies.
            points: (T, 3) m, where they act.
            seconds: s.

        Returns:
            Whether a tie broke.
        """
        self._pull = pull
        for owner, rows in self._by_owner.items():
            self.frames[owner].impulses += sum_of(points[rows], seconds * pull[rows])
        return self._finish()

    def _finish(self) -> bool:
        """Take over the impulses on the rigid bodies, and break ties; return whether one broke."""
        normals = np.empty((self.count, 3))
        for owner, rows in self._by_owner.items():
            self.impulses[owner] = self.frames[owner].impulses
            normals[rows] = self.frames[owner].turned(self._ties.normals[rows])
        # The force on the rigid body points to the deformable one, against the normal, if the tie is in tension.
        along = np.einsum("ti,ti->t", self._pull, normals)
        across = self._pull - along[:, None] * normals
        opening = np.sqrt(np.minimum(along, 0.0) ** 2 + (across**2).sum(axis=1))
        ties = self._ties
        self._ratios = opening / ties.limits
        whole = self._factor * ties.stiffness
        self._share = share_that_holds(self._share, opening, ties.limits, whole, ties.widths)
        if not self._share.min(initial=1.0) <= 0.0:
            return False
        self._keep(self._share > 0.0)
        return True

    def without(self, nodes: Mapping[int, np.ndarray]) -> None:
        """Drop the ties of nodes (N,) bool of each row."""
        gone = np.zeros(self.count, bool)
        for row, rows in self._by_row.items():
            gone[rows] = nodes[row][self._ties.nodes[rows]]
        if gone.any():
            self._keep(~gone)

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return the ties that hold, and what they hold to; see ``restore``."""
        return {"numbers": self._numbers, "owners": self._ties.owners, "share": self._share}

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> None:
        """Continue from a ``snapshot`` of the same joints."""
        self._keep(np.isin(self._numbers, snapshot["numbers"]))
        self._share = np.array(snapshot["share"])
        self._ties = self._ties._replace(owners=np.array(snapshot["owners"]))
        self._refresh()

    def _of_nodes(self, places: Mapping[int, np.ndarray]) -> np.ndarray:
        result = np.empty((self.count, 3))
        for row, rows in self._by_row.items():
            result[rows] = places[row][self._ties.nodes[rows]]
        return result

    def _keep(self, holds: np.ndarray) -> None:
        self._ties = Ties(*(values[holds] for values in self._ties))
        self._numbers, self._factor, self._share = (
            values[holds] for values in (self._numbers, self._factor, self._share)
        )
        self._refresh()

    def _follow(self, broken: int, motions: Sequence[Motion | None]) -> None:
        """Tie the nodes that a broken rigid body held to the nearest of its fragments."""
        rows = self._by_owner[broken]
        later = [number for number in range(broken + 1, len(motions)) if motions[number] is not None]
        if not later:
            self._keep(self._ties.owners != broken)
            return
        places = self._ties.rest[rows]
        gaps = [nearest(self._colliders.colliders[number].surface, places)[2] for number in later]
        self._ties.owners[rows] = np.array(later)[np.argmin(gaps, axis=0)]
        self._refresh()

    def _refresh(self) -> None:
        """Sort the ties by their rigid bodies and by their rows."""
        self._by_owner, self._by_row = (
            {number: np.flatnonzero(values == number) for number in np.unique(values).tolist()}
            for values in (self._ties.owners, self._ties.rows)
        )
        self._ratios, self._pull, self._points = np.zeros(self.count), *np.zeros((2, self.count, 3))
