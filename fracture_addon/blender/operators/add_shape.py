"""Add a closed mesh that is made from selected curves."""

from __future__ import annotations

from typing import Any

import bpy

from ..setup import shapes
from .availability import editing, unless, usable
from .immediate_operator import ImmediateOperator

# Thickness or diameter over the size of the curve, where the artist has set none. Thin enough to look like a plate.
THIN = 0.1


def _length(name: str, description: str, default: float) -> Any:
    """Create a property for a length in scene units. The operator does not remember the last value."""
    return bpy.props.FloatProperty(
        name=name,
        description=description,
        default=default,
        min=1e-6,
        soft_max=1.0,
        subtype="DISTANCE",
        unit="LENGTH",
        options={"SKIP_SAVE"},
    )


class ShapeOperator(ImmediateOperator):
    """Base of the operators that make a mesh from the active curve.

    Attributes:
        types: Types of object that it takes, and the reason that is shown for others.
    """

    properties: Any
    types: tuple[set[str], str] = ({"CURVE"}, "Make a curve active (click it)")

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether a curve is active and selected, in object mode."""
        types, reason = cls.types
        active = context.active_object
        found = active is not None and active.select_get() and active.type in types
        return usable(cls, editing(context), unless(found, reason))

    def fitted(self, context: Any, name: str, share: float) -> float:
        """Return a length that the artist set, or else one that suits the size of the curve."""
        if not self.properties.is_property_set(name):
            setattr(self, name, share * shapes.size_of(context.active_object))
        return float(getattr(self, name))


class FRACTURE_OT_add_slab(ShapeOperator, bpy.types.Operator):
    """Extrude the active curve to a slab."""

    bl_idname = "fracture.add_slab"
    bl_label = "Shatter: Add Slab"
    bl_description = (
        "Make a plate from the active curve: a flat closed outline. Outlines inside it in the same object become holes"
    )

    thickness: _length(
        "Thickness", "Thickness of the plate, half to each side of the curve. By default a tenth of its size", 0.1
    )

    def act(self, context: Any) -> None:
        """Add the slab."""
        shapes.slab(context, context.active_object, self.fitted(context, "thickness", THIN))


class FRACTURE_OT_add_sweep(ShapeOperator, bpy.types.Operator):
    """Sweep a section along the active curve."""

    bl_idname = "fracture.add_sweep"
    bl_label = "Shatter: Add Sweep"
    bl_description = (
        "Make a bar, such as a handle, along the active curve. Its cross-section is the other selected curve, a flat "
        "closed outline; without one it is round. Radius and Tilt of the curve's points scale and rotate it"
    )

    radius: _length(
        "Radius",
        "Radius of the round cross-section, if no other curve is selected. By default a twentieth of the size of the "
        "curve",
        0.05,
    )

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Return whether one or two curves are selected."""
        curves = [obj for obj in context.selected_objects if obj.type == "CURVE"]
        few = unless(len(curves) < 3, "Select two curves: the cross-section, then the path")
        return usable(cls, few) and super().poll(context)

    def act(self, context: Any) -> None:
        """Add the swept body."""
        path = context.active_object
        others = [obj for obj in context.selected_objects if obj.type == "CURVE" and obj != path]
        radius = 0.0 if others else self.fitted(context, "radius", 0.5 * THIN)
        shapes.sweep(context, path, others[0] if others else None, radius)


class FRACTURE_OT_add_patch(ShapeOperator, bpy.types.Operator):
    """Thicken the active surface."""

    bl_idname = "fracture.add_patch"
    bl_label = "Shatter: Add Thickened Patch"
    bl_description = (
        "Make a curved plate from the active NURBS surface, or from a closed Bezier curve of four points, which are "
        "the corners of the patch"
    )
    types = ({"CURVE", "SURFACE"}, "Make a surface or a curve active (click it)")

    thickness: _length(
        "Thickness",
        "Thickness of the plate, half to each side of the surface. By default a twentieth of its size",
        0.05,
    )

    def act(self, context: Any) -> None:
        """Add the patch."""
        shapes.patch(context, context.active_object, self.fitted(context, "thickness", 0.5 * THIN))
