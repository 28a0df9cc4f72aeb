"""Steps of the tutorial about a window."""

from __future__ import annotations

from collections.abc import Iterator

import bmesh
import bpy
from scene_tools import box, colored, empty_scene, preset, press, select
from stage import Shot

WIDTH, HEIGHT, THICKNESS, RIM, BAR, SILL = 1.0, 0.8, 0.004, 0.04, 0.05, 0.015
NEAR = {"low": (-0.55, -0.1, 0.0), "high": (0.55, 0.1, 0.85), "view": (-0.45, -1.0, 0.22)}


def steps(detail: float = 1.0) -> Iterator[tuple[str, Shot | None]]:
    """Do the steps one after another; after each, its title and its picture.

    Args:
        detail: Factor of the number of cells, for a quick trial.
    """
    scene = empty_scene(frames=48)
    pane = box("Pane", (WIDTH, THICKNESS, HEIGHT), (0.0, 0.0, 0.5 * HEIGHT))
    yield "Add a pane", None

    colored(pane, "Glass", (0.9, 1.0, 0.95), Transmission_Weight=1.0, Roughness=0.0, IOR=1.45)
    preset("Soda lime glass")
    yield "Make it glass", None

    _inset(pane)
    pane.vertex_groups.new(name="Edge").add(range(8), 1.0, "REPLACE")
    pane.fracture.pin_group = "Edge"
    for x in (-0.5, 0.5):
        bar = box("Frame", (BAR, BAR, HEIGHT + 2.0 * BAR), (x * (WIDTH + BAR), 0.0, 0.5 * HEIGHT))
        colored(bar, "Paint", (0.02, 0.06, 0.06))
    for z in (SILL - 0.5 * BAR, HEIGHT + 0.5 * BAR):
        colored(box("Frame", (WIDTH, BAR, BAR), (0.0, 0.0, z)), "Paint", (0.02, 0.06, 0.06))
    select(pane)
    yield "Hold its edge", Shot(1, **NEAR, ground=-BAR)

    press("throw_ball", speed=12.0, direction=(0.0, 1.0, 0.0))
    yield "Throw a ball", None

    ball = bpy.data.objects["Ball"]
    ball.scale = (0.3, 0.3, 0.3)
    ball.rigid_body.mass = 1.8
    yield "Make the ball smaller", Shot(1, (-0.5, -2.3, 0.0), (0.5, 0.1, 0.85), view=(-1.0, -0.3, 0.25))

    selected = scene.fracture_selected
    selected.resolution, selected.seed = round(4000 * detail), 2
    pane.fracture.impact_fineness = 2.0
    yield "Ask for fine cracks at the impact", None

    press("shatter")
    broken = scene.frame_current
    yield "Break it", Shot(broken + 2, **NEAR)

    yield "Play the shot", Shot(48, (-0.55, -0.2, 0.0), (0.55, 0.6, 0.85), view=(-0.45, -1.0, 0.4))

    preset("Tempered glass")
    pane.fracture.impact_fineness = 1.0
    selected.resolution = round(6000 * detail)
    press("shatter")
    yield "Use tempered glass", Shot(broken + 2, **NEAR)

    pane.fracture.one_object = True
    press("shatter")
    yield (
        "Put the pieces into one object",
        Shot(broken + 5, (-0.6, -0.2, 0.0), (0.6, 0.5, 0.85), view=(-0.45, -1.0, 0.4)),
    )


def _inset(pane) -> None:
    """Inset the two large faces, as Inset Faces (I) does."""
    mesh = bmesh.new()
    mesh.from_mesh(pane.data)
    large = [face for face in mesh.faces if abs(face.normal.y) > 0.5]
    bmesh.ops.inset_individual(mesh, faces=large, thickness=RIM)
    mesh.to_mesh(pane.data)
    mesh.free()
