"""Steps of the tutorial about a plank."""

from __future__ import annotations

from collections.abc import Iterator

import bmesh
import bpy
from scene_tools import box, colored, empty_scene, passive, preset, press, select
from stage import Shot

LENGTH, WIDTH, THICKNESS, HEIGHT = 1.2, 0.14, 0.02, 0.4
CUTS, NAILED = 11, 0.5
WHOLE = {"low": (-0.62, -0.12, 0.0), "high": (0.62, 0.12, 0.5)}
END = {"low": (-0.3, -0.08, 0.34), "high": (-0.02, 0.08, 0.44), "view": (1.0, -0.75, 0.5)}


def steps(detail: float = 1.0) -> Iterator[tuple[str, Shot | None]]:
    """Do the steps one after another; after each, its title and its picture.

    Args:
        detail: Factor of the number of cells, for a quick trial.
    """
    scene = empty_scene(frames=40)
    plank = box("Plank", (LENGTH, WIDTH, THICKNESS), (0.0, 0.0, HEIGHT + 0.5 * THICKNESS))
    yield "Add a plank", None

    colored(plank, "Wood", (0.33, 0.15, 0.05), Roughness=0.7)
    preset("Wood pine")
    yield "Choose its wood", None

    for x in (-0.55, 0.55):
        block = box("Block", (0.1, 0.2, HEIGHT), (x, 0.0, 0.5 * HEIGHT))
        colored(block, "Concrete", (0.3, 0.3, 0.3))
        passive(block)
    _cut(plank)
    ends = [vertex.index for vertex in plank.data.vertices if abs(vertex.co.x) > NAILED - 1e-3]
    plank.vertex_groups.new(name="Ends").add(ends, 1.0, "REPLACE")
    plank.fracture.pin_group = "Ends"
    select(plank)
    yield "Nail it to two blocks", Shot(1, **WHOLE, ground=0.0)

    press("throw_ball", speed=6.0, direction=(0.0, 0.0, -1.0))
    ball = bpy.data.objects["Ball"]
    ball.scale, ball.rigid_body.mass = (0.5, 0.5, 0.5), 7.3
    bpy.data.objects["Floor"].location.z = 0.0
    yield "Let a ball fall on it", None

    selected = scene.fracture_selected
    selected.resolution, selected.seed = round(3000 * detail), 4
    select(plank)
    press("shatter")
    broken = scene.frame_current
    yield "Break it", Shot(broken + 1, **WHOLE)

    yield "Play the shot", Shot(broken + 20, **WHOLE)

    plank.fracture.roughness, plank.fracture.fractal_depth = 0.9, 2
    press("shatter")
    yield "Show its fibres", Shot(broken + 20, **END)

    plank.fracture.grain = (0.0, 1.0, 0.0)
    press("shatter")
    yield "Turn the grain", Shot(broken + 1, **WHOLE)

    plank.fracture.grain = (0.0, 0.0, 0.0)
    scene.cursor.location = (0.3, 0.0, HEIGHT)
    press("add_place", kind="PLANE")
    plane = next(obj for obj in scene.objects if obj.fracture.place == "PLANE")
    plane.rotation_euler.y = 1.5708
    plane.fracture.place_strength = 0.05
    select(plank)
    press("shatter")
    yield "Weaken one place", Shot(scene.frame_current + 1, **WHOLE)

    bpy.data.objects.remove(plane)
    preset("Plywood")
    press("shatter")
    yield "Use plywood", Shot(scene.frame_current + 1, **WHOLE)


def _cut(plank) -> None:
    """Cut the long edges, as Loop Cut (Ctrl R) does."""
    mesh = bmesh.new()
    mesh.from_mesh(plank.data)
    long = [edge for edge in mesh.edges if edge.calc_length() > 0.5 * LENGTH]
    bmesh.ops.subdivide_edges(mesh, edges=long, cuts=CUTS)
    mesh.to_mesh(plank.data)
    mesh.free()
