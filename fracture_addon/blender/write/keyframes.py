"""Keyframes of fragments: location, quaternion and visibility, one action per object."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...core.data.job import POSE_WIDTH
from ...core.data.recording import NEVER, Fragment
from ..scene.action_curves import LINEAR, add_curves, add_switch, change_curves, copy_action, new_action
from ..scene.result_motion import HIDES


def key_poses(
    obj: bpy.types.Object, poses: np.ndarray, frame_start: int, unit: float, like: bpy.types.Action | None = None
) -> Any:
    """Add keyframes for an object's pose on every frame, and move the object to the first pose.

    Args:
        obj: An object without an action, a parent or a scale.
        poses: (T, 7), metres; quaternions of continuous sign.
        frame_start: Frame of the first pose.
        unit: Metres per scene unit.
        like: Action with only poses, on the same frames. A copy of it is faster than a new action.

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


def key_visibility(curves: Any, fragment: Fragment, frame_start: int) -> None:
    """Add keyframes that hide a fragment before its birth and from its death on; if these are equal, throughout."""
    steps = {frame_start: True, fragment.birth_frame: False}
    if fragment.death_frame != NEVER:
        steps[fragment.death_frame] = True
    add_switch(curves, HIDES, list(steps.items()))
