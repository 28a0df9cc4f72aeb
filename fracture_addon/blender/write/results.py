"""Removal of results from the scene.

A result is a collection with a list of the fragments of its run. All other objects in it belong to the artist, also
copies of fragments, and stay in the scene. ``ownership`` says which object owns a result.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import bpy

from ...core.data.errors import SceneError
from ..scene import ownership, result_motion
from ..scene.collections import dissolve
from ..scene.ownership import OF
from ..scene.result_lookup import (
    BAKE,
    PIECES,
    PROJECTILES,
    REPORT,
    RESULT,
    RUN,
    SOURCE,
    TOGETHER,
    all_results,
    collection_of,
    owned_results,
    pieces_of,
    previewed,
    projectiles_of,
)
from . import break_marker, cell_preview, materials, node_groups, sound_markers
from .playhead import evaluate_again


def clear(context: Any, objects: Collection[bpy.types.Object]) -> None:
    """Remove the results and previews of objects, and restore the objects and their projectiles.

    Args:
        context: Context of the scene.
        objects: Broken objects, duplicates of them, or fragments. A fragment selects its whole result.

    Raises:
        InvalidMeshError: An object or a result is linked from another file, or Blender would not save the change.
        SceneError: The objects are only copies of fragments or of previews.
    """
    scene = context.scene
    found = _results_of(objects)
    sources = ({obj for obj in objects if SOURCE not in obj} | {item[OF] for item in found}) - {None}
    sources.update(previewed(objects))
    ownership.check_saved(sources)
    ownership.check_local(found)
    if objects and not (found or sources):
        raise SceneError("Clear does not remove copies of pieces or previews that you made; delete them with X")
    take_out(sources, found)
    for obj in sources:
        obj.pop(RESULT, None)
    for collection in found:
        dissolve(scene, collection)
    evaluate_again(scene)


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
    needed = {item for collection in owned_results() for item in projectiles_of(collection)}
    for obj in {*objects, *(flown - needed)}:
        result_motion.release(obj)


def _results_of(objects: Collection[bpy.types.Object]) -> set[bpy.types.Collection]:
    """Return the results of sources and of fragments. Fragments of a deleted source still have a result."""
    pieces = {obj for obj in objects if SOURCE in obj}
    found = {collection for obj in objects if obj not in pieces and (collection := collection_of(obj)) is not None}
    whole = [*owned_results(), *(item for item in all_results() if item[OF] is None)]
    return found.union(item for item in whole if not pieces.isdisjoint(pieces_of(item)))


def _remove_pieces(collection: bpy.types.Collection) -> None:
    """Remove a result's fragments, their data that nothing else uses, and its report.

    Fragments that the artist moved to a collection outside of the result stay.
    """
    within = set(collection.all_objects)
    pieces = [obj for obj in pieces_of(collection) if obj in within or not obj.users_collection]
    break_marker.remove(collection)
    sound_markers.remove(collection)
    for key in (PIECES, PROJECTILES, REPORT, TOGETHER, BAKE, RUN):
        collection.pop(key, None)  # first, because these lists use the fragments too
    remove_pieces(pieces)


def remove_pieces(pieces: Collection[bpy.types.Object]) -> None:
    """Remove generated objects and their data that nothing else uses."""
    helpers = {helper for obj in pieces for helper in node_groups.helpers_of(obj)}
    meshes: set[Any] = {obj.data for obj in (*pieces, *helpers)} - {None}
    actions = {obj.animation_data.action for obj in pieces if obj.animation_data} - {None}
    made = {material for mesh in meshes for material in mesh.materials if material and materials.MADE in material}
    ownership.remove_objects(pieces)
    # In this order, because each item uses those after it.
    for items in helpers, (*meshes, *actions), made:
        bpy.data.batch_remove([item for item in items if not item.users])
    node_groups.remove_unused()
