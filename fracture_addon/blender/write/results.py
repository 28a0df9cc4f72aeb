"""Results in the scene: finding the result of an object, and removing it.

A result is a collection with a list of the fragments of its run. All other objects in it belong to the artist, also
copies of fragments, and stay in the scene. ``ownership`` says which object owns a result.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import bpy

from ...core.data.errors import SceneError
from ..read.settings import SOURCE
from ..scene import ownership, result_motion
from ..scene.collections import dissolve
from ..scene.ownership import OF
from . import cell_preview, materials, node_groups

# Custom properties on a result's collection: its fragments, the projectiles of its run, and its report (JSON).
PIECES, PROJECTILES, REPORT = "fracture_pieces", "fracture_projectiles", "fracture_report"
# Custom property on a broken object: the collection of its result.
RESULT = "fracture_result"


def clear(context: Any, objects: Collection[bpy.types.Object]) -> None:
    """Remove the results and previews of objects, and restore the objects and their projectiles.

    Args:
        context: Context of the scene.
        objects: Broken objects, duplicates of them, or fragments. A fragment selects its whole result.

    Raises:
        InvalidMeshError: An object or a result is linked from another file, or Blender would not save the change.
        SceneError: The objects are only copies of fragments or previews.
    """
    scene = context.scene
    found = _results_of(objects)
    sources = ({obj for obj in objects if SOURCE not in obj} | {item[OF] for item in found}) - {None}
    sources.update(cell_preview.previewed(objects))
    ownership.check_saved(sources)
    ownership.check_local(found)
    if objects and not (found or sources):
        raise SceneError("Clear does not remove copies of pieces or previews that you made; delete them with X")
    take_out(sources, found)
    for obj in sources:
        obj.pop(RESULT, None)
    for collection in found:
        dissolve(scene, collection)
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)


def take_out(objects: Collection[bpy.types.Object], found: Collection[bpy.types.Collection]) -> None:
    """Remove the contents of results, and restore the objects. The collections stay.

    Args:
        objects: Sources, and duplicates of them.
        found: The results.
    """
    cell_preview.remove(list(objects))
    flown = {item for collection in found for item in projectiles_of(collection)}
    for collection in found:
        _remove_pieces(collection)
    needed = {item for collection in _owned() for item in projectiles_of(collection)}
    for obj in {*objects, *(flown - needed)}:
        result_motion.release(obj)


def collection_of(obj: bpy.types.Object) -> bpy.types.Collection | None:
    """Return the collection of an object's fragments; ``None`` without a result. Its name does not matter."""
    return ownership.owned(obj, RESULT, _results)


def pieces_of(collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Return the fragments that a result lists and that still exist."""
    return _items(collection, PIECES)


def projectiles_of(collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Return the projectiles that a result lists and that still exist."""
    return _items(collection, PROJECTILES)


def is_changed(obj: bpy.types.Object) -> bool:
    """Return whether an object has a result or a preview, or is a fragment. Fast enough for panels."""
    return SOURCE in obj or collection_of(obj) is not None or cell_preview.preview_of(obj) is not None or _is_copy(obj)


def _is_copy(obj: bpy.types.Object) -> bool:
    """Return whether an object is the duplicate of an object that a result moves or hides."""
    return result_motion.is_taken(obj) and not any(obj in projectiles_of(collection) for collection in _owned())


def _results_of(objects: Collection[bpy.types.Object]) -> set[bpy.types.Collection]:
    """Return the results of sources and of fragments. Fragments of a deleted source still have a result."""
    pieces = {obj for obj in objects if SOURCE in obj}
    found = {collection for obj in objects if obj not in pieces and (collection := collection_of(obj)) is not None}
    whole = [*_owned(), *(item for item in _results() if item[OF] is None)]
    return found.union(item for item in whole if not pieces.isdisjoint(pieces_of(item)))


def _results() -> list[bpy.types.Collection]:
    return [collection for collection in bpy.data.collections if OF in collection]


def _owned() -> list[bpy.types.Collection]:
    """Return the results that belong to an object. Duplicated collections do not."""
    return [item for item in _results() if item[OF] is not None and collection_of(item[OF]) == item]


def _items(collection: bpy.types.Collection, key: str) -> list[bpy.types.Object]:
    return [item for item in collection[key].values() if item is not None] if key in collection else []


def _remove_pieces(collection: bpy.types.Collection) -> None:
    """Remove a result's fragments, their data that nothing else uses, and its report.

    Fragments that the artist moved to a collection outside of the result stay.
    """
    within = set(collection.all_objects)
    pieces = [obj for obj in pieces_of(collection) if obj in within or not obj.users_collection]
    helpers = {helper for obj in pieces for helper in node_groups.helpers_of(obj)}
    meshes = {obj.data for obj in (*pieces, *helpers)} - {None}
    actions = {obj.animation_data.action for obj in pieces if obj.animation_data} - {None}
    made = {material for mesh in meshes for material in mesh.materials if material and materials.MADE in material}
    for key in (PIECES, PROJECTILES, REPORT):
        collection.pop(key, None)  # first, because these lists use the fragments too
    ownership.remove_objects(pieces)
    # In this order, because each item uses those after it.
    for items in helpers, (*meshes, *actions), made:
        bpy.data.batch_remove([item for item in items if not item.users])
    node_groups.remove_unused()
