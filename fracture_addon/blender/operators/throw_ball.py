"""Throw a ball at the selected objects."""

from __future__ import annotations

import bpy

from ...core.data.errors import SettingsError
from .. import scenario
from .scenario_operator import ScenarioOperator


class FRACTURE_OT_throw_ball(ScenarioOperator, bpy.types.Operator):
    """Adds a ball that flies at the objects."""

    bl_idname = "fracture.throw_ball"
    bl_label = "Throw Ball"
    bl_description = "Add a steel ball that flies at the middle of the selected meshes, and a floor where there is none"

    speed: bpy.props.FloatProperty(
        name="Speed",
        description="On the first frame",
        default=8.0,
        min=0.1,
        soft_max=100.0,
        unit="VELOCITY",
        subtype="DISTANCE",
    )
    direction: bpy.props.FloatVectorProperty(
        name="Direction", description="Of the flight", default=(1.0, 0.0, 0.0), subtype="DIRECTION"
    )

    def set_up(self, context, objects):
        """Throw; the speed is in scene units, as Blender keeps lengths."""
        if not any(self.direction):
            raise SettingsError("The flight has no direction; set one that is not (0, 0, 0)")
        scenario.ball(context, objects, self.direction, self.speed * context.scene.unit_settings.scale_length)
