"""Objects whose modifiers or shape keys are animated: from its release on, a body keeps one shape.

The simulation uses one shape per object, see ``shape_changes.simulated_frame``. If modifiers change a body after its
release, the result shows the whole body in the simulated shape from the release to the break, and hides the source.
Every difference between the simulated shape and the artist's animation is a warning in the report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ...core.data.job import Job
from ...core.data.recording import NEVER, Fragment, Recording
from ...core.data.surface import mass_properties
from ...core.numerics.rotations import continuous
from ..read import motion, shape_changes


def released_shapes(
    context: Any,
    job: Job,
    recording: Recording,
    objects: Sequence[bpy.types.Object],
    others: Sequence[bpy.types.Object],
) -> tuple[Recording, dict[int, Fragment]]:
    """Create whole bodies that replace sources whose shape is animated after their release.

    Args:
        context: Context of the scene that ``job`` was read from, without earlier results of the objects.
        job: The simulated job.
        recording: Its result.
        objects: One object per body of the job, in its order.
        others: Colliders of the job that are in the scene.

    Returns:
        The recording, with a warning per object whose shape is animated, and the whole bodies by row. The recording's
        sources of these bodies count as broken from their release on.
    """
    tracks = {collider.name: collider.track for collider in job.colliders}
    spans = {obj: _collider_span(job, tracks[obj.name]) for obj in others}
    spans |= {obj: _body_span(job, recording, row) for row, obj in enumerate(objects)}
    with motion.visiting(context.scene):
        context.scene.frame_set(job.frame_start)
        changing = shape_changes.animated(context, spans)
        changes = shape_changes.changes(context, {obj: spans[obj] for obj in changing})
    wholes = {
        row: _whole(job, recording, row, spans[obj].start)
        for row, obj in enumerate(objects)
        if obj in changes and _keyed_frames(job, job.bodies[row].track) is not None
    }
    report = dict(recording.report)
    report["warnings"] = [
        *report.get("warnings", ()),
        *(_collider_warning(obj, spans[obj], changes[obj]) for obj in others if obj in changes),
    ]
    report["bodies"] = [dict(body) for body in report.get("bodies", ())]
    for row, (obj, body) in enumerate(zip(objects, report["bodies"], strict=False)):
        if obj in changes:
            warn = _released_warning if row in wholes else _held_warning
            body["warnings"] = [*body.get("warnings", ()), warn(obj, spans[obj], changes[obj])]
    bodies = tuple(
        replace(track, break_frame=wholes[row].birth_frame) if row in wholes else track
        for row, track in enumerate(recording.bodies)
    )
    return replace(recording, bodies=bodies, report=report), wholes


def alike(whole: Fragment, fragments: Sequence[Fragment]) -> Fragment:
    """Return a whole body with all attributes of its fragments, because they share a mesh. Missing values are 0."""
    if not fragments:
        return whole
    surface, like = whole.surface, fragments[0].surface
    count = len(surface.faces)
    return replace(
        whole,
        surface=replace(
            surface,
            face_attributes=_padded(surface.face_attributes, like.face_attributes, count),
            corner_attributes=_padded(surface.corner_attributes, like.corner_attributes, count),
        ),
    )


def _collider_span(job: Job, track: np.ndarray | None) -> range:
    """Return the frames from the simulated shape's frame to the last."""
    start = shape_changes.simulated_frame(job.frame_start, _keyed_frames(job, track))
    return range(start, job.frame_end + 1)


def _body_span(job: Job, recording: Recording, row: int) -> range:
    """Return the simulated shape's frame, and the frames on which a body should still have that shape."""
    body, end = job.bodies[row], recording.bodies[row].break_frame
    if any(deformed.body == row for deformed in recording.deformed):
        return range(0)
    keyed = _keyed_frames(job, body.track)
    start = shape_changes.simulated_frame(job.frame_start, keyed, (impact.frame for impact in body.impacts))
    if keyed is not None:
        return range(start, end if end != NEVER else job.frame_end + 1)
    # The body's own animation shows it until it breaks, so only the frame of the break matters.
    return range(start, end + 1, end - start) if start < end != NEVER else range(0)


def _keyed_frames(job: Job, track: np.ndarray | None) -> int | None:
    """Return the number of frames on which a body or collider is kinematic; ``None`` for all."""
    if track is None:
        return 0
    return len(track) if 1 < len(track) < job.frame_end - job.frame_start + 1 else None


def _whole(job: Job, recording: Recording, row: int, frame: int) -> Fragment:
    """Return a body as one fragment, from a frame on until it breaks."""
    body, track = job.bodies[row], recording.bodies[row]
    mass = mass_properties(body.surface, body.material.density)[0]
    surface = replace(body.surface, points=body.surface.points - track.center)
    interior, poses = np.zeros(len(surface.faces), bool), continuous(track.poses)
    return Fragment(
        body=row,
        parent=-1,
        surface=surface,
        interior=interior,
        center=track.center,
        mass=mass,
        birth_frame=frame,
        death_frame=track.break_frame,
        poses=poses,
    )


def _padded(attributes: Mapping, like: Mapping, count: int) -> dict[str, np.ndarray]:
    missing = {
        name: np.zeros((count, *like[name].shape[1:]), like[name].dtype) for name in like if name not in attributes
    }
    return {**attributes, **missing}


def _collider_warning(obj: bpy.types.Object, span: range, changes: tuple[int, int]) -> str:
    return (
        f"'{obj.name}' collides in its shape of frame {span.start}. The simulation ignores that modifiers or "
        f"shape keys change it on {_frames(changes)}; apply them, or animate the object instead"
    )


def _released_warning(obj: bpy.types.Object, span: range, changes: tuple[int, int]) -> str:
    return (
        f"'{obj.name}' keeps its shape of frame {span.start}, on which it is released. The result ignores that "
        f"modifiers or shape keys change it on {_frames(changes)}; to show that, key Hold in Place until a later frame"
    )


def _held_warning(obj: bpy.types.Object, span: range, changes: tuple[int, int]) -> str:
    return (
        f"'{obj.name}' breaks on frame {changes[1]} in its shape of frame {span.start}, although modifiers or shape "
        f"keys changed it since; key Hold in Place off on frame {changes[1]}, or apply them"
    )


def _frames(changes: tuple[int, int]) -> str:
    first, last = changes
    return f"frame {first}" if first == last else f"frames {first} to {last}"
