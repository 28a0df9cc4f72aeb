"""Peak memory of filling and cutting, each in a process of its own, with all libraries."""

from __future__ import annotations

import multiprocessing
import resource
import sys
from collections.abc import Callable, Iterator

import numpy as np
from scipy.spatial import cKDTree

from benchmarks import Row
from fracture_addon.core.cutting import fragments
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.solid import cell_centers
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from tests import shapes


def half_a_million() -> Surface:
    """Return a torus of half a million triangles."""
    return shapes.torus(1.0, 0.4, 708, 354)


# Surface, fragments, cells.
CASES: dict[str, tuple[Callable[[], Surface], int, int]] = {
    "cup_200": (shapes.cup, 200, 6000),
    "cube_5000": (shapes.cube, 5000, 40_000),
    "500k_200": (half_a_million, 200, 6000),
}


def rows() -> Iterator[Row]:
    """Yield a cup in 200 fragments, a cube in 5000, and half a million triangles in 200."""
    for name, case in CASES.items():
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            yield Row(f"peak_{name}", case[1], pool.apply(_peak, case), "GB")


def labelled(shape: Callable[[], Surface], piece_count: int, cell_count: int):
    """Return a surface with attributes, its cells, a label per cell, and the points that the labels are nearest to."""
    plain = shape()
    surface = Surface(
        plain.points,
        plain.faces,
        face_attributes={"material_index": np.zeros(len(plain.faces), int), "smooth": np.ones(len(plain.faces), bool)},
        corner_attributes={
            "normal": np.zeros((len(plain.faces), 3, 3)),
            "uv/UVMap": plain.corners[..., :2],
        },
    )
    solid = tetrahedralize(surface, cell_count, 0)
    centers = cell_centers(solid.points, solid.cells)
    seeds = centers[np.random.default_rng(0).choice(len(centers), piece_count, replace=False)]
    return surface, solid, cKDTree(seeds).query(centers)[1], seeds


def _peak(shape: Callable[[], Surface], piece_count: int, cell_count: int) -> float:
    """Fill and cut a surface; return the peak memory of this process, GB."""
    surface, solid, labels, _ = labelled(shape, piece_count, cell_count)
    fragments.cut(surface, solid, labels, Settings())
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9
