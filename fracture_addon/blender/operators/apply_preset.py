"""Apply a material preset to the selected objects."""

from __future__ import annotations

from typing import Any

import bpy

from ..read import settings
from ..setup import material_guess, presets
from .availability import linked, no_shape, subject, usable
from .immediate_operator import ImmediateOperator


class FRACTURE_OT_apply_preset(ImmediateOperator, bpy.types.Operator):
    """Run a material preset for the selected objects."""

    bl_idname = "fracture.apply_preset"
    bl_label = "Shatter: Apply Material"
    bl_description = "Set the material of the selected objects to this preset"
    bl_options = ImmediateOperator.bl_options | {"INTERNAL"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE", "HIDDEN"})

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether the active object can be broken and edited."""
        return usable(cls, no_shape(context), linked(context))

    def act(self, context: Any) -> None:
        """Run the preset for each object; an invalid preset changes no object."""
        for obj in settings.chosen(dict.fromkeys((subject(context), *settings.selection(context)))):
            presets.apply(context, obj, self.filepath)
            obj.pop(material_guess.GUESSED, None)
