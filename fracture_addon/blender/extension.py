"""Where the extension lives, and the one place it may write to."""

from __future__ import annotations

import os
from pathlib import Path

import bpy

from ..core.data.errors import FolderError
from ..core.storage import folders
from ..core.timeline.cache import MOST_BYTES

# The folder that holds blender_manifest.toml, presets/ and the package; it may be read-only and is wiped on upgrade.
ROOT = Path(__file__).resolve().parents[2]

# Blender's name of the installed extension (bl_ext.<repository>.fracture_addon); None in a checkout.
_package: str | None = None


def set_package(name: str | None) -> None:
    """Remember the name that Blender gave the extension's root; only that name opens its user folder."""
    global _package
    _package = name


def package() -> str | None:
    """Blender's name of the extension, ``None`` when it runs from a checkout."""
    return _package


def user_folder(name: str) -> Path:
    """Return a private folder of the program that survives upgrades; create it where it is missing.

    Args:
        name: Name of the folder below the extension's own user folder.

    Raises:
        FolderError: It cannot be created or written, or is not safe to use.
    """
    # Blender answers "" where it cannot create the folder, and prints a traceback of its own if it is asked to.
    parent = bpy.utils.extension_path_user(_package) if _package else bpy.utils.user_resource("DATAFILES")
    below = Path(name) if _package else Path("fracture_addon") / name
    return folders.make(folders.absolute(parent, "Blender's user folder") / below)


def preferences():
    """The add-on's preferences, ``None`` when it runs from a checkout."""
    addon = bpy.context.preferences.addons.get(_package) if _package else None
    return addon.preferences if addon else None


def job_folder() -> Path | None:
    """Return the folder that the preferences name for a run's temporary files, ``None`` for the system's own.

    Raises:
        FolderError: The preferences name a folder relative to a file that is not saved.
    """
    chosen = preferences()
    return artist_folder(chosen.cache_folder, "Temporary Folder") if chosen and chosen.cache_folder else None


def artist_folder(path: str, setting: str) -> Path:
    """Return the absolute path of a folder that the artist chose.

    Args:
        path: As Blender stores it; "//" stands for the folder of the saved file.
        setting: Name of the setting, for the message.

    Raises:
        FolderError: The path is relative, or relative to a file that is not saved.
    """
    if path.startswith("//") and not bpy.data.filepath:
        raise FolderError(
            f"{setting} '{path}' is relative to a file that is not saved; save the file or choose an absolute path"
        )
    return folders.absolute(os.path.normpath(bpy.path.abspath(path)), setting)


def most_stage_bytes() -> int:
    """How much may be kept of earlier runs."""
    chosen = preferences()
    return chosen.kept_megabytes << 20 if chosen else MOST_BYTES
