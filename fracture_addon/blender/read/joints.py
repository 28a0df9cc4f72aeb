"""Joints between objects of the scene. Joined objects break together, as one body."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import bpy

from ...core.data.job import Bond
from ...core.data.joint_kinds import JOINT_KINDS
from ...core.data.material import Material
from ..properties.joint import FractureJoint
from .settings import plain


def joints_among(objects: Iterable[Any]) -> Iterator[tuple[bpy.types.Object, int, FractureJoint]]:
    """Yield each joint of two of the objects: its owner, its index in the owner's list, and its settings.

    If both objects have a joint with each other, or one of them has several, the first one counts.
    """
    known = dict.fromkeys(objects)
    seen = set()
    for obj in known:
        for index, joint in enumerate(obj.fracture.joints):
            pair = frozenset((obj, joint.other))
            if joint.other in known and pair not in seen:
                seen.add(pair)
                yield obj, index, joint


def joints_of(context: Any, objects: Iterable[Any]) -> list[tuple[bpy.types.Object, int, FractureJoint]]:
    """Return the joints of objects with others of the scene, as ``joints_among`` yields them."""
    chosen, found = set(objects), joints_among(context.view_layer.objects)
    return [(owner, index, joint) for owner, index, joint in found if owner in chosen or joint.other in chosen]


def with_joined(context: Any, objects: Sequence[bpy.types.Object]) -> list[bpy.types.Object]:
    """Return objects, followed by the objects of the scene that joints connect to them, also through other objects."""
    neighbors: dict[bpy.types.Object, list[bpy.types.Object]] = {}
    for owner, _, joint in joints_among(context.view_layer.objects):
        neighbors.setdefault(owner, []).append(joint.other)
        neighbors.setdefault(joint.other, []).append(owner)
    found = dict.fromkeys(objects)
    waiting = list(objects)
    while waiting:
        new = [item for item in neighbors.get(waiting.pop(), ()) if item not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return list(found)


def bonds(objects: Sequence[bpy.types.Object], unit: float) -> tuple[Bond, ...]:
    """Read the joints between the objects of a run.

    Args:
        objects: Objects of the run, in the order of its bodies.
        unit: Metres per scene unit.
    """
    rows = {obj: row for row, obj in enumerate(objects)}
    return tuple(
        Bond(
            rows[owner],
            rows[joint.other],
            material_of(joint),
            unit * plain(joint.distance),
            unit * plain(joint.thickness),
        )
        for owner, _, joint in joints_among(objects)
    )


def material_of(joint: FractureJoint) -> Material:
    """Return the material of a joint, SI units."""
    own = JOINT_KINDS[joint.kind.lower()].material
    strength = 1e6 * plain(joint.strength)
    return replace(
        own,
        tensile_strength=strength,
        compressive_strength=own.compressive_strength / own.tensile_strength * strength,
        toughness=1e6 * plain(joint.toughness),
        strength_variation=plain(joint.scatter),
    )
