"""The command line ``python -m fracture_addon``, for a Python with the bpy module."""

from __future__ import annotations

import sys


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
    from .blender.command_line import command

    registration.register()
    try:
        return command.main(sys.argv[1:], prog="python -m fracture_addon")
    finally:
        registration.unregister()


if __name__ == "__main__":
    sys.exit(main())
