"""Bodies that deform for the whole shot: a lattice each, among colliders and in the wind.

They know no fragments while they move. When all frames are done, the surface is cut along what broke, and the points of
each piece go along with the cells they lie in: before a cell breaks with itself, behind that with the nearest one of
its piece that is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from . import fragments, method
from .embedding import Embedding, embed
from .errors import SettingsError
from .job import Collider, Job
from .piece import Breakable
from .pose import along, conjugate, matrices, multiply
from .recording import Deformed, Recording, Track
from .surface import joined
from .wind import push
from .world import World

# Wind and free projectiles are looked at so many times a frame.
LOOKS = 20

Progress = Callable[[str, float], None]


def is_deformable(job: Job) -> bool:
    """Whether a job's bodies deform for the whole shot.

    Raises:
        SettingsError: Some do and some do not, or not as a lattice.
    """
    kinds = {body.settings.dynamics for body in job.bodies}
    for kind in sorted(kinds - {"rigid", "deformable"}):
        raise SettingsError(f"there are no dynamics '{kind}'; use rigid or deformable")
    if len(kinds) > 1:
        raise SettingsError(
            "some of the objects are deformable and some are not, and they would pass through each other; "
            "make all of them deformable, or none"
        )
    for body in job.bodies:
        if kinds == {"deformable"} and body.settings.method != "lattice":
            raise SettingsError(
                f"'{body.name}' is to deform for the whole shot, which only a lattice can; choose the method Lattice"
            )
    return kinds == {"deformable"}


def simulate(job: Job, breakables: Sequence[Breakable], progress: Progress) -> Recording:
    """Let deformable bodies move, flex and break from the first frame to the last.

    Args:
        job: Of deformable bodies only.
        breakables: Its bodies, ready.
        progress: Called with the stage's name and the share that is done.
    """
    count = job.frame_end - job.frame_start + 1
    colliders = _Colliders(job)
    soft = method.named("lattice").SoftBodies(
        [item.model for item in breakables], job.bodies, job.colliders, colliders.centers, job.glues
    )
    skins = [embed(item.surface.points, item.model.model.lattice.points, item.model.corners)[0] for item in breakables]
    histories = [_History(np.empty((count, *soft.nodes(row)[0].shape), np.float32)) for row in range(len(breakables))]
    for frame in range(count):
        progress("Simulating", 0.8 * frame / count)
        for row, history in enumerate(histories):
            history.note(frame, soft.nodes(row)[0], soft.whole(row))
        colliders.record(frame)
        if frame + 1 < count:
            _advance_frame(job, soft, colliders, breakables, skins, frame)
    progress("Cutting", 0.8)
    deformed, reports = [], []
    for row, (item, history) in enumerate(zip(breakables, histories, strict=True)):
        labels = soft.labels(row)
        pieces = fragments.cut(item.surface, item.solid, labels, item.body.settings)
        deformed.append(_deformed(row, item, pieces, labels, history))
        reports.append(_report(item, len(pieces), fragments.volume_error(item.surface, pieces)))
        progress("Cutting", 0.8 + 0.2 * (row + 1) / len(breakables))
    still = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (count, 1))
    tracks = tuple(Track(body.name, np.zeros(3), job.frame_start, still) for body in job.bodies)
    return Recording(
        job.frame_start, tracks, colliders.tracks(), (), {"bodies": reports, "warnings": []}, tuple(deformed)
    )


def _advance_frame(job: Job, soft, colliders: _Colliders, breakables, skins: Sequence[Embedding], frame: int) -> None:
    gravity = job.gravity_track[frame] if len(job.gravity_track) else job.gravity
    stiffness = [body.stiffness_track[frame] if len(body.stiffness_track) else 1.0 for body in job.bodies]
    looks = LOOKS if job.winds or colliders.any_free or colliders.any_moves else 1
    seconds = 1.0 / (job.frame_rate * looks)
    for look in range(looks):
        share = frame + look / looks
        for row, body in enumerate(job.bodies):
            if body.track is not None:
                soft.carry(row, _carried(body.track, share + 1.0 / looks, breakables[row].model.model.lattice.points))
        blown = _blown(job, soft, breakables, skins, share / job.frame_rate) if job.winds else None
        given = soft.advance(seconds, gravity, stiffness, colliders.motions(share, seconds), blown)
        colliders.advance(share + 1.0 / looks, seconds, -given)


def _carried(track: np.ndarray, row: float, points: np.ndarray) -> np.ndarray:
    center = points.mean(axis=0)
    pose = along(track, row, center)
    return pose[:3] + (points - center) @ matrices(pose[3:]).T


def _blown(job: Job, soft, breakables: Sequence[Breakable], skins: Sequence[Embedding], time: float) -> np.ndarray:
    """(N, 3) N on all nodes: what the wind does to each face, shared among the nodes that carry its corners."""
    result = np.zeros((len(soft.masses), 3))
    for row, (item, skin) in enumerate(zip(breakables, skins, strict=True)):
        positions, velocities = soft.nodes(row)
        forces = push(job.winds, skin.points(positions), skin.points(velocities), item.surface.faces, time)
        nodes = soft.rows(row)[skin.corners]
        for corner in range(4):
            np.add.at(result, nodes[:, corner], skin.weights[:, corner, None] * forces)
    return result


class _Colliders:
    """Where the colliders are: still, as their tracks say, or flying freely in a rigid world of their own."""

    def __init__(self, job: Job):
        self._job = job
        self.any_free = any(item.mass > 0.0 for item in job.colliders)
        self.any_moves = any(item.track is not None for item in job.colliders)
        points = np.concatenate([body.surface.points for body in job.bodies])
        sizes = [body.surface.diagonal for body in job.bodies]
        mass = max([item.mass for item in job.colliders], default=0.0) or 1.0
        self._world = World(job.gravity, float(np.median(sizes)), mass)
        added = [self._world.add_collider(item, points.mean(axis=0)) for item in job.colliders]
        self._keys = [key for key, _ in added]
        self.centers = np.array([properties.center for _, properties in added]).reshape(-1, 3)
        count = job.frame_end - job.frame_start + 1
        self._poses = {row: np.zeros((count, 7)) for row, item in enumerate(job.colliders) if item.mass > 0.0}

    def motions(self, row: float, seconds: float) -> list:
        """How each moves at a time, in frames since the first one, over the next so many seconds."""
        kind = method.named("lattice").Motion
        result = []
        for index, (item, key) in enumerate(zip(self._job.colliders, self._keys, strict=True)):
            if item.mass > 0.0:
                result.append(kind(self._world.pose(key), *self._world.velocities(key)))
            elif item.track is not None:
                now, then = (self._along(item, index, row + ahead * self._job.frame_rate * seconds) for ahead in (0, 1))
                result.append(kind(now, (then[:3] - now[:3]) / seconds, _spin(now[3:], then[3:]) / seconds))
            else:
                pose = np.concatenate([self.centers[index], [1.0, 0.0, 0.0, 0.0]])
                result.append(kind(pose, np.zeros(3), np.zeros(3)))
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
            Track(self._job.colliders[row].name, self.centers[row], -1, poses) for row, poses in self._poses.items()
        )

    def _along(self, item: Collider, index: int, row: float) -> np.ndarray:
        return along(item.track, min(row, len(item.track) - 1), self.centers[index])


def _spin(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(3,) rad, the turn from one quaternion to another as a vector."""
    turn = multiply(end, conjugate(start))
    turn = turn if turn[0] >= 0.0 else -turn
    sine = float(np.linalg.norm(turn[1:]))
    return turn[1:] * (2.0 * np.arctan2(sine, turn[0]) / sine if sine > 0.0 else 2.0)


