"""Give the selected objects a material that looks like their preset."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.data.errors import SceneError
from ..process import run
from ..read import settings
from ..write import looks
from .availability import linked, no_shape, subject, unless, usable
from .immediate_operator import ImmediateOperator
from .status import Status


class FRACTURE_OT_use_look(ImmediateOperator, bpy.types.Operator):
    """Use the look of the preset."""

    bl_idname = "fracture.use_look"
    bl_label = "Shatter: Use Preset's Look"
    bl_description = (
        "Give the selected objects a shader that looks like their material preset: glass, wood, brick ... "
        "Crack faces of the next run match it. If an object has a material, the button asks first"
    )

    replace: bpy.props.BoolProperty(
        name="Replace Materials",
        description="Also replace the materials that objects have. Off: objects that have one keep it",
        default=False,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether the active object can be changed, and its preset has a look."""
        obj = subject(context)
        nothing = unless(obj is not None and looks.look_of(obj), "The material of this object has no look")
        return usable(cls, no_shape(context), linked(context), nothing)

    def invoke(self, context: Any, event: bpy.types.Event) -> Status:
        """Ask before materials are replaced."""
        if any(map(looks.has_material, _chosen(context))):
            self.replace = True
            return context.window_manager.invoke_confirm(self, event)
        return self.execute(context)

    def act(self, context: Any) -> None:
        """Give the looks, and report the number of objects."""
        chosen = [obj for obj in _chosen(context) if self.replace or not looks.has_material(obj)]
        if not chosen:
            raise SceneError("the objects have materials; turn Replace Materials on to replace them")
        for obj in chosen:
            looks.give(obj)
        run.say(f"{len(chosen)} object{'s have' if len(chosen) > 1 else ' has'} the look of the preset")


def _chosen(context: Any) -> list[bpy.types.Object]:
    selected = settings.chosen(dict.fromkeys((subject(context), *settings.selection(context))))
    return [obj for obj in selected if looks.look_of(obj) is not None]
