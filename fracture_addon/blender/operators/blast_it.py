"""Set off a blast beside the selected meshes, and break them by its pressure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ..setup import scenario
from .break_operator import BreakOperator


class FRACTURE_OT_blast_it(BreakOperator, bpy.types.Operator):
    """Set off a blast beside the selected meshes, and break them by its pressure."""

    bl_idname = "fracture.blast_it"
    bl_label = "Shatter: Blast It"
    bl_description = "Set off a blast beside the selected meshes, and break them by its pressure"

    def set_up(self, context: Any, objects: Sequence[bpy.types.Object]) -> bool:
        """Add the blast."""
        scenario.blast(context, objects, direction=scenario.FROM_THE_FRONT)
        return True
