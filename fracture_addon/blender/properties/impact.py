"""A blow that the artist places."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, PointerProperty


def _is_empty(_group, candidate: bpy.types.Object) -> bool:
    return candidate.type == "EMPTY"


class ImpactProperties:
    """Of an object's settings, those of a blow that needs no collision."""

    impact_enabled: BoolProperty(
        name="Impact", description="Strike the object on a frame you choose; that needs no collision", default=False
    )
    impact_object: PointerProperty(
        name="Where",
        description="An empty: it strikes where it stands, along its own Z axis",
        type=bpy.types.Object,
        poll=_is_empty,
    )
    impact_frame: IntProperty(name="Frame", description="Frame on which the blow falls", default=1)
    impact_strength: FloatProperty(
        name="Strength",
        description="Load of the blow over the load that would just break the object there: 1 makes the first crack",
        default=4.0,
        min=0.0,
        soft_max=50.0,
        precision=1,
    )
    impact_radius: FloatProperty(
        name="Radius",
        description="Radius of the patch that is struck; 0 for one that suits the cells",
        default=0.0,
        min=0.0,
        soft_max=1.0,
        subtype="DISTANCE",
        unit="LENGTH",
    )
