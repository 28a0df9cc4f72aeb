"""Pictures of a tutorial's scene: a camera, lights and quiet colours that are there only while a picture is taken."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from fracture_addon.blender.command_line import camera
from fracture_addon.blender.scene.result_lookup import MARK, is_impact

# Pixels; bytes of a picture at most, so that a page loads at once.
SIZE, MOST_BYTES = (640, 420), 60_000
SAMPLES, LENS = 12, 60.0
# JPEG qualities, the first that fits is used.
QUALITIES = range(92, 40, -4)
# Crack previews are lines, which Cycles does not draw: as tubes of this radius, over the size of what is shown.
LINE = 0.0035
# Impacts are empties: as arrows of this radius, over their length.
ARROW = 0.03
LINES, IMPACT = (0.02, 0.02, 0.02, 1.0), (0.8, 0.2, 0.02, 1.0)
GROUND = (0.52, 0.49, 0.45, 1.0)


@dataclass(frozen=True)
class Shot:
    """A picture of the scene.

    Attributes:
        frame: Frame of the timeline.
        low: (3,) m, corner of the box that fills the picture.
        high: (3,) m, opposite corner.
        view: (3,) direction from the box towards the camera.
        ground: Height of a ground that exists only in the picture, m; ``None`` where the scene has a floor.
    """

    frame: int
    low: Sequence[float]
    high: Sequence[float]
    view: Sequence[float] = (0.55, -1.0, 0.4)
    ground: float | None = None


def take(shot: Shot, path: Path) -> None:
    """Render a picture of the present scene, and leave the scene as it was."""
    scene = bpy.context.scene
    frame = scene.frame_current
    scene.frame_set(shot.frame)
    with _extras(scene, shot), tempfile.TemporaryDirectory() as folder:
        scene.render.filepath = str(Path(folder) / "picture.png")
        bpy.ops.render.render(write_still=True)
        _save(scene.render.filepath, path)
    scene.frame_set(frame)


def _save(source: str, path: Path) -> None:
    from PIL import Image  # not in Blender, where the tests do the steps

    with Image.open(source) as image:
        for quality in QUALITIES:
            image.convert("RGB").save(path, quality=quality, optimize=True)
            if path.stat().st_size < MOST_BYTES:
                return


@contextmanager
def _extras(scene: Any, shot: Shot) -> Iterator[None]:
    """Add camera, lights, ground and drawn lines; remove them afterwards."""
    before = set(bpy.data.objects)
    selected, active = bpy.context.selected_objects, bpy.context.view_layer.objects.active
    corners = np.array(list(itertools.product(*zip(shot.low, shot.high, strict=True))), float)
    size = float(np.ptp(corners, axis=0).max())
    camera.aim(scene, [corners], Vector(shot.view).normalized(), SIZE, LENS)
    _light(scene, corners.mean(axis=0), size)
    if shot.ground is not None:
        bpy.ops.mesh.primitive_plane_add(size=60.0 * size, location=(0.0, 0.0, shot.ground))
        bpy.context.object.data.materials.append(_plain("Ground", GROUND))
    for obj in list(scene.objects):
        if obj.get(MARK) == "Crack preview" or (obj.display_type == "WIRE" and MARK not in obj):
            _draw(scene, obj, obj.data.name, _lines(obj), LINE * size, LINES)
        elif obj.get(MARK) == "Joint preview":
            obj.data.materials.append(_by_attribute(obj.data.color_attributes.active_color_name))
        elif is_impact(obj):
            _draw(scene, obj, obj.name, [_arrow(obj.empty_display_size)], ARROW * obj.empty_display_size, IMPACT)
    _set_up(scene)
    floor = bpy.data.materials.get("Floor")
    if floor is not None:
        floor.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = GROUND
    try:
        yield
    finally:
        for obj in set(bpy.data.objects) - before:
            bpy.data.objects.remove(obj)
        for obj in selected:
            obj.select_set(True)
        bpy.context.view_layer.objects.active = active


def _light(scene: Any, middle: np.ndarray, size: float) -> None:
    """A large soft light from the left, and a sky that fills the shadows."""
    world = bpy.data.worlds.get("Tutorial") or bpy.data.worlds.new("Tutorial")
    world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (0.82, 0.88, 1.0, 1.0)
    background.inputs["Strength"].default_value = 0.55
    scene.world = world
    data = bpy.data.lights.new("Key", "AREA")
    data.size, data.color = 1.6 * size, (1.0, 0.93, 0.84)
    distance = 2.2 * size
    data.energy = 55.0 * distance**2
    lamp = bpy.data.objects.new("Key", data)
    direction = Vector((-0.8, -0.45, 0.95)).normalized()
    lamp.location = Vector(middle.tolist()) + direction * distance
    lamp.rotation_euler = direction.to_track_quat("Z", "Y").to_euler()
    scene.collection.objects.link(lamp)


def _plain(name: str, color: Sequence[float], roughness: float = 0.9) -> Any:
    material = bpy.data.materials.get(name) or bpy.data.materials.new(name)
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value, shader.inputs["Roughness"].default_value = color, roughness
    return material


def _by_attribute(name: str) -> Any:
    """Return a material that shows a colour attribute."""
    material = _plain(f"Attribute {name}", GROUND)
    nodes, links = material.node_tree.nodes, material.node_tree.links
    attribute = nodes.new("ShaderNodeAttribute")
    attribute.attribute_name = name
    links.new(attribute.outputs["Color"], nodes["Principled BSDF"].inputs["Base Color"])
    return material


def _lines(obj: Any) -> list[list[tuple[Sequence[float], float]]]:
    """Return the edges of an object as lines of points with a relative radius."""
    vertices = obj.data.vertices
    return [[(vertices[row].co, 1.0) for row in edge.vertices] for edge in obj.data.edges]


def _arrow(length: float) -> list[tuple[Sequence[float], float]]:
    """Return an arrow along the Z axis as a line of points with a relative radius."""
    return [
        ((0.0, 0.0, share * length), radius) for share, radius in ((0.0, 1.0), (0.7, 1.0), (0.701, 3.0), (1.0, 0.0))
    ]


def _draw(scene: Any, obj: Any, name: str, lines: list, radius: float, color: Sequence[float]) -> None:
    """Add tubes along lines in the space of an object."""
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", radius
    for line in lines:
        spline = curve.splines.new("POLY")
        spline.points.add(len(line) - 1)
        for point, (place, share) in zip(spline.points, line, strict=True):
            point.co, point.radius = (*place, 1.0), share
    curve.materials.append(_plain(f"Drawn {color}", color))
    tubes = bpy.data.objects.new(name, curve)
    tubes.matrix_world = obj.matrix_world
    scene.collection.objects.link(tubes)


def _set_up(scene: Any) -> None:
    render, cycles = scene.render, scene.cycles
    render.engine = "CYCLES"
    render.resolution_x, render.resolution_y, render.resolution_percentage = *SIZE, 100
    render.image_settings.file_format = "PNG"
    scene.view_settings.view_transform = "AgX"
    scene.view_settings.look = "AgX - Medium High Contrast"
    cycles.device, cycles.samples, cycles.use_adaptive_sampling = "CPU", SAMPLES, False
    cycles.max_bounces = cycles.transmission_bounces = 8
    cycles.diffuse_bounces = 2
    cycles.use_denoising, cycles.denoising_quality = True, "FAST"
