"""Presets of materials and scenes, as preset files of Blender: those of the extension and of the artist."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import bpy

from ...core.data.errors import SettingsError
from ...core.data.material import FIELD_NAMES
from .. import extension
from ..read import settings
from ..write import materials

SUBFOLDER, SCENES = "fracture_addon/material", "fracture_addon/scenario"
# Settings of an object that a material preset stores.
STORED = (
    "material_name",
    *(name for name in FIELD_NAMES if name != "name"),
    *("tempering", "film_thickness", "bar_diameter", "relief"),
)
# Start of the first line of a scene that has a name of its own for the menu.
NAME = "# Name: "
# Errors that running a preset file may raise.
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
    """Return the folder of the extension's presets; ``kind`` is ``SUBFOLDER`` or ``SCENES``."""
    return extension.ROOT / "presets" / kind


def folders(kind: str = SUBFOLDER) -> list[Path]:
    """Return all preset folders, the artist's first."""
    # Without a user folder, Blender returns a path relative to the current folder, whose files are not presets.
    known = [folder for folder in map(Path, bpy.utils.preset_paths(kind)) if folder.is_absolute()]
    return known if shipped_folder(kind) in known else [*known, shipped_folder(kind)]


def display_name(name: str) -> str:
    """Return a preset's name in the menu: "Soda lime glass" for ``soda_lime_glass.py``."""
    name = bpy.path.display_name(Path(name).stem, has_ext=False, title_case=False)
    return name[:1].upper() + name[1:]


@lru_cache(maxsize=256)
def scene_name(path: str) -> str:
    """Return the name of a scene in the menu: the text after "# Name:" in its first line, else that of its file."""
    try:
        with open(path, encoding="utf-8") as file:
            first = file.readline().strip()
    except (OSError, UnicodeDecodeError):
        first = ""
    return first.removeprefix(NAME) if first.startswith(NAME) else display_name(path)


def find(name: str, kind: str = SUBFOLDER) -> Path | None:
    """Find a preset by its file name, with or without ``.py``, or its name in the menu; ``None`` without one."""
    files = [path for folder in folders(kind) for path in sorted(folder.glob("*.py"))]
    wanted = name.removesuffix(".py").casefold()
    return next((path for path in files if wanted in (path.stem.casefold(), display_name(path.name).casefold())), None)


def apply(context: Any, obj: bpy.types.Object, path: str | Path) -> None:
    """Set an object's material to a preset.

    Raises:
        SettingsError: The file cannot be run, or a value is invalid; the object is unchanged.
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
        raise SettingsError(
            f"Preset '{Path(path).stem}' cannot be run: {_one_line(error)}; correct or remove the file '{path}'"
        ) from error


def known(kind: str = SUBFOLDER) -> str:
    """Return the file names of all presets, for a message."""
    return ", ".join(sorted({file.stem for folder in folders(kind) for file in folder.glob("*.py")}))


def build(context: Any, path: str | Path, keep_frames: bool = False) -> list[bpy.types.Object]:
    """Add a preset's scene to the current one; return and select its breakable objects.

    The active object is the one that the preset makes active, or the first by name if that one is not breakable.

    Args:
        context: Blender context.
        path: Path of the preset.
        keep_frames: Keep the frame range and the frame rate of the current scene, which the preset may set.

    Raises:
        SettingsError: The file cannot be run; the objects that it added are removed.
    """
    frames = _frames(context.scene)
    before = set(bpy.data.objects)
    for obj in context.selected_objects:
        obj.select_set(False)
    try:
        bpy.utils.execfile(str(path))
    except FAULTS as error:
        bpy.data.batch_remove(set(bpy.data.objects) - before)
        raise SettingsError(
            f"Scene '{Path(path).stem}' cannot be built: {_one_line(error)}; correct or remove the file '{path}'"
        ) from error
    finally:
        if keep_frames:
            _set_frames(context.scene, frames)
    added = sorted(set(bpy.data.objects) - before, key=lambda obj: obj.name)
    objects = settings.chosen(added)
    for obj in added:
        obj.select_set(obj in objects)
        _cover_floor(obj)
    if objects and context.object not in objects:
        context.view_layer.objects.active = objects[0]
    return objects


def _cover_floor(obj: Any) -> None:
    """Give a passive plane without a material that of a floor."""
    is_passive = obj.rigid_body is not None and obj.rigid_body.type == "PASSIVE"
    if is_passive and obj.type == "MESH" and obj.dimensions.z == 0.0 and not obj.data.materials:
        obj.data.materials.append(materials.floor())


def _frames(scene: bpy.types.Scene) -> tuple[int, int, int]:
    return scene.frame_start, scene.frame_end, scene.render.fps


def _set_frames(scene: bpy.types.Scene, frames: tuple[int, int, int]) -> None:
    scene.frame_start, scene.frame_end, scene.render.fps = frames


def register() -> None:
    """Add the extension's presets to Blender's search path, in versions that have one."""
    if hasattr(bpy.utils, "register_preset_path"):
        bpy.utils.register_preset_path(str(extension.ROOT))


def unregister() -> None:
    """Remove the extension's presets from Blender's search path."""
    if hasattr(bpy.utils, "unregister_preset_path"):
        bpy.utils.unregister_preset_path(str(extension.ROOT))


def _restore(group: Any, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(group, name, value)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
