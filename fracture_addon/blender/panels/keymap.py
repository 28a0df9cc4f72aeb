"""The key of the pie menu, which the artist can change in Blender's preferences (Keymap > 3D View > Object Mode)."""

from __future__ import annotations

from typing import Any

import bpy

# Free in Blender's default keymap in object mode.
KEY: dict[str, Any] = {"type": "F", "value": "PRESS", "shift": True, "alt": True}

_added: list[tuple[Any, Any]] = []


def register() -> None:
    """Add the key, if Blender has a key configuration for add-ons."""
    context: Any = bpy.context
    config = context.window_manager.keyconfigs.addon
    if config is None:
        return
    keymap = config.keymaps.new(name="Object Mode", space_type="EMPTY")
    item: Any = keymap.keymap_items.new("wm.call_menu_pie", **KEY)
    item.properties.name = "FRACTURE_MT_pie"
    _added.append((keymap, item))


def unregister() -> None:
    """Remove the key."""
    while _added:
        keymap, item = _added.pop()
        keymap.keymap_items.remove(item)
