"""The frame whose shape is simulated, and later changes of that shape by modifiers, shape keys and drivers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np

from .mesh import values_of

# A shape has changed when a point moves by more than this share of the bounding box's largest side. Single precision
# gives 1e-7; repeated evaluation of the same armature pose differs by up to 1e-6.
CHANGED = 1e-5


def simulated_frame(start: int, keyed: int | None, impact_frames: Iterable[int] = ()) -> int:
    """Return the frame whose shape an object keeps in the simulation: the frame on which it becomes dynamic.

    Args:
        start: First frame of the run.
        keyed: Number of frames on which the object is kinematic; ``None`` for all.
        impact_frames: Frames of the impacts that the artist placed. If the object never becomes dynamic, it breaks on
            the first of them.
    """
    if keyed is None:
        return min(impact_frames, default=start)
    return start + max(keyed - 1, 0)


def animated(context: Any, objects: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Return the objects whose shape Blender evaluates again on the next frame. A change of position does not count.

    Call it within ``motion.visiting``, because it sets the next frame.
    """
    scene = context.scene
    with _evaluated_shapes() as found:
        scene.frame_set(scene.frame_current + 1)
    return [obj for obj in objects if obj in found]


def changes(context: Any, spans: Mapping[bpy.types.Object, range]) -> dict[bpy.types.Object, tuple[int, int]]:
    """Find the frames on which objects differ from their shape on the first frame of their span.

    Call it within ``motion.visiting``.

    Args:
        context: Context of the scene to evaluate.
        spans: Frames to compare, per object.

    Returns:
        First and last such frame per object, without the objects that keep their shape.
    """
    found: dict[bpy.types.Object, tuple[int, int]] = {}
    original: dict[bpy.types.Object, np.ndarray] = {}
    for frame in sorted({frame for span in spans.values() for frame in span}):
        context.scene.frame_set(frame)
        depsgraph = context.evaluated_depsgraph_get()
        for obj, span in spans.items():
            if frame in span:
                points = _points(obj, depsgraph)
                if _differ(original.setdefault(obj, points), points):
                    found[obj] = (found.get(obj, (frame, frame))[0], frame)
    return found


@contextmanager
def _evaluated_shapes() -> Iterator[set[bpy.types.Object]]:
    """Within the ``with`` statement, collect the objects whose geometry is evaluated on a frame change."""
    found: set[Any] = set()

    def collect(_scene: bpy.types.Scene, depsgraph: Any) -> None:
        found.update(
            update.id.original
            for update in depsgraph.updates
            if update.is_updated_geometry and isinstance(update.id, bpy.types.Object)
        )

    # The type stubs lack the second argument that Blender passes.
    handlers: Any = bpy.app.handlers.frame_change_post
    handlers.append(collect)
    try:
        yield found
    finally:
        handlers.remove(collect)


def _points(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
    """Return the points (P, 3) of the evaluated shape, in the object's space."""
    evaluated: Any = obj.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    try:
        return values_of(mesh.vertices, "co", 3, np.float32)
    finally:
        evaluated.to_mesh_clear()


def _differ(first: np.ndarray, second: np.ndarray) -> bool:
    if len(first) != len(second) or not len(first):
        return len(first) != len(second)
    return bool(np.abs(second - first).max() > CHANGED * np.ptp(first, axis=0).max())
