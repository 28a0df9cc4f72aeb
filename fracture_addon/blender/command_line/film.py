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
from . import contact_sheet
from .import_model import quiet

# Width and height, pixels.
SIZE = (480, 360)
# Frames before the first break with which a film begins, and after it that the camera sees whole. A matter of taste.
LEAD, REACH = 8, 5
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
    first = contact_sheet.first_break(recording)
    seen = contact_sheet.chosen_frames(recording, frame_end if first is None else min(first + REACH, frame_end))
    contact_sheet.set_up(scene, recording, seen, SIZE)
    start = recording.frame_start
    scene.frame_start = start if first is None else max(first - LEAD, start)
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
