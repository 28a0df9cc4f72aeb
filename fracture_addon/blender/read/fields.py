"""Fields of strength, density, prior stress, cell size and grain that the artist placed or painted, in rest space."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...core.data.errors import SceneError, SettingsError
from ...core.data.placed_fields import Alternation, CleavingPlane, GrainDirection, PaintedField, Region, WeakSheet
from ...core.data.surface import Surface
from . import motion, settings
from .mesh import read_surface

# Weights of linear red, green and blue in the brightness of a colour (ITU-R BT.709).
BRIGHTNESS = np.array([0.2126, 0.7152, 0.0722])
# Prefixes of paintable corner attributes, as named by ``mesh.read_surface``.
PAINTED = ("weight/", "color/", "bytecolor/", "value/")
# Pa in a MPa.
MEGA = 1e6
# Largest thickness of a mesh that may act as a cleaving plane, as a fraction of its width.
PLANE_THICKNESS = 0.2


def placed_fields(context: Any, obj: bpy.types.Object) -> dict[str, Any]:
    """Read the planes, sheets, regions, layers and grain directions that act on an object. Call it on the first frame.

    Returns:
        Values of ``Settings``, by field name.

    Raises:
        SceneError: The object of a field has zero scale, or a cleaving plane is not flat.
        SettingsError: A value of a field is invalid.
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
    finer = tuple(region for region in found["regions"] if region.fineness != 1.0)
    return {**{name: tuple(items) for name, items in found.items()}, "fineness_regions": finer}


def is_place(obj: bpy.types.Object) -> bool:
    """Return whether an object places a field of strength, density, cell size or grain."""
    return obj.type in ("EMPTY", "MESH") and obj.fracture.place in READERS and not obj.hide_viewport


def painted_fields(obj: bpy.types.Object, surface: Surface) -> dict[str, Any]:
    """Read the painted strength, density, cell size, prior stress, dust and order of activation of an object.

    Args:
        obj: The object.
        surface: Its surface in rest space.

    Returns:
        Values of ``Settings``, by field name.

    Raises:
        SettingsError: The object has no vertex group, colour or value of the chosen name.
    """
    group = obj.fracture
    result = {}
    for what in ("strength", "second_strength", "density", "fineness"):
        name = getattr(group, f"{what}_paint")
        if name:
            factor = settings.plain(getattr(group, f"{what}_paint_factor"))
            weights = weights_of(obj, surface, name)
            result[f"painted_{what}"] = PaintedField(surface.points, surface.faces, weights, factor)
    if group.dust_paint:
        weights = weights_of(obj, surface, group.dust_paint, "How Pieces Look")
        result["painted_dust"] = PaintedField(surface.points, surface.faces, weights)
    if group.order_paint:
        weights = weights_of(obj, surface, group.order_paint, "How It Moves")
        result["order"] = PaintedField(surface.points, surface.faces, weights)
    if group.stress_paint:
        weights = weights_of(obj, surface, group.stress_paint)
        result["painted_stress"] = PaintedField(surface.points, surface.faces, weights)
    return result


def weights_of(obj: bpy.types.Object, surface: Surface, name: str, section: str = "Where It Breaks") -> np.ndarray:
    """Return the painted values (P,), 0 to 1: the mean over the face corners at each point.

    Args:
        obj: The object.
        surface: Its surface in rest space.
        name: Name of the vertex group, colour or value.
        section: Section of the panel that chooses it, for the message.

    Raises:
        SettingsError: The object has no vertex group, colour or value of this name.
    """
    attributes = surface.corner_attributes
    values = next((attributes[prefix + name] for prefix in PAINTED if prefix + name in attributes), None)
    if values is None or values.shape[2] == 3:
        what = "is empty; paint it" if name in obj.vertex_groups else f"does not exist; choose another in {section}"
        raise SettingsError(f"'{obj.name}': the vertex group, colour or value '{name}' {what}")
    shown = values[..., :3] @ BRIGHTNESS if values.shape[2] == 4 else values[..., 0]
    corners, count = surface.faces.ravel(), len(surface.points)
    sums = np.bincount(corners, np.clip(shown, 0.0, 1.0).ravel(), count)
    return sums / np.maximum(np.bincount(corners, minlength=count), 1)


