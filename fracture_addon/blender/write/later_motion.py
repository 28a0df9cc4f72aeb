"""Changes to the keyframes of pieces after a run: they stop, or disappear, on a frame.

The keyframes from that frame on are removed. Undo, Bake Cached Run or Shatter brings them back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ..scene.action_curves import CONSTANT, LINEAR, curves_of
from ..scene.result_lookup import MASS
from ..scene.result_motion import HIDES


def is_hidden(piece: bpy.types.Object, frame: int) -> bool:
    """Return whether a piece is hidden in renders on a frame."""
    curves = curves_of(piece)
    curve = curves.find("hide_render") if curves else None
    return bool(curve.evaluate(frame)) if curve else piece.hide_render


def dies(piece: bpy.types.Object) -> bool:
    """Return whether a piece is hidden after its last keyframe: it broke again, or the artist hides it."""
    curves = curves_of(piece)
    curve = curves.find("hide_render") if curves else None
    return bool(curve.keyframe_points[-1].co[1]) if curve else piece.hide_render


def freeze(piece: bpy.types.Object, frame: int) -> None:
    """Keep a piece from a frame on as it is on that frame: its place, and whether it is visible."""
    for curve in curves_of(piece) or ():
        end(curve, frame, curve.evaluate(frame))


def hide_from(piece: Any, frame: int) -> None:
    """Hide a piece from a frame on. A piece without keyframes is hidden on all frames."""
    curves = curves_of(piece)
    for path in HIDES:
        curve = curves.find(path) if curves else None
        if curve is None:
            setattr(piece, path, True)
        else:
            end(curve, frame, 1.0)


def small(pieces: Sequence[Any], share: float) -> list[Any]:
    """Return the pieces whose mass is below a share of the mass of all these pieces."""
    least = share * sum(piece[MASS] for piece in pieces)
    return [piece for piece in pieces if piece[MASS] < least]


def end(curve: Any, frame: int, value: float) -> None:
    """Let the last keyframe of a curve be on a frame, and hold its value."""
    points = curve.keyframe_points
    values = np.empty(2 * len(points), np.float32)
    points.foreach_get("co", values)
    is_switch = points[0].interpolation == "CONSTANT"
    keys = values.reshape(-1, 2)
    keys = np.concatenate([keys[keys[:, 0] < frame], np.array([[frame, value]], np.float32)])
    points.clear()
    points.add(len(keys))
    points.foreach_set("co", keys.ravel())
    points.foreach_set("interpolation", np.full(len(keys), CONSTANT if is_switch else LINEAR, np.uint8))
    curve.update()
