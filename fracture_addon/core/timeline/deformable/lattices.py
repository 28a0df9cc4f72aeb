"""Run of deformable bodies of the lattice method, among colliders and in the wind.

The bodies have no fragments while they move; ``surfaces.cut_body`` finds them after the last frame.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...data.errors import SettingsError, about
from ...data.job import Job
from ...data.recording import Recording, Track
from ...data.surface import area_vectors
from ...fields.airflow import push
from ...geometry.embedding import Embedding, embed
from ...methods.lattice.method import least_blow, usual_step
from ...methods.lattice.whole_shot import SoftBodies
from ...numerics.rotations import along, matrices
from ..rigid_fragment import Breakable
from .checkpoints import Checkpoint, Checkpoints
from .colliders import Mover, SoftColliders
from .impacts import AuthoredImpacts, ImpactTarget
from .surfaces import History, cut_body

# Updates of wind, free projectiles and kinematic bodies in a frame. Chosen; not measured.
UPDATES = 20
# Most steps in a frame of lattices. Porcelain 0.1 m long in 600 cells takes 2,000 with the default softening and 64,000
# without softening; a step of 600 cells takes 40 to 150 microseconds (measured).
MOST_STEPS = 20_000
# Largest softening (``Settings.softening``).
LARGEST_SOFTENING = 1e6
# Largest area of a face in the wind over its area at rest. A face whose corners are on different fragments is torn: it
# stretches without limit, and its drag would grow with the distance of the fragments. Chosen; not measured.
MOST_STRETCH = 2.0
# Share of the progress after the simulation; the rest is cutting. Chosen.
SIMULATED = 0.8

Progress = Callable[[str, float], None]


def simulate(
    job: Job,
    breakables: Sequence[Breakable],
    progress: Progress,
    movers: Sequence[Mover] = (),
    folder: Path | None = None,
) -> Recording:
    """Run deformable bodies from the first frame to the last.

    Args:
        job: A job of deformable bodies only.
        breakables: Its bodies.
        progress: Called with the name of the stage and the share that is done.
        movers: Rigid bodies that push them.
        folder: Folder of checkpoints; ``None`` for none.

    Raises:
        SettingsError: A body is too stiff, or a setting is invalid.
    """
    count = job.frame_end - job.frame_start + 1
    _check_steps(job, breakables)
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
    skins = [_Skin.of(item) for item in breakables]
    histories = [History.of(count, item.node_count, len(item.cells)) for item in lattices]
    # Checkpoints do not contain the state of a free projectile: with one, a run cannot continue.
    checkpoints = Checkpoints(None if colliders.any_free else folder, job, (tuple(lattices), job.glues))
    impacts = AuthoredImpacts(job, breakables)
    first = _resume(checkpoints.latest(), soft, histories)
    for frame in range(first, count):
        progress("Simulating", SIMULATED * frame / count)
        if frame == 0 or frame > first:
            for row, history in enumerate(histories):
                history.record(frame, soft.nodes(row)[0], soft.intact_cells(row), soft.isolated_nodes(row))
            if not soft.under_impact:
                checkpoints.save(Checkpoint(frame, soft.snapshot(), tuple(item.until(frame) for item in histories)))
        colliders.record(frame)
        if frame + 1 < count:
            impacts.start(frame, lambda row: _target(breakables[row], soft, row))
            _advance_frame(job, soft, colliders, breakables, skins, frame)
    results = []
    for row, (item, history) in enumerate(zip(breakables, histories, strict=True)):
        progress(f"Cutting '{item.body.name}'", SIMULATED + (1.0 - SIMULATED) * row / len(breakables))
        with about(item.body.name):
            results.append(cut_body(row, item, soft.labels(row), history))
    still = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (count, 1))
    tracks = tuple(Track(body.name, np.zeros(3), job.frame_start, still) for body in job.bodies)
    report = {"bodies": [body_report for _, body_report in results], "warnings": checkpoints.warnings}
    deformed = tuple(body for body, _ in results)
    return Recording(job.frame_start, tracks, colliders.tracks(), (), report, deformed)


@dataclass(frozen=True)
class _Skin:
    """The surface of a body, which follows its lattice.

    Attributes:
        embedding: Of the surface's points in the lattice.
        most_areas: (F,) m2, largest area of each face that the wind pushes.
    """

    embedding: Embedding
    most_areas: np.ndarray

    @classmethod
    def of(cls, item: Breakable) -> _Skin:
        """Return the skin of a body at rest."""
        controls = item.model.control_points(item.model.model.lattice.points)
        embedding, _ = embed(item.surface.points, controls, item.model.corners)
        return cls(embedding, MOST_STRETCH * np.linalg.norm(area_vectors(item.surface), axis=1))


def _check_steps(job: Job, breakables: Sequence[Breakable]) -> None:
    """Refuse lattices that are too stiff.

    Raises:
        SettingsError: A body takes more than ``MOST_STEPS`` in a frame.
    """
    for item in breakables:
        name, softening = item.body.name, item.body.settings.softening
        steps = 1.0 / (job.frame_rate * usual_step(item.model, softening))
        if steps > MOST_STEPS:
            # The number of steps goes with the root of the stiffness; 2 % are a margin for rounding.
            enough = 1.02 * softening * (steps / MOST_STEPS) ** 2
            softer = f"set its Softening to {enough:.3g} or more, or " if enough <= LARGEST_SOFTENING else ""
            raise SettingsError(
                f"'{name}' would take {steps:,.0f} steps in a frame, and the limit of a lattice is {MOST_STEPS:,}; "
                f"{softer}lower its detail"
            )


def _target(item: Breakable, soft: Any, row: int) -> ImpactTarget:
    """Return a body as the target of an impact."""
    body, masses = item.model, item.model.model.masses
    return ImpactTarget(
        body.model.lattice.points,
        soft.nodes(row)[0],
        masses,
        float(masses.sum()),
        body.spacing,
        lambda impact: least_blow(body, item.body.settings, impact),
        lambda impact, _: soft.add_impact(row, impact, impact.duration),
    )


def _resume(checkpoint: Checkpoint | None, soft: Any, histories: Sequence[History]) -> int:
    """Restore the state of a checkpoint, and return its frame; 0 without one."""
    if checkpoint is None:
        return 0
    soft.restore(checkpoint.state)
    for history, values in zip(histories, checkpoint.histories, strict=True):
        history.restore(values)
    return checkpoint.frame


def _advance_frame(
    job: Job,
    soft: Any,
    colliders: SoftColliders,
    breakables: Sequence[Breakable],
    skins: Sequence[_Skin],
    frame: int,
) -> None:
    gravity = job.gravity_track[frame] if len(job.gravity_track) else job.gravity
    stiffness = [body.stiffness_track[frame] if len(body.stiffness_track) else 1.0 for body in job.bodies]
    tracks = {row: body.track for row, body in enumerate(job.bodies) if body.track is not None and len(body.track) > 1}
    updates = UPDATES if job.winds or colliders.any_free or colliders.any_moves or tracks else 1
    seconds = 1.0 / (job.frame_rate * updates)
    for update in range(updates):
        time = frame + update / updates
        for row, track in tracks.items():
            soft.move_fixed_nodes(row, _nodes_on_track(track, time + 1.0 / updates, breakables[row]))
        wind = _wind_forces(job, soft, breakables, skins, time / job.frame_rate) if job.winds else None
        impulses = soft.advance(seconds, gravity, stiffness, colliders.motions(time, seconds), wind)
        colliders.advance(time + 1.0 / updates, seconds, -impulses)


def _nodes_on_track(track: np.ndarray, row: float, item: Breakable) -> np.ndarray:
    """Return the nodes (N, 3) m of a body that moves rigidly along its track, at a time in frames."""
    center = track[0, :3]
    pose = along(track, row, center)
    return pose[:3] + (item.model.model.lattice.points - center) @ matrices(pose[3:]).T


def _wind_forces(
    job: Job, soft: Any, breakables: Sequence[Breakable], skins: Sequence[_Skin], seconds: float
) -> np.ndarray:
    """Return the wind forces (N, 3) N on all nodes; each face's force is shared among the nodes of its corners."""
    result = np.zeros((len(soft.masses), 3))
    for row, (item, skin) in enumerate(zip(breakables, skins, strict=True)):
        body, (positions, velocities) = item.model, soft.nodes(row)
        # The surface point has about the velocity of its node.
        embedding = skin.embedding
        speeds = embedding.points(velocities[body.carriers])
        points = embedding.points(body.control_points(positions))
        forces = push(job.winds, points, speeds, item.surface.faces, seconds, skin.most_areas)
        nodes = soft.node_rows(row)[body.carriers[embedding.corners]]
        for corner in range(4):
            np.add.at(result, nodes[:, corner], embedding.weights[:, corner, None] * forces)
    return result
