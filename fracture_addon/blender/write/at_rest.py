"""Fragments without simulation: they have no keyframes and are visible on every frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import bpy
import numpy as np

from ...core.data.recording import NEVER, Fragment, Recording
from ..properties.limits import LAST_FRAME

# Blender's first frame.
FIRST_FRAME = -LAST_FRAME


def always_visible(recording: Recording) -> Recording:
    """Return a recording of one frame whose fragments replace their bodies from Blender's first frame on."""
    bodies = (
        replace(track, break_frame=NEVER if track.break_frame == NEVER else FIRST_FRAME) for track in recording.bodies
    )
    return replace(
        recording,
        bodies=tuple(bodies),
        fragments=tuple(replace(fragment, birth_frame=FIRST_FRAME) for fragment in recording.fragments),
        debris=tuple(
            replace(debris, birth_frames=np.full_like(debris.birth_frames, FIRST_FRAME)) for debris in recording.debris
        ),
    )


def place(pieces: Sequence[bpy.types.Object], fragments: Sequence[Fragment], unit: float) -> None:
    """Move objects to the first pose of their fragments; ``unit`` is the number of metres per scene unit."""
    for piece, fragment in zip(pieces, fragments, strict=True):
        pose = fragment.poses[0]
        piece.rotation_mode = "QUATERNION"
        piece.location, piece.rotation_quaternion = (pose[:3] / unit).tolist(), pose[3:].tolist()
