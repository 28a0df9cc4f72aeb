"""Settings of joints between objects. One of the two objects has the joint in its list."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.data.joint_kinds import JOINT_KINDS
from .overridable import CollectionProperty, EnumProperty, FloatProperty, PointerProperty

KIND_ITEMS = tuple((name.upper(), kind.material.name, kind.description) for name, kind in JOINT_KINDS.items())
# Names of the settings that a kind sets.
VALUES = ("strength", "toughness", "thickness", "scatter")
DEFAULT = "MORTAR"


def values_of(kind: str) -> dict[str, float]:
    """Return the settings of a kind of joint, an identifier of ``KIND_ITEMS``, by the names in ``VALUES``."""
    found = JOINT_KINDS[kind.lower()]
    material = found.material
    values = material.tensile_strength / 1e6, material.toughness / 1e6, found.thickness, material.strength_variation
    return dict(zip(VALUES, values, strict=True))


def _take_kind(joint: Any, _context: Any) -> None:
    for name, value in values_of(joint.kind).items():
        setattr(joint, name, value)


class JointMaterial:
    """Material and size of a joint."""

    kind: EnumProperty(
        name="Kind",
        description="What holds the objects together. It sets the values below, and the stiffness",
        items=KIND_ITEMS,
        default=DEFAULT,
        update=_take_kind,
    )
    strength: FloatProperty(
        name="Strength (MPa)",
        description="Tensile stress at which the joint breaks, in MPa. Below the strength of the objects the joint "
        "breaks first",
        default=values_of(DEFAULT)["strength"],
        min=1e-6,
        max=1e5,
        soft_max=100.0,
        precision=3,
    )
    toughness: FloatProperty(
        name="Toughness (MPa √m)",
        description="Resistance of the joint to crack growth, in MPa √m. Lower it so that a crack runs along the joint",
        default=values_of(DEFAULT)["toughness"],
        min=1e-6,
        max=1e3,
        soft_max=10.0,
        precision=3,
    )
    thickness: FloatProperty(
        name="Thickness",
        description="Thickness of the joint. 0: the gap between the objects. Raise it for a softer joint",
        default=values_of(DEFAULT)["thickness"],
        min=0.0,
        soft_max=0.1,
        unit="LENGTH",
        precision=4,
    )
    scatter: FloatProperty(
        name="Scatter",
        description="Standard deviation of the strength within the joint, as a fraction of its mean. "
        "Raise it for irregular cracks",
        default=values_of(DEFAULT)["scatter"],
        min=0.0,
        max=1.0,
        soft_max=0.5,
        subtype="FACTOR",
        precision=2,
    )
    distance: FloatProperty(
        name="Distance",
        description="Largest gap between the objects that the joint fills. Raise it if the objects do not touch",
        default=0.012,
        min=0.0,
        soft_max=0.1,
        unit="LENGTH",
        precision=4,
    )


class FractureJoint(JointMaterial, bpy.types.PropertyGroup):
    """A joint of the object that has it in its list with another one."""

    other: PointerProperty(name="Other", description="The other object", type=bpy.types.Object)


class JointProperties:
    """Joints of an object."""

    joints: CollectionProperty(
        name="Joints",
        description="Joints with other objects. Join adds them, Unjoin removes them",
        type=FractureJoint,
    )
