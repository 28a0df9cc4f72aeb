"""Material presets: Blender's own preset files, ours and the artist's."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..core.errors import SettingsError
from ..core.material import FIELD_NAMES
from . import extension, settings

SUBFOLDER = "fracture_addon/material"
STORED = ("material_name", *(name for name in FIELD_NAMES if name != "name"), "relief")


def shipped_folder() -> Path:
    """The folder of the presets that come with the extension."""
    return extension.ROOT / "presets" / SUBFOLDER


def folders() -> list[Path]:
    """All folders with presets, the artist's own first."""
    known = [Path(folder) for folder in bpy.utils.preset_paths(SUBFOLDER)]
    return known if shipped_folder() in known else [*known, shipped_folder()]


def display_name(name: str) -> str:
    """A preset's name in the menu: ``soda_lime_glass.py`` is "Soda lime glass"."""
    name = bpy.path.display_name(Path(name).stem, has_ext=False, title_case=False)
    return name[:1].upper() + name[1:]


def find(name: str) -> Path | None:
    """The preset with a file name (with or without ``.py``) or the name that the menu shows, ``None`` without one."""
    files = [path for folder in folders() for path in sorted(folder.glob("*.py"))]
    wanted = name.removesuffix(".py").casefold()
    return next((path for path in files if wanted in (path.stem.casefold(), display_name(path.name).casefold())), None)


def apply(context, obj: bpy.types.Object, path: str | Path) -> None:
    """Give an object a preset's material.

    Raises:
        SettingsError: The file cannot be run, or a value of it makes no sense; the object is as it was.
    """
    group = obj.fracture
    before = {name: getattr(group, name) for name in STORED}
    try:
        with context.temp_override(object=obj, active_object=obj):
            bpy.utils.execfile(str(path))
        settings.material_of(obj)
    except SettingsError as error:
        _restore(group, before)
        raise SettingsError(f"Preset '{Path(path).stem}': {error}") from None
    except (OSError, SyntaxError, ValueError, TypeError, AttributeError, NameError, ArithmeticError) as error:
        _restore(group, before)
        raise SettingsError(f"Preset '{Path(path).stem}' cannot be run: {_one_line(error)}") from error


def register():
    """Let Blender find the shipped presets, in the versions that can be told where they are."""
    if hasattr(bpy.utils, "register_preset_path"):
        bpy.utils.register_preset_path(str(extension.ROOT))


def unregister():
    """Take the shipped presets out of Blender's search."""
    if hasattr(bpy.utils, "unregister_preset_path"):
        bpy.utils.unregister_preset_path(str(extension.ROOT))


def _restore(group, values) -> None:
    for name, value in values.items():
        setattr(group, name, value)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
