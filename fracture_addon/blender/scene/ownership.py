"""Ownership and removal of generated objects and collections.

A generated item belongs to an object if both point at each other. The item points at its object with the
custom property ``fracture_of``. The object points at the item with a custom property or with a constraint's target.

Names do not matter, so renaming changes nothing. A duplicate copies its pointers, but the other side still points at
the original. So a duplicated object owns nothing, and a duplicated item belongs to the artist. Blender
redirects the pointers between items that it duplicates or appends together (a full copy of a scene, an appended
object), so such a copy owns its own result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar

import bpy

from ...core.data.errors import InvalidMeshError

# Custom property on a generated item: its object.
OF = "fracture_of"

Item = TypeVar("Item", bound=bpy.types.ID)


def give(obj: bpy.types.Object, key: str, item: bpy.types.ID) -> None:
    """Make an object the owner of a generated item, under a custom property ``key`` of the object."""
    obj[key] = item
    item[OF] = obj


def owned(obj: bpy.types.Object, key: str, candidates: Callable[[], Iterable[Item]]) -> Item | None:
    """Return the item that an object owns under a custom property; ``None`` without one.

    Args:
        obj: The object.
        key: Its custom property.
        candidates: Returns all items of this kind. Called for a library override only, whose custom properties Blender
            does not save.
    """
    if key in obj or obj.override_library is None:
        item = obj.get(key)
        return item if item is not None and item.get(OF) == obj else None
    return next((item for item in candidates() if item.get(OF) == obj), None)


def remove_objects(objects: Collection[bpy.types.Object]) -> None:
    """Remove generated objects. Objects that the artist parented to them keep their position."""
    removed = set(objects)
    for child in bpy.data.objects:
        if child.parent in removed and child not in removed:
            place = child.matrix_world.copy()
            child.parent = None
            child.matrix_world = place
    bpy.data.batch_remove(removed)


def check_local(items: Iterable[bpy.types.ID]) -> None:
    """Refuse objects and collections that are linked from another file.

    Raises:
        InvalidMeshError: An item is linked.
    """
    for item in items:
        if item.library is not None:
            raise InvalidMeshError(
                f"'{item.name}' is linked from '{item.library.filepath}' and cannot be changed here; "
                "make it local (Object > Relations > Make Local)"
            )


def check_saved(objects: Collection[bpy.types.Object]) -> None:
    """Refuse objects for which Blender would not save added or removed drivers.

    Raises:
        InvalidMeshError: An object is linked, or is a library override of an object with animation data.
    """
    check_local(objects)
    for obj in objects:
        original: Any = obj.override_library and obj.override_library.reference
        if original is not None and original.animation_data is not None:
            raise InvalidMeshError(
                f"'{obj.name}' is a library override of an animated object, and Blender does not save changes to "
                "its drivers; make it local (Object > Relations > Make Local)"
            )
