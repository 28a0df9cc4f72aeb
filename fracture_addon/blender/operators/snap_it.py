"""Hold the ends of the selected meshes, and bend, pull or twist them until they break."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
from bpy.props import EnumProperty

from ..setup import snapping
from .break_operator import BreakOperator


class FRACTURE_OT_snap_it(BreakOperator, bpy.types.Operator):
    """Hold the ends of the selected meshes, and bend, pull or twist them until they break."""

    bl_idname = "fracture.snap_it"
    bl_label = "Shatter: Snap It"
    bl_description = "Hold the ends of the selected meshes in two grips, and bend, pull or twist them until they break"

    motion: EnumProperty(name="Motion", description="How the grips move", items=snapping.MOTIONS)

    def set_up(self, context: Any, objects: Sequence[bpy.types.Object]) -> bool:
        """Add the grips."""
        snapping.snap(context, objects, self.motion)
        return True
