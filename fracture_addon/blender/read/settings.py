"""From what the artist set to what ``core`` takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

import bpy
import numpy as np

from ...core.data.errors import SettingsError
from ...core.data.job import Settings
from ...core.data.material import Material
from ...core.methods.table import METHODS
from ..properties.limits import MOST_FRAMES

# Kinds of objects that have a shape to break.
BREAKABLE = {"MESH", "CURVE", "SURFACE", "FONT"}
# On what we made of an object, and what is therefore nothing to break: its name.
SOURCE = "fracture_source"
# Settings of the core that go by another name here, and those whose value is an upper-case identifier here.
RENAMED = {"cell_count": "resolution"}
IDENTIFIERS = (
    "method",
    "bonds",
    "lattice",
    "loading",
    "contact",
    "crack_function",
    "relief",
    "noise_kind",
    "interior_points",
    "dust",
    "velocity_fit",
    "dynamics",
    "islands",
)


def settings_of(obj: bpy.types.Object) -> Settings:
    """How an object is to be broken.

    Raises:
        SettingsError: The grain has no direction, or the method is not one of ``METHODS``.
    """
    group = obj.fracture
    # What is placed, painted or drawn as a curve has no property of its own; ``read_scene`` reads it.
    names = {item.name: RENAMED.get(item.name, item.name) for item in fields(Settings)}
    values = {field: plain(getattr(group, name)) for field, name in names.items() if hasattr(group, name)}
    for name in IDENTIFIERS:
        values[name] = values[name].lower()
    if values["method"] not in METHODS:
        raise SettingsError(
            f"'{obj.name}': the method '{values['method']}' does not exist; choose one in the Fracture panel"
        )
    length = np.linalg.norm(group.grain)
    if not length > 0.0:
        raise SettingsError(f"'{obj.name}': the grain direction is (0, 0, 0); set one in the Material panel")
    values["grain"] = np.array(group.grain, float) / length
    return Settings(**values)


def material_of(obj: bpy.types.Object) -> Material:
    """What an object is made of, in SI units.

    Raises:
        SettingsError: A value makes no sense; the message names the object, the value and its limits.
    """
    group = obj.fracture
    values = {item.name: plain(getattr(group, item.name)) for item in fields(Material) if item.name != "name"}
    try:
        return Material(name=group.material_name, **values)
    except SettingsError as error:
        raise SettingsError(f"'{obj.name}': {error}") from None


def frame_range(scene: bpy.types.Scene) -> tuple[int, int]:
    """First and last frame to simulate.

    Raises:
        SettingsError: There is nothing between them, or too much.
    """
    chosen = scene if scene.fracture.use_scene_range else scene.fracture
    if chosen.frame_end <= chosen.frame_start:
        raise SettingsError(
            f"The frame range {chosen.frame_start} to {chosen.frame_end} is empty; "
            "set an end after the start in the Motion panel"
        )
    if chosen.frame_end - chosen.frame_start >= MOST_FRAMES:
        raise SettingsError(
            f"Frames {chosen.frame_start} to {chosen.frame_end} are more than {MOST_FRAMES}; "
            "set an earlier end in the Motion panel"
        )
    return chosen.frame_start, chosen.frame_end


def selection(context) -> list[bpy.types.Object]:
    """The selected objects; without any, the active one, which the panel shows: its break hides and deselects it."""
    return list(context.selected_objects) or [obj for obj in (context.object,) if obj is not None]


def chosen(objects: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Those of the selected objects that Shatter is to break.

    Shapes that are no pieces of an earlier run, and do nothing to others that break. Colliders and projectiles are left
    out, as long as there is anything else: a floor that is selected along with a jar stays whole, one that is selected
    alone is meant.
    """
    meshes = [obj for obj in objects if obj.type in BREAKABLE and SOURCE not in obj]
    meshes = [obj for obj in meshes if obj.fracture.place == "NONE"]
    return [obj for obj in meshes if obj.rigid_body is None] or meshes


def plain(value):
    """A property's value as the artist typed it."""
    # Blender stores 32 bits: seven digits are what the artist typed, the rest is the rounding of 0.22 or 70e9.
    return float(f"{value:.7g}") if isinstance(value, float) else value
