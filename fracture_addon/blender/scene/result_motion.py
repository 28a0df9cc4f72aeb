"""Motion and visibility that a result adds to the artist's own objects.

A source that falls until it breaks, and a projectile that bounces off, follow a keyed empty by a Child Of constraint.
Drivers hide a source from the frame on which its fragments appear. The objects keep their actions, places, parents and
modifiers, so the artist can edit their keyframes at any time.

The value of a driver is the scene's frame; the keyframes of its curve switch the property. The first keyframe holds the
value that the property had before. Blender evaluates the expression without Python, so it works where the add-on is
missing and where scripts may not run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from . import action_curves, ownership

CONSTRAINT = "Fracture Motion"
HIDES = ("hide_viewport", "hide_render")
KINEMATIC = "rigid_body.kinematic"
# The scene's frame. The unusual form marks a driver as generated, also on a duplicate of the object.
EXPRESSION = "frame * 1"


def hide_from(obj: bpy.types.Object, start: int, frame: int) -> None:
    """Hide an object from a frame on. Before that frame, its own keyframes and settings apply.

    A property that the artist's driver sets does not change; see ``drivers_of_artist``.

    Args:
        obj: The source.
        start: First frame of the run.
        frame: Frame on which the fragments appear.
    """
    first = min(start, frame - 1)
    curves = action_curves.curves_of(obj)
    for name in HIDES:
        own: Any = curves.find(name) if curves else None
        keys = [(point.co[0], bool(point.co[1])) for point in own.keyframe_points] if own else []
        before = [key for key in keys if key[0] < frame]
        value = bool(own.evaluate(first)) if keys else getattr(obj, name)
        _switch(obj, name, [*(before or [(first, value)]), (frame, True)])


def drivers_of_artist(obj: bpy.types.Object) -> list[str]:
    """Return the visibility properties of an object that the artist's drivers set."""
    drivers = obj.animation_data.drivers if obj.animation_data else ()
    return [curve.data_path for curve in drivers if curve.data_path in HIDES and not _is_generated(curve)]


def follow(obj: bpy.types.Object, empty: bpy.types.Object, center: np.ndarray, start: int) -> None:
    """Let an object follow an empty, relative to its own motion.

    Args:
        obj: The source or projectile.
        empty: Empty with keyframes for the motion of the point ``center``.
        center: (3,) point of the object in the world, scene units, for an empty without rotation.
        start: First frame of the run.
    """
    constraint = obj.constraints.new("CHILD_OF")
    constraint.name = CONSTRAINT
    constraint.target = empty
    constraint.set_inverse_pending = False
    constraint.inverse_matrix = Matrix.Translation((-np.asarray(center, float)).tolist())
    empty[ownership.OF] = obj
    if obj.rigid_body is not None:
        # Without this, Blender's rigid-body world would still move the object.
        _switch(obj, KINEMATIC, [(start - 1, obj.rigid_body.kinematic), (start, True)])


def is_taken(obj: bpy.types.Object) -> bool:
    """Return whether a result moves or hides an object, or an object of which it is a duplicate."""
    return bool(_drivers(obj) or _constraints(obj))


def release(obj: bpy.types.Object) -> None:
    """Remove generated motion and visibility from an object.

    The empty is removed only if it belongs to this object: a duplicate follows the empty of the original.
    """
    empties = {constraint.target for constraint in _constraints(obj)}
    for constraint in _constraints(obj):
        obj.constraints.remove(constraint)
    animation: Any = obj.animation_data
    for curve in _drivers(obj):
        path, value = curve.data_path, _value_before(curve)
        animation.drivers.remove(curve)
        _set(obj, path, value)
    animation = obj.animation_data
    if animation is not None and not (animation.action or len(animation.drivers) or len(animation.nla_tracks)):
        obj.animation_data_clear()
    mine = [empty for empty in empties if empty is not None and empty[ownership.OF] == obj]
    actions = {empty.animation_data.action for empty in mine if empty.animation_data} - {None}
    ownership.remove_objects(mine)
    bpy.data.batch_remove([action for action in actions if not action.users])


@contextmanager
def suspended(objects: Iterable[bpy.types.Object]) -> Iterator[None]:
    """Within the ``with`` statement, results do not move or hide objects. Set the frame again afterwards."""
    objects = list(objects)
    curves = [(obj, curve) for obj in objects for curve in _drivers(obj) if not curve.mute]
    constraints = [item for obj in objects for item in _constraints(obj) if not item.mute]
    for obj, curve in curves:
        curve.mute = True
        _set(obj, curve.data_path, _value_before(curve))
    for constraint in constraints:
        constraint.mute = True
    try:
        yield
    finally:
        for _, curve in curves:
            curve.mute = False
        for constraint in constraints:
            constraint.mute = False


def _switch(obj: bpy.types.Object, path: str, steps: Sequence[tuple[float, bool]]) -> None:
    animation: Any = obj.animation_data_create()
    drivers = animation.drivers
    if drivers.find(path) is None:
        action_curves.add_driver(drivers, path, EXPRESSION, steps)


def _constraints(obj: bpy.types.Object) -> list[bpy.types.Constraint]:
    """Return the constraints that follow a generated empty. If the empty was deleted, their name decides."""
    return [
        item
        for item in obj.constraints
        if item.type == "CHILD_OF"
        and (item.name.startswith(CONSTRAINT) if item.target is None else _is_motion(item.target))
    ]


def _is_motion(target: bpy.types.Object) -> bool:
    return target.type == "EMPTY" and ownership.OF in target


def _drivers(obj: bpy.types.Object) -> list[bpy.types.FCurve]:
    return [curve for curve in obj.animation_data.drivers if _is_generated(curve)] if obj.animation_data else []


def _is_generated(curve: Any) -> bool:
    return curve.driver.expression == EXPRESSION


def _value_before(curve: bpy.types.FCurve) -> bool:
    points = curve.keyframe_points
    return bool(len(points) and points[0].co[1])


def _set(obj: bpy.types.Object, path: str, value: bool) -> None:
    if path != KINEMATIC:
        setattr(obj, path, value)
    elif obj.rigid_body is not None:
        obj.rigid_body.kinematic = value