@dataclass
class _History:
    """What became of a body's lattice.

    Attributes:
        nodes: (T, N, 3) float32 m.
        broken: (K,) frame on which a cell was first found broken; T for never.
    """

    nodes: np.ndarray
    broken: np.ndarray | None = None

    def note(self, frame: int, positions: np.ndarray, whole: np.ndarray) -> None:
        """Take down a frame."""
        self.nodes[frame] = positions
        if self.broken is None:
            self.broken = np.full(len(whole), len(self.nodes))
        self.broken[~whole & (self.broken > frame)] = frame


def _deformed(
    row: int, item: Breakable, pieces: Sequence[fragments.Piece], labels: np.ndarray, history: _History
) -> Deformed:
    body, count = item.model, len(history.nodes)
    rest = body.model.lattice.points
    broken = history.broken[body.owners]
    tracks = []
    for piece in pieces:
        points = piece.surface.points
        mine = np.flatnonzero(labels == piece.label)
        first, cell = embed(points, rest, body.corners[mine])
        whole = mine[broken[mine] == count]
        # What is crushed throughout has nothing whole to go along with, and keeps to its own cells.
        then = embed(points, rest, body.corners[whole])[0] if len(whole) else first
        until = broken[mine][cell]
        path = np.empty((count, len(points), 3), np.float32)
        for frame, nodes in enumerate(history.nodes):
            path[frame] = np.where((frame < until)[:, None], first.points(nodes), then.points(nodes))
        tracks.append(path)
    surface = joined([piece.surface for piece in pieces])
    numbers = np.repeat(np.arange(len(pieces), dtype=np.int32), [len(piece.surface.faces) for piece in pieces])
    interior = np.concatenate([piece.interior for piece in pieces])
    return Deformed(row, surface, interior, numbers, np.concatenate(tracks, axis=1))


def _report(item: Breakable, piece_count: int, error: float) -> dict:
    return {
        "name": item.body.name,
        "cells": item.solid.cell_count,
        "bonds": item.model.model.lattice.bond_count,
        "fragments": piece_count,
        "dust_count": 0,
        "dust_volume": 0.0,
        "volume_error": float(error),
        "load_factor": 0.0,
        "solve_count": 0,
        "breaks": int(piece_count > 1),
        "repair": dict(item.repair),
        "warnings": [],
    }
