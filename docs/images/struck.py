"""Make cleaving_planes.jpg and debris.jpg: blocks that are struck.

One shows a slab as it is and with two cleaving planes from empties, the other a block of sandstone one frame after the
impact and eight: its debris flies on.

python docs/images/struck.py [cleaving_planes debris]
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import bpy
from PIL import Image

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
sys.path.insert(0, str(ROOT))

from fracture_addon.blender import registration  # noqa: E402
from fracture_addon.blender.setup import scenario  # noqa: E402

# The size of a tile of a contact sheet, and the gap beside it.
SIZE, GAP = (320, 240), 4


def cleaving_planes(work: Path) -> list[Image.Image]:
    """A slab without planes, and between two that lean towards one another."""
    tiles = []
    for sides in (), (-1, 1):
        slab = _standing((0.3, 0.03, 0.2), strength=8.0, cells=1500)
        for side in sides:
            plane = bpy.data.objects.new("Plane", None)
            plane.location, plane.rotation_euler = (0.05 * side, 0.0, 0.1), (0.0, 1.5708 - 0.25 * side, 0.0)
            plane.fracture.place, plane.fracture.place_strength = "PLANE", 0.05
            slab.users_collection[0].objects.link(plane)
        tiles += _broken(work / f"{len(sides)}_planes", [], [(3, 0)])
    return tiles


def debris(work: Path) -> list[Image.Image]:
    """The same block on two frames."""
    block = _standing((0.2, 0.1, 0.2), strength=12.0, cells=2000)
    material = bpy.data.materials.new("Stone")
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.42, 0.28, 0.15, 1.0)
    block.data.materials.append(material)
    block.fracture.dust, block.fracture.dust_volume = "DEBRIS", 0.002
    return _broken(work / "debris", ["--preset", "sandstone"], [(2, 0), (1, 1)])


def _standing(size: Sequence[float], strength: float, cells: int) -> bpy.types.Object:
    """A block on a floor in a scene of its own, and an impact on it."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 24
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 0.1))
    block = bpy.context.object
    block.scale = size
    bpy.ops.object.transform_apply(location=False)
    block.fracture.resolution, block.fracture.seed = cells, 7
    scenario.impact(bpy.context, [block], (0.1, 1.0, 0.0))
    block.fracture.impact_strength = strength
    return block


def _broken(path: Path, options: Sequence[str], places: Sequence[tuple[int, int]]) -> list[Image.Image]:
    """Break the scene by the command line; tiles of the contact sheet, by column and row."""
    whole, broken, picture = (path.with_suffix(suffix) for suffix in (".whole.blend", ".blend", ".png"))
    bpy.ops.wm.save_as_mainfile(filepath=str(whole))
    command = [sys.executable, "-m", "fracture_addon", whole, *options, "--output", broken, "--render", picture]
    subprocess.run(command, cwd=ROOT, check=True)
    with Image.open(picture) as sheet:
        corners = [[place * (side + GAP) for place, side in zip(tile, SIZE, strict=True)] for tile in places]
        return [sheet.convert("RGB").crop((x, y, x + SIZE[0], y + SIZE[1])) for x, y in corners]


def main() -> None:
    """Build, break, render and join what the command line names, everything by default."""
    registration.register()
    work = ROOT / "build" / "images"
    work.mkdir(parents=True, exist_ok=True)
    pictures = {"cleaving_planes": cleaving_planes, "debris": debris}
    for name in sys.argv[1:] or pictures:
        tiles = pictures[name](work)
        joined = Image.new("RGB", (len(tiles) * (SIZE[0] + GAP) - GAP, SIZE[1]), "white")
        for column, tile in enumerate(tiles):
            joined.paste(tile, (column * (SIZE[0] + GAP), 0))
        joined.save(FOLDER / f"{name}.jpg", quality=94, optimize=True)


if __name__ == "__main__":
    main()
