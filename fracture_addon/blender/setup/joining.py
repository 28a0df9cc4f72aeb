"""Joining objects that touch, and removing their joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import bpy
import numpy as np

from ...core.data.errors import SceneError
from ...core.data.surface import Surface
from ...core.geometry.facing import gap
from ...core.geometry.touching import touching_pairs
from ..read import motion, settings
from ..read.joints import joints_among
from ..read.mesh import read_surface
from ..read.thin import read_thin
from ..scene import ownership, result_motion


def join(context: Any, objects: Sequence[bpy.types.Object], values: Mapping[str, Any]) -> int:
    """Join all pairs of objects that touch or lie within a distance. Joints of these pairs get the new values.

    Args:
        context: Context of the scene.
        objects: At least two objects with a shape.
        values: Settings of the joints, by the names of the properties of ``JointMaterial``. The kind comes first,
            because it sets the others.

    Returns:
        Number of joints.

    Raises:
        SceneError: There is one object only, or one touches no other.
        InvalidMeshError: An object has no faces, or is linked from another file.
    """
    if len(objects) < 2:
        names = f"; '{objects[0].name}' cannot be joined to itself" if objects else ""
        raise SceneError(f"Select two or more objects to join{names}")
    ownership.check_local(objects)
    unit = context.scene.unit_settings.scale_length
    surfaces = read_surfaces(context, objects, unit)
    distance = values["distance"] * unit
    pairs = touching_pairs(surfaces, distance)
    alone = sorted(set(range(len(objects))) - set(pairs.ravel().tolist()))
    if alone:
        raise SceneError(_apart(objects, surfaces, alone[0], distance, unit))
    wanted = {frozenset((objects[first], objects[second])): (first, second) for first, second in pairs}
    for owner, _, joint in joints_among(objects):
        if wanted.pop(frozenset((owner, joint.other)), None):
            _set(joint, values)
    for first, second in wanted.values():
        joint = objects[first].fracture.joints.add()
        joint.other = objects[second]
        _set(joint, values)
    return len(pairs)


def unjoin(context: Any, objects: Sequence[bpy.types.Object], other: str = "") -> int:
    """Remove joints of objects, also those with objects that are no longer in the scene; return their number.

    Args:
        context: Context of the scene.
        objects: The objects.
        other: Name of an object; only the joints with it. Empty for all.

    Raises:
        InvalidMeshError: An object with such a joint is linked from another file.
    """
    chosen, found = set(objects), []
    for owner in {*objects, *context.view_layer.objects}:
        for index, joint in enumerate(owner.fracture.joints):
            for one, two in ((owner, joint.other), (joint.other, owner)):
                if one in chosen and (not other or (two is not None and two.name == other)):
                    found.append((owner, index))
                    break
    ownership.check_local(owner for owner, _ in found)
    for owner, index in reversed(found):
        owner.fracture.joints.remove(index)
    return len(found)


def _set(joint: Any, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(joint, name, value)


def read_surfaces(context: Any, objects: Sequence[bpy.types.Object], unit: float) -> list[Surface]:
    """Read surfaces, m, on the first frame, where Shatter also reads them. An earlier result does not count.

    The surface of a rope, a sheet or a shell is its closed skin.

    Args:
        context: Context of the scene.
        objects: The objects.
        unit: Metres per scene unit.
    """
    scale = np.diag([unit, unit, unit, 1.0])
    with motion.visiting(context.scene), result_motion.suspended(context.view_layer.objects):
        context.scene.frame_set(settings.frame_range(context.scene)[0])
        depsgraph = context.evaluated_depsgraph_get()
        places = [(obj, scale @ motion.world_matrix(obj, depsgraph)) for obj in objects]
        thin = [read_thin(obj, depsgraph, matrix, unit) for obj, matrix in places]
        return [
            read_surface(obj, depsgraph, matrix) if found is None else found[0]
            for (obj, matrix), found in zip(places, thin, strict=True)
        ]


def _apart(
    objects: Sequence[bpy.types.Object], surfaces: Sequence[Surface], row: int, distance: float, unit: float
) -> str:
    """Return the message that an object touches none of the others."""
    others = [other for other in range(len(objects)) if other != row]
    gaps = [gap(surfaces[row], surfaces[other]) for other in others]
    nearest = int(np.argmin(gaps))
    name, other = objects[row].name, objects[others[nearest]].name
    if gaps[nearest] <= distance:
        return (
            f"'{name}' and '{other}' meet only at an edge or a corner, and a joint needs faces that lie opposite each "
            "other; move them together, or deselect one"
        )
    return (
        f"'{name}' and '{other}' are {gaps[nearest]:.3g} m apart, and Distance is {distance:.3g} m; move them "
        f"together, set Distance to {1.01 * gaps[nearest] / unit:.3g} or more, or deselect '{name}'"
    )
