"""Colliders of deformable bodies: fixed, kinematic or free ones, and the rigid bodies and fragments of the scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...data.arrays import ReadOnlyArrays
from ...data.job import Body, Collider, Job
from ...data.motion import Motion
from ...data.recording import NEVER, Recording, Track
from ...data.surface import Surface
from ...numerics.rotations import conjugate, interpolated_pose, multiply, pose_on_track
from ...rigid.world import World


@dataclass(frozen=True)
class Mover(ReadOnlyArrays):
    """A rigid body or fragment with its motion from the rigid run.

    Attributes:
        collider: Its shape and its track.
        center: (3,) m, point of its surface that the track moves.
        first, last: Rows of the first frame with it and of the first frame after it.
    """

    collider: Collider
    center: np.ndarray
    first: int
    last: int


def rigid_movers(bodies: Sequence[Body], recording: Recording) -> list[Mover]:
    """Return the bodies of a rigid run until they break, and their fragments from then on."""
    start, result = recording.frame_start, []
    for body, track in zip(bodies, recording.bodies, strict=True):
        last = min(track.break_frame - start, len(track.poses))
        result.append(Mover(_collider(body, body.surface, track.poses), track.center, 0, last))
    for fragment in recording.fragments:
        last = min(fragment.death_frame - start, len(fragment.poses))
        shape = _collider(bodies[fragment.body], fragment.surface, fragment.poses)
        result.append(Mover(shape, np.zeros(3), fragment.birth_frame - start, last))
    return result


def _collider(body: Body, surface: Surface, poses: np.ndarray) -> Collider:
    material = body.material
    return Collider(body.name, surface, "mesh", 0.0, material.friction, material.restitution, poses)


class Colliders:
    """Colliders of deformable bodies over time.

    Attributes:
        colliders: K colliders, those of the job and then the movers'.
        centers: (K, 3) m, rest space, point of each that its pose moves.
        any_free: Whether a collider is free.
        any_moves: Whether a collider has a track.
    """

    def __init__(self, job: Job, movers: Sequence[Mover] = ()):
        self._job, self._movers = job, movers
        self.colliders = [*job.colliders, *(item.collider for item in movers)]
        self.any_free = any(item.mass > 0.0 for item in job.colliders)
        self.any_moves = any(item.track is not None for item in self.colliders)
        points = np.concatenate([body.surface.points for body in job.bodies])
        sizes = [body.surface.diagonal for body in job.bodies]
        mass = max([item.mass for item in job.colliders], default=0.0) or 1.0
        self._world = World(job.gravity, float(np.median(sizes)), mass)
        added = [self._world.add_collider(item, points.mean(axis=0)) for item in job.colliders]
        self._keys = [key for key, _ in added]
        centers = [*(properties.center for _, properties in added), *(item.center for item in movers)]
        self.centers = np.array(centers).reshape(-1, 3)
        count = job.frame_end - job.frame_start + 1
        self._poses = {row: np.zeros((count, 7)) for row, item in enumerate(job.colliders) if item.mass > 0.0}

    def motions(self, row: float, seconds: float) -> list[Motion | None]:
        """Return the mean motion of each collider over a time step; ``None`` for one that is absent.

        Args:
            row: Start of the step, in frames since the first frame.
            seconds: Length of the step.
        """
        result: list[Motion | None] = []
        for index, item in enumerate(self.colliders):
            mover = self._movers[index - len(self._keys)] if index >= len(self._keys) else None
            if mover is not None and not mover.first <= row < mover.last:
                result.append(None)
            elif item.mass > 0.0:
                key = self._keys[index]
                result.append(Motion(self._world.pose(key), *self._world.velocities(key)))
            elif item.track is not None:
                start, end = (
                    self._pose_on_track(item.track, index, row + ahead * self._job.frame_rate * seconds)
                    for ahead in (0, 1)
                )
                velocity, spin = (end[:3] - start[:3]) / seconds, _rotation_vector(start[3:], end[3:]) / seconds
                result.append(Motion(start, velocity, spin))
            else:
                pose = np.concatenate([self.centers[index], [1.0, 0.0, 0.0, 0.0]])
                result.append(Motion(pose, np.zeros(3), np.zeros(3)))
        return result

    def advance(self, row: float, seconds: float, impulses: np.ndarray) -> None:
        """Apply impulses to free colliders, move kinematic ones, and advance the rigid world.

        Args:
            row: End of the step, in frames since the first frame.
            seconds: Length of the step.
            impulses: (K, 3) N s, on each collider.
        """
        if not self.any_free:
            return
        for index, (item, key) in enumerate(zip(self._job.colliders, self._keys, strict=True)):
            if item.mass > 0.0 and impulses[index].any():
                self._world.push(key, impulses[index], self._world.pose(key)[:3])
            elif item.track is not None and not item.mass > 0.0:
                self._world.move_to(key, self._pose_on_track(item.track, index, row))
        self._world.step(seconds)

    def record(self, frame: int) -> None:
        """Record the poses of the free colliders on a frame."""
        for row, poses in self._poses.items():
            poses[frame] = self._world.pose(self._keys[row])

    def tracks(self) -> tuple[Track, ...]:
        """Return the tracks of the free colliders."""
        return tuple(
            Track(self._job.colliders[row].name, self.centers[row], NEVER, poses) for row, poses in self._poses.items()
        )

    def _pose_on_track(self, track: np.ndarray, index: int, row: float) -> np.ndarray:
        """Return the pose (7,) of a collider at a time in frames since the first frame."""
        if index < len(self._keys):
            return pose_on_track(track, min(row, len(track) - 1), self.centers[index])
        low = min(int(row), len(track) - 1)
        return interpolated_pose(track[low], track[min(low + 1, len(track) - 1)], row - low)


def _rotation_vector(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return the rotation vector (3,) rad from one quaternion to another."""
    turn = multiply(end, conjugate(start))
    turn = turn if turn[0] >= 0.0 else -turn
    sine = float(np.linalg.norm(turn[1:]))
    return turn[1:] * (2.0 * np.arctan2(sine, turn[0]) / sine if sine > 0.0 else 2.0)
