"""Film of a run, rendered without a window: from shortly before the first break to the end."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import bpy

from ...core.data.errors import WorkerError
from ...core.data.recording import Recording
from ...core.storage import files
from . import camera, contact_sheet
from .import_model import quiet

# Width and height, pixels.
SIZE = (480, 360)
# Frames before the first break with which a film begins at the earliest; frames before and after the break that the
# camera sees whole. A matter of taste.
LEAD, APPROACH, REACH = 8, 3, 5
# Identifier of the index of a WebM file, which is written last. Blender does not report a disk that is full.
INDEX = b"\x1c\x53\xbb\x6b"


def render_film(context: Any, recording: Recording, frame_end: int, path: Path) -> None:
    """Render the film. Save the scene before, because a camera, lights and render settings are added to it.

    Args:
        context: Context of a scene with a baked recording.
        recording: The recording, for the positions of the fragments.
        frame_end: Last frame.
        path: Path of the WebM file.

    Raises:
        WorkerError: The film cannot be rendered or written.
    """
    scene = context.scene
    start, first = recording.frame_start, contact_sheet.first_break(recording)
    if first is None:
        seen = contact_sheet.chosen_frames(recording, frame_end)
    else:
        seen = list(range(max(first - APPROACH, start), min(first + REACH, frame_end) + 1))
    contact_sheet.set_up(scene, recording, [seen], SIZE)
    scene.frame_start = start if first is None else _first_in_view(scene, recording, max(first - LEAD, start), seen[0])
    scene.frame_end, scene.frame_step = frame_end, 1
    render = scene.render
    if hasattr(render.image_settings, "media_type"):  # since Blender 5.0
        render.image_settings.media_type = "VIDEO"
    render.image_settings.file_format = "FFMPEG"
    render.ffmpeg.format, render.ffmpeg.codec, render.ffmpeg.audio_codec = "WEBM", "WEBM", "NONE"
    render.ffmpeg.constant_rate_factor = "MEDIUM"
    render.use_file_extension = False
    try:
        with quiet(), files.replacing(path) as part:
            render.filepath = str(part)
            bpy.ops.render.render(animation=True)
            if INDEX not in part.read_bytes():
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except (RuntimeError, OSError) as error:
        raise WorkerError(
            f"The film '{path}' cannot be rendered: {' '.join(str(error).split())}; "
            "choose another folder or omit --film"
        ) from error


def _first_in_view(scene: Any, recording: Recording, start: int, seen: int) -> int:
    """Return the first frame from ``start`` on with all objects in view: at the latest ``seen``, which has all."""
    for frame in range(start, seen):
        points = contact_sheet.action(scene, recording, [frame]) / scene.unit_settings.scale_length
        if camera.sees(scene, points):
            return frame
    return seen
