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
        if name not in FILMS:
            commands.shrink(sheet, FOLDER / f"{name}.jpg")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
