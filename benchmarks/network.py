"""Breaks of a network of bonds, from the solid to labelled fragments; growth with the number of cells."""

from __future__ import annotations

import itertools
import math
import multiprocessing
import os
import resource
import time
from collections.abc import Iterator

import numpy as np
from numba import njit

from benchmarks import Row, median_seconds
from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.solid import SolidModel, from_cells
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods import table
from fracture_addon.core.methods.method import Break, RigidMotion
from fracture_addon.core.methods.network.bonds.point_bonds import _product, build_point_bonds
from fracture_addon.core.methods.rigid_components import cells_of
from tests import shapes

STILL = RigidMotion(np.zeros(3), np.zeros(3))
DURATION = 1e-4
# Load over the critical load.
MODERATE = 8.0
# Smith et al. 2001, section 1: roughly 90 s for 8421 tetrahedra with 16474 shared faces on a 195 MHz R10000.
PAPER_SECONDS = 90.0
POINT = Settings.of(bonds="point", load_steps=50)
# Bytes per constraint in a product: diagonal, six columns and values, intact flag, vector, result.
PRODUCT_BYTES = 8 + 6 * (4 + 8) + 1 + 8 + 8
# Cells that are divided into eight, twice, for a million.
COARSE = 15_600


def rows() -> Iterator[Row]:
    """Yield the paper's model size with point bonds, full bonds on a bowl, and the growth of both."""
    bowl = shapes.shipped("bowl")
    solid = _wanted(bowl, 8400)
    seconds = median_seconds(lambda: _shatter(solid, POINT), repeats=3)
    yield Row("smith_8k_50_steps", solid.cell_count, seconds, "s", PAPER_SECONDS)
    yield Row("smith_8k_constraints", solid.cell_count, float(solid.face_count), "constraints")

    full = Settings()
    solid = _wanted(bowl, 10_000)
    seconds = median_seconds(lambda: _shatter(solid, full), repeats=3)
    result = _shatter(solid, full)
    yield Row("full_bonds_10k_moderate", solid.cell_count, seconds, "s")
    yield Row("full_bonds_10k_solves", solid.cell_count, float(result.solve_count), "solves")
    yield Row("full_bonds_10k_pieces", solid.cell_count, float(len(result.velocity)), "pieces")

    yield from _growth("point_bonds", bowl, (10_000, 100_000), lambda solid: _shatter(solid, POINT))
    yield _product_bandwidth(_wanted(bowl, 100_000))
    yield from _million()
    yield from _growth("full_bonds", bowl, (10_000, 40_000, 100_000), lambda solid: _shatter(solid, full))
    yield from _growth(
        "full_bonds_first_solve", bowl, (10_000, 40_000, 100_000), lambda solid: _first_solve(solid, full)
    )


def _shatter(solid: SolidModel, settings: Settings) -> Break:
    model = table.build(solid, PORCELAIN, settings)
    unit = _impact(solid, 1.0)
    force = MODERATE * table.critical_force(model, settings, [unit])
    return table.strike(model, settings, STILL, [_impact(solid, force)])


def _first_solve(solid: SolidModel, settings: Settings) -> float:
    model = table.build(solid, PORCELAIN, settings)
    return table.critical_force(model, settings, [_impact(solid, 1.0)])


def _impact(solid: SolidModel, peak_force: float) -> Impact:
    """Return an impact on the rim, inwards and down."""
    points = solid.points[np.unique(solid.cells)]
    low, high = points.min(axis=0), points.max(axis=0)
    point = [high[0], 0.5 * (low[1] + high[1]), high[2]]
    return Impact(point, [-1.0, 0.0, -0.6], 0.5 * peak_force * DURATION, DURATION, 0.0)


def _wanted(surface, cell_count: int) -> SolidModel:
    """Return a solid of about ``cell_count`` cells: filled twice, because a first fill can miss by 15 %."""
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


def _product_bandwidth(solid: SolidModel) -> Row:
    """Return the GB/s of a product with the point network's matrix; the baseline is a triad, on one core."""
    bonds = build_point_bonds(solid, cells_of(solid, PORCELAIN))
    count = solid.face_count
    vector, image, alive = np.ones(count), np.empty(count), np.ones(count, bool)
    matrix = (bonds.diagonal, bonds.columns, bonds.values, alive)
    size = PRODUCT_BYTES * count
    arrays = [np.ones(size // 24) for _ in range(3)]
    calls = (lambda: _product(*matrix, vector, image)), (lambda: _triad(*arrays))
    for call in calls:
        call()
    # In turns, so that other load slows both; the least time is nearest to that of an idle machine.
    seconds = np.array([[_seconds(call) for call in calls] for _ in range(40)]).min(axis=0)
    return Row("point_bonds_product", count, size / seconds[0] / 1e9, "GB/s", size / seconds[1] / 1e9)


def _million() -> Iterator[Row]:
    """Yield a million cells in a process of its own, because its memory is measured."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        count, seconds, own, whole = pool.apply(_measured_million)
    yield Row("point_bonds_1000k", count, seconds, "s")
    yield Row("point_bonds_1000k_memory", count, own, "GB")
    yield Row("point_bonds_1000k_memory_total", count, whole, "GB")


def _measured_million() -> tuple[int, float, float, float]:
    """Return cells, seconds, peak GB of the break without the solid, and peak GB of the process."""
    solid = _in_eighths(_in_eighths(_wanted(shapes.shipped("bowl"), COARSE)))
    with open("/proc/self/statm", encoding="ascii") as file:
        before = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e9
    seconds = _seconds(lambda: _shatter(solid, POINT))
    whole = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    return solid.cell_count, seconds, whole - before, whole


def _in_eighths(solid: SolidModel) -> SolidModel:
    """Divide each cell into eight by the middles of its edges, without padding; faster than any fill."""
    edges = list(itertools.combinations(range(4), 2))
    ends = np.sort(solid.cells[:, edges].reshape(-1, 2), axis=1).astype(np.int64)
    keys, middle = np.unique(ends[:, 0] * len(solid.points) + ends[:, 1], return_inverse=True)
    middles = 0.5 * (solid.points[keys // len(solid.points)] + solid.points[keys % len(solid.points)])
    ab, ac, ad, bc, bd, cd = (middle.reshape(-1, 6) + len(solid.points)).T
    a, b, c, d = solid.cells.T
    corners = [(a, ab, ac, ad), (b, ab, bc, bd), (c, ac, bc, cd), (d, ad, bd, cd)]
    inner = [(ab, cd, *pair) for pair in ((ac, ad), (ad, bd), (bd, bc), (bc, ac))]
    cells = np.stack([np.stack(cell, axis=1) for cell in corners + inner], axis=1).reshape(-1, 4)
    return from_cells(np.concatenate([solid.points, middles]), cells, [])


def _seconds(call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


@njit
def _triad(a, b, c):
    for row in range(len(a)):
        a[row] = b[row] + 2.0 * c[row]
