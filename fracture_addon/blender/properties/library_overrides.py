"""Saving the settings of library overrides."""

from __future__ import annotations

import bpy


@bpy.app.handlers.persistent
def prepare_saving(_path, *_):
    """Let Blender save settings of overrides one by one.

    From Blender 5.0 on, an object has stored settings only once they were read. Against a linked object without any,
    Blender would save "all settings replaced" for its override, and fail to load that.
    """
    for obj in bpy.data.objects:
        if obj.override_library is not None and obj.override_library.reference is not None:
            obj.override_library.reference.fracture.violence  # noqa: B018 reading it stores it


def register():
    """Prepare every saving from now on."""
    bpy.app.handlers.save_pre.append(prepare_saving)


def unregister():
    """Stop that."""
    bpy.app.handlers.save_pre.remove(prepare_saving)
