"""Steps that the panel's hint line names until the artist has done each once.

The preferences store which steps were done. A checkout without preferences stores them for the session.
"""

from __future__ import annotations

from .. import extension

# Steps by name, each with the hint that names it: up to 39 characters fit into the sidebar (measured).
STEPS = {
    "SHATTER": "Next: press Shatter",
    "PLAY": "Next: play the break (Space)",
    "VARY": "Next: change Violence, Shatter again",
    "EXPLODE": "Next: drag Exploded View",
}
# Hint for SHATTER where nothing can hit the object: these buttons take the place of Shatter.
WITHOUT_LOAD = "Next: press Drop It, Hit It or Blast It"

_of_session: set[str] = set()


def done(step: str) -> None:
    """Note that the artist has done a step."""
    chosen = extension.preferences()
    if chosen is None:
        _of_session.add(step)
    elif not is_done(step):
        chosen.done_steps = f"{chosen.done_steps} {step}".strip()


def is_done(step: str) -> bool:
    """Return whether the artist has done a step."""
    chosen = extension.preferences()
    return step in (_of_session if chosen is None else chosen.done_steps.split())


def hint(is_broken: bool, can_be_hit: bool, moves: bool = True) -> str:
    """Return the hint for an object; empty if the artist knows the next step.

    Args:
        is_broken: Whether the object has a result.
        can_be_hit: Whether the panel offers Shatter; else it offers the buttons that add a load.
        moves: Whether the result moves; the pieces of Fracture Only do not.
    """
    if not is_broken:
        return "" if is_done("SHATTER") else STEPS["SHATTER"] if can_be_hit else WITHOUT_LOAD
    first = "PLAY" if moves else "EXPLODE"
    steps = (first, "VARY") if can_be_hit else (first,)
    return next((STEPS[step] for step in steps if not is_done(step)), "")
