"""What deformable bodies run into: still, on tracks, flying freely, or rigid bodies and pieces of the same scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...data.job import Body, Collider, Job
from ...data.motion import Motion
from ...data.recording import NEVER, Recording, Track
from ...numerics.rotations import along, between, conjugate, multiply
from ...rigid.world import World


@dataclass(frozen=True)
class Mover:
    """A rigid body, or a piece of one, on the way that it took in a run of its own.

    Attributes:
        collider: Its shape and its track.
        center: (3,) the point of its surface that the track is of.
        first, last: Rows of frames from which and before which it is there.
    """

    collider: Collider
    center: np.ndarray
    first: int
    last: int


def movers(bodies: Sequence[Body], recording: Recording) -> list[Mover]:
    """The bodies of a rigid run until they break, and their pieces from then on."""
    start, result = recording.frame_start, []
    for body, track in zip(bodies, recording.bodies, strict=True):
        last = min(track.break_frame - start, len(track.poses))
        result.append(Mover(_collider(body, body.surface, track.poses), track.center, 0, last))
    for piece in recording.fragments:
        last = min(piece.death_frame - start, len(piece.poses))
        shape = _collider(bodies[piece.body], piece.surface, piece.poses)
        result.append(Mover(shape, np.zeros(3), piece.birth_frame - start, last))
    return result


def _collider(body: Body, surface, poses: np.ndarray) -> Collider:
    material = body.material
    return Collider(body.name, surface, "mesh", 0.0, material.friction, material.restitution, poses)


class SoftColliders:
    """All of them over time, in the order of ``colliders``.

    Attributes:
        colliders: Those of the job, and then the movers'.
        centers: (K, 3) the point of each that its pose is of, rest space.
        any_free, any_moves: Whether one flies freely, or moves at all.
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

    def motions(self, row: float, seconds: float) -> list:
        """How each moves at a time, in frames since the first one, over the next so many seconds; ``None`` if absent.

        Args:
            row: Time.
            seconds: Ahead.
        """
        result = []
        for index, item in enumerate(self.colliders):
            mover = self._movers[index - len(self._keys)] if index >= len(self._keys) else None
            if mover is not None and not mover.first <= row < mover.last:
                result.append(None)
            elif item.mass > 0.0:
                key = self._keys[index]
                result.append(Motion(self._world.pose(key), *self._world.velocities(key)))
            elif item.track is not None:
                now, then = (self._along(item, index, row + ahead * self._job.frame_rate * seconds) for ahead in (0, 1))
                result.append(Motion(now, (then[:3] - now[:3]) / seconds, _spin(now[3:], then[3:]) / seconds))
            else:
                pose = np.concatenate([self.centers[index], [1.0, 0.0, 0.0, 0.0]])
                result.append(Motion(pose, np.zeros(3), np.zeros(3)))
        return result

    def advance(self, row: float, seconds: float, impulses: np.ndarray) -> None:
        """Let what is free take (K, 3) impulses, N s, and go on; send what is animated to where it has to be."""
        if not self.any_free:
            return
        for index, (item, key) in enumerate(zip(self._job.colliders, self._keys, strict=True)):
            if item.mass > 0.0 and impulses[index].any():
                self._world.push(key, impulses[index], self._world.pose(key)[:3])
            elif item.track is not None and not item.mass > 0.0:
                self._world.move_to(key, self._along(item, index, row))
        self._world.step(seconds)

    def record(self, frame: int) -> None:
        """Note the poses of a frame."""
        for row, poses in self._poses.items():
            poses[frame] = self._world.pose(self._keys[row])

    def tracks(self) -> tuple[Track, ...]:
        """Of those that fly freely."""
        return tuple(
            Track(self._job.colliders[row].name, self.centers[row], NEVER, poses) for row, poses in self._poses.items()
        )

    def _along(self, item: Collider, index: int, row: float) -> np.ndarray:
        if index < len(self._keys):
            return along(item.track, min(row, len(item.track) - 1), self.centers[index])
        low = min(int(row), len(item.track) - 1)
        return between(item.track[low], item.track[min(low + 1, len(item.track) - 1)], row - low)


def _spin(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(3,) rad, the turn from one quaternion to another as a vector."""
    turn = multiply(end, conjugate(start))
    turn = turn if turn[0] >= 0.0 else -turn
    sine = float(np.linalg.norm(turn[1:]))
    return turn[1:] * (2.0 * np.arctan2(sine, turn[0]) / sine if sine > 0.0 else 2.0)
