"""Breaking by a network of bonds, from the solid to labelled fragments; growth with the number of cells."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import numpy as np

from benchmarks import Row, median_seconds
from fracture_addon.core import method
from fracture_addon.core.impact import Impact
from fracture_addon.core.job import Settings
from fracture_addon.core.material import PORCELAIN
from fracture_addon.core.method import Break, RigidMotion
from fracture_addon.core.solid import SolidModel
from fracture_addon.core.tetrahedralize import tetrahedralize
from tests import shapes

STILL = RigidMotion(np.zeros(3), np.zeros(3))
DURATION = 1e-4
# Times the load that first breaks something.
MODERATE = 8.0


def rows() -> Iterator[Row]:
    """The paper's model size with point bonds, full bonds on a bowl, and growth of both."""
    bowl = shapes.shipped("bowl")
    point = Settings(bonds="point", load_steps=50)
    solid = _wanted(bowl, 8400)
    seconds = median_seconds(lambda: _shatter(solid, point), repeats=3)
    # Smith et al. 2001, section 1: roughly 90 s for 8421 tetrahedra with 16474 shared faces on a 195 MHz R10000.
    yield Row("smith_8k_50_steps", solid.cell_count, seconds, "s")
    yield Row("smith_8k_constraints", solid.cell_count, float(solid.face_count), "constraints")

    full = Settings()
    solid = _wanted(bowl, 10_000)
    seconds = median_seconds(lambda: _shatter(solid, full), repeats=3)
    result = _shatter(solid, full)
    yield Row("full_bonds_10k_moderate", solid.cell_count, seconds, "s")
    yield Row("full_bonds_10k_solves", solid.cell_count, float(result.solve_count), "solves")
    yield Row("full_bonds_10k_pieces", solid.cell_count, float(len(result.velocity)), "pieces")

    yield from _growth("point_bonds", bowl, (10_000, 100_000), lambda solid: _shatter(solid, point))
    yield from _growth("full_bonds", bowl, (10_000, 40_000, 100_000), lambda solid: _shatter(solid, full))
    yield from _growth(
        "full_bonds_first_solve", bowl, (10_000, 40_000, 100_000), lambda solid: _first_solve(solid, full)
    )


def _shatter(solid: SolidModel, settings: Settings) -> Break:
    model = method.build(solid, PORCELAIN, settings)
    unit = _blow(solid, 1.0)
    force = MODERATE * method.critical_force(model, settings, unit)
    return method.strike(model, settings, STILL, [_blow(solid, force)])


def _first_solve(solid: SolidModel, settings: Settings) -> float:
    model = method.build(solid, PORCELAIN, settings)
    return method.critical_force(model, settings, _blow(solid, 1.0))


def _blow(solid: SolidModel, peak_force: float) -> Impact:
    """On the rim, inwards and down."""
    points = solid.points[np.unique(solid.cells)]
    low, high = points.min(axis=0), points.max(axis=0)
    point = [high[0], 0.5 * (low[1] + high[1]), high[2]]
    return Impact(point, [-1.0, 0.0, -0.6], 0.5 * peak_force * DURATION, DURATION, 0.0)


def _wanted(surface, cell_count: int) -> SolidModel:
    """A solid of about that many cells; aimed again once, as a first fill may miss by 15 %."""
    first = tetrahedralize(surface, cell_count, 1)
    return tetrahedralize(surface, round(cell_count * cell_count / first.cell_count), 1)


def _growth(name: str, surface, counts, call) -> Iterator[Row]:
    """A row a size, and the exponent between neighbouring sizes."""
    before = None
    for count in counts:
        solid = _wanted(surface, count)
        call(solid)
        start = time.perf_counter()
        call(solid)
        seconds = time.perf_counter() - start
        yield Row(f"{name}_{count // 1000}k", solid.cell_count, seconds, "s")
        if before:
            exponent = math.log(seconds / before[1]) / math.log(solid.cell_count / before[0])
            yield Row(f"{name}_exponent", solid.cell_count, exponent, "1")
        before = solid.cell_count, seconds
