"""What the folded parts of the panel have in common."""

from __future__ import annotations

from typing import Any

from .. import results, settings


class Section:
    """A folded part of the panel, for the active mesh."""

    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = "Fracture"
    bl_parent_id = "FRACTURE_PT_main"
    bl_options: Any = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        """Settings belong to a mesh that can be broken."""
        obj = context.object
        return (
            obj is not None
            and obj.type in settings.BREAKABLE
            and results.SOURCE not in obj
            and obj.fracture.place == "NONE"
        )

    def column(self, context):
        """A column of properties with their names to the left, and the active object's settings."""
        self.layout.use_property_split = True
        self.layout.use_property_decorate = False
        return self.layout.column(), context.object.fracture


def draw_pins(column, obj):
    """Draw the choice of what is pinned, which only meshes have."""
    if obj.type == "MESH":
        column.prop_search(obj.fracture, "pin_group", obj, "vertex_groups")
