"""Steps that the panel's hint line names until the artist has done each once.

The preferences store which steps were done. A checkout without preferences stores them for the session.
"""

from __future__ import annotations

from .. import extension

# Steps by name, each with the hint that names it.
STEPS = {
    "SHATTER": "Next: press Shatter",
    "PLAY": "Next: play the break (Space)",
    "VARY": "Next: change Violence or Seed, and press Shatter again",
}

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


def hint(is_broken: bool) -> str:
    """Return the hint for an object with or without a result; empty if the artist knows the next step."""
    steps = ("PLAY", "VARY") if is_broken else ("SHATTER",)
    return next((STEPS[step] for step in steps if not is_done(step)), "")
