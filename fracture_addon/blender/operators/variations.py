"""Run a grid of variations, and show their pictures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import bpy

from ...core.data.errors import FractureError
from ...core.data.job import Job, coarse
from ..process import run
from ..process.variations_run import VariationsRun
from ..setup import variation_grid, variation_sheet
from .run_operator import RunOperator


class GridOperator(RunOperator):
    """An operator that runs the variations of a grid, and fills the sheet with them."""

    task = "variation"

    def begin_grid(self, context: Any, objects: Sequence[bpy.types.Object], grid: variation_grid.Grid) -> run.Run:
        """Start the runs of a grid, and show an empty sheet; errors as for ``begin``."""
        run.stop()
        sheet = variation_sheet.show(objects, grid)
        # Otherwise nothing is chosen until the new sheet has as many pictures as the old one.
        context.window_manager.fracture_variations.property_unset("chosen")
        make = partial(VariationsRun, variants=partial(self.variants, grid), deliver=sheet.take)
        try:
            return run.begin(context, objects, self.task, make)
        except FractureError:
            variation_sheet.close()
            raise

    def variants(self, grid: variation_grid.Grid, job: Job) -> list[Job]:
        """Return the jobs of a grid for the job of the scene: by default at low detail.

        Raises:
            FractureError: A value is invalid, or the job cannot be used.
        """
        return grid.jobs(coarse(job))

    def deliver(self, context: Any, finished: run.Run) -> None:
        """Report failures; the sheet has all results."""
        sheet = variation_sheet.shown(context)
        failed = [str(item) for item in sheet.outcomes if isinstance(item, FractureError)] if sheet else []
        if failed:
            run.say(f"{len(failed)} variations failed: {failed[0]}", is_error=True)


class FRACTURE_OT_variations(GridOperator, bpy.types.Operator):
    """Break objects with several values of two settings, at low detail."""

    bl_idname = "fracture.variations"
    bl_label = "Shatter Variations"
    bl_description = (
        "Break the selected meshes with each combination of the values of two settings, with at most 2,000 cells per "
        "object, and show a picture of each. The scene is not changed. Choose a picture and press Use This"
    )

    doing = "Computing variations"

    def begin(self, context: Any, objects: Sequence[bpy.types.Object]) -> run.Run:
        """Start the runs of the grid, and show an empty sheet."""
        chosen = context.window_manager.fracture_variations
        choices = (chosen.down, chosen.down_values), (chosen.across, chosen.across_values)
        return self.begin_grid(context, objects, variation_grid.read(objects, choices))
