"""The arrow of an impact: an empty that an object's settings refer to."""

from __future__ import annotations

from typing import Any

import bpy
from mathutils import Matrix, Vector

from ..scene.collections import home
from ..scene.result_lookup import IMPACT_OF
from .placing import UP


def add(context: Any, obj: Any, point: Vector, inward: Vector) -> Any:
    """Add an arrow for an impact on the current frame, after existing impacts, and select it.

    Args:
        context: Context of the scene.
        obj: Object that the impact breaks. It stays active, so that the panel still shows its settings.
        point: Point on its surface, world space.
        inward: Unit vector into the object, the direction of the force.

    Returns:
        The settings of the impact.
    """
    empty: Any = bpy.data.objects.new(f"{obj.name} Impact", None)
    empty.empty_display_type = "SINGLE_ARROW"
    empty.empty_display_size = 0.5 * max(obj.dimensions)
    empty.show_in_front = True
    # The arrow is outside the object; it points along its Z axis and ends at the surface.
    start = point - empty.empty_display_size * inward
    empty.matrix_world = Matrix.Translation(start[:]) @ UP.rotation_difference(inward).to_matrix().to_4x4()
    home(context.scene, obj).objects.link(empty)
    group = obj.fracture
    impact = group.more_impacts.add() if group.impact_enabled and group.impact_object is not None else group
    group.impact_enabled = True
    impact.impact_object = empty
    empty[IMPACT_OF] = obj
    impact.impact_frame = context.scene.frame_current
    context.view_layer.update()
    for other in context.selected_objects:
        other.select_set(False)
    empty.select_set(True)
    context.view_layer.objects.active = obj
    return impact
