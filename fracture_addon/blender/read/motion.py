"""How objects move: their world matrices a frame, and the rigid part of that motion.

Frames are visited with the rigid-body world of Blender switched off, so that what is read is the artist's animation and
not another simulation; the current frame and that switch are put back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import bpy
import numpy as np
from mathutils import Matrix

from ..scene.action_curves import curves_of

# A motion below this, over the object's size and in radians, is rounding.
STILL = 1e-6
# A curve switches a setting on where it is at least this.
ON = 1.0 - 1e-6


@contextmanager
def visiting(scene: bpy.types.Scene) -> Iterator[None]:
    """Let the body of the statement set frames; put everything back behind it."""
    frame, subframe, world = scene.frame_current, scene.frame_subframe, scene.rigidbody_world
    was_enabled = world is not None and world.enabled
    if was_enabled:
        world.enabled = False
    try:
        yield
    finally:
        if was_enabled:
            world.enabled = True
        scene.frame_set(frame, subframe=subframe)


def may_move(obj: bpy.types.Object) -> bool:
    """Whether anything could animate an object's place: keys, drivers, constraints, or a parent that may move."""
    here: bpy.types.Object | None = obj
    while here is not None:
        if here.animation_data is not None or len(here.constraints):
            return True
        here = here.parent
    return False


def told_frames(obj: bpy.types.Object, frames: Sequence[int], *, breakable: bool) -> int | None:
    """On how many frames, from the first on, an object moves as it is told, before keys let it go.

    Args:
        obj: A breakable object, or one with rigid-body settings.
        frames: Of the run.
        breakable: Its own "held" setting counts too.

    Returns:
        ``None`` for one that is never let go, 0 for one that flies freely.
    """
    body = obj.rigid_body
    if body is not None and (body.type == "PASSIVE" or not body.enabled):
        return None
    told = np.zeros(len(frames), bool)
    if body is not None:
        told |= _switched_on(obj, "rigid_body.kinematic", body.kinematic, frames)
    if breakable:
        told |= _switched_on(obj, "fracture.held", obj.fracture.held, frames)
    return None if told.all() else int(told.argmin())


def _switched_on(obj: bpy.types.Object, path: str, value: bool, frames: Sequence[int]) -> np.ndarray:
    """(T,) whether a setting is on; the value that it has holds without keys of its own."""
    curves = curves_of(obj)
    curve = curves.find(path) if curves else None
    return np.array([curve.evaluate(frame) >= ON if curve else value for frame in frames])


def world_matrix(obj: bpy.types.Object, depsgraph) -> np.ndarray:
    """(4, 4) from an object's space to the world, in scene units, as it is evaluated now."""
    return np.array(obj.evaluated_get(depsgraph).matrix_world, float)


def sample(context, objects: Sequence[bpy.types.Object], frames: Sequence[int]) -> Mapping[str, np.ndarray]:
    """World matrices of some objects on some frames, call it within ``visiting``.

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
    """The rigid part of a motion, as poses of a point of the object.

    Args:
        matrices: (T, 4, 4) from the object's space to the world; lengths are those of ``center``.
        center: (3,) the point, in the world on the first row.

    Returns:
        (T, 7) poses, the first without a turn. Each turn is the rotation nearest to the affine motion since the
        first row (its polar decomposition).
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
    """Whether poses (T, 7) are all the same, for an object of a size in the same unit."""
    apart = np.abs(poses - poses[0])
    return bool(apart[:, :3].max() <= STILL * size and apart[:, 3:].max() <= STILL)


def initial_velocity(poses: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Velocity (3,) and angular velocity (3,) with which an animation lets go of an object.

    The animation that leads up to the first frame counts; where there is none, the one that starts on it.

    Args:
        poses: (3, 7) on the frame before the first, the first, and the one behind it, turns relative to any frame.
        seconds: Between two frames.
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
