"""Registration of classes, properties, handlers, presets and the command line in Blender."""

from __future__ import annotations

import atexit
import contextlib
import tempfile
from pathlib import Path
from typing import Any

import bpy

from ..core.data.errors import FolderError
from ..core.storage import compiled_code, folders
from . import extension, operators, panels, preferences, properties
from .process import run, user_cache, waiting_worker, warm_up
from .scene import result_lookup
from .scene.ownership import OF
from .setup import (
    exploded,
    hints,
    onion_skins,
    piece_pointer,
    presets,
    selected_settings,
    sheet_drawing,
    variation_sheet,
)

CLASSES = (*properties.CLASSES, *operators.CLASSES, *panels.CLASSES)

_commands: list[Any] = []


def register(package: str | None = None) -> None:
    """Add classes, properties, presets, handlers and the command line to Blender.

    Args:
        package: Module name of the installed extension; ``None`` in a checkout, which has no preferences.
    """
    extension.set_package(package)
    cache = user_cache.find().folder
    compiled_code.set_folder(cache / user_cache.COMPILED if cache else None)
    with contextlib.suppress(OSError, FolderError):  # without a temporary folder, nothing is left over
        folders.remove_leftovers(Path(tempfile.gettempdir()))
    for item in CLASSES:
        bpy.utils.register_class(item)
    if package:
        preferences.FractureAddonPreferences.bl_idname = package
        bpy.utils.register_class(preferences.FractureAddonPreferences)
    properties.register()
    selected_settings.register()
    exploded.register()
    onion_skins.register()
    sheet_drawing.register()
    piece_pointer.register()
    variation_sheet.register()
    panels.register()
    presets.register()
    # End the worker when a file is loaded and when Python ends, because Blender does not always end a running operator.
    bpy.app.handlers.load_pre.append(_before_load)
    bpy.app.handlers.depsgraph_update_post.append(_after_change)
    bpy.app.handlers.undo_post.append(_after_undo)
    bpy.app.handlers.redo_post.append(_after_undo)
    bpy.app.handlers.animation_playback_pre.append(_before_playback)
    atexit.register(_end_children)
    warm_up.start()
    for name, function in COMMANDS.items():
        _commands.append(bpy.utils.register_cli_command(name, function))


def unregister() -> None:
    """Stop the current run, and unregister everything."""
    _end_children()
    while _commands:
        bpy.utils.unregister_cli_command(_commands.pop())
    atexit.unregister(_end_children)
    bpy.app.handlers.animation_playback_pre.remove(_before_playback)
    bpy.app.handlers.redo_post.remove(_after_undo)
    bpy.app.handlers.undo_post.remove(_after_undo)
    bpy.app.handlers.depsgraph_update_post.remove(_after_change)
    bpy.app.handlers.load_pre.remove(_before_load)
    presets.unregister()
    panels.unregister()
    variation_sheet.unregister()
    piece_pointer.unregister()
    sheet_drawing.unregister()
    onion_skins.unregister()
    exploded.unregister()
    selected_settings.unregister()
    properties.unregister()
    if extension.package():
        bpy.utils.unregister_class(preferences.FractureAddonPreferences)
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)
    extension.set_package(None)


def _end_children() -> None:
    warm_up.stop()
    run.stop()
    waiting_worker.dismiss()


@bpy.app.handlers.persistent
def _before_load(*_: object) -> None:
    run.stop()
    run.message = None
    variation_sheet.close()


@bpy.app.handlers.persistent
def _after_change(_scene: bpy.types.Scene, depsgraph: Any) -> None:
    """Remove an error message after a change other than of the selection."""
    if run.message is not None and any(
        update.is_updated_geometry or update.is_updated_transform for update in depsgraph.updates
    ):
        run.forget_error()


@bpy.app.handlers.persistent
def _after_undo(*_: object) -> None:
    """Remove the message: it is about a scene that is no longer there."""
    run.message = None


@bpy.app.handlers.persistent
def _before_playback(*_: object) -> None:
    if any(item[OF] is not None for item in result_lookup.all_results()):
        hints.done("PLAY")


def _shatter_command(argv: list[str]) -> int:
    from .command_line import command

    return command.main(argv)


def _wedge_command(argv: list[str]) -> int:
    from .command_line import wedge

    return wedge.main(argv)


def _dataset_command(argv: list[str]) -> int:
    from .command_line import dataset

    return dataset.main(argv)


def _assets_command(argv: list[str]) -> int:
    from .command_line import assets

    return assets.main(argv)


# Functions of ``blender --command NAME``. They import late, because most sessions run none.
COMMANDS = {
    "shatter": _shatter_command,
    "wedge": _wedge_command,
    "dataset": _dataset_command,
    "fracture_assets": _assets_command,
}
