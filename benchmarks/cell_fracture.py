"""Cutting against Blender's own Cell Fracture add-on, with the same points and in the same run.

Blender shipped it until 4.1, so whoever wants this names a folder that has it (``object_fracture_cell`` from the
``scripts/addons`` of an older Blender): ``CELL_FRACTURE=FOLDER python -m benchmarks cell_fracture``. Once with the
exact solver that it shipped with, and once with the solver Manifold that is in 4.5 and later. Its steps are called one
by one: its operator wants an interface that newer versions have no more.
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

# The add-on joins points that are nearer than 5 mm, whatever the object's size: it gets one of so many units.
DIAGONAL = 20.0
# Cells that it cuts out of surfaces with more triangles than a few thousand, scaled up: all would take minutes.
SAMPLE, SMALL = 12, 5000


def rows() -> Iterator[Row]:
    """A thin cup, and models of 31 and 70 thousand triangles; nothing without the add-on."""
    folder = os.environ.get("CELL_FRACTURE", "")
    if not (Path(folder) / "fracture_cell_setup.py").is_file():
        sys.stderr.write("Cell Fracture is not there: set CELL_FRACTURE to the folder object_fracture_cell\n")
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
            theirs = _seconds_of(setup, surface, seeds, solver)
            yield Row(f"cell_fracture_{name}_{solver.lower()}", piece_count, seconds, "s", theirs)


def _seconds_of(setup, surface: Surface, seeds: np.ndarray, solver: str) -> float:
    """Seconds that the add-on takes to cut a surface by the Voronoi cells of points."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scale = DIAGONAL / surface.diagonal
    source = add_object("Source", surface.points * scale, surface.faces)
    source.data.uv_layers.new().uv.foreach_set(
        "vector", surface.corner_attributes["uv/UVMap"].astype(np.float32).ravel()
    )
    add_object("Points", seeds * scale, np.empty((0, 3), int)).parent = source
    source.hide_viewport = True
    context, collection = _Context(solver), bpy.context.scene.collection
    # It tells how many points it found.
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
    """The context as the add-on knows it; what is evaluated uses one solver."""

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
