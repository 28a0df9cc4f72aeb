"""What is placed and painted for an object that breaks: planes, regions, layers, weights, all in rest space."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...core.data.errors import SceneError, SettingsError
from ...core.data.places import Alternation, CleavingPlane, GrainDirection, PaintedField, Region
from ...core.data.surface import Surface
from . import motion, settings
from .mesh import read_surface

# How bright a linear colour looks (ITU-R BT.709).
BRIGHTNESS = np.array([0.2126, 0.7152, 0.0722])
# Prefixes of what can be painted on a mesh, as ``read_mesh`` names it.
PAINTED = ("weight/", "color/", "bytecolor/", "value/")
# A mesh that is thicker than this share of its breadth is no plane.
FLAT = 0.2


def placed(context, obj: bpy.types.Object) -> dict[str, Any]:
    """What the places around an object are to it, as fields of ``Settings``; call it on the first frame.

    Raises:
        SceneError: A place has no size or direction.
        SettingsError: A value of one makes no sense.
    """
    depsgraph, unit = context.evaluated_depsgraph_get(), context.scene.unit_settings.scale_length
    found: dict[str, list] = {field: [] for field, _ in READERS.values()}
    around = obj.fracture.places.all_objects if obj.fracture.places is not None else context.scene.objects
    for place in sorted(filter(is_place, around), key=lambda item: item.name):
        if place == obj:
            continue
        matrix = np.diag([unit, unit, unit, 1.0]) @ motion.world_matrix(place, depsgraph)
        if not abs(np.linalg.det(matrix[:3, :3])) > 0.0:
            raise SceneError(f"'{place.name}' acts on '{obj.name}', but its scale is zero; set its scale to 1")
        field, read = READERS[place.fracture.place]
        try:
            found[field].append(read(place, depsgraph, matrix, unit))
        except SettingsError as error:
            raise SettingsError(f"'{place.name}': {error}") from None
    return {name: tuple(items) for name, items in found.items()}


def is_place(obj: bpy.types.Object) -> bool:
    """Whether an object is there to change what others are like."""
    return obj.type in ("EMPTY", "MESH") and obj.fracture.place != "NONE" and not obj.hide_viewport


def painted(obj: bpy.types.Object, surface: Surface) -> dict[str, Any]:
    """What is painted on an object, as fields of ``Settings``.

    Args:
        obj: The object.
        surface: Read of it, rest space.

    Raises:
        SettingsError: There is nothing of a chosen name on it.
    """
    group = obj.fracture
    result = {}
    for what in ("strength", "density", "fineness"):
        name = getattr(group, f"{what}_paint")
        if name:
            factor = settings.plain(getattr(group, f"{what}_paint_factor"))
            weights = weights_of(obj, surface, name)
            result[f"painted_{what}"] = PaintedField(surface.points, surface.faces, weights, factor)
    return result


def weights_of(obj: bpy.types.Object, surface: Surface, name: str) -> np.ndarray:
    """(P,) 0 to 1, the mean over the corners at each point."""
    attributes = surface.corner_attributes
    values = next((attributes[prefix + name] for prefix in PAINTED if prefix + name in attributes), None)
    if values is None or values.shape[2] == 3:
        what = (
            "is empty; paint it" if name in obj.vertex_groups else "does not exist; choose another in the Places panel"
        )
        raise SettingsError(f"'{obj.name}': the vertex group, colour or value '{name}' {what}")
    shown = values[..., :3] @ BRIGHTNESS if values.shape[2] == 4 else values[..., 0]
    corners, count = surface.faces.ravel(), len(surface.points)
    sums = np.bincount(corners, np.clip(shown, 0.0, 1.0).ravel(), count)
    return sums / np.maximum(np.bincount(corners, minlength=count), 1)


def _plane(place, depsgraph, matrix, unit) -> CleavingPlane:
    group = place.fracture
    point, normal, reach = matrix[:3, 3], np.cross(matrix[:3, 0], matrix[:3, 1]), np.inf
    if place.type == "MESH":
        points = read_surface(place, depsgraph, matrix).points
        point = 0.5 * (points.min(axis=0) + points.max(axis=0))
        _, breadths, axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
        if breadths[2] > FLAT * breadths[1]:
            raise SceneError(f"'{place.name}' acts as a cleaving plane, but is not flat; use an empty or a flat mesh")
        normal, reach = axes[2], float(np.linalg.norm(points - point, axis=1).max())
    strength, width = settings.plain(group.place_strength), unit * settings.plain(group.place_width)
    return CleavingPlane(point, normal, strength, width, unit * settings.plain(group.place_reach) or reach)


def _region(place, depsgraph, matrix, unit) -> Region:
    group = place.fracture
    center, radius = matrix[:3, 3], place.empty_display_size * float(np.cbrt(abs(np.linalg.det(matrix[:3, :3]))))
    if place.type == "MESH":
        points = read_surface(place, depsgraph, matrix).points
        center = 0.5 * (points.min(axis=0) + points.max(axis=0))
        radius = float(np.linalg.norm(points - center, axis=1).max())
    names = ("strength", "density", "fineness", "softness")
    return Region(center, radius, **{name: settings.plain(getattr(group, f"place_{name}")) for name in names})


def _layers(place, depsgraph, matrix, unit) -> Alternation:
    group = place.fracture
    axis = matrix[:3, 2] / np.linalg.norm(matrix[:3, 2])
    period, strength = unit * settings.plain(group.place_period), settings.plain(group.place_strength)
    return Alternation(axis, period, strength, float(axis @ matrix[:3, 3]))


def _grain(place, depsgraph, matrix, unit) -> GrainDirection:
    return GrainDirection(matrix[:3, 3], matrix[:3, 2])


READERS = {
    "PLANE": ("planes", _plane),
    "REGION": ("regions", _region),
    "LAYERS": ("alternations", _layers),
    "GRAIN": ("grains", _grain),
}
