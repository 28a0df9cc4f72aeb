"""Make jar_sweep.jpg, the last frame of each run of jar_sweep.toml from one camera, and print the table of its page.

python docs/farm/jar_sweep.py RESULTS
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import bpy
import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[1]), str(FOLDER.parent / "gallery")]

import stage  # noqa: E402

from fracture_addon.farm import page, results, table  # noqa: E402

# View from the pieces to the camera, pixels of a tile, and the box that the camera sees, m: the jar is 0.25 high.
VIEW, SIZE = (0.62, -1.0, 0.55), (320, 200)
BOX = np.array(list(itertools.product((-0.37, 0.37), (-0.33, 0.33), (0.0, 0.22))))


def masses() -> list[float]:
    """Return the masses of the pieces on the frame of the open scene, kg."""
    shown = bpy.context.scene.objects
    return [obj["fracture_mass"] for obj in shown if "fracture_mass" in obj and not obj.hide_render]


def main(folder: Path) -> None:
    """Write the picture and print the table."""
    runs = table.rows(results.read_plan(folder), folder)
    violences = dict.fromkeys(row["violence"] for row in runs)
    rows: dict[str, list] = {}
    cells: dict[str, list[str]] = {}
    for row in runs:
        bpy.ops.wm.open_mainfile(filepath=str(results.run_folder(folder, row["run"]) / page.SCENE))
        scene = bpy.context.scene
        scene.frame_set(scene.frame_end)
        stage.set_up(scene, BOX, VIEW, SIZE)
        found = masses()
        text = f"{len(found)}, {100 * max(found) / sum(found):.0f} %" if found else "whole"
        preset = row["preset"]
        caption = f"{preset.removesuffix('_20C').replace('_', ' ')}, violence {row['violence']}: {text}"
        rows.setdefault(preset, []).append((caption, stage.take(scene)))
        cells.setdefault(preset, []).append(text)
    stage.sheet(list(rows.values()), FOLDER / "jar_sweep.jpg")
    sys.stdout.write(f"| material | {' | '.join(f'violence {violence}' for violence in violences)} |\n")
    sys.stdout.write("|---" * (len(violences) + 1) + "|\n")
    for preset, texts in cells.items():
        sys.stdout.write(f"| `{preset}` | {' | '.join(texts)} |\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
