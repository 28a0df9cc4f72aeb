"""The frame that the scene shows after a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy

from ..scene.result_lookup import collection_of
from .break_marker import break_frame


def go_to_break(context: Any, objects: Iterable[bpy.types.Object]) -> None:
    """Show the first break of some objects, unless the scene already shows a later frame, or plays."""
    scene = context.scene
    results = filter(None, map(collection_of, objects))
    frames = [frame for collection in results if (frame := break_frame(collection)) is not None]
    windows = context.window_manager.windows
    if frames and scene.frame_current < min(frames) and not any(item.screen.is_animation_playing for item in windows):
        scene.frame_set(min(frames))


def evaluate_again(scene: Any) -> None:
    """Let changed keyframes, drivers and constraints take effect on the current frame: Blender does not notice them."""
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
