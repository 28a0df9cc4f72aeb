"""The settings that objects and scenes carry, as the artist sees them: ``Object.fracture`` and ``Scene.fracture``."""

from __future__ import annotations

import bpy
from bpy.props import PointerProperty

from .breaking import BreakingProperties
from .cracks import CrackProperties
from .impact import ImpactProperties
from .material import MaterialProperties
from .scene import FractureSceneSettings
from .strength import StrengthProperties


class FractureObjectSettings(
    BreakingProperties,
    MaterialProperties,
    ImpactProperties,
    CrackProperties,
    StrengthProperties,
    bpy.types.PropertyGroup,
):
    """How an object breaks, and what it is made of."""


CLASSES = (FractureObjectSettings, FractureSceneSettings)


def register():
    """Hang the groups on objects and scenes."""
    bpy.types.Object.fracture = PointerProperty(name="Fracture", type=FractureObjectSettings)
    bpy.types.Scene.fracture = PointerProperty(name="Fracture", type=FractureSceneSettings)


def unregister():
    """Take them off; what the file already stores stays in it."""
    del bpy.types.Object.fracture
    del bpy.types.Scene.fracture
