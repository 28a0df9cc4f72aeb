"""Where in a scene's collections an object is, and removing a collection without what is in it."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

# Settings of a collection in a view layer. ``exclude`` comes first: it sets the others anew.
LAYER_SETTINGS = ("exclude", "hide_viewport", "holdout", "indirect_only")


def home(scene: bpy.types.Scene, obj: bpy.types.Object) -> bpy.types.Collection:
    """The collection of a scene that an object is in."""
    within = {scene.collection, *scene.collection.children_recursive}
    return next((collection for collection in obj.users_collection if collection in within), scene.collection)


def beside(scene: bpy.types.Scene, obj: bpy.types.Object) -> bpy.types.Collection:
    """The collection that the one of an object is in."""
    own = home(scene, obj)
    around = (scene.collection, *scene.collection.children_recursive)
    return next((collection for collection in around if own in list(collection.children)), scene.collection)


def dissolve(scene: bpy.types.Scene, collection: bpy.types.Collection) -> None:
    """Remove a collection; its objects and child collections move to the collections that contain it.

    Args:
        scene: Its own collection takes them where no other contains this one.
        collection: To remove.
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
    """All collections of all view layers, parents before their children."""
    for scene in bpy.data.scenes:
        for layer in scene.view_layers:
            waiting = [layer.layer_collection]
            while waiting:
                item = waiting.pop()
                yield layer, item
                waiting += item.children
