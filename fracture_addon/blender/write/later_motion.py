"""Changes to the keyframes of pieces after a run: they stop, or disappear, on a frame.

The keyframes from that frame on are removed. Undo, Bake Cached Run or Shatter brings them back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from ...core.data.recording import Fragment
from ..scene.action_curves import CONSTANT, LINEAR, curves_of
from ..scene.result_lookup import MASS
from ..scene.result_motion import HIDES
from . import keyframes

# Data paths of the place of a piece.
POSE = ("location", "rotation_quaternion")


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


def anchor(piece: Any, frame: int) -> None:
    """Keep a piece at its place of a frame, on all frames. Its visibility does not change."""
    for curve in curves_of(piece) or ():
        if curve.data_path in POSE:
            end(curve, frame, curve.evaluate(frame))


def follow(piece: Any, leader: Any, frame: int) -> None:
    """Let a piece move with another one from a frame on, as one rigid body. Its visibility does not change."""
    last = int(max(curve.keyframe_points[-1].co[0] for curve in curves_of(leader) if curve.data_path in POSE))
    offset = pose_on(leader, frame).inverted() @ pose_on(piece, frame)
    frames, turn = range(frame, max(last, frame) + 1), pose_on(piece, frame).to_quaternion()
    keys: dict[str, list[Any]] = {path: [] for path in POSE}
    for now in frames:
        pose = pose_on(leader, now) @ offset
        location, rotation, _ = pose.decompose()
        rotation.make_compatible(turn)
        turn = rotation
        keys["location"].append(location[:])
        keys["rotation_quaternion"].append(rotation[:])
    for curve in curves_of(piece):
        if curve.data_path in POSE:
            values = np.array(keys[curve.data_path], np.float32)[:, curve.array_index]
            _continue(curve, np.stack([np.array(frames, np.float32), values], axis=1))


def restore(piece: Any, fragment: Fragment, frame_start: int, unit: float) -> None:
    """Give a piece the poses and the visibility of its fragment again, in a new action; the present one stays."""
    curves = keyframes.key_poses(piece, fragment.poses, frame_start, unit)
    keyframes.key_visibility(curves, fragment, frame_start)


def pose_on(piece: Any, frame: int) -> Matrix:
    """Return the place of a piece on a frame, from its keyframes; scene units."""
    values = {"location": [0.0] * 3, "rotation_quaternion": [1.0, 0.0, 0.0, 0.0]}
    for curve in curves_of(piece):
        if curve.data_path in POSE:
            values[curve.data_path][curve.array_index] = curve.evaluate(frame)
    return Matrix.LocRotScale(values["location"], Quaternion(values["rotation_quaternion"]).normalized(), None)


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
    _set(curve, np.concatenate([keys[keys[:, 0] < frame], np.array([[frame, value]], np.float32)]), is_switch)


def _continue(curve: Any, later: np.ndarray) -> None:
    """Replace the keyframes of a curve from the first of some others on by these (K, 2)."""
    points = curve.keyframe_points
    values = np.empty(2 * len(points), np.float32)
    points.foreach_get("co", values)
    keys = values.reshape(-1, 2)
    _set(curve, np.concatenate([keys[keys[:, 0] < later[0, 0]], later]), is_switch=False)


def _set(curve: Any, keys: np.ndarray, is_switch: bool) -> None:
    """Replace all keyframes of a curve by others (K, 2)."""
    points = curve.keyframe_points
    points.clear()
    points.add(len(keys))
    points.foreach_set("co", keys.ravel())
    points.foreach_set("interpolation", np.full(len(keys), CONSTANT if is_switch else LINEAR, np.uint8))
    curve.update()
