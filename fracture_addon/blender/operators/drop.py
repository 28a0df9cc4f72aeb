"""Lift the selected objects above a floor."""

from __future__ import annotations

import bpy

from .. import scenario
from .scenario_operator import ScenarioOperator


class FRACTURE_OT_drop(ScenarioOperator, bpy.types.Operator):
    """Lifts and tilts the objects, above a floor."""

    bl_idname = "fracture.drop"
    bl_label = "Drop"
    bl_description = "Lift the selected meshes above a floor, a little tilted; without a floor of ours, add one below"

    height: bpy.props.FloatProperty(
        name="Height",
        description="Of the lowest point above the floor",
        default=1.0,
        min=0.0,
        soft_max=10.0,
        subtype="DISTANCE",
        unit="LENGTH",
    )
    seed: bpy.props.IntProperty(name="Seed", description="Of the tilt", default=0, min=0)

    def set_up(self, context, objects):
        """Lift; the height is in scene units, as Blender keeps lengths."""
        scenario.drop(context, objects, self.height * context.scene.unit_settings.scale_length, self.seed)
