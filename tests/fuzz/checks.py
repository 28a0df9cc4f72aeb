"""Checks that every recording must pass."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fracture_addon.core.cutting.fragments import STORED
from fracture_addon.core.data.errors import FractureError
from fracture_addon.core.data.job import Body, Job
from fracture_addon.core.data.recording import NEVER, Deformed, Fragment, Recording
from fracture_addon.core.data.surface import Surface, area, volume
from fracture_addon.core.meshing.repair.repair import prepare_body
from fracture_addon.core.timeline import islands

# Largest relative error of the sum of volumes.
VOLUME_ERROR = 1e-6
# Pieces are stored in float32. The cut moves points by this share of a piece's size where a triangle would lose its
# area; a sheet of 0.1 mm and 2 m then changes by 4e-6 of its volume.
# Largest error of the length of a unit quaternion.
UNIT_ERROR = 1e-6
# Errors that concern no single object begin with this.
OF_THE_SCENE = "the rigid world"


def faults(job: Job, recording: Recording) -> Iterator[str]:
    """Yield the faults of a recording, one line each."""
    yield from _of_the_report(job, recording)
    count = job.frame_end - job.frame_start + 1
    for track in (*recording.bodies, *recording.projectiles):
        yield from _of_poses(f"the track of '{track.name}'", track.poses, count)
    for row, fragment in enumerate(recording.fragments):
        yield from _of_fragment(job, f"fragment {row}", fragment, count)
    for item in recording.deformed:
        yield from _of_deformed(job, item, count)
    for debris in recording.debris:
        for values in (debris.poses, debris.sizes, debris.velocities):
            if not np.isfinite(values).all():
                yield f"debris of body {debris.body}: values that are not finite"
    for row, body in enumerate(job.bodies):
        yield from _of_volumes(recording, row, body, _lost_as_dust(job, recording, row))


def of_error(job: Job, error: FractureError) -> str:
    """Return the fault of an error message; empty if there is none."""
    message = str(error)
    if not message or "\n" in message:
        return f"the message is not one line: {message!r}"
    # After the problem comes the remedy.
    if ";" not in message:
        return f"the message has no remedy: {message!r}"
    named = job.bodies, job.colliders, job.pressures, job.grips, job.sounds, job.thermal_shocks
    names = [item.name for items in named for item in items]
    # Joined bodies have the name of the heaviest one.
    named_so = (f"'{name}{end}" for name in names for end in ("'", " and "))
    if message.startswith(OF_THE_SCENE) or any(name in message for name in named_so):
        return ""
    return f"the message names none of the objects: {message!r}"


def _of_the_report(job: Job, recording: Recording) -> Iterator[str]:
    try:
        json.dumps(recording.report, allow_nan=False)
    except (TypeError, ValueError) as error:
        yield f"the report is no JSON: {error}"
    names = [item["name"] for item in recording.report["bodies"]]
    if names != [body.name for body in job.bodies]:
        yield f"the report is about {names}"


def _of_poses(name: str, poses: np.ndarray, count: int) -> Iterator[str]:
    if poses.shape != (count, 7):
        yield f"{name} has poses of shape {poses.shape} for {count} frames"
    elif not np.isfinite(poses).all():
        yield f"{name} has poses that are not finite"
    elif np.abs(np.linalg.norm(poses[:, 3:], axis=1) - 1.0).max() > UNIT_ERROR:
        yield f"{name} has quaternions that are not of unit length"


def _of_fragment(job: Job, name: str, fragment: Fragment, count: int) -> Iterator[str]:
    yield from _of_poses(name, fragment.poses, count)
    yield from _of_surface(name, fragment.surface)
    if not job.frame_start <= fragment.birth_frame <= job.frame_end:
        yield f"{name} is born on frame {fragment.birth_frame}"
    if fragment.death_frame != NEVER and not fragment.birth_frame < fragment.death_frame <= job.frame_end:
        yield f"{name} lives from frame {fragment.birth_frame} to {fragment.death_frame}"
    if not fragment.mass > 0.0 or not volume(fragment.surface) > 0.0:
        yield f"{name} has a mass of {fragment.mass:g} kg and a volume of {volume(fragment.surface):g} m3"


def _of_deformed(job: Job, item: Deformed, count: int) -> Iterator[str]:
    name = f"deformed body {item.body}"
    if item.points.shape != (count, len(item.surface.points), 3):
        yield f"{name} has points of shape {item.points.shape} for {count} frames"
    elif not np.isfinite(item.points).all():
        yield f"{name} has points that are not finite"
    for piece in np.unique(item.piece_of_face):
        faces = item.surface.faces[item.piece_of_face == piece]
        yield from _of_surface(f"{name}, piece {piece}", Surface(item.surface.points, faces))


def _of_surface(name: str, surface: Surface) -> Iterator[str]:
    faces = surface.faces.astype(np.int64)
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    count = len(surface.points)
    if (np.sort(start * count + end) != np.sort(end * count + start)).any():
        yield f"{name} is not closed"
    if not np.isfinite(surface.points).all():
        yield f"{name} has points that are not finite"


def _lost_as_dust(job: Job, recording: Recording, row: int) -> float:
    """Return the largest share of the volume of a rigid body that may be dust. Joined bodies are one body."""
    rows = sorted(job.bonded_rows) if row in job.bonded_rows else [row]
    if all(job.bodies[item].settings.pieces.dust == "merge" for item in rows):
        return 0.0
    reports = recording.report["bodies"]
    whole = sum(reports[item]["volume"] for item in rows)
    return reports[row]["dust_volume"] * whole / reports[row]["volume"]


def _of_volumes(recording: Recording, row: int, body: Body, lost: float) -> Iterator[str]:
    """Check that the volumes of the pieces of a body sum to that of the body, without the share ``lost`` at most."""
    pieces = [item.surface for item in recording.fragments if item.body == row and item.death_frame == NEVER]
    pieces += [item.surface for item in recording.deformed if item.body == row]
    if not pieces:
        return
    report = recording.report["bodies"][row]
    whole = _whole_volume(body) or report["volume"]
    share = sum(map(volume, pieces)) / whole
    error = max(VOLUME_ERROR, sum(STORED * area(piece) * piece.diagonal for piece in pieces) / whole)
    least, most = 1.0 - error, 1.0 + error
    # A dent does not conserve the volume: what the contact displaces vanishes.
    dent = report.get("dent", 0.0) * sum(map(area, pieces)) / whole
    least, most = least - dent, most + dent
    if body.settings.motion.dynamics == "rigid":
        least -= lost
    elif body.settings.pieces.dust == "debris":
        # Grains are drawn beside the cells that they come of.
        most = np.inf
    if not least <= share <= most:
        yield f"the pieces of '{body.name}' have {share:.9g} of its volume, and not {least:.9g} to {most:.9g}"


def _whole_volume(body: Body) -> float:
    """Return the volume of the body, m3; 0 if fTetWild repaired it, because each call gives another surface."""
    if body.thin is not None:
        return volume(body.surface)
    parts = [body.surface]
    if body.settings.repair.separates_islands:
        parts = islands.find_islands(body.surface)
    repaired = [prepare_body(replace(body, surface=part)) for part in parts]
    if any("fTetWild" in action for _, report in repaired for action in report.done):
        return 0.0
    return sum(volume(surface) for surface, _ in repaired)