def _plane(place: Any, depsgraph: bpy.types.Depsgraph, matrix: np.ndarray, unit: float) -> CleavingPlane:
    group = place.fracture
    point, normal, reach = matrix[:3, 3], np.cross(matrix[:3, 0], matrix[:3, 1]), np.inf
    if place.type == "MESH":
        points = read_surface(place, depsgraph, matrix).points
        point = 0.5 * (points.min(axis=0) + points.max(axis=0))
        _, breadths, axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
        if breadths[2] > PLANE_THICKNESS * breadths[1]:
            raise SceneError(f"'{place.name}' acts as a cleaving plane, but is not flat; use an empty or a flat mesh")
        normal, reach = axes[2], float(np.linalg.norm(points - point, axis=1).max())
    strength, width = settings.plain(group.place_strength), unit * settings.plain(group.place_width)
    return CleavingPlane(point, normal, strength, width, unit * settings.plain(group.place_reach) or reach)


def _sheet(place: Any, depsgraph: bpy.types.Depsgraph, matrix: np.ndarray, unit: float) -> WeakSheet:
    if place.type != "MESH":
        raise SceneError(
            f"'{place.name}' acts as a drawn crack, but is no mesh; choose Cleaving Plane, or draw a crack"
        )
    group, surface = place.fracture, read_surface(place, depsgraph, matrix)
    strength, width = settings.plain(group.place_strength), unit * settings.plain(group.place_width)
    return WeakSheet(surface.points, surface.faces, strength, width)


def sphere_of(place: Any, depsgraph: bpy.types.Depsgraph, matrix: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the middle (3,) and the radius of the sphere of an empty, or of the sphere around a mesh.

    Args:
        place: The object.
        depsgraph: Evaluated on the current frame.
        matrix: (4, 4) from the object's space to the world, in the unit of the result.
    """
    if place.type != "MESH":
        return matrix[:3, 3], place.empty_display_size * float(np.cbrt(abs(np.linalg.det(matrix[:3, :3]))))
    points = read_surface(place, depsgraph, matrix).points
    center = 0.5 * (points.min(axis=0) + points.max(axis=0))
    return center, float(np.linalg.norm(points - center, axis=1).max())


def _region(place: Any, depsgraph: bpy.types.Depsgraph, matrix: np.ndarray, unit: float) -> Region:
    group = place.fracture
    center, radius = sphere_of(place, depsgraph, matrix)
    names = ("strength", "density", "fineness", "softness")
    values = {name: settings.plain(getattr(group, f"place_{name}")) for name in names}
    return Region(center, radius, **values, stress=MEGA * settings.plain(group.place_stress))


def _layers(place: Any, depsgraph: bpy.types.Depsgraph, matrix: np.ndarray, unit: float) -> Alternation:
    group = place.fracture
    axis = matrix[:3, 2] / np.linalg.norm(matrix[:3, 2])
    period, strength = unit * settings.plain(group.place_period), settings.plain(group.place_strength)
    return Alternation(axis, period, strength, float(axis @ matrix[:3, 3]))


def _grain(place: Any, depsgraph: bpy.types.Depsgraph, matrix: np.ndarray, unit: float) -> GrainDirection:
    return GrainDirection(matrix[:3, 3], matrix[:3, 2])


# Kinds of placed fields: the name in ``Settings``, and the function that reads an object of this kind.
READERS = {
    "PLANE": ("planes", _plane),
    "SHEET": ("sheets", _sheet),
    "REGION": ("regions", _region),
    "LAYERS": ("alternations", _layers),
    "GRAIN": ("grains", _grain),
}
