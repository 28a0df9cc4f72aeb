"""Slider of the exploded view, for the results of all selected objects: ``Scene.fracture_exploded``."""

from __future__ import annotations

from typing import Any

import bpy

from ..read import settings
from ..scene.result_lookup import collection_of
from ..write import exploded_view
from . import hints


def register() -> None:
    """Add the property to scenes."""
    scene: Any = bpy.types.Scene
    scene.fracture_exploded = bpy.props.FloatProperty(
        name="Exploded View",
        description="Move the pieces of the selected objects apart, from their places on the current frame. "
        "1 doubles their distance from the common centre. 0 puts them back exactly. Keyframes do not change",
        default=0.0,
        min=0.0,
        soft_max=2.0,
        options={"SKIP_SAVE"},
        get=_get,
        set=_set,
    )


def unregister() -> None:
    """Remove the property."""
    scene: Any = bpy.types.Scene
    del scene.fracture_exploded


def results(context: Any) -> list[bpy.types.Collection]:
    """Return the results of the selected objects."""
    found = (collection_of(obj) for obj in settings.selection(context))
    return [collection for collection in found if collection is not None]


def _get(_scene: Any) -> float:
    found = results(bpy.context)
    return exploded_view.distance_of(found[0]) if found else 0.0


def _set(_scene: Any, value: float) -> None:
    hints.done("EXPLODE")
    for collection in results(bpy.context):
        exploded_view.explode(collection, value)
