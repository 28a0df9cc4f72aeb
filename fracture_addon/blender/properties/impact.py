"""Settings for impacts that the artist places."""

from __future__ import annotations

from typing import Any

import bpy

from .overridable import BoolProperty, CollectionProperty, FloatProperty, IntProperty, PointerProperty

STRENGTH = (
    "Peak load of the impact, as a multiple of the load that just breaks the object at this point. "
    "1 makes the first crack. Raise it to get more pieces"
)
RADIUS = "Radius of the contact patch. 0 chooses a radius that suits the cell size. Raise it for a blunt impactor"


def _is_empty(_group: Any, candidate: bpy.types.Object) -> bool:
    return candidate.type == "EMPTY"


def _empty() -> Any:
    return PointerProperty(
        name="Where",
        description="Empty that sets the impact: its location is the point, its local Z axis the direction",
        type=bpy.types.Object,
        poll=_is_empty,
    )


def _frame() -> Any:
    return IntProperty(name="Frame", description="Frame of the impact", default=1)


def _strength() -> Any:
    return FloatProperty(name="Strength", description=STRENGTH, default=4.0, min=0.0, soft_max=50.0, precision=1)


def _radius() -> Any:
    return FloatProperty(
        name="Radius", description=RADIUS, default=0.0, min=0.0, soft_max=1.0, subtype="DISTANCE", unit="LENGTH"
    )


class FractureImpact(bpy.types.PropertyGroup):
    """An additional impact; impacts on the same frame act together."""

    impact_object: _empty()
    impact_frame: _frame()
    impact_strength: _strength()
    impact_radius: _radius()


class ImpactProperties:
    """Settings of an object for impacts without a collision."""

    impact_enabled: BoolProperty(
        name="Impact",
        description="Apply an impact to the object on a chosen frame. No collision is needed",
        default=False,
    )
    impact_object: _empty()
    impact_frame: _frame()
    impact_strength: _strength()
    impact_radius: _radius()
    more_impacts: CollectionProperty(
        name="More Impacts",
        description="Additional impacts on the same object. Impacts on the same frame act together",
        type=FractureImpact,
    )
    impact_load: FloatProperty(
        name="Load Curve",
        description="Key this to shape the load of every impact over time: the first key is the start of the impact, "
        "the last key its end. Only the shape counts, not the scale. Without keys the load rises and falls evenly. "
        "Not for the method Lattice",
        default=0.0,
        min=0.0,
        soft_max=1.0,
        precision=2,
        step=1,
    )
