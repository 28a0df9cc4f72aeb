"""Run of deformable bodies of the finite-element method: a mesh each, with contact among them, colliders and wind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...cutting import fragments
from ...data.errors import about
from ...data.job import Body, Job
from ...data.recording import Deformed, Recording, Track
from ...data.surface import joined
from ...fields.airflow import push
from ...geometry.embedding import embed
from ...methods.fem.between_bodies import Between
from ...methods.fem.effort import Effort
from ...methods.fem.method import least_blow
from ...methods.fem.whole_shot import Shot
from ...numerics.rotations import along, matrices
from ..rigid_fragment import Breakable
from .colliders import Mover, SoftColliders
from .impacts import AuthoredImpacts, ImpactTarget

# Updates of colliders, wind and contact in a frame. Chosen; not measured.
UPDATES = 40
# The same if no collider moves and there is no wind. Chosen; not measured.
UPDATES_AT_REST = 8
# Share of the progress after the simulation; the rest is cutting. Chosen.
SIMULATED = 0.8

Progress = Callable[[str, float], None]


def simulate(job: Job, breakables: Sequence[Breakable], progress: Progress, movers: Sequence[Mover] = ()) -> Recording:
    """Run deformable bodies from the first frame to the last.

    Finite elements support neither glue nor keyed stiffness nor checkpoints; the report warns of these.

    Args:
        job: A job of deformable bodies only.
        breakables: Its bodies.
        progress: Called with the name of the stage and the share that is done.
        movers: Rigid bodies that push them.
    """
    count = job.frame_end - job.frame_start + 1
    colliders = SoftColliders(job, movers)
    effort = Effort(count, sum(item.solid.cell_count for item in breakables))
    known = colliders.colliders, colliders.centers, effort
    shots = [
        Shot(item.model, replace(body, surface=item.surface), *known)
        for body, item in zip(job.bodies, breakables, strict=True)
    ]
    between = Between(shots, effort)
    impacts = AuthoredImpacts(job, breakables)
    warnings = _unsupported(job)
    for frame in range(count):
        progress("Simulating", SIMULATED * frame / count)
        for shot in shots:
            shot.record()
        colliders.record(frame)
        if frame + 1 < count:
            impacts.start(frame, lambda row: _target(breakables[row], shots[row]))
            had_time = not effort.is_spent
            _advance_frame(job, shots, between, colliders, effort, frame)
            if had_time and effort.is_spent:
                warnings.append(_effort_spent(job, frame))
    results = []
    for row, (item, shot) in enumerate(zip(breakables, shots, strict=True)):
        progress(f"Cutting '{item.body.name}'", SIMULATED + (1.0 - SIMULATED) * row / len(breakables))
        with about(item.body.name):
            results.append(_cut_body(row, item, shot.result()))
    still = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (count, 1))
    tracks = tuple(Track(body.name, np.zeros(3), job.frame_start, still) for body in job.bodies)
    report = {"bodies": [body_report for _, body_report in results], "warnings": warnings}
    deformed = tuple(body for body, _ in results)
    return Recording(job.frame_start, tracks, colliders.tracks(), (), report, deformed)


def _unsupported(job: Job) -> list[str]:
    """Return a warning about the features of the scene that have no effect."""
    found = {
        "glue": bool(job.glues),
        "keyed stiffness": any(len(body.stiffness_track) for body in job.bodies),
        "checkpoints": job.checkpoint_interval > 0 or job.continue_from is not None,
    }
    names = ", ".join(name for name, used in found.items() if used)
    return [f"deformable finite elements do not support {names}; choose the method Lattice"] if names else []


def _effort_spent(job: Job, frame: int) -> str:
    """Return a warning that the effort is spent in a frame, counted from the job's first frame."""
    names = ", ".join(f"'{body.name}'" for body in job.bodies)
    return (
        f"{names}: frame {job.frame_start + frame} and those after it went on in long steps, which follow no waves, as "
        "the shot had taken all its small ones; raise the softening, lower the detail, or take bodies out of each other"
    )


