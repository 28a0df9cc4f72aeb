"""The timeline marker of a result, on the frame of its break.

Blender's markers have no custom properties. The result's collection therefore stores the frame of the break, and
the name of the marker there. A marker that the artist renames, moves, or gives a camera belongs to the
artist, and stays.
"""

from __future__ import annotations

from collections.abc import Container

import bpy

# Custom properties on a result's collection: frame of the break, and name of its marker.
FRAME, MARKER = "fracture_break_frame", "fracture_marker"


def break_frame(collection: bpy.types.Collection) -> int | None:
    """Return the first frame on which a result has fragments; ``None`` if nothing broke."""
    return collection.get(FRAME)


def add(scene: bpy.types.Scene, collection: bpy.types.Collection, obj: bpy.types.Object, frame: int) -> None:
    """Store and mark the frame on which an object breaks. If a marker with that name is there, none is added."""
    collection[FRAME] = frame
    name = f"{obj.name} breaks"
    if any(marker.name == name and marker.frame == frame for marker in scene.timeline_markers):
        return
    scene.timeline_markers.new(name, frame=frame)
    collection[MARKER] = name


def remove(collection: bpy.types.Collection) -> None:
    """Remove the marker of a result, unless the artist has changed it."""
    frame, name = collection.pop(FRAME, None), collection.pop(MARKER, None)
    if name is None:
        return
    remove_markers(collection, {(frame, name)})


def remove_markers(collection: bpy.types.Collection, made: Container[tuple[int | None, str]]) -> None:
    """Remove the markers with some frames and names from the scenes with a collection, unless one has a camera."""
    for scene in bpy.data.scenes:
        if collection in scene.collection.children_recursive:
            for marker in list(scene.timeline_markers):
                if (marker.frame, marker.name) in made and marker.camera is None:
                    scene.timeline_markers.remove(marker)
