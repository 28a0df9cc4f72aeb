"""Our motion and visibility on the artist's own objects, and off again without a trace.

An object that falls until it breaks, or a projectile that bounces off, is moved by a constraint to an empty, and hidden
by keys in a copy of its action. Nothing that the artist made is changed: its action, its place, its parents and
modifiers stay, and its mesh is not touched. What is needed to give an object back stands in its custom property
``fracture_kept``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import bpy
import numpy as np
from mathutils import Matrix

from . import action_curves

KEPT = "fracture_kept"
CONSTRAINT = "Fracture Motion"
HIDES = ("hide_viewport", "hide_render")


def take(obj: bpy.types.Object) -> None:
    """Begin: note how the object is, and let it play a copy of its action that is ours to key."""
    animation = obj.animation_data
    kept = {
        "had_animation": animation is not None,
        "slot": action_curves.slot_identifier(obj),
        **{name: getattr(obj, name) for name in HIDES},
    }
    if obj.rigid_body is not None:
        kept["kinematic"] = obj.rigid_body.kinematic
    action = animation.action if animation is not None else None
    if action is not None:
        kept["action"] = action
    obj[KEPT] = kept
    if action is None:
        action_curves.new_action(obj, f"{obj.name} Fracture")
        obj[KEPT]["ours"] = obj.animation_data.action
    else:
        obj[KEPT]["ours"] = action.copy()
        _play_ours(obj)


def hide_from(obj: bpy.types.Object, start: int, frame: int) -> None:
    """Key an object hidden from a frame on; before it, it is as it was.

    Args:
        obj: Taken.
        start: First frame of the run.
        frame: On which its fragments appear.
    """
    curves = action_curves.curves_of(obj)
    for name in HIDES:
        steps = [(min(start, frame - 1), bool(obj[KEPT][name])), (frame, True)]
        existing = curves.find(name)
        if existing is not None:
            points = [point.co for point in existing.keyframe_points if point.co[0] < frame]
            steps = [(int(co[0]), bool(co[1])) for co in points] + steps[-1 if points else 0 :]
            curves.remove(existing)
        action_curves.add_switch(curves, [name], steps)


def follow(obj: bpy.types.Object, empty: bpy.types.Object, center: np.ndarray, start: int) -> None:
    """Let an object move as an empty does, from the place that it has by itself.

    Args:
        obj: Taken.
        empty: Keyed; follows the point ``center`` of the object.
        center: (3,) in the world, scene units, while the empty has no turn.
        start: First frame of the run.
    """
    constraint = obj.constraints.new("CHILD_OF")
    constraint.name = CONSTRAINT
    constraint.target = empty
    constraint.set_inverse_pending = False
    constraint.inverse_matrix = Matrix.Translation((-np.asarray(center, float)).tolist())
    obj[KEPT]["motion"] = empty
    obj[KEPT]["constraint"] = constraint.name
    if obj.rigid_body is not None:
        # Blender's own rigid-body world would go on moving it.
        curves = action_curves.curves_of(obj)
        existing = curves.find("rigid_body.kinematic")
        if existing is not None:
            curves.remove(existing)
        action_curves.add_switch(curves, ["rigid_body.kinematic"], [(start, True)])


def release(obj: bpy.types.Object) -> None:
    """Give an object back as it was before ``take``; one that was not taken is left alone."""
    if KEPT not in obj:
        return
    kept = obj[KEPT]
    ours, motion = kept.get("ours"), kept.get("motion")
    constraint = obj.constraints.get(kept.get("constraint", ""))
    if constraint is not None:
        obj.constraints.remove(constraint)
    _play_own(obj)
    if not kept["had_animation"]:
        obj.animation_data_clear()
    del obj[KEPT]
    if ours is not None:
        bpy.data.actions.remove(ours)
    if motion is not None:
        action = motion.animation_data.action if motion.animation_data else None
        bpy.data.objects.remove(motion)
        if action is not None and not action.users:
            bpy.data.actions.remove(action)


@contextmanager
def suspended(objects: Iterable[bpy.types.Object]) -> Iterator[None]:
    """Let the body of the statement see the objects as if nothing had been taken."""
    taken = [obj for obj in objects if KEPT in obj]
    for obj in taken:
        _play_own(obj)
        _mute(obj, True)
    try:
        yield
    finally:
        for obj in taken:
            _play_ours(obj)
            _mute(obj, False)


def _play_ours(obj: bpy.types.Object) -> None:
    kept = obj[KEPT]
    ours = kept.get("ours")
    if ours is not None:
        action_curves.assign(obj, ours, kept["slot"] or (ours.slots[0].identifier if hasattr(ours, "slots") else ""))


def _play_own(obj: bpy.types.Object) -> None:
    kept = obj[KEPT]
    if obj.animation_data is not None:
        action_curves.assign(obj, kept.get("action"), kept["slot"])
    for name in HIDES:
        setattr(obj, name, kept[name])
    if "kinematic" in kept and obj.rigid_body is not None:
        obj.rigid_body.kinematic = kept["kinematic"]


def _mute(obj: bpy.types.Object, muted: bool) -> None:
    constraint = obj.constraints.get(obj[KEPT].get("constraint", ""))
    if constraint is not None:
        constraint.mute = muted
