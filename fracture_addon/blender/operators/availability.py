"""Reasons why an operator is disabled, for its tooltip."""

from __future__ import annotations

from typing import Any

from ..process import run
from ..read import settings
from ..scene.result_lookup import subject_of


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
    """Return the reason why no run can start and no result can change now: a run or a render is in progress."""
    if run.is_rendering():  # reading a scene changes its frame
        return "Blender is rendering. Wait for the end of the render"
    return unless(run.active is None, "A run is in progress. Wait for it, or press Cancel")


def editing(context: Any) -> str:
    """Return the reason why objects cannot be changed now: Blender is not in object mode."""
    if context.mode == "OBJECT":
        return ""
    if context.mode.startswith("EDIT"):
        return "Leave Edit Mode first (Tab)"
    mode = context.object.mode if context.object is not None else context.mode
    return f"Leave {mode_name(mode)} Mode first: choose Object Mode in the header of the 3D viewport"


def mode_name(mode: str) -> str:
    """Return the name of a mode as Blender shows it: "Weight Paint" for ``WEIGHT_PAINT``."""
    return mode.replace("_", " ").title()


def subject(context: Any) -> Any:
    """Return the object whose settings the panel shows: the active object, or the source of the active fragment."""
    return subject_of(context.object)


def linked(context: Any) -> str:
    """Return the reason why the active object's settings cannot be changed: it is linked."""
    is_local = subject(context) is None or subject(context).library is None
    return unless(is_local, "The active object is linked from another file. Make it local, or make a library override")


def no_shape(context: Any) -> str:
    """Return the reason why there is no object to break: the active object has no shape."""
    found = subject(context) is not None and subject(context).type in settings.BREAKABLE
    return unless(found, "Make a mesh, curve, surface or text active (click it)")


def no_mesh(context: Any) -> str:
    """Return the reason why there is no mesh: the active object is something else."""
    return unless(subject(context) is not None and subject(context).type == "MESH", "Make a mesh active (click it)")
