"""Animation curves on both of Blender's action interfaces: layered actions with slots (5.0 on), and plain ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import bpy
import numpy as np

CONSTANT, LINEAR = 0, 1


@cache
def is_layered() -> bool:
    """Whether actions keep their curves in layers, strips and channel bags."""
    return "fcurves" not in bpy.types.Action.bl_rna.properties


def new_action(obj: bpy.types.Object, name: str):
    """Give an object an action of its own, and return the collection of its curves."""
    action = bpy.data.actions.new(name)
    animation = obj.animation_data_create()
    animation.action = action
    if not is_layered():
        return action.fcurves
    slot = action.slots.new(id_type="OBJECT", name=obj.name)
    animation.action_slot = slot
    return _channelbag(action, slot).fcurves


def copy_action(obj: bpy.types.Object, action: bpy.types.Action, name: str):
    """Give an object a copy of another one's action, and return the collection of its curves."""
    copied = action.copy()
    copied.name = name
    animation = obj.animation_data_create()
    animation.action = copied
    slots: Any = getattr(copied, "slots", ())
    if len(slots):
        slots[0].name_display = obj.name
        animation.action_slot = slots[0]
    if not is_layered():
        return copied.fcurves
    return _channelbag(copied, slots[0]).fcurves


def curves_of(obj: bpy.types.Object):
    """The collection of the curves that an object's action has for it; ``None`` without any. Changes nothing."""
    animation = obj.animation_data
    if animation is None or animation.action is None:
        return None
    if not is_layered():
        return animation.action.fcurves
    strips = [strip for layer in animation.action.layers for strip in layer.strips]
    slot = animation.action_slot
    bag = strips[0].channelbag(slot) if strips and slot is not None else None
    return None if bag is None else bag.fcurves


def add_curves(curves, path: str, keys: np.ndarray, interpolation: int) -> None:
    """Add the curves of a property's components, by the fast path.

    Args:
        curves: From ``new_action`` or ``curves_of``; the curves must not exist yet.
        path: Of the property.
        keys: (N, K, 2) float32, C-ordered: a component's rising frames and their values. N = 1 for a single value.
        interpolation: ``CONSTANT`` or ``LINEAR``.
    """
    # Bytes, as Blender keeps them: anything else is converted key by key.
    interpolations = np.full(keys.shape[1], interpolation, np.uint8)
    for index, component in enumerate(keys):
        curve = curves.new(path, index=index)
        # Handles of keys on every frame need no smoothing, which takes long. Set on a curve with keys, it would work
        # out all their handles once more.
        curve.auto_smoothing = "NONE"
        points = curve.keyframe_points
        points.add(len(component))
        points.foreach_set("co", component.ravel())
        points.foreach_set("interpolation", interpolations)
        curve.update()


def change_curves(curves, path: str, keys: np.ndarray) -> None:
    """Move all keys of a property's curves, which are there already; cheaper than to make them.

    Args:
        curves: From ``copy_action`` or ``curves_of``.
        path: Of the property.
        keys: As of ``add_curves``, as many as there are.
    """
    for index, component in enumerate(keys):
        # Found, not named by its number: Blender reaches keys more slowly the longer the way was that led to them.
        curve = curves.find(path, index=index)
        curve.keyframe_points.foreach_set("co", component.ravel())
        curve.update()


def add_switch(curves, paths: Sequence[str], steps: Sequence[tuple[int, bool]]) -> None:
    """Key boolean properties, all alike: from each step's frame on, its value holds."""
    keys = np.array([steps], np.float32)
    for path in paths:
        add_curves(curves, path, keys, CONSTANT)


def add_driver(drivers, path: str, expression: str, steps: Sequence[tuple[float, bool]]) -> None:
    """Drive a boolean property by an expression: from each step's value of it on, the step's state holds.

    Args:
        drivers: Of an object's animation data.
        path: Of the property, which has no driver yet.
        expression: Of the driver.
        steps: Rising values of the expression, and the states of the property.
    """
    curve = drivers.new(path)
    curve.driver.type, curve.driver.expression = "SCRIPTED", expression
    # A new driver has a line as its curve: two keys, or a modifier before Blender 5.0.
    for modifier in list(curve.modifiers):
        curve.modifiers.remove(modifier)
    curve.keyframe_points.clear()
    # One by one: the fast path does nothing on a library override.
    curve.keyframe_points.add(len(steps))
    for point, step in zip(curve.keyframe_points, steps, strict=True):
        point.co, point.interpolation = step, "CONSTANT"
    curve.update()


def _channelbag(action, slot):
    layer = action.layers[0] if len(action.layers) else action.layers.new("Layer")
    strip = layer.strips[0] if len(layer.strips) else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True)
