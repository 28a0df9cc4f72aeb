"""Put cold water around the selected meshes, and break them by the shock of the temperature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ..setup import scenario
from .break_operator import BreakOperator


class FRACTURE_OT_quench_it(BreakOperator, bpy.types.Operator):
    """Put cold water around the selected meshes, and break them by the shock of the temperature."""

    bl_idname = "fracture.quench_it"
    bl_label = "Shatter: Quench It"
    bl_description = "Put cold water around the selected meshes, and break them by the shock of the temperature"

    def set_up(self, context: Any, objects: Sequence[bpy.types.Object]) -> bool:
        """Add the water."""
        scenario.quench(context, objects)
        return True
