"""Make the pictures of README.md by the commands that stand there: all of them, or those named.

python docs/gallery/commands.py [NAME ...]
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
START = "    python -m fracture_addon "
QUALITY = 94


def commands(page: str = "README.md") -> dict[str, list[str]]:
    """The commands of a page by the names of their pictures."""
    lines = (FOLDER / page).read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    found = [shlex.split(line) for line in lines if line.startswith(START)]
    return {Path(words[words.index("--render") + 1]).stem: words for words in found}


NAMES = tuple(commands())


def main(names: list[str], page: str = "README.md") -> int:
    """Make some pictures of a page, or all; returns the exit code of the first command that fails."""
    from names import chosen

    known = commands(page)
    for name in chosen(names, known):
        _, *arguments = known[name]
        sheet = ROOT / arguments[arguments.index("--render") + 1]
        sheet.parent.mkdir(parents=True, exist_ok=True)
        sys.stdout.write(f"{name}: {shlex.join(known[name])}\n")
        sys.stdout.flush()
        code = subprocess.run([sys.executable, *arguments], cwd=ROOT).returncode
        if code:
            return code
        shrink(sheet, FOLDER / f"{name}.jpg")
    return 0


def shrink(sheet: Path, picture: Path) -> None:
    """Save a contact sheet as a JPEG."""
    from PIL import Image  # not in Blender, where the tests read the commands

    with Image.open(sheet) as image:
        image.convert("RGB").save(picture, quality=QUALITY, optimize=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
