"""Place an empty that makes things weaker, stronger, heavier or finer where it stands."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ..properties.places import PLACE_ITEMS
from .availability import editing, no_mesh, usable

# How an empty of each kind is drawn: an arrow is a plane's normal, crosses the layers, or runs along the grain.
SHAPES = {"PLANE": "SINGLE_ARROW", "REGION": "SPHERE", "LAYERS": "SINGLE_ARROW", "GRAIN": "SINGLE_ARROW"}


class FRACTURE_OT_add_place(bpy.types.Operator):
    """Adds a cleaving plane, a region, layers or a grain at the 3D cursor."""

    bl_idname = "fracture.add_place"
    bl_label = "Add Place"
    bl_description = "Change what the active object is like where the 3D cursor is: adds an empty to move and turn"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(name="Kind", description="What is added", items=PLACE_ITEMS[1:])

    @classmethod
    def description(cls, _context, properties):
        """What the kind does."""
        return f"{dict((item[0], item[2]) for item in PLACE_ITEMS)[properties.kind]}. Adds an empty at the 3D cursor"

    @classmethod
    def poll(cls, context):
        """Only for a mesh, in object mode."""
        return usable(cls, no_mesh(context), editing(context))

    def execute(self, context):
        """Add the empty, where the object's own collection of places is, if it has one."""
        obj = context.object
        names = {item[0]: item[1] for item in PLACE_ITEMS}
        empty = bpy.data.objects.new(f"{obj.name} {names[self.kind]}", None)
        empty.empty_display_type = SHAPES[self.kind]
        empty.empty_display_size = 0.25 * max(obj.dimensions)
        empty.show_in_front = True  # it mostly stands inside the object
        empty.location = context.scene.cursor.location
        empty.fracture.place = self.kind
        (obj.fracture.places or context.collection).objects.link(empty)
        return {"FINISHED"}
