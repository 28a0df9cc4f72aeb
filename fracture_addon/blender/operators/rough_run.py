"""Simulate the selected objects at a low detail, to see their motion in a few seconds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import bpy

from ...core.data.job import ROUGH_DETAIL, rough
from ..process import run
from .break_operator import BreakOperator


class FRACTURE_OT_rough_run(BreakOperator, bpy.types.Operator):
    """Simulate the break with few cells and bake it."""

    bl_idname = "fracture.rough_run"
    bl_label = "Shatter: Rough Run"
    bl_description = (
        f"Break the selected meshes with at most {ROUGH_DETAIL} cells per object, half of the steps per frame and no "
        "second breaks, to see in a few seconds where pieces fly. The settings stay. Shatter replaces the result; its "
        "pieces differ"
    )

    doing = "Rough run"

    def begin(self, context: Any, objects: Sequence[bpy.types.Object]) -> run.Run:
        """Start the worker with the rough job."""
        return run.begin(context, objects, self.task, partial(run.Run, adapt=rough))
