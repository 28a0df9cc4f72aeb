"""Keys of moving objects: location, quaternion and visibility, one action an object."""

from __future__ import annotations

import bpy
import numpy as np

from ...core.data.job import POSE_WIDTH
from ...core.data.recording import NEVER, Fragment
from ..scene.action_curves import LINEAR, add_curves, add_switch, change_curves, copy_action, new_action
from ..scene.result_motion import HIDES


def key_poses(
    obj: bpy.types.Object, poses: np.ndarray, frame_start: int, unit: float, like: bpy.types.Action | None = None
):
    """Give an object an action with its place on every frame, and put it in the first.

    Args:
        obj: Without an action, a parent or a scale.
        poses: (T, 7), metres, quaternions of continuous sign.
        frame_start: Of the first row.
        unit: Metres a scene unit.
        like: An action with nothing but poses on the same frames: to copy it is quicker than to make another one.

    Returns:
        The action's curves.
    """
    keys = np.empty((POSE_WIDTH, len(poses), 2), np.float32)
    keys[:, :, 0] = np.arange(frame_start, frame_start + len(poses))
    keys[:, :, 1] = poses.T
    keys[:3, :, 1] /= unit
    obj.rotation_mode = "QUATERNION"
    obj.location, obj.rotation_quaternion = keys[:3, 0, 1].tolist(), keys[3:, 0, 1].tolist()
    if like is not None:
        curves = copy_action(obj, like, obj.name)
        change_curves(curves, "location", keys[:3])
        change_curves(curves, "rotation_quaternion", keys[3:])
        return curves
    curves = new_action(obj, obj.name)
    add_curves(curves, "location", keys[:3], LINEAR)
    add_curves(curves, "rotation_quaternion", keys[3:], LINEAR)
    return curves


def key_visibility(curves, fragment: Fragment, frame_start: int) -> None:
    """Key a fragment hidden before its birth and from its death on."""
    steps = [(frame_start, True)] if fragment.birth_frame > frame_start else []
    steps.append((fragment.birth_frame, False))
    if fragment.death_frame != NEVER:
        steps.append((fragment.death_frame, True))
    add_switch(curves, HIDES, steps)
