"""How an object bends and sways, where it does that for the whole shot."""

from __future__ import annotations

import bpy

from ...core.data.job import Settings
from .overridable import BoolProperty, EnumProperty, FloatProperty, PointerProperty, StringProperty

DEFAULTS = Settings()

DYNAMICS_ITEMS = (
    ("RIGID", "Rigid", "It moves rigidly until a blow breaks it, and so do its pieces"),
    ("DEFORMABLE", "Deformable", "It bends and breaks for the whole shot, as lattice or finite elements; a mesh cache"),
)
GLUE_ITEMS = (
    ("BONDS", "Bonds", "New bonds between all points that are near enough: a joint of its own strength"),
    ("NODES", "Points", "Points that are near enough become one: grown together"),
)


STRUCTURE_ITEMS = (
    ("SOLID", "Solid", "What the surface encloses; lines without faces are ropes"),
    ("SHELL", "Shell", "The surface itself, with a thickness, stiff against bending"),
    ("SHEET", "Sheet", "The surface itself as a membrane: cloth, paper, a leaf"),
    ("ROPE", "Rope", "The lines of a curve, or a mesh's edges without faces"),
    ("TURNED", "Turned", "The line of a curve turned about the object's Z axis, as thick as its inner profile is away"),
)
PINNED_ITEMS = (
    ("NONE", "None", "It falls"),
    ("START", "Start", "Where the line begins"),
    ("END", "End", "Where the line ends"),
    ("BOTH", "Both", "Both ends"),
)


class DeformingProperties:
    """Of an object's settings, those of soft bodies."""

    dynamics: EnumProperty(name="Dynamics", description="How the object moves before it breaks", items=DYNAMICS_ITEMS)
    structure: EnumProperty(name="Made As", description="What a lattice is made of", items=STRUCTURE_ITEMS)
    thickness: FloatProperty(
        name="Thickness",
        description="Of a shell, a sheet, or a rope whose curve has no bevel; of a turned line without inner profile",
        default=0.01,
        min=1e-5,
        soft_max=0.1,
        unit="LENGTH",
        precision=4,
    )
    profile_object: PointerProperty(
        name="Inner Profile", description="Curve that is the inner side of what is turned", type=bpy.types.Object
    )
    pinned_ends: EnumProperty(
        name="Pinned Ends",
        description="Ends of a rope that stay, or go along with the object's animation",
        items=PINNED_ITEMS,
        default="START",
    )
    creep: FloatProperty(
        name="Flow",
        description="Plastic flow: how fast a deformable object takes on the shape that it is bent to, a second; 0 for "
        "one that springs back",
        default=DEFAULTS.creep,
        min=0.0,
        soft_max=50.0,
    )
    yield_share: FloatProperty(
        name="Yields At",
        description="Where it begins to flow, over where it breaks",
        default=DEFAULTS.yield_share,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    self_collision: BoolProperty(
        name="Self Collision",
        description="Parts of a deformable object keep each other out also while they hang together: folds of cloth, "
        "coils of a rope. Takes longer",
        default=DEFAULTS.self_collision,
    )
    softening: FloatProperty(
        name="Softening",
        description="The stiffness of a deformable object is divided by this; a crack costs as much energy as ever. "
        "Stiffer objects take longer: ten times as stiff, three times as long",
        default=DEFAULTS.softening,
        min=1.0,
        max=1e6,
        soft_min=10.0,
        soft_max=1e5,
    )
    threshold: FloatProperty(
        name="Threshold",
        description="How far a deformable object stretches before it breaks, over what its material bears",
        default=DEFAULTS.threshold,
        min=0.01,
        max=100.0,
        soft_min=0.1,
        soft_max=10.0,
    )
    stiffness: FloatProperty(
        name="Stiffness",
        description="Scales the stiffness of a deformable object; made for keys over time",
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
        description="Vertex group of what stays, or goes along with the object's animation, while the rest moves: "
        "of a rigid object the whole until it breaks, then the pieces that keep a part of it",
    )
    glue_object: PointerProperty(
        name="Glued To", description="Another deformable object that this one is glued to", type=bpy.types.Object
    )
    glue_kind: EnumProperty(name="Glue", description="What holds the two together", items=GLUE_ITEMS)
    glue_distance: FloatProperty(
        name="Within",
        description="Points of both objects this near to each other are glued",
        default=0.01,
        min=0.0,
        soft_max=0.1,
        unit="LENGTH",
        precision=4,
    )
    glue_strength: FloatProperty(
        name="Glue Strength",
        description="How far the joint stretches before it breaks, over what the weaker object bears",
        default=1.0,
        min=0.0,
        soft_max=5.0,
    )
