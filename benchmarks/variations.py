"""Variations: nine pictures of a jar that falls on a floor, three seeds by three violences.

The baseline is nine times one Shatter of the same jar at the same detail, with the same wait for its worker.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import bpy

from benchmarks import Row
from fracture_addon.blender import registration
from fracture_addon.blender.setup import variation_sheet

JAR = Path(__file__).resolve().parents[1] / "tests" / "meshes" / "old_jar" / "old_jar.obj"
CELLS, HEIGHT = 1000, 0.25
VIOLENCES = "1, 2, 4"


def rows() -> Iterator[Row]:
    """Yield the seconds of nine variations, with new seeds and repeated from the cache."""
    registration.register()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_plane_add(size=4.0)
    bpy.ops.wm.obj_import(filepath=str(JAR))
    jar = bpy.context.selected_objects[0]
    jar.scale = (HEIGHT / max(jar.dimensions),) * 3
    bpy.context.view_layer.objects.active = jar
    bpy.ops.fracture.drop()
    jar.fracture.resolution = CELLS
    _seconds(jar, "100, 101, 102")  # compiles
    fresh, again = (_seconds(jar, "0, 1, 2") for _ in range(2))
    start = time.perf_counter()
    bpy.ops.fracture.shatter()
    baseline = 9.0 * (time.perf_counter() - start)
    yield Row("nine_variations", CELLS, fresh, "s", baseline)
    yield Row("nine_variations_again", CELLS, again, "s", baseline)
    registration.unregister()


def _seconds(jar: bpy.types.Object, seeds: str) -> float:
    group = bpy.context.window_manager.fracture_variations
    group.down, group.across, group.down_values, group.across_values = "seed", "violence", seeds, VIOLENCES
    start = time.perf_counter()
    bpy.ops.fracture.variations()
    found = variation_sheet.shown(bpy.context)
    if found is None or not all(item.piece_count > 1 for item in found.outcomes):
        raise RuntimeError(f"{jar.name} did not break in each variation")
    return time.perf_counter() - start
