"""Statistics of breaks over seeds, cells and violence: ``python -m benchmarks.accuracy --seeds 6 --cells 3000 6000``.

Only the first break of a body is computed, without the rigid world: a fall onto a floor, or an impact at a multiple of
the critical load.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from benchmarks import Row
from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN, Material
from fracture_addon.core.data.surface import Surface, mass_properties
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.meshing.repair.repair import prepare
from fracture_addon.core.methods import table
from fracture_addon.core.methods.method import RigidMotion
from fracture_addon.core.rigid.contacts import Side, hertz_impacts
from fracture_addon.core.rigid.rigid_properties import RigidProperties
from tests import shapes

NAMES = {
    "plate": "bread-plate",
    "cup": "coffee-mug",
    "bowl": "bowl",
    "tumbler": "glass_12oz",
    "jar": "old_jar",
}
STILL = RigidMotion(np.zeros(3), np.zeros(3))
FLOOR = RigidProperties(np.inf, np.zeros(3), np.full((3, 3), np.inf))
GRAVITY = 9.81
# Degrees, tilt of a fallen body, and s, length of a placed impact.
TILT, DURATION = (10.0, 25.0), 1e-4
# Share of the volume below which a fragment counts as dust.
DUST = 1e-3


@dataclass(frozen=True)
class Case:
    """One break.

    Attributes:
        shape: A key of ``NAMES``.
        cells: Number of cells to ask for.
        seed: Seed of cells, strength and tilt.
        height: Height of the fall, m; 0 for an impact on the rim.
        times: Violence of a fall, or the load of the impact over the critical load.
    """

    shape: str
    cells: int
    seed: int
    height: float = 1.0
    times: float = 1.0


@dataclass(frozen=True)
class Sample:
    """Result of one break: area in m2, shares of the volume, load over critical load, processor time in s."""

    count: int
    area: float
    largest: float
    dust: float
    load_factor: float
    solves: int
    seconds: float


def measured(case: Case, material: Material = PORCELAIN, settings: Settings | None = None) -> Sample:
    """Break a body once."""
    surface = body(case.shape)
    settings = (settings or Settings()).changed(seed=case.seed)
    model = table.build(tetrahedralize(surface, case.cells, case.seed), material, settings)
    start = time.process_time()
    if case.height > 0.0:
        falls = fall(surface, material, case.height, tilt(case.seed), model.cell_size)
        impacts = [replace(impact, load_factor=case.times) for impact in falls]
    else:
        unit = rim_impact(surface, 1.0)
        impacts = [rim_impact(surface, case.times * table.critical_force(model, settings, [unit]))]
    result = table.strike(model, settings, STILL, impacts)
    seconds = time.process_time() - start
    label = result.fragment_of_cell
    shares = np.bincount(label, model.cells.masses) / model.cells.masses.sum()
    cracked = label[model.pairs[:, 0]] != label[model.pairs[:, 1]]
    return Sample(
        len(shares),
        float(model.areas[cracked].sum()),
        float(shares.max()),
        float(shares[shares < DUST].sum()) + result.dust_volume,
        result.load_factor,
        result.solve_count,
        seconds,
    )


def body(shape: str) -> Surface:
    """Return the repaired surface of a shipped mesh."""
    return prepare(shapes.shipped(NAMES[shape]), shape, True, lambda _share: None)[0]


def tilt(seed: int) -> Rotation:
    """Return a tilt by 10 to 25 degrees about a random horizontal axis, as the drop of the panel has."""
    random = np.random.default_rng([seed, 77])
    heading, angle = random.uniform(0.0, 2.0 * np.pi), math.radians(random.uniform(*TILT))
    return Rotation.from_rotvec(angle * np.array([math.cos(heading), math.sin(heading), 0.0]))


def fall(surface: Surface, material: Material, height: float, turn: Rotation, size: float) -> Sequence[Impact]:
    """Return the impacts of a fall onto a stiff floor."""
    mass, center, inertia = mass_properties(surface, material.density)
    properties = RigidProperties(mass, center, inertia)
    x, y, z, w = turn.as_quat()
    offsets = surface.points - center
    heights = turn.apply(offsets)[:, 2]
    order = np.argsort(heights, kind="stable")
    arm, up = turn.apply(offsets[order[0]]), np.array([0.0, 0.0, 1.0])
    lever = turn.inv().apply(np.cross(arm, up))
    inverse = 1.0 / mass + lever @ properties.inverse_inertia @ lever
    push = math.sqrt(2.0 * GRAVITY * height) / inverse * up
    side = Side(properties, np.array([0.0, 0.0, 0.0, w, x, y, z]), material)
    floor = Side(FLOOR, np.array([0.0, 0.0, heights.min(), 1.0, 0.0, 0.0, 0.0]), None)
    gaps = heights[order] - heights.min()
    return hertz_impacts(side, floor, offsets[order], gaps, push, size=size, diagonal=surface.diagonal)[1]


def rim_impact(surface: Surface, peak_force: float) -> Impact:
    """Return a placed impact on the rim, inwards and down."""
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    point = [high[0], 0.5 * (low[1] + high[1]), high[2]]
    return Impact(point, [-1.0, 0.0, -0.6], 0.5 * peak_force * DURATION, DURATION, 0.0)


def slope(cells: Sequence[int], values: np.ndarray) -> tuple[float, float]:
    """Return the slope of log mean ``values`` (seeds, sizes) over log h, with h ~ cells^(-1/3), and its error.

    The error is the standard deviation over resampled seeds, without those of which a mean is 0.
    """
    sizes = -np.log(np.asarray(cells, float)) / 3.0
    random = np.random.default_rng(0)
    rows = random.integers(0, len(values), (500, len(values)))
    means = np.array([values.mean(axis=0), *values[rows].mean(axis=1)])
    if not means[0].all():
        return math.nan, math.nan
    fits = np.polyfit(sizes, np.log(means[means.all(axis=1)]).T, 1)[0]
    return float(fits[0]), float(np.std(fits[1:]))


def sampled(cases: Sequence[Case], processes: int = 2) -> list[Sample]:
    """Return the results of all cases, in their order."""
    if processes < 2:
        return [measured(case) for case in cases]
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        return pool.map(measured, cases, chunksize=1)


def rows(
    names: Sequence[str] = ("plate", "cup", "bowl", "tumbler", "jar"),
    cells: Sequence[int] = (3000, 6000, 12_000),
    seeds: int = 6,
    height: float = 1.0,
    times: Sequence[float] = (1.0,),
) -> Iterator[Row]:
    """Yield means and deviations over seeds, and slopes over the cell size."""
    for shape in names:
        cases = [Case(shape, size, seed, height, factor) for seed in range(seeds) for size in cells for factor in times]
        found = np.array(sampled(cases), object).reshape(seeds, len(cells), len(times))
        for column, factor in enumerate(times):
            title = f"{shape}_fall" if height > 0.0 else f"{shape}_rim"
            title += "" if factor == 1.0 else f"_{factor:g}"
            counts, areas = (_values(found[:, :, column], name) for name in ("count", "area"))
            for row, size in enumerate(cells):
                yield from _summary(title, size, list(found[:, row, column]))
            if len(cells) > 1:
                for name, values in (("count", counts), ("area", areas)):
                    found_slope, error = slope(cells, values)
                    yield Row(f"{title}_{name}_slope", max(cells), found_slope, "1")
                    yield Row(f"{title}_{name}_slope_error", max(cells), error, "1")


def _values(samples: np.ndarray, name: str) -> np.ndarray:
    return np.vectorize(lambda sample: float(getattr(sample, name)))(samples)


def _summary(title: str, size: int, samples: Sequence[Sample]) -> Iterator[Row]:
    counts = np.array([sample.count for sample in samples], float)
    yield Row(f"{title}_fragments", size, counts.mean(), "fragments")
    yield Row(f"{title}_fragments_deviation", size, counts.std(), "fragments")
    for name, unit, scale in (
        ("area", "cm2", 1e4),
        ("largest", "%", 100.0),
        ("dust", "%", 100.0),
        ("load_factor", "1", 1.0),
        ("solves", "solves", 1.0),
        ("seconds", "s", 1.0),
    ):
        yield Row(f"{title}_{name}", size, scale * float(np.mean([getattr(item, name) for item in samples])), unit)


def _line(case: Case, samples: Sequence[Sample]) -> str:
    """One line for a person: all counts, and the means of the rest."""
    counts = " ".join(f"{sample.count:3d}" for sample in samples)
    area, largest, dust, load, solves, seconds = (
        float(np.mean([getattr(sample, name) for sample in samples]))
        for name in ("area", "largest", "dust", "load_factor", "solves", "seconds")
    )
    mean = np.mean([sample.count for sample in samples])
    return (
        f"{case.shape:8s}{case.cells:6d} x{case.times:<5g}{mean:6.1f} [{counts}] area {1e4 * area:6.1f} cm2, "
        f"largest {100 * largest:4.1f} %, dust {100 * dust:4.1f} %, load {load:5.1f}, {solves:5.0f} solves, "
        f"{seconds:5.1f} s"
    )


def main() -> None:
    """Print one line for each shape, number of cells and violence."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", nargs="+", default=list(NAMES), choices=list(NAMES))
    parser.add_argument("--cells", nargs="+", type=int, default=[3000, 6000])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--times", nargs="+", type=float, default=[1.0], help="violence, or load over critical load")
    parser.add_argument("--rim", action="store_true", help="an impact on the rim instead of a fall from 1 m")
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    height = 0.0 if arguments.rim else 1.0
    for shape in arguments.shapes:
        grid = [(factor, size) for factor in arguments.times for size in arguments.cells]
        cases = [Case(shape, size, seed, height, factor) for factor, size in grid for seed in range(arguments.seeds)]
        found = sampled(cases, arguments.processes)
        for row, (factor, size) in enumerate(grid):
            chosen = found[row * arguments.seeds : (row + 1) * arguments.seeds]
            print(_line(Case(shape, size, 0, height, factor), chosen), flush=True)
        if len(arguments.cells) < 2:
            continue
        by_size = np.array(found, object).reshape(len(arguments.times), len(arguments.cells), arguments.seeds)
        for factor, samples in zip(arguments.times, by_size, strict=True):
            for name in ("count", "area"):
                found_slope, error = slope(arguments.cells, _values(samples.T, name))
                print(f"  x{factor:g} slope of {name} over h: {found_slope:.2f} +- {error:.2f}", flush=True)


if __name__ == "__main__":
    main()
