"""Add an empty that changes strength, density, cell size or grain of breaking objects, or that loads them."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty

from ..properties.placed_fields import EMPTY_ITEMS, PLACE_ITEMS
from .availability import editing, no_mesh, subject, usable
from .status import Status

# Display type of the empty. The arrow is the normal of a plane or of layers, or the direction of the grain.
SHAPES: dict[str, Any] = {
    "PLANE": "SINGLE_ARROW",
    "REGION": "SPHERE",
    "LAYERS": "SINGLE_ARROW",
    "GRAIN": "SINGLE_ARROW",
    "BLAST": "SPHERE",
    "PRESSURE": "SPHERE",
    "GRIP": "SPHERE",
    "SOUND": "CONE",
    "RELEASE": "SPHERE",
    "FREEZE": "SPHERE",
    "THERMAL": "SPHERE",
}

# Loads whose strength hardly anybody knows: the stiffness of a hand, the level that breaks a glass.
UNKNOWN = ("GRIP", "SOUND")


class FRACTURE_OT_add_place(bpy.types.Operator):
    """Add an empty at the 3D cursor that changes breaking objects, loads them or lets them go."""

    bl_idname = "fracture.add_place"
    bl_label = "Shatter: Add Field"
    bl_description = (
        "Add an empty at the 3D cursor that changes the strength of breaking objects there, or loads them. "
        "Move, rotate and scale it to fit"
    )
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(name="Kind", description="Kind of field or load to add", items=EMPTY_ITEMS)
    select: BoolProperty(
        name="Select",
        description="Select the empty, so that its handles are shown",
        default=False,
        options={"HIDDEN", "SKIP_SAVE"},
    )

    @classmethod
    def description(cls, _context: Any, properties: Any) -> str:
        """Return the tooltip of the kind."""
        effect = next(item[2] for item in PLACE_ITEMS if item[0] == properties.kind)
        return f"Add an empty at the 3D cursor. {effect}"

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether the active object is a mesh, in object mode."""
        return usable(cls, no_mesh(context), editing(context))

    def execute(self, context: Any) -> Status:
        """Add the empty to the object's collection of fields, or else to the active collection."""
        obj = subject(context)
        names = {item[0]: item[1] for item in PLACE_ITEMS}
        empty = bpy.data.objects.new(f"{obj.name} {names[self.kind]}", None)
        empty.empty_display_type = SHAPES[self.kind]
        empty.empty_display_size = 0.25 * max(obj.dimensions)
        empty.show_in_front = True  # it is usually inside the object
        empty.location = context.scene.cursor.location
        empty.fracture.place = self.kind
        empty.fracture.place_frame = context.scene.frame_current
        empty.fracture.place_relative = self.kind in UNKNOWN
        (obj.fracture.places or context.collection).objects.link(empty)
        if self.select:
            for other in context.selected_objects:
                other.select_set(False)
            empty.select_set(True)
            context.view_layer.objects.active = empty
        return {"FINISHED"}
