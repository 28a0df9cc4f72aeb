"""The scene and the objects of a run, found again when the run ends.

During a run the artist may rename, edit or delete anything, and undo moves every data-block in memory. Blender's
session id of a data-block survives renaming and undo; pointers and names do not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ...core.data.errors import InvalidMeshError, SceneError
from ...core.data.job import Job
from ...core.data.recording import Recording


class RunObjects:
    """The scene and the objects from which a job was read."""

    def __init__(self, context: Any, job: Job, objects: Sequence[bpy.types.Object]):
        """Store the identity of the scene, of the objects with their shapes, and of the colliders.

        Args:
            context: Context of the scene that ``job`` was read from.
            job: The job.
            objects: One object per body of the job, in its order.
        """
        self._scene, self._scene_name = _identity(context.scene), context.scene.name
        self._objects = [(_identity(obj), obj.name, _shape(obj)) for obj in objects]
        around, names = context.view_layer.objects, {collider.name for collider in job.colliders}
        self._names = {_identity(obj): obj.name for obj in around if obj.name in names}
        self._names |= {_identity(obj): body.name for obj, body in zip(objects, job.bodies, strict=True)}

    def delay(self, context: Any) -> str:
        """Return why a finished result must wait: another scene is shown; else an empty string."""
        scene = _find(bpy.data.scenes, self._scene)
        if scene is None or scene == context.scene:
            return ""
        return f"waiting until the scene '{scene.name}' is shown again"

    def unchanged(self, context: Any) -> list[bpy.types.Object]:
        """Return the objects of the run, in the order of its job.

        Raises:
            SceneError: An object was removed, or another scene is shown.
            InvalidMeshError: An object was edited.
        """
        if _identity(context.scene) != self._scene:
            raise SceneError(
                f"The run was for the scene '{self._scene_name}', which is no longer shown; "
                "show it and press the button again"
            )
        return [_unchanged(*known) for known in self._objects]

    def renamed(self, job: Job, recording: Recording) -> tuple[Job, Recording]:
        """Return a job and its recording with the current names of the objects."""
        now = {
            old: obj.name
            for identity, old in self._names.items()
            if (obj := _find(bpy.data.objects, identity)) is not None and obj.name != old
        }
        if not now:
            return job, recording

        def named(items: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(replace(item, name=now.get(item.name, item.name)) for item in items)

        return (
            replace(job, bodies=named(job.bodies), colliders=named(job.colliders)),
            replace(recording, bodies=named(recording.bodies), projectiles=named(recording.projectiles)),
        )


def _identity(item: bpy.types.ID) -> int | str:
    """Return the identity of a data-block in this session: its session id since Blender 4.1, before that its name."""
    return getattr(item, "session_uid", item.name)


def _find(items: Any, identity: int | str) -> Any:
    return next((item for item in items if _identity(item) == identity), None)


def _shape(obj: Any) -> bytes:
    """Return a digest of an object's own shape; it changes when the shape is edited."""
    if obj.type != "MESH":
        return hashlib.blake2b(_curve_text(obj.data).encode()).digest()
    mesh = obj.data
    points = np.empty(3 * len(mesh.vertices), np.float32)
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.vertices.foreach_get("co", points)
    mesh.loops.foreach_get("vertex_index", corners)
    return hashlib.blake2b(points.tobytes() + corners.tobytes()).digest()


def _curve_text(data: Any) -> str:
    """Return the points and settings that define a curve, a surface or a text."""
    values = [data.body, data.size] if isinstance(data, bpy.types.TextCurve) else []
    for spline in data.splines:
        values += [tuple(point.co) for point in spline.points]
        values += [
            tuple(point.handle_left) + tuple(point.co) + tuple(point.handle_right) for point in spline.bezier_points
        ]
    return repr((values, data.bevel_depth, data.extrude, data.offset))


def _unchanged(identity: int | str, name: str, shape: bytes) -> bpy.types.Object:
    obj = _find(bpy.data.objects, identity)
    if obj is None:
        raise SceneError(f"'{name}' was removed during the run; press Shatter again")
    if obj.mode != "OBJECT" or _shape(obj) != shape:
        raise InvalidMeshError(f"'{obj.name}' was edited during the run; switch to Object Mode and press Shatter again")
    return obj
