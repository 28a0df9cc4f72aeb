"""Make settings of library overrides save correctly."""

from __future__ import annotations

import bpy


@bpy.app.handlers.persistent
def prepare_saving(_path: str, *_: object) -> None:
    """Let Blender save each setting of an override separately.

    Since Blender 5.0, an object stores settings only after they are read once. If the linked object has no stored
    settings, Blender saves "all settings replaced" for its override, and then cannot load that.
    """
    for obj in bpy.data.objects:
        if obj.override_library is not None and obj.override_library.reference is not None:
            obj.override_library.reference.fracture.violence  # noqa: B018 reading the setting stores it


def register() -> None:
    """Run ``prepare_saving`` before each save."""
    bpy.app.handlers.save_pre.append(prepare_saving)


def unregister() -> None:
    """Remove the handler."""
    bpy.app.handlers.save_pre.remove(prepare_saving)
