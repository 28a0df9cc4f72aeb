"""The frame whose shape is simulated, and the frames on which modifiers, shape keys and drivers change that shape."""

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


def simulated_frame(start: int, told: int | None, impact_frames: Iterable[int] = ()) -> int:
    """The frame whose shape an object keeps in the simulation: the one on which it is released.

    Args:
        start: First frame of the run.
        told: Frames from the first on, on which the object moves by its keys; ``None`` when keys never release it.
        impact_frames: Frames of the impacts that the artist placed on it. The first of them stands for the frame on
            which an object breaks that keys never release.
    """
    if told is None:
        return min(impact_frames, default=start)
    return start + max(told - 1, 0)


def animated(context, objects: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Objects whose shape Blender evaluates again on another frame; their places do not count.

    Call it within ``read_motion.visiting``: it sets the next frame.
    """
    scene = context.scene
    with _evaluated_shapes() as found:
        scene.frame_set(scene.frame_current + 1)
    return [obj for obj in objects if obj in found]


def changes(context, spans: Mapping[bpy.types.Object, range]) -> dict[bpy.types.Object, tuple[int, int]]:
    """First and last frame on which objects differ from their shape on the first frame of their span.

    Call it within ``read_motion.visiting``.

    Args:
        context: Its scene is evaluated.
        spans: Frames to compare, per object.

    Returns:
        ``{object: (first, last)}``, without the objects that keep their shape.
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
    """Collect the objects whose geometry the dependency graph evaluates on the frames set meanwhile."""
    found: set[bpy.types.Object] = set()

    def collect(_scene, depsgraph):
        found.update(
            update.id.original
            for update in depsgraph.updates
            if update.is_updated_geometry and isinstance(update.id, bpy.types.Object)
        )

    # Its type stubs leave out the second argument that Blender passes.
    handlers: Any = bpy.app.handlers.frame_change_post
    handlers.append(collect)
    try:
        yield found
    finally:
        handlers.remove(collect)


def _points(obj: bpy.types.Object, depsgraph) -> np.ndarray:
    """(P, 3) points of the evaluated shape, in the object's space."""
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
