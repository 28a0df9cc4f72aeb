"""Bodies that deform for the whole shot as finite elements: a mesh each, among one another, colliders and wind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

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
from ..piece import Breakable
from .colliders import Mover, SoftColliders
from .impacts import Blows, Struck

# Looks a frame at what moves: where nothing moves by itself a few do, for steps as long.
LOOKS, LOOKS_AT_REST = 40, 8

Progress = Callable[[str, float], None]


def simulate(job: Job, breakables: Sequence[Breakable], progress: Progress, movers: Sequence[Mover] = ()) -> Recording:
    """Let deformable bodies move, flex, flow and break from the first frame to the last; see ``deformable.simulate``.

    Finite elements know nothing of glue, keyed stiffness and checkpoints; the report says so.
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
    blows = Blows(job, breakables)
    warnings = _left_out(job)
    for frame in range(count):
        progress("Simulating", 0.8 * frame / count)
        for shot in shots:
            shot.record()
        colliders.record(frame)
        if frame + 1 < count:
            blows.fall(frame, lambda row: _struck(breakables[row], shots[row]))
            had_time = not effort.is_spent
            _advance_frame(job, shots, between, colliders, effort, frame)
            if had_time and effort.is_spent:
                warnings.append(_hurried(job, frame))
    parts = []
    for row, (item, shot) in enumerate(zip(breakables, shots, strict=True)):
        progress(f"Cutting '{item.body.name}'", 0.8 + 0.2 * row / len(breakables))
        with about(item.body.name):
            parts.append(_deformed(row, item, shot.result()))
    still = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (count, 1))
    tracks = tuple(Track(body.name, np.zeros(3), job.frame_start, still) for body in job.bodies)
    report = {"bodies": [said for _, said in parts], "warnings": warnings}
    return Recording(job.frame_start, tracks, colliders.tracks(), (), report, tuple(shown for shown, _ in parts))


def _left_out(job: Job) -> list[str]:
    """What of the scene has no effect."""
    found = {
        "glue": bool(job.glues),
        "keyed stiffness": any(len(body.stiffness_track) for body in job.bodies),
        "checkpoints": job.checkpoint_interval > 0 or job.continue_from is not None,
    }
    names = ", ".join(name for name, there in found.items() if there)
    return [f"deformable finite elements take no notice of {names}; the method Lattice does"] if names else []


def _hurried(job: Job, frame: int) -> str:
    """What to say where the effort is spent on a frame, counted from the job's first on."""
    names = ", ".join(f"'{body.name}'" for body in job.bodies)
    return (
        f"{names}: frame {job.frame_start + frame} and those after it went on in long steps, which follow no waves, as "
        "the shot had taken all its small ones; raise the softening, lower the detail, or take bodies out of each other"
    )


def _struck(item: Breakable, shot) -> Struck:
    """A body as a blow finds it."""
    solid = shot.mesh.mass > 0.0
    return Struck(
        shot.mesh.rest[solid],
        shot.mesh.position[solid],
        shot.masses[solid],
        item.volume * item.body.material.density,
        shot.size,
        lambda impact: least_blow(item.model, item.body.settings, impact),
        lambda impact, point: shot.strike(replace(impact, point=point)),
    )


def _advance_frame(job: Job, shots: Sequence, between, colliders: SoftColliders, effort, frame: int) -> None:
    gravity = job.gravity_track[frame] if len(job.gravity_track) else np.asarray(job.gravity)
    busy = colliders.any_free or colliders.any_moves or job.winds
    looks = LOOKS if busy and not effort.is_spent else LOOKS_AT_REST
    seconds = 1.0 / (job.frame_rate * looks)
    for look in range(looks):
        share = frame + look / looks
        for shot in shots if job.winds else ():
            mesh = shot.mesh
            shot.set_wind(push(job.winds, mesh.position, mesh.velocity, shot.faces(), share / job.frame_rate))
        parts = between.push_count(seconds)
        for part in range(max(parts, 1)):
            _advance(job, shots, colliders, gravity, share + part / (looks * max(parts, 1)), seconds / max(parts, 1))
            if parts:
                between.push(seconds / parts)


def _advance(job: Job, shots: Sequence, colliders: SoftColliders, gravity, share: float, seconds: float) -> None:
    """Go on for so many ``seconds`` from a time, in frames since the first one."""
    then = share + seconds * job.frame_rate
    motions = colliders.motions(share, seconds)
    taken = np.zeros((len(motions), 3))
    for body, shot in zip(job.bodies, shots, strict=True):
        with about(body.name):
            taken += shot.advance(seconds, gravity, motions, _carried(body, then, shot.pinned_rest))
    colliders.advance(then, seconds, taken)


def _carried(body: Body, row: float, rest: np.ndarray) -> np.ndarray | None:
    """(F, 3) m, points of a body that moves along its track as one; ``None`` where it has none."""
    if body.track is None or len(body.track) < 2:
        return None
    center = body.track[0, :3]
    pose = along(body.track, row, center)
    return pose[:3] + (rest - center) @ matrices(pose[3:]).T


def _deformed(row: int, item: Breakable, shown) -> tuple[Deformed, dict]:
    """A body's pieces in motion, cut along its cracks, and the report on it."""
    pieces = fragments.cut(item.surface, shown.solid, shown.fragment_of_cell, item.body.settings)
    tracks = []
    for piece in pieces:
        mine = shown.fragment_of_cell == piece.label
        # What is crushed throughout has nothing whole to go along with.
        cells = shown.cells[mine & shown.intact] if (mine & shown.intact).any() else shown.cells[mine]
        skin = embed(piece.surface.points, shown.rest, cells)[0]
        tracks.append(np.stack([skin.points(nodes) for nodes in shown.paths]).astype(np.float32))
    surface = joined([piece.surface for piece in pieces])
    numbers = np.repeat(np.arange(len(pieces), dtype=np.int32), [len(piece.surface.faces) for piece in pieces])
    interior = np.concatenate([piece.interior for piece in pieces])
    report = {
        "name": item.body.name,
        "cells": shown.solid.cell_count,
        "bonds": shown.solid.face_count,
        "fragments": len(pieces),
        "dust_count": 0,
        "dust_volume": 0.0,
        "volume_error": float(fragments.volume_error(item.surface, pieces)),
        "load_factor": 0.0,
        "solve_count": 0,
        "breaks": int(len(pieces) > 1),
        "repair": dict(item.repair),
        "warnings": [],
    }
    return Deformed(row, surface, interior, numbers, np.concatenate(tracks, axis=1)), report
