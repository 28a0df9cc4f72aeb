"""Make the films of the papers' figures from the scenes in the menu, and contact sheets of some: all, or those named.

python docs/gallery/films.py [NAME ...]
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
# Scenes whose pictures on the pages are contact sheets of the same runs.
SHEETS = (*(f"obrien_bowl_{row}" for row in (1, 2, 3, 4)), "obrien_comparison_bowl", "obrien_tray")


def main(names: list[str]) -> int:
    """Make films; returns the exit code of the first command that fails."""
    import make
    from names import chosen

    for name in chosen(names, NAMES):
        scene = ROOT / "build" / "films" / f"{name}.blend"
        scene.parent.mkdir(parents=True, exist_ok=True)
        sheet, film = scene.with_suffix(".png"), FOLDER / "films" / f"{name}.webm"
        command = ["-m", "fracture_addon", "--scene", name, "--look", "--output", str(scene), "--film", str(film)]
        if name in SHEETS:
            command += ["--render", str(sheet)]
        code = subprocess.run([sys.executable, *command], cwd=ROOT).returncode
        if code:
            return code
        if name in SHEETS:
            make.shrink(sheet, FOLDER / f"{name}.jpg")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
