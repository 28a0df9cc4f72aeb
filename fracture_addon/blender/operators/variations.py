"""Run a grid of variations, and show their pictures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import bpy

from ...core.data.errors import FractureError
from ..process import run
from ..process.variations_run import VariationsRun
from ..setup import variation_grid, variation_sheet
from .run_operator import RunOperator


class FRACTURE_OT_variations(RunOperator, bpy.types.Operator):
    """Break objects with several values of two settings, at low detail."""

    bl_idname = "fracture.variations"
    bl_label = "Shatter Variations"
    bl_description = (
        "Break the selected meshes with each combination of the values of two settings, with at most 2,000 cells per "
        "object, and show a picture of each. The scene is not changed. Choose a picture and press Use This"
    )

    task = "variation"
    doing = "Computing variations"

    def begin(self, context: Any, objects: Sequence[bpy.types.Object]) -> run.Run:
        """Start the runs of the grid, and show an empty sheet."""
        chosen = context.window_manager.fracture_variations
        choices = (chosen.down, chosen.down_values), (chosen.across, chosen.across_values)
        grid = variation_grid.read(objects, choices)
        run.stop()
        sheet = variation_sheet.show(objects, grid)
        # Otherwise nothing is chosen until the new sheet has as many pictures as the old one.
        chosen.property_unset("chosen")
        make = partial(VariationsRun, variants=grid.jobs, deliver=sheet.take)
        try:
            return run.begin(context, objects, self.task, make)
        except FractureError:
            variation_sheet.close()
            raise

    def deliver(self, context: Any, finished: run.Run) -> None:
        """Report failures; the sheet has all results."""
        sheet = variation_sheet.shown(context)
        failed = [str(item) for item in sheet.outcomes if isinstance(item, FractureError)] if sheet else []
        if failed:
            run.say(f"{len(failed)} variations failed: {failed[0]}", is_error=True)
