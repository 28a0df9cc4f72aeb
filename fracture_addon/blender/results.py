"""What runs have left in the scene: which collection is whose, and taking it out again."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from . import materials, node_groups, previews, takeover
from .settings import SOURCE

# On a result's collection: the object it is of, the projectiles that flew in its run, and what is told of it.
OF, PROJECTILES, REPORT = "fracture_of", "fracture_projectiles", "fracture_report"


def clear(context, objects: Sequence[bpy.types.Object]) -> None:
    """Take results and previews of some objects out, and give the objects and their projectiles back as they were."""
    previews.remove(objects)
    found = [collection for obj in objects if (collection := collection_of(obj)) is not None]
    if not found and not any(takeover.KEPT in obj for obj in objects):
        return
    flown = {item for collection in found for item in collection[PROJECTILES].values() if item is not None}
    for collection in found:
        _remove(collection)
    for obj in objects:
        takeover.release(obj)
    still = {item for collection in _results() for item in collection[PROJECTILES].values()}
    for obj in flown - still:
        takeover.release(obj)
    scene = context.scene
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)


def collection_of(obj: bpy.types.Object) -> bpy.types.Collection | None:
    """The collection of an object's fragments, whatever it is called; ``None`` without a result."""
    return next((collection for collection in _results() if collection[OF] == obj), None)


def _results() -> list[bpy.types.Collection]:
    return [collection for collection in bpy.data.collections if OF in collection]


def _remove(collection: bpy.types.Collection) -> None:
    """Remove a result with everything in it that nobody else uses."""
    pieces = [obj for obj in collection.objects if SOURCE in obj]
    helpers = {helper for obj in pieces for helper in node_groups.helpers_of(obj)}
    meshes = {obj.data for obj in (*pieces, *helpers)}
    actions = {obj.animation_data.action for obj in pieces if obj.animation_data} - {None}
    made = {material for mesh in meshes for material in mesh.materials if material and materials.MADE in material}
    bpy.data.batch_remove(pieces)
    # In this order: what is removed uses what comes after it.
    for items in helpers, (*meshes, *actions), made:
        bpy.data.batch_remove([item for item in items if not item.users])
    node_groups.remove_unused()
    bpy.data.collections.remove(collection)
