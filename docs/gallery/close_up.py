"""Make the pictures of close_up.md: one jar, struck in each of five materials, seen from nearby.

python docs/gallery/close_up.py [NAME ...]
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix, Vector

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
BUILD = ROOT / "build" / "close_up"
MODEL, HEIGHT = ROOT / "tests" / "meshes" / "old_jar" / "old_jar.obj", 0.25
SIZE, SAMPLES, QUALITY = (640, 480), 16, 92
DIRECTION, FRAMES, SEED, RESOLUTION, VIOLENCE = "0.5,1,-0.2", (1, 5), 7, 2200, 2.0
# Of the crack faces: its amplitude and size, divisions and triangles.
ROUGHNESS, SCALE, DEPTH, BUDGET = 0.5, 0.7, 2, 120_000
# Where the camera stands as seen from the place of the blow, over the jar's height.
PLACE, LENS = Vector((-1.1, -1.2, 0.55)), 78.0
# Pieces are moved outwards and away from the blow by so much, and turned by so much, the less the farther off: all
# lengths over the jar's height, angles in radians.
OUTWARDS, AWAY, TURN, REACH = 0.16, 0.12, 1.1, 0.35


@dataclass(frozen=True)
class Look:
    """A material: its preset, colour (linear) and roughness outside, how much light goes through, and the exposure."""

    preset: str
    color: tuple[float, float, float]
    roughness: float
    transmission: float = 0.0
    exposure: float = 0.0


LOOKS = {
    "glass": Look("soda_lime_glass", (0.93, 0.98, 0.96), 0.02, 1.0),
    "porcelain": Look("porcelain", (0.80, 0.80, 0.77), 0.12, exposure=-1.1),
    "terracotta": Look("terracotta", (0.42, 0.13, 0.055), 0.7),
    "concrete": Look("concrete_C30", (0.30, 0.29, 0.27), 0.85),
    "wood": Look("wood_pine", (0.42, 0.21, 0.085), 0.5),
}


def main(names: Sequence[str]) -> int:
    """Make some pictures, or all; returns the exit code."""
    unknown = sorted(set(names) - set(LOOKS))
    if unknown:
        sys.stderr.write(f"no material {', '.join(unknown)}: choose from {', '.join(LOOKS)}\n")
        return 2
    BUILD.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(ROOT))
    from fracture_addon.blender import registration

    registration.register()
    for name in names or LOOKS:
        whole, broken = BUILD / f"{name}_whole.blend", BUILD / f"{name}.blend"
        _save_whole(LOOKS[name], whole)
        code = _shatter(LOOKS[name], whole, broken)
        if code:
            return code
        _render(LOOKS[name], broken, FOLDER / "close_up" / f"{name}.jpg")
    return 0


def _save_whole(look: Look, path: Path) -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.obj_import(filepath=str(MODEL))
    jar = bpy.context.selected_objects[0]
    jar.name = "Jar"
    jar.scale *= HEIGHT / jar.dimensions.z
    bpy.ops.object.transform_apply(location=False, rotation=True, scale=True)
    material = bpy.data.materials.new("Outside")
    material.use_nodes = True
    inputs = material.node_tree.nodes["Principled BSDF"].inputs
    inputs["Base Color"].default_value = material.diffuse_color = (*look.color, 1.0)
    inputs["Roughness"].default_value = look.roughness
    inputs["Transmission Weight"].default_value = look.transmission
    jar.data.materials.clear()
    jar.data.materials.append(material)
    settings = jar.fracture
    settings.roughness, settings.relief_size = ROUGHNESS, SCALE
    settings.fractal_depth, settings.face_budget = DEPTH, BUDGET
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES
    bpy.ops.wm.save_as_mainfile(filepath=str(path), check_existing=False)


def _shatter(look: Look, whole: Path, broken: Path) -> int:
    options = ["--preset", look.preset, "--scenario", "impact", "--direction", DIRECTION, "--seed", str(SEED)]
    options += ["--violence", str(VIOLENCE), "--resolution", str(RESOLUTION), "--output", str(broken)]
    command = [sys.executable, "-m", "fracture_addon", str(whole), *options]
    return subprocess.run(command, cwd=ROOT).returncode


def _render(look: Look, path: Path, picture: Path) -> None:
    from PIL import Image  # not in Blender

    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False)
    scene = bpy.context.scene
    scene.frame_set(scene.frame_end)
    _aim(scene, _taken_apart(HEIGHT))
    _light(scene)
    render, cycles = scene.render, scene.cycles
    render.engine = "CYCLES"
    render.resolution_x, render.resolution_y = SIZE
    cycles.samples, cycles.use_denoising, cycles.device = SAMPLES, True, "CPU"
    cycles.denoising_quality = "FAST"
    cycles.max_bounces = cycles.transmission_bounces = 10
    scene.view_settings.view_transform, scene.view_settings.exposure = "AgX", look.exposure
    sheet = path.with_suffix(".png")
    render.filepath = str(sheet)
    bpy.ops.render.render(write_still=True)
    picture.parent.mkdir(exist_ok=True)
    with Image.open(sheet) as image:
        image.convert("RGB").save(picture, quality=QUALITY, optimize=True)


def _taken_apart(height: float) -> Vector:
    """Put the pieces where they were before the blow, and then apart; returns the place of the blow."""
    pieces = [obj for obj in bpy.data.objects if "fracture_rest" in obj]
    source = bpy.data.objects[pieces[0]["fracture_source"]]
    blow = next(obj for obj in bpy.data.objects if obj.type == "EMPTY").matrix_world.translation
    middle = source.matrix_world @ (sum((Vector(corner) for corner in source.bound_box), Vector()) / 8.0)
    for number, piece in enumerate(pieces):
        rest = source.matrix_world @ Matrix(np.array(piece["fracture_rest"]).reshape(4, 4))
        place = rest.translation
        near = math.exp(-(place - blow).length / (REACH * height))
        outwards = ((place - middle) * Vector((1.0, 1.0, 0.25))).normalized()
        axis = Vector(np.random.default_rng(number).normal(size=3))
        move = height * near * (OUTWARDS * outwards + AWAY * (place - blow).normalized())
        piece.animation_data_clear()
        piece.hide_render = False
        piece.matrix_world = (
            Matrix.Translation(place + move) @ Matrix.Rotation(TURN * near, 4, axis) @ rest.to_3x3().to_4x4()
        )
    return blow.copy()


def _aim(scene: bpy.types.Scene, target: Vector) -> None:
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.lens = LENS
    camera.location = target + HEIGHT * PLACE
    camera.rotation_euler = PLACE.to_track_quat("Z", "Y").to_euler()
    camera.data.clip_start = 0.01 * HEIGHT
    scene.collection.objects.link(camera)
    scene.camera = camera


def _light(scene: bpy.types.Scene) -> None:
    # Dark below and light behind: glass shows by what it bends.
    world = bpy.data.worlds.new("Sky")
    world.use_nodes = True
    nodes, links = world.node_tree.nodes, world.node_tree.links
    direction, split, shades = (nodes.new(f"ShaderNode{name}") for name in ("TexCoord", "SeparateXYZ", "ValToRGB"))
    for stop, place, color in zip(
        shades.color_ramp.elements, (0.35, 0.8), ((0.03, 0.033, 0.04, 1.0), (0.5, 0.56, 0.65, 1.0)), strict=True
    ):
        stop.position, stop.color = place, color
    links.new(direction.outputs["Generated"], split.inputs["Vector"])
    links.new(split.outputs["Z"], shades.inputs["Fac"])
    links.new(shades.outputs["Color"], nodes["Background"].inputs["Color"])
    scene.world = world
    for name, place, watts, size in (
        ("Key", (-1.1, -0.35, 0.75), 20.0, 0.2),
        ("Rim", (0.9, 0.6, 0.7), 16.0, 0.3),
        ("Fill", (0.7, -1.2, 0.3), 5.0, 0.8),
    ):
        lamp = bpy.data.objects.new(name, bpy.data.lights.new(name, "AREA"))
        lamp.data.energy, lamp.data.size = watts, size
        lamp.location = place
        lamp.rotation_euler = Vector(place).to_track_quat("Z", "Y").to_euler()
        scene.collection.objects.link(lamp)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
