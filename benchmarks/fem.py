"""Finite elements: element steps per second, cracks, and an impact window on a bowl."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks import Row, median_seconds
from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.solid import SolidModel
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.fem import method as fem
from fracture_addon.core.methods.fem.advance import Leapfrog, automatic_step, curvatures
from fracture_addon.core.methods.fem.elements import law_of
from fracture_addon.core.methods.fem.impact_window import span_of
from fracture_addon.core.methods.fem.state import from_solid
from fracture_addon.core.methods.fem.walls import mesh_with_walls
from fracture_addon.core.methods.method import RigidMotion
from tests import shapes
from tests.cracks import split_node
from tests.papers.obrien_scenes import set_up

STILL = RigidMotion(np.zeros(3), np.zeros(3))
DURATION = 2e-4
# Load over the critical load; steps and cracks to measure.
MODERATE, STEPS, CRACKS = 6.0, 200, 1000
WALL_CELLS = (1109, 3500)


def rows() -> Iterator[Row]:
    """Yield the speed of the kernels, of cracking, and of a whole impact window."""
    solid = tetrahedralize(shapes.shipped("bowl"), 10_000, 1)
    motion = _motion(solid)
    count = solid.cell_count
    seconds = median_seconds(lambda: motion.advance(np.zeros(STEPS)))
    yield Row("fem_forces", count, count * STEPS / seconds / 1e6, "M element steps/s")
    walls = _motion(solid, mesh_with_walls)
    seconds = median_seconds(lambda: walls.advance(np.zeros(STEPS)))
    yield Row("fem_forces_of_walls", count, count * STEPS / seconds / 1e6, "M element steps/s")
    seconds = median_seconds(motion.separation, repeats=21)
    yield Row("fem_forces_separation", count, count / seconds / 1e6, "M element steps/s")
    _crack(solid)
    yield Row("fem_crack", CRACKS, 1e6 * _crack(solid) / CRACKS, "microseconds")

    settings = Settings.of(method="fem")
    model = fem.build(solid, PORCELAIN, settings)
    start = time.perf_counter()
    critical = fem.critical_force(model, settings, [_impact(solid)])
    yield Row("fem_bowl_critical_10k", count, time.perf_counter() - start, "s")
    impact = replace(_impact(solid), impulse=0.5 * MODERATE * critical * DURATION)
    fem.strike(model, settings, STILL, [impact])
    start = time.perf_counter()
    result = fem.strike(model, settings, STILL, [impact])
    yield Row("fem_bowl_window_10k", count, time.perf_counter() - start, "s")
    yield Row("fem_bowl_window_10k_pieces", result.solid.cell_count, float(len(result.velocity)), "pieces")

    yield from _wall()


def _wall() -> Iterator[Row]:
    """Yield wall 2 of O'Brien and Hodgins 1999 under a pulse, also with finer elements; the size is that at the end.

    Theirs grew from 1109 elements to about 8000, at 1098 minutes per simulated second on a 195 MHz R10000.
    """
    for cell_count in WALL_CELLS:
        scene, solid, model, settings, impact = set_up("wall_2", cell_count)
        simulated = span_of(from_solid(solid, scene.printed.density), model.law, model.step, [impact]).total
        start = time.perf_counter()
        result = fem.strike(model, settings, STILL, [impact])
        minutes, size = (time.perf_counter() - start) / simulated / 60.0, result.solid.cell_count
        yield Row(f"fem_wall_2_{cell_count}", size, minutes, "minutes/simulated s")
        yield Row(f"fem_wall_2_{cell_count}_pieces", size, float(len(result.velocity)), "pieces")


def _motion(solid: SolidModel, mesh_of=from_solid) -> Leapfrog:
    mesh = mesh_of(solid, PORCELAIN.density)
    mesh.position[:] += 1e-7 * np.random.default_rng(0).standard_normal(mesh.position.shape)
    rows = np.flatnonzero(~mesh.ghost)
    law = law_of(PORCELAIN)
    return Leapfrog(mesh, law, automatic_step(law, curvatures(mesh, rows), mesh.volume[rows]))


def _crack(solid: SolidModel) -> float:
    """Return the seconds of CRACKS cracks through random nodes along random planes."""
    random = np.random.default_rng(0)
    mesh = from_solid(solid, PORCELAIN.density)
    nodes = random.choice(np.flatnonzero(mesh.mass > 0.0), CRACKS, replace=False)
    normals = random.standard_normal((CRACKS, 3))
    start = time.perf_counter()
    for node, normal in zip(nodes, normals, strict=True):
        split_node(mesh, int(node), normal)
    return time.perf_counter() - start


def _impact(solid: SolidModel) -> Impact:
    """Return an impact on the rim, inwards and down."""
    points = solid.points[np.unique(solid.cells)]
    low, high = points.min(axis=0), points.max(axis=0)
    point = [high[0], 0.5 * (low[1] + high[1]), high[2]]
    return Impact(point, [-1.0, 0.0, -0.6], 0.5 * DURATION, DURATION, 0.0)
