"""Settings of the panel that apply to all selected objects: ``Scene.fracture_selected``.

Reading one of these properties reads the setting of the object in the panel. Assigning it assigns the setting of every
selected object that Shatter breaks. The values are stored in ``Object.fracture`` only.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy import props

from ..properties import FractureObjectSettings
from ..read import settings

# Settings, each with the function that defines its property and the limits that the property takes over.
NAMES = ("violence", "resolution", "seed")
LIMITS = ("hard_min", "hard_max", "soft_min", "soft_max", "step")

_group: Any = None


def register() -> None:
    """Define the properties by those of ``Object.fracture``, and add them to scenes."""
    global _group
    annotations = {name: _property(name) for name in NAMES}
    _group = type("FractureSelectedSettings", (bpy.types.PropertyGroup,), {"__annotations__": annotations})
    bpy.utils.register_class(_group)
    bpy.types.Scene.fracture_selected = props.PointerProperty(type=_group, options={"SKIP_SAVE"})


def unregister() -> None:
    """Remove the properties."""
    del bpy.types.Scene.fracture_selected
    bpy.utils.unregister_class(_group)


def targets(context: Any) -> list[bpy.types.Object]:
    """Return the objects that the settings apply to: those that Shatter breaks, the one shown in the panel first."""
    found = settings.chosen(settings.selection(context))
    first = settings.subject_of(context.object)
    return sorted(found, key=lambda obj: obj != first)


def _property(name: str) -> Any:
    declared: Any = FractureObjectSettings.bl_rna.properties[name]
    limits = {limit.removeprefix("hard_"): getattr(declared, limit) for limit in LIMITS}

    def get(_group: Any) -> Any:
        objects = targets(bpy.context)
        return getattr(objects[0].fracture, name) if objects else declared.default

    def assign(_group: Any, value: Any) -> None:
        for obj in targets(bpy.context):
            if obj.library is None:
                setattr(obj.fracture, name, value)

    common = {"name": declared.name, "description": declared.description, "options": set(), "get": get, "set": assign}
    if declared.type == "INT":
        return props.IntProperty(**common, **limits)
    return props.FloatProperty(**common, **limits, precision=declared.precision)
