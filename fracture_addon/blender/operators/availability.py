"""Reasons why an operator is disabled, for its tooltip."""

from __future__ import annotations

from typing import Any

from ..process import run
from ..read import settings


def usable(operator: Any, *reasons: str) -> bool:
    """Return whether all reasons are empty; else show the first one in the tooltip of the disabled operator."""
    reason = next(filter(None, reasons), "")
    if reason:
        operator.poll_message_set(reason)
    return not reason


def unless(condition: object, reason: str) -> str:
    """Return the reason if the condition is false or empty, else an empty string."""
    return "" if condition else reason


def running() -> str:
    """Return the reason why no other run can start now."""
    return unless(run.active is None, "A run is in progress. Wait for it, or press Cancel")


def editing(context: Any) -> str:
    """Return the reason why objects cannot be changed now: Blender is not in object mode."""
    return unless(context.mode == "OBJECT", "Switch to Object Mode first (Tab)")


def linked(context: Any) -> str:
    """Return the reason why the active object's settings cannot be changed: it is linked."""
    is_local = context.object is None or context.object.library is None
    return unless(is_local, "The active object is linked from another file. Make it local, or make a library override")


def no_shape(context: Any) -> str:
    """Return the reason why there is no object to break: the active object has no shape."""
    found = context.object is not None and context.object.type in settings.BREAKABLE
    return unless(found, "Make a mesh, curve, surface or text active (click it)")


def no_mesh(context: Any) -> str:
    """Return the reason why there is no mesh: the active object is something else."""
    return unless(context.object is not None and context.object.type == "MESH", "Make a mesh active (click it)")
