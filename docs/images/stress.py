"""Draw the Stress Preview of a bowl that is struck: `python docs/images/stress.py`. Needs the bpy module.

Writes ``docs/images/stress.jpg``: moments of one impact, rendered from the preview with its own material.
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy
import numpy as np

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
sys.path[:0] = [str(ROOT), str(FOLDER.parent / "gallery")]

import stage  # noqa: E402

from fracture_addon.blender import registration  # noqa: E402
from fracture_addon.blender.command_line.import_model import open_input, scale_to  # noqa: E402
from fracture_addon.blender.scene import result_lookup  # noqa: E402
from fracture_addon.blender.setup import scenario  # noqa: E402
from tests import shapes  # noqa: E402

MOMENTS = ((4, 9, 11), (13, 16, 22))
SIZE, VIEW = (300, 225), (0.5, -1.0, 0.7)


def main() -> None:
    """Strike, show the stress, render, tile."""
    registration.register()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 40
    objects = open_input(shapes.MESHES / "bowl" / "bowl.obj")
    scale_to(objects, shapes.HEIGHTS["bowl"])
    (bowl,) = objects
    scenario.impact(bpy.context, objects, (0.3, 1.0, -0.4))
    group = bowl.fracture
    group.method, group.resolution, group.impact_strength = "FEM", 3000, 4.0
    bpy.context.view_layer.objects.active = bowl
    bowl.select_set(True)
    bpy.ops.fracture.stress_preview()
    scene, bowl = bpy.context.scene, bpy.context.object  # an operator may move them
    preview = result_lookup.preview_of(bowl)
    preview.hide_render, bowl.hide_render = False, True
    points = np.array([preview.matrix_world @ vertex.co for vertex in preview.data.vertices])
    stage.set_up(scene, 1.1 * points - 0.1 * points.mean(axis=0), VIEW, SIZE)
    rows = []
    for moments in MOMENTS:
        row = []
        for moment in moments:
            scene.frame_set(preview[result_lookup.START] + moment)
            row.append((f"{1e6 * preview[result_lookup.TIMES][moment]:.0f} microseconds", stage.take(scene)))
        rows.append(row)
    stage.sheet(rows, FOLDER / "stress.jpg")


if __name__ == "__main__":
    main()
