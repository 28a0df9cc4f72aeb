"""Put the scene back as it was before Shatter."""

from __future__ import annotations

import bpy

from ...core.errors import FractureError
from .. import bake, run


class FRACTURE_OT_clear(bpy.types.Operator):
    """Takes the pieces out again."""

    bl_idname = "fracture.clear"
    bl_label = "Clear"
    bl_description = "Remove the pieces of the selected objects and show the objects whole again"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        """Only in object mode, with something selected, while nothing runs."""
        if run.active is not None:
            cls.poll_message_set("A run is under way: wait for it, or cancel it")
            return False
        if context.mode != "OBJECT":
            cls.poll_message_set("Leave the edit mode first (Tab)")
            return False
        if not context.selected_objects:
            cls.poll_message_set("Select a broken object or one of its pieces")
            return False
        return True

    def execute(self, context):
        """Clear the selected objects; a piece stands for the object that it came from."""
        sources = {obj.get("fracture_source", obj.name) for obj in context.selected_objects}
        objects = [bpy.data.objects[name] for name in sorted(sources) if name in bpy.data.objects]
        try:
            bake.clear(context, objects)
        except FractureError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        run.message = None
        return {"FINISHED"}
