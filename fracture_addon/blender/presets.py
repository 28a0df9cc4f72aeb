"""Presets of materials and of whole scenes: Blender's own preset files, ours and the artist's."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..core.data.errors import SettingsError
from ..core.data.material import FIELD_NAMES
from . import extension, settings

SUBFOLDER, SCENES = "fracture_addon/material", "fracture_addon/scenario"
STORED = ("material_name", *(name for name in FIELD_NAMES if name != "name"), "relief")
# What running a file may end in.
FAULTS = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    AttributeError,
    NameError,
    ArithmeticError,
    LookupError,
    RuntimeError,
)


def shipped_folder(kind: str = SUBFOLDER) -> Path:
    """The folder of the presets that come with the extension; ``kind`` is ``SUBFOLDER`` or ``SCENES``."""
    return extension.ROOT / "presets" / kind


def folders(kind: str = SUBFOLDER) -> list[Path]:
    """All folders with presets, the artist's own first."""
    # Without a user folder Blender's answer is relative to the folder it was started in, whose files are not presets.
    known = [folder for folder in map(Path, bpy.utils.preset_paths(kind)) if folder.is_absolute()]
    return known if shipped_folder(kind) in known else [*known, shipped_folder(kind)]


def display_name(name: str) -> str:
    """A preset's name in the menu: ``soda_lime_glass.py`` is "Soda lime glass"."""
    name = bpy.path.display_name(Path(name).stem, has_ext=False, title_case=False)
    return name[:1].upper() + name[1:]


def find(name: str, kind: str = SUBFOLDER) -> Path | None:
    """The preset with a file name (with or without ``.py``) or the name that the menu shows, ``None`` without one."""
    files = [path for folder in folders(kind) for path in sorted(folder.glob("*.py"))]
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
    except FAULTS as error:
        _restore(group, before)
        raise SettingsError(f"Preset '{Path(path).stem}' cannot be run: {_one_line(error)}") from error


def known(kind: str = SUBFOLDER) -> str:
    """The file names of all presets, for a message."""
    return ", ".join(sorted({file.stem for folder in folders(kind) for file in folder.glob("*.py")}))


def build(context, path: str | Path) -> list[bpy.types.Object]:
    """Add a preset's scene to the present one; returns the objects of it that are to break, selected.

    Raises:
        SettingsError: The file cannot be run; what it added is gone again.
    """
    before = set(bpy.data.objects)
    for obj in context.selected_objects:
        obj.select_set(False)
    try:
        bpy.utils.execfile(str(path))
    except FAULTS as error:
        bpy.data.batch_remove(set(bpy.data.objects) - before)
        raise SettingsError(f"Scene '{Path(path).stem}' cannot be built: {_one_line(error)}") from error
    added = sorted(set(bpy.data.objects) - before, key=lambda obj: obj.name)
    objects = settings.chosen(added)
    for obj in added:
        obj.select_set(obj in objects)
    return objects


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
