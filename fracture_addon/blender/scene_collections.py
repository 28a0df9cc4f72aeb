"""Where in a scene's collections an object is."""

from __future__ import annotations

import bpy


def home(scene: bpy.types.Scene, obj: bpy.types.Object) -> bpy.types.Collection:
    """The collection of a scene that an object is in."""
    within = {scene.collection, *scene.collection.children_recursive}
    return next((collection for collection in obj.users_collection if collection in within), scene.collection)


def beside(scene: bpy.types.Scene, obj: bpy.types.Object) -> bpy.types.Collection:
    """The collection that the one of an object is in."""
    own = home(scene, obj)
    around = (scene.collection, *scene.collection.children_recursive)
    return next((collection for collection in around if own in list(collection.children)), scene.collection)
