"""Do the steps of the tutorials and take their pictures: all of them, or those named.

python docs/tutorials/make.py [NAME ...]          jar: all pictures of the jar; jar_5: only that of its step 5
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1]))
NAMES = ("jar", "window", "brick", "plank", "leaf")


def main(names: list[str]) -> int:
    """Make the pictures of some tutorials; return 2 for an unknown name."""
    wanted = [name.partition("_") for name in names or NAMES]
    unknown = sorted({name for name, _, _ in wanted} - set(NAMES))
    if unknown:
        sys.stderr.write(f"no tutorial {', '.join(unknown)}: choose from {', '.join(NAMES)}\n")
        return 2
    from fracture_addon.blender import registration

    registration.register()
    import stage

    for name, _, only in wanted:
        for number, (title, shot) in enumerate(importlib.import_module(name).steps(), 1):
            sys.stdout.write(f"{name} {number}: {title}\n")
            sys.stdout.flush()
            if shot is not None and only in ("", str(number)):
                stage.take(shot, FOLDER / f"{name}_{number}.jpg")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
