"""Throw a ball at the selected objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ...core.data.errors import SettingsError
from ..setup import scenario
from .scenario_operator import ScenarioOperator


class FRACTURE_OT_throw_ball(ScenarioOperator, bpy.types.Operator):
    """Add a ball that flies towards the objects."""

    bl_idname = "fracture.throw_ball"
    bl_label = "Shatter: Throw Ball"
    bl_description = (
        "Add a steel ball that flies towards the centre of the selected meshes. "
        "Adds a floor if this extension has not added one before"
    )

    speed: bpy.props.FloatProperty(
        name="Speed",
        description="Speed of the ball on the first frame. Raise it for a harder impact",
        default=8.0,
        min=0.1,
        soft_max=100.0,
        unit="VELOCITY",
    )
    direction: bpy.props.FloatVectorProperty(
        name="Direction",
        description="Direction of the flight, in world space",
        default=scenario.FROM_THE_FRONT,
        subtype="DIRECTION",
    )

    def set_up(self, context: Any, objects: Sequence[bpy.types.Object]) -> None:
        """Add the ball; the speed is in scene units per second."""
        if not any(self.direction):
            raise SettingsError("The direction of the ball is (0, 0, 0); set another one")
        scenario.ball(context, objects, self.direction, self.speed * context.scene.unit_settings.scale_length)
