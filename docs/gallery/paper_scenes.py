"""Make films and contact sheets of the papers' figures from the scenes in the menu: all, or those named.

python docs/gallery/paper_scenes.py [NAME ...]
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
PAPERS = ("norton_", "sweeney_", "obrien_", "smith_", "falling_")
NAMES = sorted(
    path.stem
    for path in (ROOT / "presets" / "fracture_addon" / "scenario").glob("*.py")
    if path.stem.startswith(PAPERS)
)
# Films only: norton_1991.py draws their moments in one picture.
FILMS = ("falling_paper", "sweeney_leaf")
# Scenes whose cracks stay closed. Their pictures also have the pieces in colours, together and moved apart.
CLOSED = ("obrien_wall_1",)
# Added distance of the pieces from their centre, relative to the present one; size of these pictures, pixels.
APART, SIZE = (0.0, 0.25), (966, 600)


def main(names: list[str]) -> int:
    """Run scenes; returns the exit code of the first command that fails."""
    import commands
    from names import chosen

    for name in chosen(names, NAMES):
        scene = ROOT / "build" / "gallery" / f"{name}.blend"
        scene.parent.mkdir(parents=True, exist_ok=True)
        sheet, film = scene.with_suffix(".png"), FOLDER / "films" / f"{name}.webm"
        command = ["-m", "fracture_addon", "--scene", name, "--look", "--output", str(scene), "--film", str(film)]
        command += ["--report", str(scene.with_suffix(".json"))]
        if name not in FILMS:
            command += ["--render", str(sheet)]
        code = subprocess.run([sys.executable, *command], cwd=ROOT).returncode
        if code:
            return code
        if name in CLOSED:
            add_pieces(scene, sheet)
        if name not in FILMS:
            commands.shrink(sheet, FOLDER / f"{name}.jpg")
    return 0


def add_pieces(scene: Path, sheet: Path) -> None:
    """Add pictures of the pieces of a scene's only result, on its last frame, below a contact sheet."""
    sys.path.insert(0, str(ROOT))
    import bpy
    import numpy as np
    import stage
    from PIL import Image

    from fracture_addon.blender.command_line.contact_sheet import VIEW
    from fracture_addon.blender.scene import result_lookup
    from fracture_addon.blender.write import exploded_view

    bpy.ops.wm.open_mainfile(filepath=str(scene))
    now = bpy.context.scene
    now.frame_set(now.frame_end)
    (result,) = filter(None, map(result_lookup.collection_of, now.objects))
    pieces = result_lookup.pieces_of(result)
    for row, piece in enumerate(pieces):
        material = bpy.data.materials.new(piece.name)
        material.use_nodes = True
        color = (*stage.fragment_color(row), 1.0)
        material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = color
        for slot in piece.material_slots:
            slot.material = material
    corners = [piece.matrix_world @ point.co for piece in pieces for point in piece.data.vertices]
    middle = np.mean(corners, axis=0)
    stage.set_up(now, middle + (1.0 + 0.7 * max(APART)) * (np.array(corners) - middle), VIEW, SIZE)
    tiles = []
    for distance in APART:
        exploded_view.explode(result, distance)
        tiles.append(stage.take(now))
    with Image.open(sheet) as above:
        whole = Image.new("RGB", (above.width, above.height + stage.GAP + SIZE[1]), "white")
        whole.paste(above.convert("RGB"), (0, 0))
    for column, tile in enumerate(tiles):
        whole.paste(tile, (column * (SIZE[0] + stage.GAP), whole.height - SIZE[1]))
    whole.save(sheet)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
