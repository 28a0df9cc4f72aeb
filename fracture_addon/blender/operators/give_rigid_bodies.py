"""Make the pieces of the selected objects rigid bodies of Blender."""

from __future__ import annotations

from typing import Any

import bpy

from ..process import run
from ..read import settings
from ..scene import result_lookup
from ..write import rigid_bodies
from .availability import editing, running, unless, usable
from .immediate_operator import ImmediateOperator


class FRACTURE_OT_give_rigid_bodies(ImmediateOperator, bpy.types.Operator):
    """Make pieces rigid bodies of Blender."""

    bl_idname = "fracture.give_rigid_bodies"
    bl_label = "Shatter: Make Rigid Bodies"
    bl_description = (
        "Turn the pieces of Fracture Only into rigid bodies of Blender, with their masses and convex hulls. "
        "Play the timeline to simulate them. Clear removes them with the pieces"
    )

    jointed: bpy.props.BoolProperty(
        name="Joints",
        description="Add a breakable rigid body constraint between pieces that touch. It breaks at the tensile "
        "strength times the common area. Turn it off if the pieces should separate at once",
        default=True,
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether a selected object has pieces, in object mode, and no run is in progress."""
        nothing = unless(_broken(context), "Select a broken object or a piece of it. Fracture Only makes pieces")
        return usable(cls, running(), editing(context), nothing)

    def act(self, context: Any) -> None:
        """Make the bodies and joints, and report their numbers."""
        bodies, joints = rigid_bodies.give(context, _broken(context), self.jointed)
        run.say(f"{bodies:,} rigid bodies, {joints:,} joints")


def _broken(context: Any) -> list[bpy.types.Object]:
    return [obj for obj in settings.selection(context) if result_lookup.collection_of(obj) is not None]
