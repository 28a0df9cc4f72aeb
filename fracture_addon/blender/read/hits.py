"""Whether anything in a scene can break objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import deformable, motion
from .colliders import colliders
from .placed_loads import is_load


def can_be_hit(context: Any, objects: Sequence[Any]) -> bool:
    """Return whether Shatter may break objects: something, one of them or their weight loads them, or they deform."""
    return (
        any(obj.fracture.impact_enabled or obj.fracture.own_weight or deformable.is_deformable(obj) for obj in objects)
        or any(map(is_load, context.scene.objects))
        or (len(objects) > 1 and any(map(_moves_otherwise, objects)))
        or bool(colliders(context, objects))
    )


def _moves_otherwise(obj: Any) -> bool:
    """Return whether an object moves otherwise than by gravity alone; objects that only fall never meet."""
    body = obj.rigid_body
    is_fixed = body is not None and (body.type == "PASSIVE" or body.kinematic or not body.enabled)
    return is_fixed or obj.fracture.held or deformable.is_pinned(obj) or motion.may_move(obj)
