"""Blender's property functions with library overrides enabled."""

from __future__ import annotations

from functools import partial
from typing import Literal

from bpy import props

OVERRIDE: set[Literal["LIBRARY_OVERRIDABLE"]] = {"LIBRARY_OVERRIDABLE"}

BoolProperty = partial(props.BoolProperty, override=OVERRIDE)
EnumProperty = partial(props.EnumProperty, override=OVERRIDE)
FloatProperty = partial(props.FloatProperty, override=OVERRIDE)
FloatVectorProperty = partial(props.FloatVectorProperty, override=OVERRIDE)
IntProperty = partial(props.IntProperty, override=OVERRIDE)
PointerProperty = partial(props.PointerProperty, override=OVERRIDE)
StringProperty = partial(props.StringProperty, override=OVERRIDE)
# On an override, the artist can also add items.
CollectionProperty = partial(props.CollectionProperty, override={"LIBRARY_OVERRIDABLE", "USE_INSERTION"})
