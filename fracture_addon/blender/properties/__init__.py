"""The settings that objects and scenes carry, as the artist sees them: ``Object.fracture`` and ``Scene.fracture``."""

from __future__ import annotations

import bpy

from . import library_overrides
from .breaking import BreakingProperties
from .cracks import CrackProperties
from .deforming import DeformingProperties
from .impact import FractureImpact, ImpactProperties
from .material import MaterialProperties
from .overridable import PointerProperty
from .places import PlacedProperties, PlaceProperties
from .scene import FractureSceneSettings
from .strength import StrengthProperties


class FractureObjectSettings(
    BreakingProperties,
    MaterialProperties,
    ImpactProperties,
    CrackProperties,
    StrengthProperties,
    PlacedProperties,
    PlaceProperties,
    DeformingProperties,
    bpy.types.PropertyGroup,
):
    """How an object breaks, what it is made of, and what it does to others that break."""


# The impacts before the settings that have a list of them.
CLASSES = (FractureImpact, FractureObjectSettings, FractureSceneSettings)


def register():
    """Hang the groups on objects and scenes."""
    bpy.types.Object.fracture = PointerProperty(name="Fracture", type=FractureObjectSettings)
    bpy.types.Scene.fracture = PointerProperty(name="Fracture", type=FractureSceneSettings)
    library_overrides.register()


def unregister():
    """Take them off; what the file already stores stays in it."""
    library_overrides.unregister()
    del bpy.types.Object.fracture
    del bpy.types.Scene.fracture
