"""Blows that the artist places."""

from __future__ import annotations

import bpy

from .overridable import BoolProperty, CollectionProperty, FloatProperty, IntProperty, PointerProperty

STRENGTH = "Load of the blow over the load that would just break the object there: 1 makes the first crack"
RADIUS = "Radius of the patch that is struck; 0 for one that suits the cells"


def _is_empty(_group, candidate: bpy.types.Object) -> bool:
    return candidate.type == "EMPTY"


def _place():
    return PointerProperty(
        name="Where",
        description="An empty: it strikes where it stands, along its own Z axis",
        type=bpy.types.Object,
        poll=_is_empty,
    )


def _frame():
    return IntProperty(name="Frame", description="Frame on which the blow falls", default=1)


def _strength():
    return FloatProperty(name="Strength", description=STRENGTH, default=4.0, min=0.0, soft_max=50.0, precision=1)


def _radius():
    return FloatProperty(
        name="Radius", description=RADIUS, default=0.0, min=0.0, soft_max=1.0, subtype="DISTANCE", unit="LENGTH"
    )


class FractureImpact(bpy.types.PropertyGroup):
    """One more blow; those of one frame fall together."""

    impact_object: _place()
    impact_frame: _frame()
    impact_strength: _strength()
    impact_radius: _radius()


class ImpactProperties:
    """Of an object's settings, those of blows that need no collision."""

    impact_enabled: BoolProperty(
        name="Impact", description="Strike the object on a frame you choose; that needs no collision", default=False
    )
    impact_object: _place()
    impact_frame: _frame()
    impact_strength: _strength()
    impact_radius: _radius()
    more_impacts: CollectionProperty(
        name="More Impacts",
        description="Further blows on the same object; those that fall on one frame act together",
        type=FractureImpact,
    )
    impact_load: FloatProperty(
        name="Load Curve",
        description="Key this, and shape its curve in the graph editor: from its first key to its last it is the "
        "course of every blow's load, from touch to parting. Without keys the load rises and falls evenly",
        default=0.0,
        min=0.0,
        soft_max=1.0,
        precision=2,
        step=1,
    )
