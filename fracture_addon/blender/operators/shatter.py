"""Break the selected objects."""

from __future__ import annotations

import bpy

from .break_operator import BreakOperator


class FRACTURE_OT_shatter(BreakOperator, bpy.types.Operator):
    """Simulate the break and bake it."""

    bl_idname = "fracture.shatter"
    bl_label = "Shatter"
    bl_description = "Break the selected meshes by the forces of their impacts, and write the pieces as keyframes"
