"""Points of a line that the artist draws."""

from __future__ import annotations

import bpy
from bpy.props import FloatVectorProperty


class FractureStrokePoint(bpy.types.PropertyGroup):
    """Point of a line on the surface of an object."""

    location: FloatVectorProperty(name="Location", description="World space", subtype="XYZ")
