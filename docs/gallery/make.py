"""Make the pictures and films of all pages of the gallery, which takes hours, or those named.

python docs/gallery/make.py [NAME ...]
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
# Scripts; ``NAMES`` of each are the names of its pictures and films, without suffixes.
SCRIPTS = (
    "commands",
    "materials",
    "close_up",
    "repair",
    "smith_2001",
    "smith_2001_plots",
    "norton_1991",
    "paper_scenes",
)


def scripts() -> dict[str, tuple[str, ...]]:
    """The scripts with what each makes."""
    return {script: importlib.import_module(script).NAMES for script in SCRIPTS}


def main(names: list[str]) -> int:
    """Make some pictures and films, or all; returns the exit code of the first script that fails."""
    from names import chosen

    made = scripts()
    wanted = chosen(names, [name for own in made.values() for name in own])
    for script, own in made.items():
        mine = [name for name in own if name in wanted]
        if mine:
            code = subprocess.run([sys.executable, str(FOLDER / f"{script}.py"), *mine]).returncode
            if code:
                return code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
