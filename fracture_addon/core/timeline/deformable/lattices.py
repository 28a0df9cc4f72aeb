"""Bodies that deform for the whole shot: a lattice each, among colliders and in the wind.

They know no fragments while they move; ``deformed`` finds those when all frames are done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...data.errors import about
from ...data.job import Job
from ...data.recording import Recording, Track
from ...fields.airflow import push
from ...geometry.embedding import Embedding, embed
from ...methods.lattice.method import least_blow
from ...methods.lattice.whole_shot import SoftBodies
from ...numerics.rotations import along, matrices
from ..piece import Breakable
from .checkpoints import Checkpoint, Checkpoints
from .colliders import Mover, SoftColliders
from .impacts import Blows, Struck
from .surfaces import History, deformed

# Wind, free projectiles and what moves are looked at so many times a frame.
LOOKS = 20

Progress = Callable[[str, float], None]


def simulate(
    job: Job,
    breakables: Sequence[Breakable],
    progress: Progress,
    movers: Sequence[Mover] = (),
    folder: Path | None = None,
) -> Recording:
    """Let deformable bodies move, flex and break from the first frame to the last.

    Args:
        job: Of deformable bodies only.
        breakables: Its bodies, ready.
        progress: Called with the stage's name and the share that is done.
        movers: Rigid bodies that push them.
        folder: Of checkpoints.
    """
    count = job.frame_end - job.frame_start + 1
    colliders = SoftColliders(job, movers)
    soft = SoftBodies(
        [item.model for item in breakables],
        [replace(body, surface=item.surface) for body, item in zip(job.bodies, breakables, strict=True)],
        colliders.colliders,
        colliders.centers,
        job.glues,
    )
    soft.start(colliders.motions(0.0, 1.0 / job.frame_rate))
    lattices = [item.model.model.lattice for item in breakables]
    skins = [
        embed(item.surface.points, item.model.control_points(lattice.points), item.model.corners)[0]
        for item, lattice in zip(breakables, lattices, strict=True)
    ]
    histories = [History.of(count, item.node_count, len(item.cells)) for item in lattices]
    # A projectile's flight is not kept: with one, a run starts from its beginning.
    checkpoints = Checkpoints(None if colliders.any_free else folder, job, (tuple(lattices), job.glues))
    blows = Blows(job, breakables)
    first = _resume(checkpoints.latest(), soft, histories)
    for frame in range(first, count):
        progress("Simulating", 0.8 * frame / count)
        if frame == 0 or frame > first:
            for row, history in enumerate(histories):
                history.note(frame, soft.nodes(row)[0], soft.intact_cells(row), soft.isolated_nodes(row))
            if not soft.under_impact:
                checkpoints.keep(Checkpoint(frame, soft.snapshot(), tuple(item.until(frame) for item in histories)))
        colliders.record(frame)
        if frame + 1 < count:
            blows.fall(frame, lambda row: _struck(breakables[row], soft, row))
            _advance_frame(job, soft, colliders, breakables, skins, frame)
    parts = []
    for row, (item, history) in enumerate(zip(breakables, histories, strict=True)):
        progress(f"Cutting '{item.body.name}'", 0.8 + 0.2 * row / len(breakables))
        with about(item.body.name):
            parts.append(deformed(row, item, soft.labels(row), history))
    still = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (count, 1))
    tracks = tuple(Track(body.name, np.zeros(3), job.frame_start, still) for body in job.bodies)
    report = {"bodies": [said for _, said in parts], "warnings": checkpoints.warnings}
    return Recording(job.frame_start, tracks, colliders.tracks(), (), report, tuple(shown for shown, _ in parts))


def _struck(item: Breakable, soft, row: int) -> Struck:
    """A body as a blow finds it."""
    body, masses = item.model, item.model.model.masses
    return Struck(
        body.model.lattice.points,
        soft.nodes(row)[0],
        masses,
        float(masses.sum()),
        body.spacing,
        lambda impact: least_blow(body, item.body.settings, impact),
        lambda impact, _: soft.add_impact(row, impact, impact.duration),
    )


def _resume(checkpoint: Checkpoint | None, soft, histories: Sequence[History]) -> int:
    """Go on from a checkpoint; returns its frame, 0 without one."""
    if checkpoint is None:
        return 0
    soft.restore(checkpoint.state)
    for history, values in zip(histories, checkpoint.histories, strict=True):
        history.put_back(values)
    return checkpoint.frame


def _advance_frame(
    job: Job, soft, colliders: SoftColliders, breakables: Sequence[Breakable], skins: Sequence[Embedding], frame: int
) -> None:
    gravity = job.gravity_track[frame] if len(job.gravity_track) else job.gravity
    stiffness = [body.stiffness_track[frame] if len(body.stiffness_track) else 1.0 for body in job.bodies]
    carried = [body.track is not None and len(body.track) > 1 for body in job.bodies]
    looks = LOOKS if job.winds or colliders.any_free or colliders.any_moves or any(carried) else 1
    seconds = 1.0 / (job.frame_rate * looks)
    for look in range(looks):
        share = frame + look / looks
        for row, body in enumerate(job.bodies):
            if carried[row]:
                soft.move_fixed_nodes(row, _carried(body.track, share + 1.0 / looks, breakables[row]))
        blown = _blown(job, soft, breakables, skins, share / job.frame_rate) if job.winds else None
        given = soft.advance(seconds, gravity, stiffness, colliders.motions(share, seconds), blown)
        colliders.advance(share + 1.0 / looks, seconds, -given)


def _carried(track: np.ndarray, row: float, item: Breakable) -> np.ndarray:
    """(N, 3) m, the nodes of a body that moves along its track as one."""
    center = track[0, :3]
    pose = along(track, row, center)
    return pose[:3] + (item.model.model.lattice.points - center) @ matrices(pose[3:]).T


def _blown(job: Job, soft, breakables: Sequence[Breakable], skins: Sequence[Embedding], time: float) -> np.ndarray:
    """(N, 3) N on all nodes: what the wind does to each face, shared among the nodes that carry its corners."""
    result = np.zeros((len(soft.masses), 3))
    for row, (item, skin) in enumerate(zip(breakables, skins, strict=True)):
        body, (positions, velocities) = item.model, soft.nodes(row)
        # What goes along with a node is about as fast as that.
        speeds = skin.points(velocities[body.carriers])
        forces = push(job.winds, skin.points(body.control_points(positions)), speeds, item.surface.faces, time)
        nodes = soft.node_rows(row)[body.carriers[skin.corners]]
        for corner in range(4):
            np.add.at(result, nodes[:, corner], skin.weights[:, corner, None] * forces)
    return result
