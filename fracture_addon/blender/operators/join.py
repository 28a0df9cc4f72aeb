"""Join the selected objects, and remove their joints."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import StringProperty

from ..properties.joint import VALUES, JointMaterial, values_of
from ..read import settings
from ..read.joints import joints_of
from ..setup import joining, joint_preview
from .availability import editing, running, subject, unless, usable
from .immediate_operator import ImmediateOperator


class FRACTURE_OT_join(JointMaterial, ImmediateOperator, bpy.types.Operator):
    """Join all selected objects that touch."""

    bl_idname = "fracture.join"
    bl_label = "Shatter: Join Objects"
    bl_description = (
        "Join all selected objects that touch, with mortar, glue, nails or a weld. Shatter breaks joined rigid objects "
        "as one body: cracks run through the joints where these are weaker, else through the objects. Joints of "
        "deformable objects open at their strength and tear by their toughness. Join again to change the joints"
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether two objects with a shape are selected, in object mode, and no run is in progress."""
        found = len(settings.chosen(settings.selection(context))) > 1
        return usable(cls, running(), editing(context), unless(found, "Select two or more objects that touch"))

    def act(self, context: Any) -> None:
        """Add or change the joints, and say how many. Values that are not set are those of the kind."""
        # A joint takes the other values from its kind when that is set, so the kind is the first.
        values = {"kind": self.kind, "distance": self.distance, **values_of(self.kind)}
        values |= {name: getattr(self, name) for name in VALUES if self.properties.is_property_set(name)}
        objects = settings.chosen(settings.selection(context))
        count = joining.join(context, objects, values)
        self.report({"INFO"}, f"{count} joint{'s' if count > 1 else ''} between {len(objects)} objects")


class FRACTURE_OT_unjoin(ImmediateOperator, bpy.types.Operator):
    """Remove the joints of the selected objects."""

    bl_idname = "fracture.unjoin"
    bl_label = "Shatter: Unjoin Objects"
    bl_description = "Remove all joints of the selected objects"

    other: StringProperty(
        name="Other",
        description="Remove only the joint of the active object with the object of this name. Empty: all joints of "
        "the selected objects",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    @classmethod
    def description(cls, _context: Any, properties: Any) -> str:
        """Return the tooltip: of all joints or of one."""
        return f"Remove the joint with '{properties.other}'" if properties.other else cls.bl_description

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether a selected object has joints, in object mode, and no run is in progress."""
        objects: list[Any] = settings.selection(context)
        found = any(obj.fracture.joints for obj in objects) or joints_of(context, objects)
        return usable(cls, running(), editing(context), unless(found, "Select an object with joints"))

    def act(self, context: Any) -> None:
        """Remove the joints, and say how many there were."""
        if self.other:
            count = joining.unjoin(context, [subject(context)], self.other)
        else:
            count = joining.unjoin(context, settings.selection(context))
        self.report({"INFO"}, f"{count} joint{'s' if count > 1 else ''} removed")


class FRACTURE_OT_show_joints(ImmediateOperator, bpy.types.Operator):
    """Show the areas of the joints of the selected objects."""

    bl_idname = "fracture.show_joints"
    bl_label = "Shatter: Show Joints"
    bl_description = (
        "Show the area of each joint of the selected objects, red where the joint is weaker than the objects and blue "
        "where it is stronger. Shatter, Clear and Remove Preview remove the areas"
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether a selected object has joints, in object mode, and no run is in progress."""
        found = joints_of(context, settings.selection(context))
        return usable(cls, running(), editing(context), unless(found, "Select an object with joints"))

    def act(self, context: Any) -> None:
        """Add the areas, and say how many joints there are."""
        count = joint_preview.show(context, settings.selection(context))
        self.report(
            {"INFO"},
            f"{count} joint{'s' if count > 1 else ''} shown. Solid shading with Color > Attribute shows the strength",
        )
