"""Lift the selected meshes above a floor, and break them by their fall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ..setup import scenario, viewport
from .break_operator import BreakOperator


class FRACTURE_OT_drop_it(BreakOperator, bpy.types.Operator):
    """Lift the selected meshes above a floor, and break them by their fall."""

    bl_idname = "fracture.drop_it"
    bl_label = "Shatter: Drop It"
    bl_description = "Lift the selected meshes above a floor, and break them by their fall"

    def set_up(self, context: Any, objects: Sequence[bpy.types.Object]) -> bool:
        """Lift the objects, and keep them in sight."""
        scenario.drop(context, objects, scenario.suitable_height(context, objects), seed=0)
        viewport.show(context, scenario.corners_of_fall(context, objects))
        return True
