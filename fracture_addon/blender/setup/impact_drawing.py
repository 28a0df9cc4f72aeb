"""Drawing of an aimed impact in the 3D viewport, and the point of an object under the pointer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import gpu
import numpy as np
from bpy_extras import view3d_utils
from gpu_extras.batch import batch_for_shader
from mathutils import Vector

# Colours and widths (pixels at an interface scale of 1) of the cracks, and of the disc and arrow.
CRACK_COLOR, CRACK_WIDTH = (0.9, 0.1, 0.05, 1.0), 2.5
POINTER_COLOR, POINTER_WIDTH = (1.0, 0.75, 0.1, 1.0), 2.0


class Drawing:
    """What is drawn in all 3D viewports while the extension is enabled.

    Args:
        draw: Draws it; called without arguments.
    """

    def __init__(self, draw: Callable[[], None]):
        self._draw, self._handle = draw, None

    def register(self) -> None:
        """Begin to draw."""
        self._handle = bpy.types.SpaceView3D.draw_handler_add(self._draw, (), "WINDOW", "POST_VIEW")

    def unregister(self) -> None:
        """End the drawing."""
        remove(self._handle)
        self._handle = None


def add(tool: Any, size: float, scene: bpy.types.Scene) -> Any:
    """Draw a tool in all 3D viewports until ``remove``; ``size`` is that of the object, scene units."""
    unit = scene.unit_settings.scale_length
    return bpy.types.SpaceView3D.draw_handler_add(_draw, (tool, size, unit), "WINDOW", "POST_VIEW")


def remove(handle: Any) -> None:
    """End the drawing."""
    bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")


def redraw() -> None:
    """Draw all 3D viewports again."""
    windows: Any = bpy.data.window_managers[0].windows
    for area in (area for window in windows for area in window.screen.areas if area.type == "VIEW_3D"):
        area.tag_redraw()


def ui_scale() -> float:
    """Return the scale of Blender's interface."""
    preferences: Any = bpy.context.preferences
    return preferences.system.ui_scale


def under_pointer(context: Any, event: Any, obj: Any) -> tuple[Vector, Vector] | None:
    """Return the point of an object under the pointer and the inward normal, world space; ``None`` without one."""
    return cast(context, obj, *ray(context, event.mouse_region_x, event.mouse_region_y))


def ray(context: Any, x: float, y: float) -> tuple[Vector, Vector]:
    """Return the start and the direction, world space, of the line of sight through a pixel of the viewport."""
    region, view = context.region, context.region_data
    return (
        view3d_utils.region_2d_to_origin_3d(region, view, (x, y)),
        view3d_utils.region_2d_to_vector_3d(region, view, (x, y)),
    )


def cast(context: Any, obj: Any, origin: Vector, direction: Vector) -> tuple[Vector, Vector] | None:
    """Return where a ray of the world first meets an object, and the normal there that points away from the viewer."""
    evaluated = obj.evaluated_get(context.evaluated_depsgraph_get())
    matrix = evaluated.matrix_world
    inverse = matrix.inverted_safe()
    hit, point, normal, _face = evaluated.ray_cast(inverse @ origin, (inverse.to_3x3() @ direction).normalized())
    if not hit:
        return None
    inward = (inverse.to_3x3().transposed() @ normal).normalized()
    return matrix @ point, inward if inward.dot(direction) > 0.0 else -inward


def _draw(tool: Any, size: float, unit: float) -> None:
    if tool.cracks is not None and len(tool.cracks.lines):
        draw_lines(tool.cracks.points[tool.cracks.lines] / unit, CRACK_COLOR, CRACK_WIDTH)
    if tool.pointer is not None:
        draw_lines(tool.pointer.lines(size), POINTER_COLOR, POINTER_WIDTH)


def draw_lines(ends: np.ndarray, color: tuple[float, ...], width: float) -> None:
    """Draw lines (L, 2, 3) over everything."""
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    batch = batch_for_shader(shader, "LINES", {"pos": ends.reshape(-1, 3).tolist()})
    gpu.state.blend_set("ALPHA")
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    shader.uniform_float("lineWidth", width * ui_scale())
    shader.uniform_float("color", color)
    batch.draw(shader)
    gpu.state.blend_set("NONE")
