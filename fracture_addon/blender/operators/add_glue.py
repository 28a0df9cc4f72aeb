"""Glue the active deformable object to others, and remove glue."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import IntProperty

from ...core.data.errors import SceneError
from ..read import settings
from .availability import editing, linked, no_shape, subject, unless, usable
from .immediate_operator import ImmediateOperator

# Settings that new glue takes from that of the first object.
VALUES = ("glue_kind", "glue_distance", "glue_strength")


class FRACTURE_OT_add_glue(ImmediateOperator, bpy.types.Operator):
    """Glue the active object to all other selected ones."""

    bl_idname = "fracture.add_glue"
    bl_label = "Shatter: Glue to Selected"
    bl_description = (
        "Glue the active object to all other selected objects, with the settings of its first glue. All have to be "
        "deformable; Join joins any objects. Glue holds where points of the two objects are closer than Glue Distance"
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether the active object has a shape and can be changed."""
        return usable(cls, no_shape(context), linked(context), editing(context))

    def act(self, context: Any) -> None:
        """Add glue to the objects that have none with the active one, and say how many."""
        obj = subject(context)
        group = obj.fracture
        others = [other for other in settings.chosen(settings.selection(context)) if other != obj]
        if not others:
            raise SceneError(f"Nothing else is selected to glue '{obj.name}' to; select the other objects as well")
        glued = {glue.glue_object for glue in (group, *group.more_glue)}
        glued |= {other for other in others if obj in (glue.glue_object for glue in _glues(other))}
        new = [other for other in others if other not in glued]
        for other in new:
            glue = group.more_glue.add() if group.glue_object is not None else group
            glue.glue_object = other
            for name in VALUES:
                setattr(glue, name, getattr(group, name))
        self.report({"INFO"}, f"'{obj.name}' is glued to {len(new)} more object{'' if len(new) == 1 else 's'}")


class FRACTURE_OT_remove_glue(ImmediateOperator, bpy.types.Operator):
    """Remove the glue with one more object."""

    bl_idname = "fracture.remove_glue"
    bl_label = "Shatter: Remove Glue"
    bl_description = "Remove this glue from the active object"

    index: IntProperty(name="Index", description="Index of the additional glue", min=0, options={"HIDDEN"})

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether the active object has glue with more than one object."""
        found = subject(context) is not None and subject(context).fracture.more_glue
        return usable(cls, unless(found, "Make an object with more than one glue active (click it)"), linked(context))

    def act(self, context: Any) -> None:
        """Remove the glue from the list."""
        subject(context).fracture.more_glue.remove(self.index)


def _glues(obj: Any) -> list[Any]:
    """Return the settings of all glue of an object."""
    return [obj.fracture, *obj.fracture.more_glue]
