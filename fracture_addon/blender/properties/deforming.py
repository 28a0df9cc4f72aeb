"""Settings for deformable bodies that only Blender's side has: structure, keyed stiffness, pins and glue."""

from __future__ import annotations

import bpy

from .overridable import CollectionProperty, EnumProperty, FloatProperty, PointerProperty, StringProperty

GLUE_ITEMS = (
    ("BONDS", "Bonds", "Add bonds between all points within the distance. The joint has a strength of its own"),
    ("NODES", "Points", "Merge the points within the distance. The joint is as strong as the objects"),
)


STRUCTURE_ITEMS = (
    ("SOLID", "Solid", "The volume inside the surface. Lines without faces become ropes"),
    ("SHELL", "Shell", "The surface with a thickness. Resists bending"),
    ("SHEET", "Sheet", "The surface as a membrane without bending stiffness: cloth, paper, a leaf"),
    ("ROPE", "Rope", "The lines of a curve, or the edges of a mesh without faces"),
    (
        "TURNED",
        "Revolved",
        "A curve revolved about the object's local Z axis. The wall reaches from the curve to its inner profile",
    ),
)
PINNED_ITEMS = (
    ("NONE", "None", "No end is pinned; the rope falls"),
    ("START", "Start", "The start of the line is pinned"),
    ("END", "End", "The end of the line is pinned"),
    ("BOTH", "Both", "Both ends are pinned"),
)


class GlueSettings:
    """Glue with another object."""

    glue_object: PointerProperty(
        name="Glue to Object",
        description="Another deformable object to which this one is glued. Select both before you press Shatter. "
        "Join joins any objects",
        type=bpy.types.Object,
    )
    glue_kind: EnumProperty(
        name="Glue",
        description="Kind of joint between two lattices. Finite elements have one kind, of the strength below",
        items=GLUE_ITEMS,
    )
    glue_distance: FloatProperty(
        name="Glue Distance",
        description="Points of the two objects within this distance are glued. Raise it if the objects do not stick",
        default=0.01,
        min=0.0,
        soft_max=0.1,
        unit="LENGTH",
        precision=4,
    )
    glue_strength: FloatProperty(
        name="Glue Strength",
        description="Strain at which the joint breaks (finite elements: stress), as a multiple of that of the weaker "
        "object. Below 1 the joint breaks first",
        default=1.0,
        min=0.0,
        soft_max=5.0,
    )


class FractureGlue(GlueSettings, bpy.types.PropertyGroup):
    """Glue with one more object."""


class DeformingProperties(GlueSettings):
    """Settings of an object for deformable bodies."""

    structure: EnumProperty(
        name="Structure",
        description="What the object is modelled as: a solid, a shell, a sheet or a rope. Only for the method Lattice",
        items=STRUCTURE_ITEMS,
    )
    thickness: FloatProperty(
        name="Thickness",
        description="Thickness of a shell, a sheet, a rope whose curve has no bevel, "
        "or a revolved curve without an inner profile. Raise it for a stiffer, heavier object",
        default=0.01,
        min=1e-5,
        soft_max=0.1,
        unit="LENGTH",
        precision=4,
    )
    profile_object: PointerProperty(
        name="Inner Profile",
        description="Curve that forms the inner surface of a revolved curve. If empty, Thickness sets the wall",
        type=bpy.types.Object,
    )
    pinned_ends: EnumProperty(
        name="Pinned Ends",
        description="Ends of a rope that stay in place, or follow the object's animation",
        items=PINNED_ITEMS,
        default="START",
    )
    stiffness: FloatProperty(
        name="Stiffness",
        description="Multiplies the stiffness of the object, 0.0001 to 1. "
        "Key it to make the object softer for some frames. Limits in strain stay. Only for deformable objects",
        default=1.0,
        min=1e-4,
        soft_min=0.01,
        soft_max=1.0,
        max=1.0,
        precision=3,
        options={"ANIMATABLE"},
    )
    pin_group: StringProperty(
        name="Pinned",
        description="Vertex group that stays in place, or follows the object's animation, while the rest can move. "
        "A rigid object is fixed until it breaks; then the pieces that contain pinned points stay fixed",
    )
    more_glue: CollectionProperty(
        name="More Glue",
        description="Glue with further objects: any number",
        type=FractureGlue,
    )
