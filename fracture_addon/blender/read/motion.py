"""Motion of objects: their world matrices on each frame, and its rigid part.

Blender's rigid-body world is disabled while frames are visited, so that the artist's animation is read and not another
simulation. Afterwards the current frame and the rigid-body world are restored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ..scene.action_curves import curves_of

# A motion below this is rounding: as a fraction of the object's size, and in radians.
STILL = 1e-6
# Smallest value of an animation curve at which it switches a setting on.
ON = 1.0 - 1e-6


@contextmanager
def visiting(scene: bpy.types.Scene) -> Iterator[None]:
    """Within the ``with`` statement, frames may be set; afterwards the current frame is restored."""
    frame, subframe, world = scene.frame_current, scene.frame_subframe, scene.rigidbody_world
    paused = world if world is not None and world.enabled else None
    if paused is not None:
        paused.enabled = False
    try:
        yield
    finally:
        if paused is not None:
            paused.enabled = True
        scene.frame_set(frame, subframe=subframe)


def may_move(obj: bpy.types.Object) -> bool:
    """Return whether anything can move an object: keyframes, drivers, constraints, or a parent that may move."""
    here: bpy.types.Object | None = obj
    while here is not None:
        if here.animation_data is not None or len(here.constraints):
            return True
        here = here.parent
    return False


def keyed_frames(obj: bpy.types.Object, frames: Sequence[int], *, breakable: bool) -> int | None:
    """Return the number of frames at the start of a run on which an object is kinematic: driven by its keyframes.

    Args:
        obj: A breakable object, or one with rigid-body settings.
        frames: Frames of the run.
        breakable: Whether the object breaks; then its setting Hold in Place counts too.

    Returns:
        ``None`` for an object that is kinematic or static throughout, 0 for one that is dynamic from the start.
    """
    body = obj.rigid_body
    if body is not None and (body.type == "PASSIVE" or not body.enabled):
        return None
    kinematic = np.zeros(len(frames), bool)
    if body is not None:
        kinematic |= _switched_on(obj, "rigid_body.kinematic", body.kinematic, frames)
    if breakable:
        kinematic |= _switched_on(obj, "fracture.held", obj.fracture.held, frames)
    return None if kinematic.all() else int(kinematic.argmin())


def _switched_on(obj: bpy.types.Object, path: str, value: bool, frames: Sequence[int]) -> np.ndarray:
    """Return whether a setting is on, on each frame (T,): by its keyframes, without keyframes by its value."""
    curves = curves_of(obj)
    curve = curves.find(path) if curves else None
    return np.array([curve.evaluate(frame) >= ON if curve else value for frame in frames])


def world_matrix(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
    """Return the evaluated matrix (4, 4) from an object's space to the world, scene units."""
    return np.array(obj.evaluated_get(depsgraph).matrix_world, float)


def sample(context: Any, objects: Sequence[bpy.types.Object], frames: Sequence[int]) -> Mapping[str, np.ndarray]:
    """Return the world matrices of objects on some frames. Call it within ``visiting``.

    Returns:
        ``{name: (T, 4, 4)}`` in scene units.
    """
    result = {obj.name: np.empty((len(frames), 4, 4)) for obj in objects}
    if not objects:
        return result
    for row, frame in enumerate(frames):
        context.scene.frame_set(frame)
        depsgraph = context.evaluated_depsgraph_get()
        for obj in objects:
            result[obj.name][row] = world_matrix(obj, depsgraph)
    return result


def rigid_motion(matrices: np.ndarray, center: np.ndarray) -> np.ndarray:
    """Return the rigid part of an affine motion, as poses of one point of the object.

    Args:
        matrices: (T, 4, 4) from the object's space to the world, in the unit of ``center``.
        center: (3,) position of the point in the world, for the first matrix.

    Returns:
        (T, 7) poses: position and quaternion. The first has no rotation. Each rotation is the orthogonal factor in the
        polar decomposition of the motion since the first matrix.
    """
    motion = matrices @ np.linalg.pinv(matrices[0])
    left, _, right = np.linalg.svd(motion[:, :3, :3])
    left[:, :, 2] *= np.sign(np.linalg.det(left @ right))[:, None]
    rotations = left @ right
    poses = np.empty((len(matrices), 7))
    poses[:, :3] = motion[:, :3, :3] @ center + motion[:, :3, 3]
    poses[:, 3:] = np.array([Matrix(rotation).to_quaternion() for rotation in rotations])
    return poses


def stands_still(poses: np.ndarray, size: float) -> bool:
    """Return whether poses (T, 7) are equal up to rounding, for an object of a size in the same unit."""
    apart = np.abs(poses - poses[0])
    return bool(apart[:, :3].max() <= STILL * size and apart[:, 3:].max() <= STILL)


def initial_velocity(poses: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the velocity (3,), m/s, and the angular velocity (3,), rad/s, of an object when it becomes dynamic.

    Use the motion before the first frame; if there is none, use the motion after it.

    Args:
        poses: (3, 7), metres, on the frame before the first, on the first, and on the frame after it.
        seconds: s, time between two frames.
    """
    before, first, after = poses
    if not stands_still(np.array([before, first]), max(float(np.abs(poses[:, :3]).max()), 1e-3)):
        return _velocity(before, first, seconds)
    return _velocity(first, after, seconds)


def _velocity(start: np.ndarray, end: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    turn = Matrix.Identity(3).to_quaternion()
    turn[:] = end[3:]
    start_turn = turn.copy()
    start_turn[:] = start[3:]
    axis, angle = (turn @ start_turn.conjugated()).to_axis_angle()
    if angle > np.pi:
        angle -= 2.0 * np.pi
    return (end[:3] - start[:3]) / seconds, np.array(axis) * (angle / seconds)
