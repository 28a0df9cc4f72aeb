"""Collections of an object in a scene, and removal of a collection without its contents."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

# Settings of a collection in a view layer. ``exclude`` comes first, because assigning it resets the others.
LAYER_SETTINGS = ("exclude", "hide_viewport", "holdout", "indirect_only")


def home(scene: bpy.types.Scene, obj: bpy.types.Object) -> bpy.types.Collection:
    """Return the collection of an object within a scene."""
    within = {scene.collection, *scene.collection.children_recursive}
    return next((collection for collection in obj.users_collection if collection in within), scene.collection)


def beside(scene: bpy.types.Scene, obj: bpy.types.Object) -> bpy.types.Collection:
    """Return the parent of an object's collection within a scene."""
    own = home(scene, obj)
    around = (scene.collection, *scene.collection.children_recursive)
    return next((collection for collection in around if own in list(collection.children)), scene.collection)


def dissolve(scene: bpy.types.Scene, collection: bpy.types.Collection) -> None:
    """Remove a collection; its objects and child collections move to its parent collections.

    Args:
        scene: Scene whose own collection takes them if the collection has no parent.
        collection: The collection to remove.
    """
    everywhere = (*bpy.data.collections, *(item.collection for item in bpy.data.scenes))
    around = [item for item in everywhere if collection in list(item.children)] or [scene.collection]
    settings = {
        (layer, item.collection): [getattr(item, name) for name in LAYER_SETTINGS]
        for layer, item in _layer_collections()
        if item.collection in set(collection.children_recursive)
    }
    for parent in around:
        objects, children = set(parent.objects), set(parent.children)
        for obj in (obj for obj in collection.objects if obj not in objects):
            parent.objects.link(obj)
        for child in (child for child in collection.children if child not in children):
            parent.children.link(child)
    bpy.data.collections.remove(collection)
    for layer, item in _layer_collections():
        for name, value in zip(LAYER_SETTINGS, settings.get((layer, item.collection), ()), strict=False):
            if getattr(item, name) != value:
                setattr(item, name, value)


def _layer_collections() -> Iterator[tuple[bpy.types.ViewLayer, bpy.types.LayerCollection]]:
    """Yield the collections of all view layers, parents before their children."""
    for scene in bpy.data.scenes:
        for layer in scene.view_layers:
            waiting = [layer.layer_collection]
            while waiting:
                item = waiting.pop()
                yield layer, item
                waiting += item.children
