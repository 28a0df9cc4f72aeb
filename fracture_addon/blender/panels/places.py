"""Panels for places and paint of a breaking object, and for an object that changes others."""

from __future__ import annotations

from typing import Any

import bpy

from ..scene import result_lookup
from .section import Section

# Settings of each kind of place.
SETTINGS = {
    "NONE": (),
    "PLANE": ("place_strength", "place_width", "place_reach"),
    "REGION": ("place_strength", "place_density", "place_fineness", "place_softness"),
    "LAYERS": ("place_strength", "place_period"),
    "GRAIN": (),
}

ICONS: dict[str, Any] = {"PLANE": "MESH_PLANE", "REGION": "MESH_UVSPHERE", "LAYERS": "ALIGN_JUSTIFY", "GRAIN": "CURVES"}


class FRACTURE_PT_places(Section, bpy.types.Panel):
    """Places, paint and cell sizes of a breaking object."""

    bl_label = "Places"

    def draw(self, context: Any) -> None:
        """Draw the buttons that add places, the paint, and the cell sizes."""
        column, group = self.column(context)
        # Two per row: a sidebar of the default width would cut off four names.
        buttons = column.grid_flow(row_major=True, columns=2, align=True)
        for kind, icon in ICONS.items():
            buttons.operator("fracture.add_place", text=kind.capitalize(), icon=icon).kind = kind
        column.prop(group, "places", text="Collection")
        # Only the method Network supports cells of different density.
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
    """How the object changes the strength of breaking objects."""

    bl_label = "Acts As"

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether the active object is an empty, or a mesh that is not a piece."""
        obj = context.object
        return obj is not None and obj.type in ("EMPTY", "MESH") and result_lookup.SOURCE not in obj

    def draw(self, context: Any) -> None:
        """Draw the settings of the kind of place."""
        column, group = self.column(context)
        column.prop(group, "place")
        for name in SETTINGS[group.place]:
            column.prop(group, name)


CLASSES = (FRACTURE_PT_places, FRACTURE_PT_place)
