"""A stage for pictures: coloured solids on a floor, a camera near them, and tiles with captions in one sheet."""

from __future__ import annotations

import colorsys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector
from PIL import Image, ImageDraw, ImageFont

from fracture_addon.blender.command_line import camera, lights
from fracture_addon.core.data.recording import Recording
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.numerics.rotations import matrices

SAMPLES, LENS, GAP, CAPTION, QUALITY = 6, 60.0, 6, 26, 88
# Linear red, green and blue.
FLOOR = (0.06, 0.063, 0.07)
# Successive fragments differ most in hue when it goes round by the golden section.
GOLDEN = 0.618034


@dataclass(frozen=True)
class Solid:
    """Something to show.

    Attributes:
        surface: m, where it is.
        color: (3,) linear red, green, blue.
        inside: (F,) bool, faces that a crack made, drawn paler; ``None`` for none.
    """

    surface: Surface
    color: tuple[float, float, float]
    inside: np.ndarray | None = None


def fragment_color(row: int, hue: float = 0.07, spread: float = 1.0) -> tuple[float, float, float]:
    """A colour for each fragment: alike in brightness, far apart in hue within a spread about ``hue``."""
    turn = (row * GOLDEN) % 1.0 - 0.5
    return colorsys.hsv_to_rgb((hue + spread * turn) % 1.0, 0.62, 0.42 + 0.22 * ((row * 7) % 3))


def at_frame(recording: Recording, frame: int, hues: Sequence[float], spread: float, unbroken) -> list[Solid]:
    """Return the solids that a recording of rigid bodies shows on a frame.

    Args:
        recording: Recording of a run.
        frame: Frame of the recording.
        hues: Hue of each body.
        spread: Range of the hues of its fragments.
        unbroken: (Surface, centre of mass at rest) of each body, for frames before it breaks.
    """
    row, solids = frame - recording.frame_start, []
    for body, track in enumerate(recording.bodies):
        if frame < track.break_frame:
            whole = placed(unbroken[body], track.center, track.poses[row])
            solids.append(Solid(whole, fragment_color(0, hues[body], 0.0)))
    for number, piece in enumerate(recording.fragments):
        if piece.birth_frame <= frame < piece.death_frame:
            surface = placed(piece.surface, np.zeros(3), piece.poses[row])
            solids.append(Solid(surface, fragment_color(number, hues[piece.body], spread), piece.interior))
    return solids


def placed(surface: Surface, center, pose) -> Surface:
    """A surface in rest space where a pose puts it."""
    return Surface((surface.points - center) @ matrices(pose[3:]).T + pose[:3], surface.faces)


def picture(solids: Sequence[Solid], view, focus=None, size=(480, 360), floor: float | None = 0.0) -> Image.Image:
    """Render solids.

    Args:
        solids: Solids in the picture.
        view: (3,) direction from the middle towards the camera.
        focus: (N, 3) m, points that must be in the picture; default: those of the solids.
        size: Width and height, pixels.
        floor: Height of the floor, m; ``None`` for no floor.
    """
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    ground = []
    if floor is not None:
        flat = Surface([[-9, -9, floor], [9, -9, floor], [9, 9, floor], [-9, 9, floor]], [[0, 1, 2], [0, 2, 3]])
        ground = [Solid(flat, FLOOR)]
    _add(scene, [*solids, *ground])
    points = np.concatenate([solid.surface.points for solid in solids]) if focus is None else np.asarray(focus)
    set_up(scene, points, view, size)
    return take(scene)


def set_up(scene, points: np.ndarray, view, size=(480, 360)) -> None:
    """A camera that sees points (N, 3), lights, and how pictures are rendered."""
    towards = Vector(view).normalized()
    camera.aim(scene, [points], towards, size, LENS)
    lights.add_lights(scene, towards)
    render, cycles = scene.render, scene.cycles
    render.engine = "CYCLES"
    render.resolution_x, render.resolution_y, render.resolution_percentage = *size, 100
    scene.view_settings.view_transform = "Standard"
    cycles.device, cycles.samples, cycles.use_adaptive_sampling = "CPU", SAMPLES, False
    cycles.max_bounces, cycles.diffuse_bounces = 6, 2
    cycles.use_denoising, cycles.denoising_quality = True, "FAST"


def take(scene) -> Image.Image:
    """Render a scene that is set up, as it is on its frame."""
    with tempfile.TemporaryDirectory() as folder:
        scene.render.filepath = str(Path(folder) / "picture.png")
        bpy.ops.render.render(write_still=True)
        return Image.open(scene.render.filepath).convert("RGB")


def sheet(rows: Sequence[Sequence[tuple[str, Image.Image]]], path: Path) -> None:
    """Save pictures in rows, each with its caption below it."""
    width = max(sum(image.width + GAP for _, image in row) - GAP for row in rows)
    height = sum(row[0][1].height + CAPTION for row in rows)
    result = Image.new("RGB", (width, height), "white")
    draw, font, top = ImageDraw.Draw(result), ImageFont.load_default(15), 0
    for row in rows:
        left = 0
        for caption, image in row:
            result.paste(image, (left, top))
            draw.text((left + 4, top + image.height + 3), caption, "black", font)
            left += image.width + GAP
        top += row[0][1].height + CAPTION
    result.save(path, quality=QUALITY, optimize=True)


def _add(scene, solids: Sequence[Solid]) -> None:
    """All solids as one mesh, its colours a face attribute: a thousand fragments are no more work than one."""
    starts = np.cumsum([0, *(len(solid.surface.points) for solid in solids)])
    points = np.concatenate([solid.surface.points for solid in solids])
    faces = np.concatenate([solid.surface.faces + start for solid, start in zip(solids, starts[:-1], strict=True)])
    mesh = bpy.data.meshes.new("solids")
    mesh.from_pydata(points.tolist(), [], faces.tolist())
    colors = mesh.attributes.new("solid_color", "FLOAT_COLOR", "FACE")
    colors.data.foreach_set("color", np.concatenate([_face_colors(solid) for solid in solids]).ravel())
    material = bpy.data.materials.new("solids")
    material.use_nodes = True
    nodes = material.node_tree.nodes
    shader, attribute = nodes["Principled BSDF"], nodes.new("ShaderNodeAttribute")
    attribute.attribute_name = "solid_color"
    material.node_tree.links.new(attribute.outputs["Color"], shader.inputs["Base Color"])
    shader.inputs["Roughness"].default_value = 0.45
    mesh.materials.append(material)
    scene.collection.objects.link(bpy.data.objects.new("solids", mesh))


def _face_colors(solid: Solid) -> np.ndarray:
    colors = np.ones((len(solid.surface.faces), 4), np.float32)
    colors[:, :3] = solid.color
    if solid.inside is not None:
        colors[solid.inside, :3] = 0.5 * colors[solid.inside, :3] + 0.4
    return colors
