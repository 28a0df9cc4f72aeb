"""Search for the seed and the violence whose cracks come nearest to the drawn ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
from bpy.props import IntProperty

from ...core.data.errors import SceneError
from ...core.data.job import Job
from ...core.data.readable import length_text
from ..process import run
from ..setup import variation_grid, variation_sheet
from ..setup.named_settings import as_text
from .variations import GridOperator

# Violence of the columns over that of the object. More violence gives more cracks, of which one may run along the line:
# with eight seeds a plate comes 30, 14 and 20 mm near at 1, 1.5 and 2 times, a jar 54, 29 and 36 mm.
LOADS = (1.0, 1.5, 2.0)
# Most seeds: as many runs as an artist would wait for.
MOST_SEEDS = 100


class FRACTURE_OT_search_cracks(GridOperator, bpy.types.Operator):
    """Break objects with many seeds and loads, and choose the result whose cracks run nearest to the drawn ones."""

    bl_idname = "fracture.search_cracks"
    bl_label = "Shatter: Search Drawn Cracks"
    bl_description = (
        "Break the selected meshes with many seeds and three values of the violence, and find the break whose cracks "
        "run nearest to the drawn cracks. Draw them with Strength 1 to leave the material as it is, or lower to help "
        "the search. The scene is not changed. Then press Use This"
    )

    doing = "Searching the drawn cracks"

    seeds: IntProperty(
        name="Seeds",
        description="Number of seeds, each with three values of the violence. Raise it to come nearer",
        default=8,
        min=1,
        max=MOST_SEEDS,
    )

    def begin(self, context: Any, objects: Sequence[Any]) -> run.Run:
        """Start the runs."""
        first = objects[0].fracture
        seeds = ", ".join(str(first.seed + number) for number in range(self.seeds))
        loads = ", ".join(as_text(load * first.violence) for load in LOADS)
        most = max(self.seeds, len(LOADS))
        grid = variation_grid.read(objects, (("seed", seeds), ("violence", loads)), most)
        return self.begin_grid(context, objects, grid)

    def variants(self, grid: variation_grid.Grid, job: Job) -> list[Job]:
        """Return the jobs of a grid. They have the detail of the objects, because other cells crack elsewhere.

        Raises:
            SceneError: No object has a drawn crack.
        """
        if not any(body.settings.strength.sheets for body in job.bodies):
            raise SceneError(f"'{job.bodies[0].name}' has no drawn crack; draw one in Where It Breaks")
        return grid.jobs(job)

    def deliver(self, context: Any, finished: run.Run) -> None:
        """Choose the nearest variation, and report how near it came."""
        super().deliver(context, finished)
        sheet = variation_sheet.shown(context)
        found = sheet.nearest() if sheet else None
        if sheet is None:
            return
        if found is None:
            run.say(
                "No break could be compared with the drawn cracks; draw them across the surface of the object", True
            )
            return
        number, deviation = found
        context.window_manager.fracture_variations.chosen = str(number)
        first = sheet.outcomes[0]
        before = getattr(first, "deviation", None)
        now = f"; the first seed {length_text(before)}" if before is not None else ""
        run.say(
            f"Nearest of {len(sheet.outcomes)} breaks: its cracks run {length_text(deviation)} from "
            f"the drawn ones on average{now}. Press Use This in Variations"
        )
