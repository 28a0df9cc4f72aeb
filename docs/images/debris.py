"""Make debris.jpg: a block of sandstone that is struck, one frame later and eight: its crumbs fly on as grains.

python docs/images/debris.py
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import bpy
from PIL import Image

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
sys.path.insert(0, str(ROOT))
# Which tiles of a contact sheet are shown, the size of one, and its steps with the gap beside it.
TILES, SIZE, STEP = ((2, 0), (1, 1)), (320, 240), (324, 244)


def build(path: Path) -> None:
    """Write a scene with a block on a floor, and a blow."""
    from fracture_addon.blender import scenario

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 24
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 0.1))
    block = bpy.context.object
    block.scale = (0.2, 0.1, 0.2)
    bpy.ops.object.transform_apply(location=False)
    material = bpy.data.materials.new("Stone")
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.42, 0.28, 0.15, 1.0)
    block.data.materials.append(material)
    block.fracture.resolution, block.fracture.seed = 2000, 7
    block.fracture.dust, block.fracture.dust_volume = "DEBRIS", 0.002
    scenario.impact(bpy.context, [block], (0.1, 1.0, 0.0))
    block.fracture.impact_strength = 12.0
    bpy.ops.wm.save_as_mainfile(filepath=str(path))


def main() -> int:
    """Build, break, render and join; returns the exit code."""
    from fracture_addon.blender import registration

    registration.register()
    work = ROOT / "build" / "debris"
    work.mkdir(parents=True, exist_ok=True)
    whole, sheet_path = work / "whole.blend", work / "sheet.png"
    build(whole)
    options = ["--preset", "sandstone", "--output", str(work / "broken.blend"), "--render", str(sheet_path)]
    if subprocess.run([sys.executable, "-m", "fracture_addon", str(whole), *options], cwd=ROOT).returncode:
        return 1
    picture = Image.new("RGB", (STEP[0] + SIZE[0], SIZE[1]), "white")
    with Image.open(sheet_path) as sheet:
        for row, tile in enumerate(TILES):
            left, top = (place * step for place, step in zip(tile, STEP, strict=True))
            shown = sheet.convert("RGB").crop((left, top, left + SIZE[0], top + SIZE[1]))
            picture.paste(shown, (row * STEP[0], 0))
    picture.save(FOLDER / "debris.jpg", quality=94, optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
