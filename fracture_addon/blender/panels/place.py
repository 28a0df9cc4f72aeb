"""Panel of an object that changes the strength, density, cell size or grain of breaking objects, or loads them."""

from __future__ import annotations

from typing import Any

import bpy

from ..scene.result_lookup import SOURCE, is_impact
from .section import Section

# Settings of each kind of place.
SETTINGS = {
    "NONE": (),
    "PLANE": ("place_strength", "place_width", "place_reach"),
    "SHEET": ("place_strength", "place_width"),
    "REGION": ("place_strength", "place_density", "place_stress", "place_fineness", "place_softness"),
    "LAYERS": ("place_strength", "place_period"),
    "GRAIN": (),
    "BLAST": ("place_frame", "place_relative"),
    "PRESSURE": ("place_frame", "place_relative"),
    "GRIP": ("place_release", "place_relative"),
    "SOUND": ("place_frequency", "place_frame", "place_release", "place_relative"),
    "RELEASE": (),
    "FREEZE": ("place_frame", "place_release"),
    "THERMAL": ("place_frame", "place_waits", "place_temperature", "place_heat_transfer", "place_relative"),
}
# Strengths of the loads in their own units, which a relative strength replaces.
STRENGTHS = {
    "BLAST": "place_charge",
    "PRESSURE": "place_pressure",
    "GRIP": "place_stiffness",
    "SOUND": "place_level",
}
# Names of settings that have another one for most kinds, or whose own name would be cut off in the sidebar.
NAMES = {
    ("SOUND", "place_release"): "Last Frame",
    ("REGION", "place_stress"): "Stress (MPa)",
    ("THERMAL", "place_temperature"): "Difference (K)",
    ("THERMAL", "place_heat_transfer"): "Heat Transfer",
}


class FRACTURE_PT_place(Section, bpy.types.Panel):
    """How the object changes the strength of breaking objects."""

    bl_label = "Acts As"
    bl_options: Any = set()

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether the active object is an empty, or a mesh that acts as a place."""
        obj = context.object
        if obj is None or SOURCE in obj or is_impact(obj):
            return False
        return obj.type == "EMPTY" or (obj.type == "MESH" and obj.fracture.place != "NONE")

    def draw(self, context: Any) -> None:
        """Draw the settings of the kind of place."""
        column, group = self.column(context)
        column.prop(group, "place")
        if group.place == "GRAIN":
            column.label(text="For materials with grain, as wood", icon="INFO")
        for name in SETTINGS[group.place]:
            other = NAMES.get((group.place, name))
            if other is None:
                column.prop(group, name)
            else:
                column.prop(group, name, text=other)
        if group.place_relative and "place_relative" in SETTINGS[group.place]:
            column.prop(group, "place_load_factor")
            if group.place == "GRIP" and group.place_load_factor < 1.0:  # Break Anyway has no effect on grips
                column.label(text="Below 1 nothing breaks", icon="INFO")
        elif group.place in STRENGTHS:
            column.prop(group, STRENGTHS[group.place])


CLASSES = (FRACTURE_PT_place,)
