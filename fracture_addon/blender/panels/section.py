"""Base class of the subpanels."""

from __future__ import annotations

from typing import Any

import bpy

from ..read import settings
from ..scene import result_lookup


class Section:
    """A closed subpanel for the active object.

    Attributes:
        layout: Blender's layout, set when the panel is drawn.
    """

    layout: Any

    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = "Fracture"
    bl_parent_id = "FRACTURE_PT_main"
    bl_options: Any = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether the active object can be broken."""
        obj = context.object
        return (
            obj is not None
            and obj.type in settings.BREAKABLE
            and result_lookup.SOURCE not in obj
            and obj.fracture.place == "NONE"
        )

    def column(self, context: Any) -> tuple[bpy.types.UILayout, Any]:
        """Return a column with names left of the values, and the active object's settings."""
        self.layout.use_property_split = True
        self.layout.use_property_decorate = False
        return self.layout.column(), context.object.fracture


def draw_pins(column: bpy.types.UILayout, obj: bpy.types.Object) -> None:
    """Draw the vertex group of pinned points, for meshes only."""
    if obj.type == "MESH":
        column.prop_search(obj.fracture, "pin_group", obj, "vertex_groups")
