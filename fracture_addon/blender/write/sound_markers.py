"""Timeline markers on the strongest events of results, as cues for sound.

Blender's markers have no custom properties. A result's collection therefore stores the names and frames of its markers.
A marker that the artist renames, moves, or gives a camera belongs to the artist, and stays.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ...core.data.events import KINDS, Events
from .break_marker import remove_markers

# Custom property on a result's collection: "frame name" of each of its markers.
MARKERS = "fracture_sound_markers"


def add(scene: bpy.types.Scene, found: Sequence[tuple[bpy.types.Collection, str, Events]], most: int) -> int:
    """Mark the strongest events of results, at most one on each frame of a result, in place of earlier markers.

    Args:
        scene: The scene.
        found: Results, the names of their sources, and their events.
        most: Largest number of markers of all results together.

    Returns:
        The number of markers.
    """
    strongest: dict[tuple[int, int], tuple[float, str]] = {}
    for number, (collection, name, events) in enumerate(found):
        remove(collection)
        for frame, energy, kind in zip(
            events.frames.tolist(), events.energies.tolist(), events.kinds.tolist(), strict=True
        ):
            known = strongest.get((number, frame))
            if known is None or energy > known[0]:
                strongest[number, frame] = energy, f"{name} {KINDS[kind]} {energy:.3g} J"
    chosen = sorted(strongest.items(), key=lambda item: -item[1][0])[:most]
    for (number, frame), (_, name) in sorted(chosen):
        scene.timeline_markers.new(name, frame=frame)
        collection = found[number][0]
        collection[MARKERS] = [*collection.get(MARKERS, ()), f"{frame} {name}"]
    return len(chosen)


def remove(collection: bpy.types.Collection) -> None:
    """Remove the markers of a result that the artist has not changed."""
    made = [text.partition(" ") for text in collection.pop(MARKERS, ())]
    remove_markers(collection, {(int(frame), name) for frame, _, name in made})
