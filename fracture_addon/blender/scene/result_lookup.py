"""Finding results and previews: which generated objects belong to which source.

Panels call these functions many times per second, so each looks only at a few custom properties.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import bpy

from . import ownership, result_motion
from .ownership import OF

# Custom property on generated objects, which cannot be broken: the name of the source.
SOURCE = "fracture_source"
# Custom properties on fragments that are separate objects: mass, kg, and the number of breaks since the whole object.
MASS, DEPTH = "fracture_mass", "fracture_depth"
# Custom property on a piece of a piece: the number, in the list of its result, of the piece that it broke off.
PARENT = "fracture_parent"
# Custom property on the arrow of an impact: the object on which it acts.
IMPACT_OF = "fracture_impact_of"
# Custom property on a broken object: the collection of its result.
RESULT = "fracture_result"
# Custom properties on a result's collection: its fragments, the projectiles of its run, and its report (JSON).
PIECES, PROJECTILES, REPORT = "fracture_pieces", "fracture_projectiles", "fracture_report"
# Custom properties on a result's collection: the objects of its bake, and a text that only their results share.
TOGETHER, BAKE = "fracture_together", "fracture_bake"
# Custom property on a result's collection: the key of its run in the user's cache.
RUN = "fracture_run"
# Custom property on the object of a result's events: first frame of the run.
EVENTS = "fracture_events_start"
# Custom properties of previews: on a preview, its kind; on its object, the preview.
MARK, PREVIEW = "fracture_preview", "fracture_previewed"
# Custom properties of a stress preview: time of each moment since the start of the impact, s; the first frame; the
# strength, Pa.
TIMES, START, STRENGTH = "fracture_stress_times", "fracture_stress_start", "fracture_strength"


def subject_of(obj: Any) -> Any:
    """Return the object whose settings the panel shows: the source of a fragment, preview or impact, else the object.

    A fragment or preview without a source stands for itself: the artist copied it, or deleted the source.
    """
    if obj is None:
        return obj
    if IMPACT_OF in obj:
        return obj[IMPACT_OF] if is_impact(obj) else obj
    if SOURCE not in obj:
        return obj
    if MARK in obj:
        source = obj.parent
        return source if source is not None and preview_of(source) == obj else obj
    owned = (item for item in obj.users_collection if item.get(OF) is not None and collection_of(item[OF]) == item)
    return next((item[OF] for item in owned if obj in pieces_of(item)), obj)


def is_impact(obj: Any) -> bool:
    """Return whether an object is the arrow of an impact that Add Impact added and that its object still uses."""
    struck = obj.get(IMPACT_OF)
    if struck is None:
        return False
    group = struck.fracture
    return any(impact.impact_object == obj for impact in (group, *group.more_impacts))


def collection_of(obj: bpy.types.Object) -> bpy.types.Collection | None:
    """Return the collection of an object's fragments; ``None`` without a result. Its name does not matter."""
    return ownership.owned(obj, RESULT, all_results)


def broken_with(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """Return the objects with the results of one run, for one of them; an object without a result alone."""
    collection = collection_of(obj)
    if collection is None:
        return [obj]
    # One that broke again alone, or was cleared, is no longer of this run.
    results = [(other, collection_of(other)) for other in _items(collection, TOGETHER)]
    return [other for other, its in results if its is not None and its.get(BAKE) == collection.get(BAKE)] or [obj]


def pieces_of(collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Return the fragments that a result lists and that still exist."""
    return _items(collection, PIECES)


def is_still(collection: bpy.types.Collection) -> bool:
    """Return whether a result has no motion: pieces of Fracture Only, as separate objects."""
    pieces = pieces_of(collection)
    return bool(pieces) and all(MASS in piece and piece.animation_data is None for piece in pieces)


def with_broken_off(pieces: Collection[bpy.types.Object]) -> list[bpy.types.Object]:
    """Return pieces of results together with those that they break into later."""
    result = []
    for shown in dict.fromkeys(collection_of(subject_of(piece)) for piece in pieces):
        collection: Any = shown
        listed = sorted((int(key), item) for key, item in collection[PIECES].items() if item is not None)
        family: set[int] = set()
        for key, item in listed:  # a piece comes after the one that it broke off
            if item in pieces or item.get(PARENT) in family:
                family.add(key)
                result.append(item)
    return result


def projectiles_of(collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Return the projectiles that a result lists and that still exist."""
    return _items(collection, PROJECTILES)


def all_results() -> list[bpy.types.Collection]:
    """Return the collections of all results, copies included."""
    return [collection for collection in bpy.data.collections if OF in collection]


def owned_results() -> list[bpy.types.Collection]:
    """Return the results that belong to an object. Duplicated collections do not."""
    return [item for item in all_results() if item[OF] is not None and collection_of(item[OF]) == item]


def preview_of(obj: bpy.types.Object) -> bpy.types.Object | None:
    """Return the preview of an object, ``None`` without one. A duplicate of a preview does not count."""
    return ownership.owned(obj, PREVIEW, lambda: [child for child in obj.children if MARK in child])


def previewed(objects: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Return the objects with a preview, ordered by name, for a selection of such objects or of their previews."""
    objects = list(objects)
    sources = [obj.parent for obj in objects if MARK in obj and obj.parent]
    return sorted({obj for obj in (*objects, *sources) if preview_of(obj)}, key=lambda obj: obj.name)


def is_changed(obj: bpy.types.Object) -> bool:
    """Return whether an object has a result or a preview, or is a fragment."""
    return SOURCE in obj or collection_of(obj) is not None or preview_of(obj) is not None or _is_copy(obj)


def _is_copy(obj: bpy.types.Object) -> bool:
    """Return whether an object is the duplicate of an object that a result moves or hides."""
    return result_motion.is_taken(obj) and not any(obj in projectiles_of(item) for item in owned_results())


def _items(collection: Any, key: str) -> list[bpy.types.Object]:
    return [item for item in collection[key].values() if item is not None] if key in collection else []
