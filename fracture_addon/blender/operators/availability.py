"""When an operator can be used; where it cannot, its button says why."""

from __future__ import annotations

from .. import run, settings


def usable(operator, *hindrances: str) -> bool:
    """Whether nothing stands in the way of an operator; else its tooltip has the first hindrance that is not empty."""
    reason = next(filter(None, hindrances), "")
    if reason:
        operator.poll_message_set(reason)
    return not reason


def lacking(thing, reason: str) -> str:
    """The reason, unless the thing is there."""
    return "" if thing else reason


def running() -> str:
    """Why nothing else can start, while a run is under way."""
    return lacking(run.active is None, "A run is under way: wait for it, or cancel it")


def editing(context) -> str:
    """Why objects cannot be changed, outside of object mode."""
    return lacking(context.mode == "OBJECT", "Leave the edit mode first (Tab)")


def linked(context) -> str:
    """Why the settings of the active object cannot be changed, if it belongs to another file."""
    is_local = context.object is None or context.object.library is None
    return lacking(is_local, "The active object is linked from another file: make it local, or a library override")


def no_shape(context) -> str:
    """Why there is nothing to act on, unless the active object is something that can be broken."""
    found = context.object is not None and context.object.type in settings.BREAKABLE
    return lacking(found, "Make a mesh the active object")


def no_mesh(context) -> str:
    """Why there is nothing to act on, unless the active object is a mesh."""
    return lacking(context.object is not None and context.object.type == "MESH", "Make a mesh the active object")
