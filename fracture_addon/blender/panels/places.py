"""What is placed and painted for an object that breaks, and what an object does to others."""

from __future__ import annotations

import bpy

from .. import results
from .section import Section

# What each kind of place has to set.
SETTINGS = {
    "NONE": (),
    "PLANE": ("place_strength", "place_width", "place_reach"),
    "REGION": ("place_strength", "place_density", "place_fineness", "place_softness"),
    "LAYERS": ("place_strength", "place_period"),
    "GRAIN": (),
}

ICONS = {"PLANE": "MESH_PLANE", "REGION": "MESH_UVSPHERE", "LAYERS": "ALIGN_JUSTIFY", "GRAIN": "CURVES"}


class FRACTURE_PT_places(Section, bpy.types.Panel):
    """Where the object is different."""

    bl_label = "Places"

    def draw(self, context):
        """Draw what adds a place, what is painted, and how the cells are spread."""
        column, group = self.column(context)
        # Two a row: four names are cut off in a sidebar of the usual width.
        buttons = column.grid_flow(row_major=True, columns=2, align=True)
        for kind, icon in ICONS.items():
            buttons.operator("fracture.add_place", text=kind.capitalize(), icon=icon).kind = kind
        column.prop(group, "places", text="Only These")
        # Only a network has cells of different weight.
        painted = ("strength", "density", "fineness") if group.method == "NETWORK" else ("strength", "fineness")
        for what in painted:
            column.prop(group, f"{what}_paint", text=f"{what.capitalize()} Paint", icon="BRUSH_DATA")
            if getattr(group, f"{what}_paint"):
                column.prop(group, f"{what}_paint_factor", text="Factor")
        column.separator()
        column.prop(group, "interior_points")
        column.prop(group, "wall_layers")
        column.prop(group, "impact_fineness")
        reach = column.column()
        reach.active = group.impact_fineness > 1.0
        reach.prop(group, "impact_reach")


class FRACTURE_PT_place(Section, bpy.types.Panel):
    """What the object does to others that break."""

    bl_label = "Acts As"

    @classmethod
    def poll(cls, context):
        """An empty, or a mesh that is no piece."""
        obj = context.object
        return obj is not None and obj.type in ("EMPTY", "MESH") and results.SOURCE not in obj

    def draw(self, context):
        """Draw what the kind of place has to set."""
        column, group = self.column(context)
        column.prop(group, "place")
        for name in SETTINGS[group.place]:
            column.prop(group, name)


CLASSES = (FRACTURE_PT_places, FRACTURE_PT_place)
