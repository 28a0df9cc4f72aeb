"""Let a tone make the selected meshes ring until they break, as a singer breaks a glass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ..setup import scenario
from .break_operator import BreakOperator


class FRACTURE_OT_sing_at_it(BreakOperator, bpy.types.Operator):
    """Let a tone make the selected meshes ring until they break, as a singer breaks a glass."""

    bl_idname = "fracture.sing_at_it"
    bl_label = "Shatter: Sing at It"
    bl_description = "Let a tone make the selected meshes ring until they break, as a singer breaks a glass"

    def set_up(self, context: Any, objects: Sequence[bpy.types.Object]) -> bool:
        """Add the sound."""
        scenario.sound(context, objects, direction=scenario.FROM_THE_FRONT)
        return True
