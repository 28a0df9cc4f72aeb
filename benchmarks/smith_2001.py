"""Figures 12 and 13 of Smith, Witkin and Baraff 2001: cost of an impact step and of the fragments over constraints.

Processor seconds, so that other load counts less. ``docs/gallery/smith_2001_plots.py`` draws them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks import Row
from fracture_addon.core.cutting.fragments import cut
from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods import method, table
from tests import shapes

# Cells of a bowl, which has about two constraints per cell.
CELLS = (600, 1500, 4000, 10_000, 25_000, 60_000, 100_000)
# Steps of the load; load over the critical load.
STEPS, TIMES = 30, {"point": 10.0, "full": 2.0}
STILL = method.RigidMotion(np.zeros(3), np.zeros(3))


def rows(cell_counts: Sequence[int] = CELLS) -> Iterator[Row]:
    """Yield a row per size and kind of bonds for an impact step, and one per size for the fragments of full bonds."""
    bowl = shapes.shipped("bowl")
    coarse = tetrahedralize(bowl, cell_counts[0], 0)
    for bonds in TIMES:  # compiles; not counted
        cut(bowl, coarse, _struck(coarse, bowl, Settings.of(bonds=bonds))[1].fragment_of_cell, Settings())
    for count in cell_counts:
        solid = tetrahedralize(bowl, count, 0)
        for bonds in TIMES:
            settings = Settings.of(bonds=bonds, load_steps=STEPS)
            seconds, result = _struck(solid, bowl, settings)
            # The first solve of full bonds finds the critical load and is not counted.
            steps = STEPS if bonds == "point" else result.solve_count - 1
            yield Row(f"step_{bonds}", solid.face_count, seconds / steps, "s")
            if bonds == "full":
                start = time.process_time()
                cut(bowl, solid, result.fragment_of_cell, settings)
                yield Row("fragments", solid.face_count, time.process_time() - start, "s")


def _struck(solid, bowl, settings: Settings) -> tuple[float, method.Break]:
    """Return the processor seconds of an impact on the rim, and its break."""
    low, high = bowl.points.min(axis=0), bowl.points.max(axis=0)
    point = np.array([low[0], 0.5 * (low[1] + high[1]), high[2]])

    def impact(peak: float) -> Impact:
        return Impact(point, [1.0, 0.0, -1.0], 0.5e-4 * peak, 1e-4, 0.0)

    model = table.build(solid, PORCELAIN, settings)
    force = TIMES[settings.network.bonds] * table.critical_force(model, settings, [impact(1.0)])
    start = time.process_time()
    result = table.strike(model, settings, STILL, [impact(force)])
    return time.process_time() - start, result
