"""Where the extension lives, and the one place it may write to."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..core.stages import MOST_BYTES

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
    """A folder of ours that survives upgrades, made when it is missing.

    Args:
        name: Of the folder below the extension's own user folder.
    """
    if _package:
        return Path(bpy.utils.extension_path_user(_package, path=name, create=True))
    return Path(bpy.utils.user_resource("DATAFILES", path=f"fracture_addon/{name}", create=True))


def preferences():
    """The add-on's preferences, ``None`` when it runs from a checkout."""
    addon = bpy.context.preferences.addons.get(_package) if _package else None
    return addon.preferences if addon else None


def job_folder() -> Path | None:
    """The folder that the preferences name for a run's temporary files, ``None`` for the system's own."""
    chosen = preferences()
    return Path(bpy.path.abspath(chosen.cache_folder)) if chosen and chosen.cache_folder else None


def most_stage_bytes() -> int:
    """How much may be kept of earlier runs."""
    chosen = preferences()
    return chosen.kept_megabytes << 20 if chosen else MOST_BYTES
