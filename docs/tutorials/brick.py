"""Steps of the tutorial about a brick."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import bpy
from scene_tools import box, colored, empty_scene, passive, preset, press, select
from stage import Shot

from fracture_addon.blender.scene.result_lookup import preview_of

SIZE, MORTAR = (0.215, 0.1025, 0.065), 0.01
NEAR = {"low": (-0.12, -0.06, 0.0), "high": (0.12, 0.06, 0.1)}
CLAY = (0.36, 0.1, 0.05)


def steps(detail: float = 1.0) -> Iterator[tuple[str, Shot | None]]:
    """Do the steps one after another; after each, its title and its picture.

    Args:
        detail: Factor of the number of cells, for a quick trial.
    """
    scene = empty_scene(frames=40)
    brick = box("Brick", SIZE, (0.0, 0.0, 0.5 * SIZE[2]))
    colored(brick, "Brick", CLAY, Roughness=0.9)
    preset("Brick")
    yield "Add a brick", None

    floor = box("Ground", (4.0, 4.0, 0.1), (0.0, 0.0, -0.05))
    colored(floor, "Ground", (0.52, 0.49, 0.45))
    passive(floor)
    select(brick)
    yield "Add a floor", None

    scene.cursor.location = (0.03, 0.0, SIZE[2])
    press("add_impact")
    select(brick)
    yield "Aim an impact", Shot(1, (-0.12, -0.06, 0.0), (0.12, 0.06, 0.14))

    fracture = brick.fracture
    fracture.impact_frame, fracture.impact_strength = 4, 10.0
    selected = scene.fracture_selected
    selected.resolution, selected.seed = round(2500 * detail), 5
    yield "Set its frame and its strength", None

    press("stress_preview")
    preview = preview_of(brick)
    preview.hide_render, brick.hide_render = False, True
    yield "See the stress", Shot(fracture.impact_frame + 8, **NEAR)
    press("remove_preview")
    brick.hide_render = False

    press("shatter")
    yield "Break it", Shot(scene.frame_current + 3, **NEAR)

    fracture.dust, fracture.dust_volume, fracture.chips = "DEBRIS", 0.002, 0.2
    fracture.roughness, fracture.fractal_depth, fracture.impact_strength = 0.5, 1, 20.0
    press("shatter")
    yield "Let small pieces fly", Shot(scene.frame_current + 3, (-0.14, -0.08, 0.0), (0.2, 0.08, 0.1))

    press("clear")
    bpy.data.objects.remove(fracture.impact_object)
    fracture.impact_enabled = False
    bricks = [brick]
    for x, z in ((SIZE[0] + MORTAR, 0), (0.5 * (SIZE[0] + MORTAR), 1)):
        copy = brick.copy()
        copy.data = brick.data.copy()
        copy.location = (x, 0.0, (z + 0.5) * SIZE[2] + z * MORTAR)
        scene.collection.objects.link(copy)
        bricks.append(copy)
    select(*bricks)
    press("join", kind="MORTAR", distance=0.012)
    yield "Build a small wall", None

    press("show_joints")
    _see_through(bricks, True)
    yield "Show the mortar", Shot(1, (-0.12, -0.06, 0.0), (0.35, 0.06, 0.15))
    press("remove_preview")
    _see_through(bricks, False)

    press("throw_ball", speed=6.0, direction=(0.0, 1.0, 0.0))
    bpy.data.objects.remove(bpy.data.objects["Floor"])
    select(*bricks)
    press("shatter")
    yield "Break the wall", Shot(scene.frame_current + 4, (-0.14, -0.1, 0.0), (0.37, 0.3, 0.16))


def _see_through(bricks: Sequence, on: bool) -> None:
    """Draw bricks as wires and their previews in the picture, as the viewport shows previews in front."""
    for obj in bricks:
        obj.display_type, obj.hide_render = ("WIRE", True) if on else ("TEXTURED", False)
        preview = preview_of(obj)
        if preview is not None:
            preview.hide_render = not on
