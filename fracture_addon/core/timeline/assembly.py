"""From the pieces of a run to its recording: every motion gets a pose on every frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..data.job import Job
from ..data.recording import NEVER, Fragment, Recording, Track
from ..data.surface import Surface, center_of_volume, volume
from ..meshing.filling import stiff_walls
from ..numerics.rotations import continuous, moved
from .breaking import Account, Breaker
from .dust import Grains, fly
from .piece import Breakable, Piece


@dataclass
class Outcome:
    """What a run left behind.

    Attributes:
        pieces: Parents before children.
        breaker: The bodies, and the account of what happened to them.
        projectiles: Centre of mass (3,) in rest space and poses (T, 7) of each free collider, by its row in the job.
        grains: What dust flies on as grains.
    """

    pieces: list[Piece]
    breaker: Breaker
    projectiles: dict[int, tuple[np.ndarray, np.ndarray]]
    grains: list[Grains]


def assemble(job: Job, outcome: Outcome, progress: Callable[[str, float], None]) -> Recording:
    """The recording of a run.

    Args:
        job: The scene.
        outcome: What the run left behind.
        progress: Called with the stage's name and the share that is done.
    """
    pieces, breakables = outcome.pieces, outcome.breaker.breakables
    poses = _full_poses(pieces)
    fragments = _fragments(job, pieces, poses)
    tracks = []
    for row, piece in enumerate(pieces):
        if piece.parent < 0:
            name = job.bodies[piece.body].name
            tracks.append(Track(name, piece.properties.center, _frame(job, piece.death_row), poses[row]))
    projectiles = [
        Track(job.colliders[row].name, center, NEVER, continuous(track))
        for row, (center, track) in sorted(outcome.projectiles.items())
    ]
    reports = []
    for row, (breakable, account) in enumerate(zip(breakables, outcome.breaker.accounts, strict=True)):
        count = sum(fragment.body == row and fragment.death_frame == NEVER for fragment in fragments)
        lost = sum(piece.lost_volume for piece in pieces if piece.body == row)
        account.dust_count += sum(piece.dust_count for piece in pieces if piece.body == row)
        reports.append(_body_report(breakable, account, count, lost / volume(breakable.surface)))
    report = {"bodies": reports, "warnings": []}
    progress("Cutting", 1.0)
    debris = fly(job, outcome.grains, outcome.projectiles)
    return Recording(job.frame_start, tuple(tracks), tuple(projectiles), tuple(fragments), report, debris=debris)


def _full_poses(pieces: Sequence[Piece]) -> list[np.ndarray]:
    """(T, 7) for each piece: before its birth as a part of its parent, after its death where it was last."""
    result: list[np.ndarray] = []
    for piece in pieces:
        poses = piece.poses.copy()
        if piece.parent >= 0:
            born, parent = piece.birth_row, pieces[piece.parent]
            poses[:born] = moved(result[piece.parent][:born], parent.properties.center, piece.properties.center)
        if piece.death_row >= 0:
            poses[piece.death_row :] = poses[max(piece.death_row - 1, 0)]
            if piece.death_row == 0:
                poses[:] = np.concatenate([piece.properties.center, [1.0, 0.0, 0.0, 0.0]])
        result.append(continuous(poses))
    return result


def _fragments(job: Job, pieces: Sequence[Piece], poses: Sequence[np.ndarray]) -> list[Fragment]:
    fragments: list[Fragment] = []
    first_row: dict[int, int] = {-1: -1}
    for row, piece in enumerate(pieces):
        whole = piece.parent < 0 and not job.bodies[piece.body].island
        if whole or 0 <= piece.death_row <= piece.birth_row:
            # A whole object, or a piece that was never seen: its children hang on its own parent.
            first_row[row] = first_row[piece.parent]
            continue
        first_row[row] = len(fragments)
        volumes = [volume(part) for part in piece.surfaces]
        for part, amount in zip(piece.surfaces, volumes, strict=True):
            center = center_of_volume(part)
            fragments.append(
                Fragment(
                    piece.body,
                    first_row[piece.parent],
                    _about(part, center),
                    part.face_source < 0,
                    center,
                    piece.properties.mass * amount / sum(volumes),
                    _frame(job, piece.birth_row),
                    _frame(job, piece.death_row),
                    moved(poses[row], piece.properties.center, center),
                )
            )
    return fragments


def _about(surface: Surface, center: np.ndarray) -> Surface:
    return Surface(
        surface.points - center,
        surface.faces,
        surface.face_source,
        surface.face_attributes,
        surface.corner_attributes,
    )


def _frame(job: Job, row: int) -> int:
    return NEVER if row < 0 else job.frame_start + row


def _body_report(breakable: Breakable, account: Account, fragment_count: int, volume_error: float) -> dict:
    name, warnings = breakable.body.name, [*stiff_walls.warnings(breakable.body, breakable.surface), *account.warnings]
    if not account.break_count and account.greatest_load >= 1.0:
        warnings.append(
            f"'{name}' cracked and stayed in one piece: the hardest blow was {account.greatest_load:.3g} times what "
            "first breaks something in it, but nothing larger than its dust came off; raise the violence, or use more "
            "cells"
        )
    elif not account.break_count and not breakable.body.settings.violence:
        warnings.append(f"'{name}' did not break: its violence is 0, so that no impact loads it; raise the violence")
    elif not account.break_count and account.greatest_load > 0.0:
        violence = 1.5 * breakable.body.settings.violence / account.greatest_load
        warnings.append(
            f"'{name}' did not break: the hardest blow reached {account.greatest_load:.0%} of what it bears; "
            f"raise the violence to about {violence:.2g}"
        )
    elif not account.break_count:
        warnings.append(
            f"'{name}' did not break: nothing hit it hard; drop it from higher, aim a projectile at it, or run for "
            "more frames"
        )
    return {
        "name": name,
        "cells": breakable.solid.cell_count,
        "bonds": breakable.solid.face_count,
        "fragments": fragment_count,
        "dust_count": account.dust_count,
        "dust_volume": float(account.dust_volume),
        "volume_error": float(volume_error),
        "load_factor": float(account.load_factor if account.break_count else account.greatest_load),
        "solve_count": account.solve_count,
        "breaks": account.break_count,
        "repair": dict(breakable.repair),
        "warnings": warnings,
    }
