"""Make events.jpg: a jar after its break, with dust and with sparks.

python docs/images/events.py
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import bpy
from PIL import Image

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tutorials")]

import jar  # noqa: E402
import scene_tools  # noqa: E402
import stage  # noqa: E402

from fracture_addon.blender import registration  # noqa: E402

CELLS, AFTER, QUALITY = 2000, 3, 80
BOX = {"low": (-0.28, -0.25, 0.0), "high": (0.28, 0.25, 0.36)}


def main() -> None:
    """Break the jar once for each of the two looks, and put the pictures side by side."""
    registration.register()
    scene = scene_tools.empty_scene(frames=30)
    bpy.ops.wm.obj_import(filepath=str(jar.MODEL))
    body = bpy.context.object
    body.scale = (0.24, 0.24, 0.24)
    scene_tools.rest_on_ground(body)
    scene_tools.preset("Terracotta")
    scene_tools.press("drop", height=1.0)
    scene.fracture_selected.resolution, scene.fracture_selected.seed = CELLS, 7
    tiles = []
    with tempfile.TemporaryDirectory() as folder:
        for look in ("DUST", "SPARKS"):
            body.fracture.events = look
            scene_tools.press("shatter")
            path = Path(folder) / f"{look}.jpg"
            stage.take(stage.Shot(scene.frame_current + AFTER, **BOX), path)
            tiles.append(Image.open(path).copy())
    width, height = tiles[0].size
    sheet = Image.new("RGB", (2 * width, height))
    for row, tile in enumerate(tiles):
        sheet.paste(tile, (row * width, 0))
    sheet.resize((width * 3 // 2, height * 3 // 4)).save(FOLDER / "events.jpg", quality=QUALITY, optimize=True)


if __name__ == "__main__":
    main()
