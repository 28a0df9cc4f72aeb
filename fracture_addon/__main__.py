"""``python -m fracture_addon``: the command line, in a Python that has the bpy module."""

from __future__ import annotations

import sys


def main() -> int:
    """Register the extension from where it lies, and run the command."""
    try:
        import bpy  # noqa: F401 - it has to come before everything of ours that lives in Blender
    except ImportError:
        sys.stderr.write("fracture_addon: this Python has no bpy module; pip install bpy, or use blender --command\n")
        return 2
    from .blender import command_line, registration

    registration.register()
    try:
        return command_line.main(sys.argv[1:], prog="python -m fracture_addon")
    finally:
        registration.unregister()


if __name__ == "__main__":
    sys.exit(main())
