"""The command line ``python -m fracture_addon``, for a Python with the bpy module."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path


def main() -> int:
    """Register the extension from its source folder, run the command, and return the exit code."""
    try:
        import bpy  # noqa: F401 - must be imported before fracture_addon.blender
    except ImportError:
        sys.stderr.write(
            "fracture_addon: this Python has no bpy module; install it (pip install bpy), or use blender --command\n"
        )
        return 2
    from .blender import registration
    from .blender.command_line import assets, command, dataset, wedge

    name, *arguments = sys.argv[1:] or [""]
    prog = "python -m fracture_addon"
    registration.register()
    try:
        others = {"wedge": wedge.main, "dataset": dataset.main, "assets": assets.main}
        if name in others:
            return others[name](arguments, prog=f"{prog} {name}")
        return command.main(sys.argv[1:], prog=prog)
    finally:
        registration.unregister()


if __name__ == "__main__":
    if __package__:
        sys.exit(main())
    # Started by the path of this folder, so that a render manager needs neither a working folder nor PYTHONPATH.
    folder = Path(__file__).resolve().parent
    sys.path[0] = str(folder.parent)
    runpy.run_module(folder.name, run_name="__main__", alter_sys=True)
