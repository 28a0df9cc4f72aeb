"""Make cleaving_planes.jpg: a slab that is struck, as it is and with two cleaving planes from empties.

python docs/images/cleaving_planes.py
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
# Which tile of a contact sheet is shown, and the width and height of one with the gap beside it.
TILE, STEP = (3, 0), (324, 244)


def build(path: Path, with_planes: bool) -> None:
    """Write a scene with a slab on a floor, a blow, and perhaps two planes that lean towards one another."""
    from fracture_addon.blender import scenario

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 24
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 0.1))
    slab = bpy.context.object
    slab.scale = (0.3, 0.03, 0.2)
    bpy.ops.object.transform_apply(location=False)
    slab.fracture.resolution, slab.fracture.seed = 1500, 7
    scenario.impact(bpy.context, [slab], (0.1, 1.0, 0.0))
    slab.fracture.impact_strength = 8.0
    for side in (-1, 1) if with_planes else ():
        plane = bpy.data.objects.new("Plane", None)
        plane.location, plane.rotation_euler = (0.05 * side, 0.0, 0.1), (0.0, 1.5708 - 0.25 * side, 0.0)
        plane.fracture.place, plane.fracture.place_strength = "PLANE", 0.05
        scene.collection.objects.link(plane)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))


def main() -> int:
    """Build, break, render and join; returns the exit code."""
    from fracture_addon.blender import registration

    registration.register()
    work = ROOT / "build" / "cleaving_planes"
    work.mkdir(parents=True, exist_ok=True)
    tiles = []
    for name in ("without", "with"):
        build(work / f"{name}.blend", name == "with")
        words = [str(work / f"{name}.blend"), "--output", str(work / f"{name}_broken.blend")]
        command = [sys.executable, "-m", "fracture_addon", *words, "--render", str(work / f"{name}.png")]
        if subprocess.run(command, cwd=ROOT).returncode:
            return 1
        with Image.open(work / f"{name}.png") as sheet:
            left, top = (tile * step for tile, step in zip(TILE, STEP, strict=True))
            tiles.append(sheet.convert("RGB").crop((left, top, left + 320, top + 240)))
    picture = Image.new("RGB", (644, 240), "white")
    picture.paste(tiles[0], (0, 0))
    picture.paste(tiles[1], (324, 0))
    picture.save(FOLDER / "cleaving_planes.jpg", quality=94, optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
