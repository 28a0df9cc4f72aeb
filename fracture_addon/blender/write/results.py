"""What runs leave in the scene: which result belongs to which object, and how to remove it.

A result is a collection. It lists the fragments that its run made; anything else in it belongs to the artist, copies of
fragments included, and stays in the scene. ``generated`` states who owns a result.
"""

from __future__ import annotations

from collections.abc import Collection

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


def clear(context, objects: Collection[bpy.types.Object]) -> None:
    """Remove the results and previews of objects; the objects and their projectiles are as they were.

    Args:
        context: Its scene is shown again on its frame.
        objects: Broken objects, duplicates of them, or fragments, which stand for their whole result.

    Raises:
        InvalidMeshError: An object or a result belongs to another file, or cannot be given back for good.
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
    """Take results out of the scene, all but their collections, and give objects back as they were.

    Args:
        objects: Sources, and duplicates of such.
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
    """The collection of an object's fragments, whatever it is called; ``None`` without a result."""
    return ownership.owned(obj, RESULT, _results)


def pieces_of(collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """The fragments that a result lists and that still exist."""
    return _items(collection, PIECES)


def projectiles_of(collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """The objects that flew in a result's run and still exist."""
    return _items(collection, PROJECTILES)


def is_changed(obj: bpy.types.Object) -> bool:
    """Whether Clear has something to do for an object. Quick, for panels: true for copies of fragments too."""
    return SOURCE in obj or collection_of(obj) is not None or cell_preview.preview_of(obj) is not None or _is_copy(obj)


def _is_copy(obj: bpy.types.Object) -> bool:
    """Whether an object is moved or hidden as the duplicate of one that a result moves or hides."""
    return result_motion.is_taken(obj) and not any(obj in projectiles_of(collection) for collection in _owned())


def _results_of(objects: Collection[bpy.types.Object]) -> set[bpy.types.Collection]:
    """The results of sources and of fragments. Fragments whose source is gone still have a result."""
    pieces = {obj for obj in objects if SOURCE in obj}
    found = {collection for obj in objects if obj not in pieces and (collection := collection_of(obj)) is not None}
    whole = [*_owned(), *(item for item in _results() if item[OF] is None)]
    return found.union(item for item in whole if not pieces.isdisjoint(pieces_of(item)))


def _results() -> list[bpy.types.Collection]:
    return [collection for collection in bpy.data.collections if OF in collection]


def _owned() -> list[bpy.types.Collection]:
    """Results that belong to an object; not what an artist duplicated."""
    return [item for item in _results() if item[OF] is not None and collection_of(item[OF]) == item]


def _items(collection: bpy.types.Collection, key: str) -> list[bpy.types.Object]:
    return [item for item in collection[key].values() if item is not None] if key in collection else []


def _remove_pieces(collection: bpy.types.Collection) -> None:
    """Empty a result: remove its fragments, with everything of theirs that nobody else uses, and its report.

    Fragments that the artist moved to a collection outside of the result are the artist's.
    """
    within = set(collection.all_objects)
    pieces = [obj for obj in pieces_of(collection) if obj in within or not obj.users_collection]
    helpers = {helper for obj in pieces for helper in node_groups.helpers_of(obj)}
    meshes = {obj.data for obj in (*pieces, *helpers)} - {None}
    actions = {obj.animation_data.action for obj in pieces if obj.animation_data} - {None}
    made = {material for mesh in meshes for material in mesh.materials if material and materials.MADE in material}
    for key in (PIECES, PROJECTILES, REPORT):
        collection.pop(key, None)  # before the pieces: their list uses them too
    ownership.remove_objects(pieces)
    # In this order: what is removed uses what comes after it.
    for items in helpers, (*meshes, *actions), made:
        bpy.data.batch_remove([item for item in items if not item.users])
    node_groups.remove_unused()
