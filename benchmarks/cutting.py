"""Fill thin walls with cells, and cut a surface into many fragments that carry all attributes.

The baseline works like Blender's Cell Fracture add-on, which Blender shipped until 4.1: the Voronoi cell of each point
becomes a convex object, and a boolean modifier intersects it with the source. It runs on some of the cells, scaled up,
because each boolean processes the whole source: once with the exact solver, and once (``_over_manifold``) with the
solver Manifold of Blender 4.5 and later. ``benchmarks.cell_fracture`` compares with the add-on itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import bpy
import numpy as np
from scipy.spatial import ConvexHull, Voronoi

from benchmarks import Row, median_seconds
from benchmarks.memory import half_a_million, labelled
from fracture_addon.core.cutting import fragments
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.solid import cell_volumes
from fracture_addon.core.data.surface import Surface, volume
from fracture_addon.core.fields import noise
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from tests import shapes

CELLS = 6000
# Cells that the baseline cuts; all of them would take minutes.
SAMPLE = 12


def dense() -> Surface:
    """Return a torus of 31 thousand triangles."""
    return shapes.torus(1.0, 0.4, 176, 88)


def scan() -> Surface:
    """Return a surface of 70 thousand triangles, as uneven as a scan."""
    ring = shapes.torus(1.0, 0.4, 250, 140)
    return Surface(noise.warp(ring.points, (0, 1, 2), 0.02, 0.1), ring.faces)


def rows() -> Iterator[Row]:
    """Yield rows of filling thin glass, and of cutting a cup, a cube and models of 31 to 500 thousand triangles."""
    yield from _fill("cocktail_glass_10k", shapes.shipped("cocktailGlass"), 10_000)
    yield from _fill("pane_10k", shapes.box((1.0, 1.0, 0.004)), 10_000)
    yield from _cut("cup_200", shapes.cup, 200)
    yield from _cut("31k_500", dense, 500)
    yield from _cut("scan_70k_200", scan, 200)
    yield from _cut("cube_5000", shapes.cube, 5000, cell_count=40_000, repeats=1)
    yield from _cut("500k_200", half_a_million, 200, repeats=1)


def _fill(name: str, surface: Surface, cell_count: int) -> Iterator[Row]:
    seconds = median_seconds(lambda: tetrahedralize(surface, cell_count, 0), repeats=3)
    solid = tetrahedralize(surface, cell_count, 0)
    share = float(cell_volumes(solid.points, solid.cells).sum()) / volume(surface)
    yield Row(f"fill_{name}", solid.cell_count, seconds, "s")
    yield Row(f"fill_{name}_share", solid.cell_count, share, "1")


def _cut(
    name: str, shape: Callable[[], Surface], piece_count: int, cell_count: int = CELLS, repeats: int = 3
) -> Iterator[Row]:
    surface, solid, labels, seeds = labelled(shape, piece_count, cell_count)
    seconds = median_seconds(lambda: fragments.cut(surface, solid, labels, Settings()), repeats)
    pieces = fragments.cut(surface, solid, labels, Settings())
    yield Row(f"cut_{name}", len(pieces), seconds, "s", _seconds_of_booleans(surface, seeds, "EXACT"))
    if "MANIFOLD" in bpy.types.BooleanModifier.bl_rna.properties["solver"].enum_items:
        yield Row(
            f"cut_{name}_over_manifold", len(pieces), seconds, "s", _seconds_of_booleans(surface, seeds, "MANIFOLD")
        )
    yield Row(f"cut_{name}_volume_error", len(pieces), fragments.volume_error(surface, pieces), "1")
    yield Row(
        f"cut_{name}_triangles", len(pieces), float(sum(len(piece.surface.faces) for piece in pieces)), "triangles"
    )


def _seconds_of_booleans(surface: Surface, seeds: np.ndarray, solver: str) -> float:
    """Return the seconds to cut a surface by Voronoi cells with Blender's boolean modifier."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    source = add_object("Source", surface.points, surface.faces)
    source.data.uv_layers.new().uv.foreach_set(
        "vector", surface.corner_attributes["uv/UVMap"].astype(np.float32).ravel()
    )
    source.hide_viewport = True
    hulls = _voronoi_cells(seeds, surface)
    start = time.perf_counter()
    for points in hulls:
        hull = ConvexHull(points)
        cell = add_object("Cell", points, _outwards(hull))
        modifier = cell.modifiers.new("Boolean", "BOOLEAN")
        modifier.operation, modifier.solver, modifier.object = "INTERSECT", solver, source
        bpy.data.meshes.new_from_object(cell.evaluated_get(bpy.context.evaluated_depsgraph_get()))
        bpy.data.objects.remove(cell)
    return (time.perf_counter() - start) * len(seeds) / len(hulls)


def add_object(name: str, points: np.ndarray, faces: np.ndarray) -> bpy.types.Object:
    """Add a mesh of points (P, 3) and faces (F, 3) to the scene."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], faces.tolist())
    result = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(result)
    return result


def _voronoi_cells(seeds: np.ndarray, surface: Surface) -> list[np.ndarray]:
    """Return the corners of SAMPLE Voronoi cells; six distant points close the outer cells."""
    middle, reach = surface.points.mean(axis=0), 10.0 * surface.diagonal
    around = middle + reach * np.concatenate([np.eye(3), -np.eye(3)])
    diagram = Voronoi(np.concatenate([seeds, around]))
    rows = np.linspace(0, len(seeds) - 1, SAMPLE).astype(int)
    return [diagram.vertices[diagram.regions[diagram.point_region[row]]] for row in rows]


def _outwards(hull: ConvexHull) -> np.ndarray:
    """Return the triangles of a convex hull, wound outwards."""
    a, b, c = np.moveaxis(hull.points[hull.simplices], 1, 0)
    turned = np.einsum("fi,fi->f", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    return np.where(turned[:, None], hull.simplices[:, ::-1], hull.simplices)
