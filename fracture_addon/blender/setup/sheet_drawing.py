"""Drawn cracks in the 3D viewports: the rims of their sheets, in the colour of cracks.

Blender's thin black wire is hardly visible, above all where a sheet is seen edge-on, as it is after drawing along the
view. Nothing is added to the file.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...core.numerics.rotations import transformed
from .impact_drawing import CRACK_COLOR, CRACK_WIDTH, Drawing, draw_lines


def rim(sheet: Any) -> np.ndarray:
    """Return the ends (L, 2, 3) of the edges of one face of a sheet, world space."""
    mesh = sheet.data
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    edges = np.empty(2 * len(mesh.edges), np.int32)
    mesh.edges.foreach_get("vertices", edges)
    used = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("edge_index", used)
    single = np.bincount(used, minlength=len(mesh.edges)) == 1
    world = transformed(points.reshape(-1, 3), np.array(sheet.matrix_world))
    return world[edges.reshape(-1, 2)[single]]


def is_shown(sheet: Any) -> bool:
    """Return whether the body of a sheet is visible: the sheet of a broken one would float among its pieces."""
    return sheet.parent is None or sheet.parent.visible_get()


def _draw() -> None:
    context: Any = bpy.context
    if not context.space_data.overlay.show_overlays:
        return
    for obj in context.visible_objects:
        # Cheapest first: a result may have thousands of objects. Blender marks selected ones itself.
        is_sheet = obj.display_type == "WIRE" and obj.type == "MESH" and obj.fracture.place == "SHEET"
        if is_sheet and obj.mode == "OBJECT" and not obj.select_get() and is_shown(obj):
            draw_lines(rim(obj), CRACK_COLOR, CRACK_WIDTH)


_drawing = Drawing(_draw)
register, unregister = _drawing.register, _drawing.unregister
