"""Steps of the tutorial about a jar."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bpy
from scene_tools import empty_scene, preset, press, rest_on_ground
from stage import Shot

MODEL = Path(__file__).resolve().parents[2] / "tests" / "meshes" / "old_jar" / "old_jar.obj"


def steps(detail: float = 1.0) -> Iterator[tuple[str, Shot | None]]:
    """Do the steps one after another; after each, its title and its picture.

    Args:
        detail: Factor of the number of cells, for a quick trial.
    """
    scene = empty_scene(frames=60)
    bpy.ops.wm.obj_import(filepath=str(MODEL))
    jar = bpy.context.object
    jar.name = "Jar"
    jar.scale = (0.24, 0.24, 0.24)
    rest_on_ground(jar)
    yield "Import a jar", Shot(1, (-0.12, -0.12, 0.0), (0.12, 0.12, 0.26), ground=0.0)

    preset("Terracotta")
    yield "Choose what it is made of", None

    press("drop", height=1.0)
    yield "Lift it above a floor", None

    press("preview_break")
    yield "See where it will break", Shot(1, (-0.14, -0.14, 1.0), (0.14, 0.14, 1.28))
    press("remove_preview")

    selected = scene.fracture_selected
    selected.resolution, selected.seed = round(4000 * detail), 7
    press("shatter")
    yield "Break it", Shot(scene.frame_current + 1, (-0.15, -0.15, 0.0), (0.2, 0.2, 0.26))

    yield "Play the shot", Shot(60, (-0.3, -0.3, 0.0), (0.3, 0.3, 0.18))

    yield "Read the report", None

    selected.violence = 4.0
    press("shatter")
    broken = scene.frame_current
    yield "Break it harder", Shot(broken + 3, (-0.2, -0.2, 0.0), (0.3, 0.2, 0.22))

    jar.fracture.roughness, jar.fracture.fractal_depth, jar.fracture.chips = 0.5, 2, 0.1
    press("shatter")
    yield "Roughen the cracks", Shot(60, (-0.12, -0.14, 0.0), (0.16, 0.1, 0.1), view=(0.3, -1.0, 0.7))

    scene.frame_set(broken)
    scene.fracture_exploded = 0.5
    yield "Pull the pieces apart", Shot(broken, (-0.1, -0.1, 0.0), (0.14, 0.1, 0.36))
