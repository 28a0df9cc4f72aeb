"""Blender's property functions, for settings that can be edited on a library override."""

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
# Items can be added on an override too.
CollectionProperty = partial(props.CollectionProperty, override={"LIBRARY_OVERRIDABLE", "USE_INSERTION"})
