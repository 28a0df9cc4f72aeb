"""Filling thin walls with cells, and cutting a surface into many pieces that carry all attributes.

There is no baseline in the same run: Blender stopped shipping its Cell Fracture add-on with version 4.2.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial import cKDTree

from benchmarks import Row, median_seconds
from fracture_addon.core import fragments, roughness
from fracture_addon.core.job import Settings
from fracture_addon.core.solid import cell_centers, cell_volumes
from fracture_addon.core.surface import Surface, volume
from fracture_addon.core.tetrahedralize import tetrahedralize
from tests import shapes

CELLS = 6000


def rows() -> Iterator[Row]:
    """Thin glass filled with cells; a thin cup, models of 31 and 70 thousand triangles, and a cube, cut into pieces."""
    yield from _fill("cocktail_glass_10k", shapes.shipped("cocktailGlass"), 10_000)
    yield from _fill("pane_10k", shapes.box((1.0, 1.0, 0.004)), 10_000)
    yield from _cut("cup_200", shapes.cup(), 200)
    yield from _cut("31k_500", shapes.torus(1.0, 0.4, 176, 88), 500)
    yield from _cut("scan_70k_200", _scan(), 200)
    yield from _cut("cube_5000", shapes.cube(), 5000, cell_count=40_000, repeats=1)


def _scan() -> Surface:
    """A surface as uneven as a scan, of 70 thousand triangles."""
    ring = shapes.torus(1.0, 0.4, 250, 140)
    return Surface(roughness.warp(ring.points, 0, 0.02, 0.1), ring.faces)


def _fill(name: str, surface: Surface, cell_count: int) -> Iterator[Row]:
    seconds = median_seconds(lambda: tetrahedralize(surface, cell_count, 0), repeats=3)
    solid = tetrahedralize(surface, cell_count, 0)
    share = float(cell_volumes(solid.points, solid.cells).sum()) / volume(surface)
    yield Row(f"fill_{name}", solid.cell_count, seconds, "s")
    yield Row(f"fill_{name}_share", solid.cell_count, share, "1")


def _cut(name: str, plain: Surface, piece_count: int, cell_count: int = CELLS, repeats: int = 3) -> Iterator[Row]:
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
    labels = cKDTree(seeds).query(centers)[1]
    seconds = median_seconds(lambda: fragments.cut(surface, solid, labels, Settings()), repeats)
    pieces = fragments.cut(surface, solid, labels, Settings())
    yield Row(f"cut_{name}", len(pieces), seconds, "s")
    yield Row(f"cut_{name}_volume_error", len(pieces), fragments.volume_error(surface, pieces), "1")
    yield Row(
        f"cut_{name}_triangles", len(pieces), float(sum(len(piece.surface.faces) for piece in pieces)), "triangles"
    )
