"""Events of a run as a mesh of points in the result: impacts, breaks and collisions, for sound, dust and sparks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from ...core.data.events import Events
from ..scene.result_lookup import EVENTS, SOURCE, collection_of, pieces_of
from . import speck_nodes
from .mesh import add_attribute, new_points

# Attributes of the points: type, and the field of ``Events`` that it shows.
ATTRIBUTES = {
    "frame": ("INT", "frames"),
    "time": ("FLOAT", "times"),
    "energy": ("FLOAT", "energies"),
    "body": ("INT", "bodies"),
    "kind": ("INT", "kinds"),
}


def write_events(
    scene: bpy.types.Scene, obj: Any, events: Events, frame_start: int, material: bpy.types.Material | None
) -> bpy.types.Object:
    """Create an object with one point per event; it is not in a collection yet.

    Args:
        scene: The scene.
        obj: The source; its setting says whether the points show dust or sparks.
        events: The events.
        frame_start: First frame of the run.
        material: Material of dust.
    """
    name = f"{obj.name} Events"
    points = new_points(name, events.points / scene.unit_settings.scale_length)
    for attribute, (data_type, field) in ATTRIBUTES.items():
        add_attribute(points, attribute, data_type, "POINT", getattr(events, field))
    result = bpy.data.objects.new(name, points)
    result[EVENTS] = frame_start
    if obj.fracture.events in speck_nodes.LOOKS:
        speck_nodes.add_modifier(scene, result, obj.fracture.events, frame_start, material, max(obj.dimensions))
    return result


def read_events(obj: bpy.types.Object) -> Events:
    """Return the events of an object that ``write_events`` made; points in scene units."""
    mesh: Any = obj.data
    points = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.vertices.foreach_get("co", points.ravel())
    values = {}
    for attribute, (data_type, field) in ATTRIBUTES.items():
        values[field] = np.empty(len(points), np.int32 if data_type == "INT" else np.float32)
        mesh.attributes[attribute].data.foreach_get("value", values[field])
    return Events(points=points, **values)


def found(objects: Iterable[bpy.types.Object]) -> list[tuple[bpy.types.Collection, bpy.types.Object]]:
    """Return the results of some objects that have events, each with the object of its points."""
    collections = dict.fromkeys(filter(None, map(collection_of, objects)))
    return [(item, piece) for item in collections for piece in pieces_of(item) if EVENTS in piece and SOURCE in piece]
