"""The rigid run of a scene as the surroundings of its deformable bodies: both move on the same timeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...data.job import Collider, Job
from ...data.motion import Motion
from ...data.surface import joined
from ...methods import pushes
from ...methods.whole_shot import RigidJoint
from ...numerics.rotations import conjugate, matrices, multiply, pose_on_track
from ..rigid_fragment import RigidFragment
from ..rigid_timeline import Timeline
from .push_loads import PushLoads


class RigidColliders:
    """The colliders of a job, its rigid bodies, and their fragments, as deformable bodies see them.

    Attributes:
        colliders: K colliders: those of the job, then the bodies and fragments in the order of their birth.
        centers: (3,) m, rest space, reference point of each; its pose is the pose of this point.
        any_free: Whether forces move a collider.
        any_moves: Whether keyframes move a collider.
        joints: Joints of deformable bodies with rigid ones.

    Args:
        job: The rigid bodies and colliders of the scene.
        timeline: Its rigid run, at its start.
        joints: Joints; the ``collider`` of each is a row of the job's bodies.

    Notes:
        Own (docs/decisions/coupling.md).

    Example:
        A ball of the scene falls for 0.1 s.

        >>> from ...data.surface import Surface
        >>> corners = np.array([[1.0, 0, 0], [0, 1, 0], [-1, -1, 0], [0, 0, 1], [0, 0, -1]])
        >>> faces = [[0, 1, 3], [1, 2, 3], [2, 0, 3], [1, 0, 4], [2, 1, 4], [0, 2, 4]]
        >>> ball = Collider("ball", Surface(corners, faces), "sphere", mass=1.0)
        >>> job = Job((), (ball,), gravity=np.array([0.0, 0.0, -10.0]))
        >>> rigid = RigidColliders(job, Timeline(job, (), print, others=[ball.surface]))
        >>> rigid.advance(2.4, 0.1, pushes.no_pushes(1))
        >>> rigid.motions(2.4, 0.1)[0].velocity.round(4).tolist()
        [0.0, 0.0, -1.0]
    """

    def __init__(self, job: Job, timeline: Timeline, joints: Sequence[RigidJoint] = ()):
        self._job, self._timeline, self._scene = job, timeline, timeline.scene
        self.colliders = list(job.colliders)
        self._keys = list(self._scene.collider_keys)
        self.centers = [self._scene.properties(key).center for key in self._keys]
        # The fragment that each collider is; ``None`` for those of the job.
        self._fragments: list[RigidFragment | None] = [None for _ in self._keys]
        self._known = 0
        # Frame, end and duration of each step, and the step, the collider and the impulses of each push.
        self._row = -1
        self._steps: list[tuple[int, float, float]] = []
        self._pushes: list[tuple[int, int, np.ndarray]] = []
        self._loads = PushLoads(timeline)
        self._add_fragments()
        self.any_free = bool(job.bodies) or any(item.mass > 0.0 for item in job.colliders)
        self.any_moves = any(item.track is not None for item in job.colliders)
        whole = [None if fragment is None else fragment.body for fragment in self._fragments]
        self.joints: Sequence[RigidJoint] = tuple(
            replace(joint, collider=whole.index(joint.collider)) for joint in joints
        )

    @property
    def structure(self) -> object:
        """Value that is equal for two jobs if their rigid runs are equal under equal pushes."""
        if not self.any_free:
            return None
        # A longer shot continues from the same checkpoints.
        return replace(self._job, frame_end=0, checkpoint_interval=0, continue_from=None, options={})

    def start_frame(self, row: int) -> None:
        """Apply the loads of a frame, counted from the first one, to the rigid bodies, and record them."""
        self._row = row
        self._loads.apply(row)
        self._timeline.start_frame(row)
        self._timeline.scene.world.calm(1.0 / self._job.frame_rate)
        self._add_fragments()

    def motions(self, row: float, seconds: float) -> list[Motion | None]:
        """Return the mean motion of each collider over a time step; ``None`` for a fragment that has broken.

        Args:
            row: Start of the step, in frames since the first frame.
            seconds: Length of the step.
        """
        return [self._motion(index, row, seconds) for index in range(len(self.colliders))]

    def advance(self, row: float, seconds: float, impulses: np.ndarray) -> None:
        """Apply impulses to the rigid bodies, and advance them to the time ``row``; new fragments become colliders.

        Args:
            row: End of the step, in frames since the first frame.
            seconds: Length of the step.
            impulses: (K, COLUMNS) sum of the impulses on each collider; see ``pushes``.
        """
        if not self.any_free:
            return
        self._steps.append((self._row, row, seconds))
        pushed = np.flatnonzero(impulses[:, pushes.SIZE]).tolist()
        for index in pushed:
            self._pushes.append((len(self._steps) - 1, index, impulses[index]))
            fragment = self._fragments[index]
            if fragment is not None:
                self._loads.note(fragment, impulses[index], seconds)
        # A force that acts during the step: the body moves at its mean velocity, as the deformable bodies saw it.
        self._push(pushed, 0.5 * impulses)
        self._timeline.advance_step(row, seconds)
        self._push(pushed, 0.5 * impulses)
        self._add_fragments()

    def _push(self, pushed: Sequence[int], impulses: np.ndarray) -> None:
        """Apply impulses (K, COLUMNS) to those of the colliders that still exist and move freely."""
        world = self._scene.world
        for index in pushed:
            key = self._key(index)
            if world.is_free(key):
                center = world.pose(key)[:3]
                world.push(key, impulses[index, pushes.FORCE], center)
                world.turn(key, pushes.moment_about(impulses[index], center))

    def pushes(self) -> dict[str, np.ndarray]:
        """Return all steps and pushes so far, for ``repeat``."""
        return {
            "steps": np.array(self._steps).reshape(-1, 3),
            "places": np.array([item[:2] for item in self._pushes], np.int64).reshape(-1, 2),
            "impulses": np.array([item[2] for item in self._pushes]).reshape(-1, pushes.COLUMNS),
        }

    def repeat(self, earlier: Mapping[str, np.ndarray]) -> None:
        """Repeat the steps and pushes of an earlier run: the same rigid run, without the deformable bodies."""
        bounds = np.searchsorted(earlier["places"][:, 0], np.arange(len(earlier["steps"]) + 1))
        for number, (frame, row, seconds) in enumerate(earlier["steps"].tolist()):
            if frame != self._row:
                self.start_frame(int(frame))
            own = slice(bounds[number], bounds[number + 1])
            impulses = pushes.no_pushes(len(self.colliders))
            impulses[earlier["places"][own, 1]] = earlier["impulses"][own]
            self.advance(row, seconds, impulses)

    def _add_fragments(self) -> None:
        """Add the bodies and fragments of the scene that are not yet colliders."""
        new = self._scene.fragments[self._known :]
        self._known += len(new)
        for fragment in new:
            # The cut may leave a fragment without a surface.
            if fragment.surfaces:
                body = self._job.bodies[fragment.body]
                material, surface = body.material, joined(fragment.surfaces)
                self.colliders.append(
                    Collider(body.name, surface, "mesh", 0.0, material.friction, material.restitution)
                )
                self.centers.append(fragment.properties.center)
                self._fragments.append(fragment)
                self._keys.append(fragment.key)

    def _key(self, index: int) -> int:
        """Return the key of a collider in the rigid world; -1 for a fragment that has broken."""
        fragment = self._fragments[index]
        return self._keys[index] if fragment is None else fragment.key

    def _motion(self, index: int, row: float, seconds: float) -> Motion | None:
        key, fragment, world = self._key(index), self._fragments[index], self._scene.world
        if key < 0:
            return None
        if world.is_free(key):
            pose, properties = world.pose(key), self._scene.properties(key)
            turn = matrices(pose[3:])
            inertia = turn @ properties.inverse_inertia @ turn.T
            return Motion(pose, *world.velocities(key), 1.0 / properties.mass, inertia)
        track, center = self._track(index, fragment), self.centers[index]
        if track is None:
            return Motion(np.concatenate([center, [1.0, 0.0, 0.0, 0.0]]), np.zeros(3), np.zeros(3))
        start, end = (pose_on_track(track, row + ahead * self._job.frame_rate * seconds, center) for ahead in (0, 1))
        return Motion(start, (end[:3] - start[:3]) / seconds, _rotation_vector(start[3:], end[3:]) / seconds)

    def _track(self, index: int, fragment: RigidFragment | None) -> np.ndarray | None:
        if fragment is None:
            return self.colliders[index].track
        return self._job.bodies[fragment.body].track if fragment.track is None else fragment.track


def _rotation_vector(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return the rotation vector (3,) rad from one quaternion to another."""
    turn = multiply(end, conjugate(start))
    turn = turn if turn[0] >= 0.0 else -turn
    sine = float(np.linalg.norm(turn[1:]))
    return turn[1:] * (2.0 * np.arctan2(sine, turn[0]) / sine if sine > 0.0 else 2.0)
