"""Folders and preferences of the extension."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import bpy

from ..core.data.errors import FolderError
from ..core.storage import folders
from ..core.timeline.cache import MOST_BYTES

# Folder with blender_manifest.toml, presets/ and the package. It may be read-only, and an upgrade deletes it.
ROOT = Path(__file__).resolve().parents[2]

# Module name of the installed extension (bl_ext.<repository>.fracture_addon); None in a checkout.
_package: str | None = None


def set_package(name: str | None) -> None:
    """Store the module name of the extension, which Blender needs to find its user folder."""
    global _package
    _package = name


def package() -> str | None:
    """Return the module name of the extension, ``None`` in a checkout."""
    return _package


def user_folder(name: str) -> Path:
    """Return a private folder of the program that survives upgrades; create it where it is missing.

    Args:
        name: Name of the folder below the extension's own user folder.

    Raises:
        FolderError: It cannot be created or written, or is not safe to use.
    """
    # Blender returns "" for a folder that it cannot create, and prints a traceback if it has to create one.
    parent = bpy.utils.extension_path_user(_package) if _package else bpy.utils.user_resource("DATAFILES")
    below = Path(name) if _package else Path("fracture_addon") / name
    return folders.make(folders.absolute(parent, "Blender's user folder") / below)


def preferences() -> Any:
    """Return the add-on's preferences, ``None`` in a checkout."""
    context: Any = bpy.context
    addon = context.preferences.addons.get(_package) if _package else None
    return addon.preferences if addon else None


def job_folder() -> Path | None:
    """Return the folder of the preferences for a run's temporary files, ``None`` for the system's.

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
    """Return the maximum size of the cache of earlier runs, bytes."""
    chosen = preferences()
    return chosen.kept_megabytes << 20 if chosen else MOST_BYTES
