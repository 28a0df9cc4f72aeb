"""Put the scene back as it was before Shatter."""

from __future__ import annotations

import bpy

from .. import results, run, settings
from .at_once import AtOnce
from .availability import editing, lacking, running, usable


class FRACTURE_OT_clear(AtOnce, bpy.types.Operator):
    """Takes the pieces out again."""

    bl_idname = "fracture.clear"
    bl_label = "Clear"
    bl_description = "Remove the pieces and previews of the selected objects, and show the objects whole again"

    @classmethod
    def poll(cls, context):
        """Only in object mode, with something selected, while nothing runs."""
        found = any(map(results.is_changed, settings.selection(context)))
        nothing = lacking(found, "Select a broken object, one of its pieces, or one with a preview")
        return usable(cls, running(), editing(context), nothing)

    def act(self, context):
        """Clear the selected objects; a piece stands for the object that it came from."""
        results.clear(context, [obj for obj in settings.selection(context) if results.is_changed(obj)])
        run.message = None
