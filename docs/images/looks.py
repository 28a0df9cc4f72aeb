"""Make looks.jpg: a block in the look of each material preset.

python docs/images/looks.py
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import bpy
from PIL import Image

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
sys.path[:0] = [str(ROOT)]

from fracture_addon.blender import registration  # noqa: E402
from fracture_addon.blender.setup import presets  # noqa: E402
from fracture_addon.blender.write import looks  # noqa: E402

# Blocks in a row, m between them, and m of a block's edge.
COLUMNS, ACROSS, DOWN, EDGE = 8, 0.16, 0.27, 0.1
SIZE, SAMPLES, QUALITY = (1024, 720), 16, 82
GROUND, INK = (0.55, 0.53, 0.5, 1.0), (0.02, 0.02, 0.02, 1.0)


def main() -> None:
    """Add the blocks, their names and the light, and render them."""
    registration.register()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    paths = sorted(presets.shipped_folder().glob("*.py"))
    ink = bpy.data.materials.new("Ink")
    ink.use_nodes = True
    ink.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = INK
    for number, path in enumerate(paths):
        x, y = ACROSS * (number % COLUMNS), -DOWN * (number // COLUMNS)
        bpy.ops.mesh.primitive_cube_add(size=EDGE, location=(x, y, 0.5 * EDGE), rotation=(0.0, 0.0, 0.5))
        block = bpy.context.object
        presets.apply(bpy.context, block, path)
        looks.give(block)
        bevel = block.modifiers.new("Bevel", "BEVEL")
        bevel.width, bevel.segments = 0.004, 3
        bpy.ops.object.text_add(location=(x, y - 0.1, 0.001))
        text = bpy.context.object
        text.data.body, text.data.size, text.data.align_x = block.fracture.material_name, 0.017, "CENTER"
        text.data.materials.append(ink)
    middle = 0.5 * ACROSS * (COLUMNS - 1), -0.5 * DOWN * ((len(paths) - 1) // COLUMNS) - 0.02
    bpy.ops.mesh.primitive_plane_add(size=20.0)
    floor = bpy.data.materials.new("Floor")
    floor.use_nodes = True
    floor.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = GROUND
    bpy.context.object.data.materials.append(floor)
    bpy.ops.object.light_add(type="AREA", location=(middle[0] - 1.0, middle[1] - 0.5, 1.6), rotation=(0.35, -0.5, 0.0))
    bpy.context.object.data.size, bpy.context.object.data.energy = 1.2, 40.0
    bpy.ops.object.camera_add(location=(middle[0], middle[1] - 1.6, 2.0), rotation=(0.675, 0.0, 0.0))
    camera = bpy.context.object
    camera.data.type, camera.data.ortho_scale = "ORTHO", 1.32
    scene = bpy.context.scene
    scene.camera = camera
    scene.world = bpy.data.worlds.new("Sky")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.75, 0.82, 0.9, 1.0)
    scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.5
    scene.render.engine, scene.cycles.samples = "CYCLES", SAMPLES
    scene.cycles.use_denoising, scene.cycles.device = True, "CPU"
    scene.render.resolution_x, scene.render.resolution_y = SIZE
    scene.view_settings.view_transform = "AgX"
    with tempfile.TemporaryDirectory() as folder:
        scene.render.filepath = str(Path(folder) / "looks.png")
        bpy.ops.render.render(write_still=True)
        with Image.open(scene.render.filepath) as image:
            image.convert("RGB").save(FOLDER / "looks.jpg", quality=QUALITY, optimize=True)


if __name__ == "__main__":
    main()
