"""Remove results and restore the objects."""

from __future__ import annotations

from typing import Any

import bpy

from ..process import run
from ..read import settings
from ..read.joints import with_joined
from ..scene import result_lookup
from ..write import results
from .availability import editing, running, unless, usable
from .immediate_operator import ImmediateOperator


class FRACTURE_OT_clear(ImmediateOperator, bpy.types.Operator):
    """Remove pieces and previews."""

    bl_idname = "fracture.clear"
    bl_label = "Shatter: Clear"
    bl_description = (
        "Remove the pieces and previews of the selected objects and of those joined to them, and show the whole "
        "objects again"
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether a selected object has a result or preview, in object mode, and no run is in progress."""
        found = any(map(result_lookup.is_changed, settings.selection(context)))
        nothing = unless(found, "Select a broken object, a piece of it, or an object with a preview")
        return usable(cls, running(), editing(context), nothing)

    def act(self, context: Any) -> None:
        """Clear the selected objects and those joined to them; a selected piece clears its source object."""
        objects = with_joined(context, settings.selection(context))
        changed = list(filter(result_lookup.is_changed, objects))
        subjects = [obj for obj in map(result_lookup.subject_of, changed) if obj and result_lookup.SOURCE not in obj]
        results.clear(context, changed)
        context.view_layer.update()
        if not context.selected_objects:  # Blender deselected the objects when the result hid them
            for obj in subjects:
                if obj.visible_get():
                    obj.select_set(True)
        run.message = None
