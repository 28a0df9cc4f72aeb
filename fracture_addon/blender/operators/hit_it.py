"""Throw a steel ball at the selected meshes, and break them by its impact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ..setup import scenario
from .break_operator import BreakOperator


class FRACTURE_OT_hit_it(BreakOperator, bpy.types.Operator):
    """Throw a steel ball at the selected meshes, and break them by its impact."""

    bl_idname = "fracture.hit_it"
    bl_label = "Shatter: Hit It"
    bl_description = "Throw a steel ball at the selected meshes, and break them by its impact"

    def set_up(self, context: Any, objects: Sequence[bpy.types.Object]) -> bool:
        """Add the ball."""
        scenario.ball(context, objects, direction=scenario.FROM_THE_FRONT, speed=scenario.BALL_SPEED)
        return True
