"""Make the pictures of close_up.md: one jar, struck in each of five materials, seen from nearby.

python docs/gallery/close_up.py [NAME ...]
"""

from __future__ import annotations

import subprocess
import sys
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
# Subdivisions and triangles of the crack faces: a triangle is smaller than a ripple, or than the width of a fibre.
DEPTH, BUDGET = 3, 500_000
# Direction to the camera, its lens (mm) and stop, and its distance from the shards over the height of the jar.
VIEW, LENS, STOP, DISTANCE = Vector((-1.1, -1.2, 0.35)).normalized(), 78.0, 3.2, 2.5
# The shards stand so far in front of the impact, to the right and up of the middle; each is rolled so far (radians).
BEFORE, SLOTS = 1.1, ((0.08, 0.25, 0.12), (-0.1, -0.02, -0.1), (0.1, -0.28, 0.06))
# They turn their crack faces to the camera, leaned back by so much that the outside is seen too.
LEAN = 0.5
# Shards are pieces as long as this, over the jar's height.
LENGTHS = (0.35, 0.75)
# Lamps: to the right of the shards, up and towards the camera, over the jar's height; watts, and metres across. The key
# light grazes the crack faces.
LAMPS = (
    ("Key", (-2.2, 2.2, 0.5), 22.0, 0.15),
    ("Rim", (2.0, 1.4, -2.8), 16.0, 0.3),
    ("Fill", (2.0, -1.2, 3.2), 3.0, 0.8),
)


@dataclass(frozen=True)
class Look:
    """A material: its preset, colour (linear) and roughness outside, how much light goes through, its cracks' relief.

    Attributes:
        relief, relief_size: Amplitude and size, as in the panel.
    """

    preset: str
    color: tuple[float, float, float]
    roughness: float
    relief: float
    relief_size: float
    transmission: float = 0.0
    exposure: float = 0.0


LOOKS = {
    "glass": Look("soda_lime_glass", (0.93, 0.98, 0.96), 0.02, 1.0, 1.0, transmission=1.0),
    "porcelain": Look("porcelain", (0.80, 0.80, 0.77), 0.12, 1.0, 1.0, exposure=-0.6),
    "terracotta": Look("terracotta", (0.42, 0.13, 0.055), 0.7, 0.5, 0.7),
    "concrete": Look("concrete_C30", (0.30, 0.29, 0.27), 0.85, 0.6, 0.8, exposure=-0.5),
    "wood": Look("wood_pine", (0.42, 0.21, 0.085), 0.5, 0.6, 1.0),
}
NAMES = tuple(LOOKS)


def main(names: list[str]) -> int:
    """Make some pictures, or all; returns the exit code."""
    from names import chosen

    names = chosen(names, LOOKS)
    BUILD.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(ROOT))
    from fracture_addon.blender import registration

    registration.register()
    for name in names:
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
    settings.surface.roughness, settings.surface.relief_size = look.relief, look.relief_size
    settings.surface.fractal_depth, settings.surface.face_budget = DEPTH, BUDGET
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
    target = _arrange(HEIGHT)
    _aim(scene, target)
    _light(scene, target)
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


def _arrange(height: float) -> Vector:
    """Put the pieces where they were before the impact, and some shards before them; returns the middle of these."""
    pieces = [obj for obj in bpy.data.objects if "fracture_rest" in obj]
    source = bpy.data.objects[pieces[0]["fracture_source"]]
    impact = next(obj for obj in bpy.data.objects if obj.type == "EMPTY").matrix_world.translation
    middle = impact + BEFORE * height * VIEW
    for piece in pieces:
        piece.animation_data_clear()
        piece.hide_render = False
        piece.matrix_world = source.matrix_world @ Matrix(np.array(piece["fracture_rest"]).reshape(4, 4))
    low, high = (share * height for share in LENGTHS)
    shards = [_Shard(piece) for piece in pieces if low < max(piece.dimensions) < high]
    shards.sort(key=lambda shard: -shard.seen)
    camera = np.array(VIEW.to_track_quat("Z", "Y").to_matrix())
    for shard, (right, up, roll) in zip(shards, SLOTS, strict=False):
        lean = Matrix.Rotation(roll, 3, "Z") @ Matrix.Rotation(LEAN, 3, "X")
        turn = Matrix(camera) @ lean @ Matrix(shard.axes.T)
        place = middle + Vector(camera @ (height * np.array([right, up, 0.0])))
        shard.piece.matrix_world = Matrix.Translation(place) @ turn.to_4x4()
    return middle


class _Shard:
    """A piece and the side of it that shows the most of the crack.

    Attributes:
        seen: Area of crack faces from there.
        axes: (3, 3), a column each: along it, from the crack to the outside, towards who looks at the crack.
    """

    def __init__(self, piece: bpy.types.Object):
        mesh = piece.data
        self.piece = piece
        points, normals, areas, cracked = (
            np.empty(shape, kind)
            for shape, kind in (
                ((len(mesh.vertices), 3), np.float32),
                ((len(mesh.polygons), 3), np.float32),
                (len(mesh.polygons), np.float32),
                (len(mesh.polygons), bool),
            )
        )
        mesh.vertices.foreach_get("co", points.ravel())
        mesh.polygons.foreach_get("normal", normals.ravel())
        mesh.polygons.foreach_get("area", areas)
        mesh.attributes["fracture_interior"].data.foreach_get("value", cracked)
        sides = np.random.default_rng(0).normal(size=(500, 3))
        sides /= np.linalg.norm(sides, axis=1, keepdims=True)
        seen = areas[cracked] @ np.maximum(normals[cracked] @ sides.T, 0.0)
        towards, self.seen = sides[seen.argmax()], float(seen.max())
        flat = points - np.outer(points @ towards, towards)
        along = np.linalg.svd(flat - flat.mean(axis=0), full_matrices=False)[2][0]
        outside = np.cross(towards, along)
        if areas[~cracked] @ normals[~cracked] @ outside < 0.0:
            along, outside = -along, -outside
        self.axes = np.stack([along, outside, towards], axis=1)


def _aim(scene: bpy.types.Scene, target: Vector) -> None:
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.lens = LENS
    camera.location = target + DISTANCE * HEIGHT * VIEW
    camera.rotation_euler = VIEW.to_track_quat("Z", "Y").to_euler()
    camera.data.clip_start = 0.01 * HEIGHT
    camera.data.dof.use_dof = True
    camera.data.dof.focus_distance, camera.data.dof.aperture_fstop = DISTANCE * HEIGHT, STOP
    scene.collection.objects.link(camera)
    scene.camera = camera


def _light(scene: bpy.types.Scene, target: Vector) -> None:
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
    for name, place, watts, size in LAMPS:
        lamp = bpy.data.objects.new(name, bpy.data.lights.new(name, "AREA"))
        lamp.data.energy, lamp.data.size = watts, size
        away = VIEW.to_track_quat("Z", "Y") @ Vector(place)
        lamp.location = target + HEIGHT * away
        lamp.rotation_euler = away.to_track_quat("Z", "Y").to_euler()
        scene.collection.objects.link(lamp)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
