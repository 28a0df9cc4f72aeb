"""Convert the settings of objects and scenes to core's data. Choose the objects to break."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import bpy
import numpy as np

from ...core.data.errors import SettingsError, about
from ...core.data.material import Material
from ...core.data.settings.settings import Settings, all_rows
from ...core.methods.table import METHODS
from ..properties.limits import MOST_FRAMES
from ..scene.result_lookup import SOURCE, broken_with, subject_of

# Types of objects that can be broken.
BREAKABLE = {"MESH", "CURVE", "SURFACE", "FONT"}


def settings_of(obj: bpy.types.Object) -> Settings:
    """Return the settings of an object, without placed fields, painted fields and load curves.

    If the shape of the object decides the direction of the grain, the settings have the core's default direction.

    Raises:
        SettingsError: A value is invalid; the message names the object, the value and its limits.
    """
    group = obj.fracture
    values: dict[str, Any] = {"method": group.method.lower()}
    for name, (row, _) in all_rows().items():
        value = plain(getattr(group, row.property or name))
        values[name] = value.lower() if row.choices else value
    if values["method"] not in METHODS:
        raise SettingsError(
            f"'{obj.name}': the method '{values['method']}' does not exist; choose one in Advanced > Method"
        )
    with about(obj.name):
        settings = Settings.of(**values)
        length = np.linalg.norm(group.grain)
        # A unit vector: the direction counts, not the length. Without one, the shape of the object decides.
        return settings.changed(grain=np.array(group.grain) / length) if length else settings


def wants_events(obj: Any) -> bool:
    """Return whether the result of an object shows its events."""
    return obj.fracture.events != "OFF"


def material_of(obj: bpy.types.Object) -> Material:
    """Return an object's material, SI units.

    Raises:
        SettingsError: A value is invalid; the message names the object, the value and its limits.
    """
    group = obj.fracture
    values = {item.name: plain(getattr(group, item.name)) for item in fields(Material) if item.name != "name"}
    try:
        return Material(name=group.material_name, **values)
    except SettingsError as error:
        raise SettingsError(f"'{obj.name}': {error}") from None


def frame_range(scene: bpy.types.Scene) -> tuple[int, int]:
    """Return the first and the last frame to simulate.

    Raises:
        SettingsError: The range is empty or longer than ``MOST_FRAMES``, or the scene stretches time.
    """
    old, new = scene.render.frame_map_old, scene.render.frame_map_new
    if old != new:
        raise SettingsError(
            f"Time Stretching is on ({old} to {new}), which plays pieces at another speed than computed; "
            "set both of its values to 100 (Output > Format > Frame Rate)"
        )
    chosen = scene if scene.fracture.use_scene_range else scene.fracture
    if chosen.frame_end <= chosen.frame_start:
        raise SettingsError(
            f"The frame range {chosen.frame_start} to {chosen.frame_end} is empty; "
            "set an end after the start in the section How It Moves"
        )
    if chosen.frame_end - chosen.frame_start >= MOST_FRAMES:
        raise SettingsError(
            f"Frames {chosen.frame_start} to {chosen.frame_end} are more than {MOST_FRAMES}; "
            "set an earlier end in the section How It Moves"
        )
    return chosen.frame_start, chosen.frame_end


def selection(context: Any) -> list[bpy.types.Object]:
    """Return the selected objects; without any, the active object and those that broke in one run with it.

    A break deselects the broken objects; another Shatter, a change of Seed or Clear is for all of them. A fragment, a
    preview or the arrow of an impact stands for its source, whose settings the panel shows.
    """
    objects = list(context.selected_objects)
    if not objects and context.object is not None:
        objects = broken_with(subject_of(context.object))
    return list(dict.fromkeys(subject_of(obj) for obj in objects))


def chosen(objects: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Return those of the selected objects that Shatter breaks.

    Copies of pieces and objects that place a field or a load do not count. Colliders and projectiles count only if
    nothing else is selected: a floor selected along with a jar stays whole, a floor selected alone breaks.
    """
    meshes = [obj for obj in objects if obj.type in BREAKABLE and SOURCE not in obj]
    meshes = [obj for obj in meshes if obj.fracture.place == "NONE"]
    return [obj for obj in meshes if obj.rigid_body is None] or meshes


def plain(value: Any) -> Any:
    """Return a property's value as the artist typed it."""
    # Blender stores 32-bit floats. Seven digits restore typed values such as 0.22 or 70e9; the rest is rounding.
    return float(f"{value:.7g}") if isinstance(value, float) else value