def _target(item: Breakable, shot: Any) -> ImpactTarget:
    """Return a body as the target of an impact."""
    solid = shot.mesh.mass > 0.0
    return ImpactTarget(
        shot.mesh.rest[solid],
        shot.mesh.position[solid],
        shot.masses[solid],
        item.volume * item.body.material.density,
        shot.size,
        lambda impact: least_blow(item.model, item.body.settings, impact),
        lambda impact, point: shot.strike(replace(impact, point=point)),
    )


def _advance_frame(
    job: Job, shots: Sequence[Shot], between: Between, colliders: SoftColliders, effort: Effort, frame: int
) -> None:
    gravity = job.gravity_track[frame] if len(job.gravity_track) else np.asarray(job.gravity)
    busy = colliders.any_free or colliders.any_moves or job.winds
    updates = UPDATES if busy and not effort.is_spent else UPDATES_AT_REST
    seconds = 1.0 / (job.frame_rate * updates)
    for update in range(updates):
        time = frame + update / updates
        for shot in shots if job.winds else ():
            mesh = shot.mesh
            shot.set_wind(push(job.winds, mesh.position, mesh.velocity, shot.faces(), time / job.frame_rate))
        # Shorter steps, so that bodies do not pass through one another; 0 if no two are near.
        contact_steps = between.push_count(seconds)
        steps = max(contact_steps, 1)
        for step in range(steps):
            _advance(job, shots, colliders, gravity, time + step / (updates * steps), seconds / steps)
            if contact_steps:
                between.push(seconds / contact_steps)


def _advance(
    job: Job, shots: Sequence[Any], colliders: SoftColliders, gravity: np.ndarray, time: float, seconds: float
) -> None:
    """Advance bodies and colliders by ``seconds`` from a time in frames since the first frame."""
    end = time + seconds * job.frame_rate
    motions = colliders.motions(time, seconds)
    impulses = np.zeros((len(motions), 3))
    for body, shot in zip(job.bodies, shots, strict=True):
        with about(body.name):
            impulses += shot.advance(seconds, gravity, motions, _points_on_track(body, end, shot.pinned_rest))
    colliders.advance(end, seconds, impulses)


def _points_on_track(body: Body, row: float, rest: np.ndarray) -> np.ndarray | None:
    """Return points (F, 3) m that move rigidly along a body's track, at a time in frames; ``None`` without a track."""
    if body.track is None or len(body.track) < 2:
        return None
    center = body.track[0, :3]
    pose = along(body.track, row, center)
    return pose[:3] + (rest - center) @ matrices(pose[3:]).T


def _cut_body(row: int, item: Breakable, shown: Any) -> tuple[Deformed, dict[str, object]]:
    """Cut a body's surface along its cracks; return its fragments in motion, and the report on the body."""
    parts = fragments.cut(item.surface, shown.solid, shown.fragment_of_cell, item.body.settings)
    tracks = []
    for part in parts:
        mine = shown.fragment_of_cell == part.label
        # A fragment without intact cells keeps to its own.
        cells = shown.cells[mine & shown.intact] if (mine & shown.intact).any() else shown.cells[mine]
        skin = embed(part.surface.points, shown.rest, cells)[0]
        tracks.append(np.stack([skin.points(nodes) for nodes in shown.paths]).astype(np.float32))
    surface = joined([part.surface for part in parts])
    numbers = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part.surface.faces) for part in parts])
    interior = np.concatenate([part.interior for part in parts])
    report: dict[str, object] = {
        "name": item.body.name,
        "cells": shown.solid.cell_count,
        "bonds": shown.solid.face_count,
        "fragments": len(parts),
        "dust_count": 0,
        "dust_volume": 0.0,
        "volume_error": float(fragments.volume_error(item.surface, parts)),
        "load_factor": 0.0,
        "solve_count": 0,
        "breaks": int(len(parts) > 1),
        "repair": dict(item.repair),
        "warnings": [],
    }
    return Deformed(row, surface, interior, numbers, np.concatenate(tracks, axis=1)), report
