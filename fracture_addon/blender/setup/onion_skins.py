"""Onion skins: paths of the pieces of the selected objects, drawn in the 3D viewports: ``Scene.fracture_onion``.

Nothing is added to the file. The paths are read from the keyframes when the view is drawn with another result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from ..scene.action_curves import curves_of
from ..scene.result_lookup import MASS, REPORT, pieces_of
from ..write.piece_nodes import BIRTH
from .exploded import results
from .impact_drawing import Drawing, ui_scale

# Frames between two dots of a path. A matter of taste.
STEP = 5
# Colours at the break and at the end; widths of the lines and dots, pixels at an interface scale of 1. A matter of
# taste.
EARLY, LATE = np.array((0.15, 0.45, 1.0, 0.35)), np.array((1.0, 0.55, 0.1, 0.9))
WIDTH, DOT = 1.5, 5.0
# Blender's shaders for both.
LINES, DOTS = "POLYLINE_SMOOTH_COLOR", "SMOOTH_COLOR"


@dataclass(frozen=True)
class Paths:
    """Paths of pieces.

    Attributes:
        ends: (L, 2, 3) ends of the lines, scene units.
        shares: (L, 2) time of each end, 0 for the first and 1 for the last frame of all paths.
        dots: (D, 3) places on every ``STEP``-th frame.
        dot_shares: (D,) time of each dot.
    """

    ends: np.ndarray
    shares: np.ndarray
    dots: np.ndarray
    dot_shares: np.ndarray


_drawn: tuple[Any, list[Any]] | None = None


def register() -> None:
    """Add the property to scenes, and the drawing."""
    scene: Any = bpy.types.Scene
    scene.fracture_onion = bpy.props.BoolProperty(
        name="Onion Skins",
        description="Draw the paths of the pieces of the selected objects, from the break (blue) to the last frame "
        f"(orange), with a dot on every {STEP}th frame. Turn it on to compare runs. It is not rendered",
        default=False,
        options=set(),
    )
    _drawing.register()


def unregister() -> None:
    """Remove the drawing and the property."""
    global _drawn
    _drawing.unregister()
    _drawn = None
    scene: Any = bpy.types.Scene
    del scene.fracture_onion


def paths_of(collections: list[bpy.types.Collection]) -> Paths | None:
    """Return the paths of the pieces of some results; ``None`` if no piece is an object with keyframes."""
    tracks = [track for item in collections for piece in pieces_of(item) if (track := _track(piece)) is not None]
    if not tracks:
        return None
    first, last = min(track[0, 0] for track in tracks), max(track[-1, 0] for track in tracks)
    length = max(last - first, 1.0)
    # Rows of a track: time, and place. Each line leads from one row to the next.
    lines = np.concatenate([np.stack([track[:-1], track[1:]], axis=1) for track in tracks])
    dots = np.concatenate([track[(track[:, 0] - first) % STEP == 0] for track in tracks])
    return Paths(lines[..., 1:], (lines[..., 0] - first) / length, dots[:, 1:], (dots[:, 0] - first) / length)


def _track(piece: Any) -> np.ndarray | None:
    """Return frames and places (K, 4) of a piece from its birth on; ``None`` without keys on every frame."""
    curves = curves_of(piece) if MASS in piece else None
    keyed: list[Any] = [curves.find("location", index=index) for index in range(3)] if curves is not None else [None]
    if not all(keyed) or len({len(curve.keyframe_points) for curve in keyed}) > 1:
        return None
    keys = np.empty((3, len(keyed[0].keyframe_points), 2), np.float32)
    for curve, target in zip(keyed, keys, strict=True):
        curve.keyframe_points.foreach_get("co", target.reshape(-1))
    frames = keys[0, :, 0]
    track = np.column_stack([frames, keys[:, :, 1].T])[frames >= piece[BIRTH]]
    return track if len(track) else None


def _draw() -> None:
    global _drawn
    context: Any = bpy.context
    if not context.scene.fracture_onion:
        _drawn = None
        return
    found = results(context)
    key = [(item.name, item.get(REPORT), len(pieces_of(item))) for item in found]
    if _drawn is None or _drawn[0] != key:
        paths = paths_of(found)
        _drawn = key, [] if paths is None else _batches(paths)
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("LESS_EQUAL")
    gpu.state.point_size_set(DOT * ui_scale())
    for name, batch in _drawn[1]:
        shader = gpu.shader.from_builtin(name)
        if name == LINES:
            shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
            shader.uniform_float("lineWidth", WIDTH * ui_scale())
        batch.draw(shader)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


def _batches(paths: Paths) -> list[Any]:
    """Return the lines and the dots, each with the name of its shader."""
    return [
        (LINES, _batch(LINES, "LINES", paths.ends.reshape(-1, 3), paths.shares.ravel())),
        (DOTS, _batch(DOTS, "POINTS", paths.dots, paths.dot_shares)),
    ]


def _batch(name: Any, kind: Any, places: np.ndarray, shares: np.ndarray) -> Any:
    shader = gpu.shader.from_builtin(name)
    colors = EARLY + shares[:, None] * (LATE - EARLY)
    content: Any = {"pos": places.astype(np.float32), "color": colors.astype(np.float32)}
    return batch_for_shader(shader, kind, content)


_drawing = Drawing(_draw)
