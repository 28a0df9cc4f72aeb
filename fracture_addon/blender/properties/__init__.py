"""Settings of objects and scenes, as the artist sees them: ``Object.fracture`` and ``Scene.fracture``."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.data.material import Material
from ...core.data.settings.settings import Settings, StageSettings, groups
from . import library_overrides
from .breaking import BreakingProperties
from .deforming import DeformingProperties, FractureGlue
from .generated import properties
from .impact import FractureImpact, ImpactProperties
from .joint import FractureJoint, JointProperties
from .material import MaterialProperties
from .overridable import PointerProperty
from .placed_fields import PlacedProperties, PlaceProperties
from .scene import FractureSceneSettings
from .stroke import FractureStrokePoint

# A property for each row of the table of settings.
TableProperties: Any = properties(StageSettings, *groups(Settings).values(), Material)


class FractureObjectSettings(
    TableProperties,
    BreakingProperties,
    MaterialProperties,
    ImpactProperties,
    PlacedProperties,
    PlaceProperties,
    DeformingProperties,
    JointProperties,
    bpy.types.PropertyGroup,
):
    """How an object breaks, its material, and its effect on other objects that break."""


# Blender needs the first three first, because the object's settings contain lists of them.
CLASSES = (
    FractureImpact,
    FractureJoint,
    FractureGlue,
    FractureObjectSettings,
    FractureSceneSettings,
    FractureStrokePoint,
)


def register() -> None:
    """Add the settings to objects and scenes."""
    bpy.types.Object.fracture = PointerProperty(name="Fracture", type=FractureObjectSettings)
    bpy.types.Scene.fracture = PointerProperty(name="Fracture", type=FractureSceneSettings)
    library_overrides.register()


def unregister() -> None:
    """Remove the settings from objects and scenes; values stored in the file stay there."""
    library_overrides.unregister()
    del bpy.types.Object.fracture
    del bpy.types.Scene.fracture
