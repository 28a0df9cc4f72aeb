"""Compare cutting with Blender's Cell Fracture add-on, with the same points and in the same run.

Blender shipped the add-on until 4.1. Name the folder that contains it (``object_fracture_cell`` from the
``scripts/addons`` of an older Blender): ``CELL_FRACTURE=FOLDER python -m benchmarks cell_fracture``. It runs once with
its own exact solver, and once with the solver Manifold of Blender 4.5 and later. Its functions are called one by one,
because its operator needs an interface that newer versions lack.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy
import numpy as np

from benchmarks import Row, median_seconds
from benchmarks.cutting import CELLS, add_object, dense, scan
from benchmarks.memory import labelled
from fracture_addon.core.cutting import fragments
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.surface import Surface
from tests import shapes

# Diagonal of the object that the add-on gets, in units: it joins points nearer than 0.005 at any size.
DIAGONAL = 20.0
# Cells that it cuts from a surface of more than SMALL triangles; the time is scaled up, because all take minutes.
SAMPLE, SMALL = 12, 5000


def rows() -> Iterator[Row]:
    """Yield rows of a thin cup and of models of 31 and 70 thousand triangles; no rows without the add-on."""
    folder = os.environ.get("CELL_FRACTURE", "")
    if not (Path(folder) / "fracture_cell_setup.py").is_file():
        sys.stderr.write("Cell Fracture is missing: set CELL_FRACTURE to the folder object_fracture_cell\n")
        return
    sys.path.insert(0, str(Path(folder).resolve().parent))
    setup = importlib.import_module(f"{Path(folder).name}.fracture_cell_setup")
    yield from _compared(setup, "cup_200", shapes.cup, 200)
    yield from _compared(setup, "31k_500", dense, 500)
    yield from _compared(setup, "scan_70k_200", scan, 200)


def _compared(setup, name: str, shape: Callable[[], Surface], piece_count: int) -> Iterator[Row]:
    surface, solid, labels, seeds = labelled(shape, piece_count, CELLS)
    seconds = median_seconds(lambda: fragments.cut(surface, solid, labels, Settings()), 3)
    solvers = bpy.types.BooleanModifier.bl_rna.properties["solver"].enum_items
    for solver in ("EXACT", "MANIFOLD"):
        if solver in solvers:
            baseline = _seconds_of(setup, surface, seeds, solver)
            yield Row(f"cell_fracture_{name}_{solver.lower()}", piece_count, seconds, "s", baseline)


def _seconds_of(setup, surface: Surface, seeds: np.ndarray, solver: str) -> float:
    """Return the seconds that the add-on takes to cut a surface by the Voronoi cells of points."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scale = DIAGONAL / surface.diagonal
    source = add_object("Source", surface.points * scale, surface.faces)
    source.data.uv_layers.new().uv.foreach_set(
        "vector", surface.corner_attributes["uv/UVMap"].astype(np.float32).ravel()
    )
    add_object("Points", seeds * scale, np.empty((0, 3), int)).parent = source
    source.hide_viewport = True
    context, collection = _Context(solver), bpy.context.scene.collection
    # The add-on prints the number of points.
    with contextlib.redirect_stdout(io.StringIO()):
        start = time.perf_counter()
        cells = setup.cell_fracture_objects(context, collection, source, source={"VERT_CHILD"})
        middle = time.perf_counter()
        rows = np.arange(len(cells))
        if len(surface.faces) > SMALL:
            rows = np.linspace(0, len(cells) - 1, SAMPLE).astype(int)
        setup.cell_fracture_boolean(context, collection, source, [cells[row] for row in rows])
    return middle - start + (time.perf_counter() - middle) * len(cells) / len(rows)


class _Context:
    """The context that the add-on expects; every boolean uses one solver."""

    def __init__(self, solver: str):
        self._solver = solver

    @property
    def scene(self) -> bpy.types.Scene:
        return bpy.context.scene

    @property
    def view_layer(self) -> bpy.types.ViewLayer:
        return bpy.context.view_layer

    def evaluated_depsgraph_get(self) -> bpy.types.Depsgraph:
        for obj in bpy.context.scene.objects:
            for modifier in obj.modifiers:
                modifier.solver = self._solver
        return bpy.context.evaluated_depsgraph_get()
