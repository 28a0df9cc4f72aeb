"""Set up a drop: lift the selected objects above a floor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ..setup import scenario, viewport
from .scenario_operator import ScenarioOperator


class FRACTURE_OT_drop(ScenarioOperator, bpy.types.Operator):
    """Lift and tilt the objects above a floor."""

    bl_idname = "fracture.drop"
    bl_label = "Shatter: Drop"
    bl_description = (
        "Lift and slightly tilt the selected meshes above a floor, so that they fall. "
        "Adds a floor if this extension has not added one before"
    )

    height: bpy.props.FloatProperty(
        name="Height",
        description="Drop height: distance from the lowest point to the floor. By default it suits the size of the "
        "objects. Raise it for a harder impact",
        default=1.0,
        min=0.0,
        soft_max=10.0,
        subtype="DISTANCE",
        unit="LENGTH",
        options={"SKIP_SAVE"},
    )
    seed: bpy.props.IntProperty(
        name="Seed",
        description="Seed of the random tilt. Change it so that the object lands differently",
        default=0,
        min=0,
    )

    def set_up(self, context: Any, objects: Sequence[bpy.types.Object]) -> None:
        """Lift the objects, and keep them in sight; the height is in scene units."""
        unit = context.scene.unit_settings.scale_length
        if not self.properties.is_property_set("height"):
            self.height = scenario.suitable_height(context, objects) / unit
        scenario.drop(context, objects, self.height * unit, self.seed)
        viewport.show(context, scenario.corners_of_fall(context, objects))
