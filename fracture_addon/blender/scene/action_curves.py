"""Animation curves in both of Blender's action interfaces: layered actions with slots (since 5.0), and older ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import bpy
import numpy as np

CONSTANT, LINEAR = 0, 1


@cache
def is_layered() -> bool:
    """Return whether actions store their curves in layers, strips and channel bags."""
    return "fcurves" not in bpy.types.Action.bl_rna.properties


def new_action(obj: bpy.types.Object, name: str) -> Any:
    """Assign a new action to an object and return the action's curves."""
    action = bpy.data.actions.new(name)
    animation: Any = obj.animation_data_create()
    animation.action = action
    if not is_layered():
        return action.fcurves
    slot = action.slots.new(id_type="OBJECT", name=obj.name)
    animation.action_slot = slot
    return _channelbag(action, slot).fcurves


def copy_action(obj: bpy.types.Object, action: bpy.types.Action, name: str) -> Any:
    """Assign a copy of an action to an object and return the copy's curves."""
    copied: Any = action.copy()
    copied.name = name
    animation: Any = obj.animation_data_create()
    animation.action = copied
    slots: Any = getattr(copied, "slots", ())
    if len(slots):
        slots[0].name_display = obj.name
        animation.action_slot = slots[0]
    if not is_layered():
        return copied.fcurves
    return _channelbag(copied, slots[0]).fcurves


def curves_of(obj: bpy.types.Object) -> Any:
    """Return the curves that an object's action has for the object, or ``None``. Changes nothing."""
    animation = obj.animation_data
    if animation is None or animation.action is None:
        return None
    if not is_layered():
        return animation.action.fcurves
    strips = [strip for layer in animation.action.layers for strip in layer.strips]
    slot = animation.action_slot
    bag = strips[0].channelbag(slot) if strips and slot is not None else None
    return None if bag is None else bag.fcurves


def add_curves(curves: Any, path: str, keys: np.ndarray, interpolation: int) -> None:
    """Add the curves of a property's components with bulk assignment.

    Args:
        curves: From ``new_action`` or ``curves_of``; the curves must not exist yet.
        path: Data path of the property.
        keys: (N, K, 2) float32, C-ordered: increasing frames and values of each component. N = 1 for a single value.
        interpolation: ``CONSTANT`` or ``LINEAR``.
    """
    # uint8 is Blender's own type; it converts any other type key by key.
    interpolations = np.full(keys.shape[1], interpolation, np.uint8)
    for index, component in enumerate(keys):
        curve = curves.new(path, index=index)
        # Keys on every frame need no smoothed handles, which are slow. Set this before the keys are added; later it
        # would recompute all handles.
        curve.auto_smoothing = "NONE"
        points = curve.keyframe_points
        points.add(len(component))
        points.foreach_set("co", component.ravel())
        points.foreach_set("interpolation", interpolations)
        curve.update()


def change_curves(curves: Any, path: str, keys: np.ndarray) -> None:
    """Move all keys of a property's existing curves; faster than creating new curves.

    Args:
        curves: From ``copy_action`` or ``curves_of``.
        path: Data path of the property.
        keys: As for ``add_curves``, with the existing number of keys.
    """
    for index, component in enumerate(keys):
        # ``find`` is faster than an index: Blender accesses keys more slowly through a longer data path.
        curve = curves.find(path, index=index)
        curve.keyframe_points.foreach_set("co", component.ravel())
        curve.update()


def add_switch(curves: Any, paths: Sequence[str], steps: Sequence[tuple[int, bool]]) -> None:
    """Key boolean properties with the same steps: each value holds from its frame on."""
    keys = np.array([steps], np.float32)
    for path in paths:
        add_curves(curves, path, keys, CONSTANT)


def add_driver(drivers: Any, path: str, expression: str, steps: Sequence[tuple[float, bool]]) -> None:
    """Drive a boolean property by an expression: each state holds from its value of the expression on.

    Args:
        drivers: Drivers of an object's animation data.
        path: Data path of the property, which must not have a driver yet.
        expression: Expression of the driver.
        steps: Increasing values of the expression, and the states of the property.
    """
    curve = drivers.new(path)
    curve.driver.type, curve.driver.expression = "SCRIPTED", expression
    # The curve of a new driver is a line: two keys, or a modifier before Blender 5.0.
    for modifier in list(curve.modifiers):
        curve.modifiers.remove(modifier)
    curve.keyframe_points.clear()
    # One by one: bulk assignment does nothing on a library override.
    curve.keyframe_points.add(len(steps))
    for point, step in zip(curve.keyframe_points, steps, strict=True):
        point.co, point.interpolation = step, "CONSTANT"
    curve.update()


def _channelbag(action: Any, slot: Any) -> Any:
    layer = action.layers[0] if len(action.layers) else action.layers.new("Layer")
    strip = layer.strips[0] if len(layer.strips) else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True)
