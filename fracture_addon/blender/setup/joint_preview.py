"""Joint preview: a temporary child object "<object> Joints" that shows the area of each joint of an object.

The colour compares the strength of the joint with that of the weaker object, as in the cell preview: a crack runs
through a red joint, and beside a blue one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import bpy
import numpy as np

from ...core.data.errors import SceneError
from ...core.data.surface import Surface
from ...core.geometry.facing import contact_area
from ...core.numerics.rotations import transformed
from ..properties.joint import FractureJoint
from ..read import settings
from ..read.joints import joints_of, material_of
from ..read.settings import plain
from ..write import cell_preview
from ..write.mesh import add_attribute, new_mesh
from . import joining

# Two triangles of a square.
TRIANGLES = np.array([[0, 1, 2], [0, 2, 3]])


# Squares (N, 4, 3) m of a joint, and its strength as a fraction of that of the weaker object.
Area = tuple[np.ndarray, float]


def show(context: Any, objects: Sequence[bpy.types.Object]) -> int:
    """Show the joints of objects with others of the scene, in place of earlier previews; return their number.

    Args:
        context: Context of the scene.
        objects: The objects.

    Raises:
        SceneError: The objects of a joint are farther apart than its distance.
        InvalidMeshError: An object has no faces.
    """
    joints = [(owner, joint) for owner, _, joint in joints_of(context, objects)]
    involved = list(dict.fromkeys(obj for owner, joint in joints for obj in (owner, joint.other)))
    unit = context.scene.unit_settings.scale_length
    surfaces = dict(zip(involved, joining.read_surfaces(context, involved, unit), strict=True))
    areas: dict[bpy.types.Object, list[Area]] = {}
    for owner, joint in joints:
        areas.setdefault(owner, []).append(_area(owner, joint, surfaces, unit))
    owners = list(areas)
    cell_preview.remove(owners)
    places = cell_preview.own_spaces(context, owners, settings.frame_range(context.scene)[0])
    for owner, place in zip(owners, places, strict=True):
        _add(context.scene, owner, areas[owner], place)
    return len(joints)


def _area(owner: Any, joint: FractureJoint, surfaces: Mapping[bpy.types.Object, Surface], unit: float) -> Area:
    """Return the area of a joint; ``unit`` is metres per scene unit."""
    other: Any = joint.other
    found = contact_area(surfaces[owner], surfaces[other], unit * plain(joint.distance))
    if not len(found.areas):
        raise SceneError(
            f"'{owner.name}' and '{other.name}' are joined, but do not face each other within the Distance of the "
            "joint; move them together, raise Distance, or press Unjoin"
        )
    weaker = min(plain(obj.fracture.tensile_strength) for obj in (owner, other))
    return found.squares, material_of(joint).tensile_strength / weaker


def _add(scene: bpy.types.Scene, owner: bpy.types.Object, areas: Sequence[Area], place: np.ndarray) -> None:
    """Add the preview of an object: squares (N, 4, 3) m of each of its joints, and the strength of the joint."""
    corners = transformed(np.concatenate([squares for squares, _ in areas]).reshape(-1, 3), place)
    faces = (4 * np.arange(len(corners) // 4)[:, None, None] + TRIANGLES).reshape(-1, 3)
    name = f"{owner.name} Joints"
    mesh = new_mesh(name, corners, faces)
    strength = np.concatenate([np.full(2 * len(squares), strength) for squares, strength in areas])
    add_attribute(mesh, "strength", "FLOAT", "FACE", strength.astype(np.float32))
    cell_preview.color_by_strength(mesh, strength)
    cell_preview.add(scene, owner, bpy.data.objects.new(name, mesh), "Joint preview")
