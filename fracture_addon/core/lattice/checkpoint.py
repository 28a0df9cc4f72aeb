"""Long runs that survive being killed (Sweeney et al. 1991, section 3: "the ability to restart is essential")."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np

from .. import arrays
from . import dynamics
from .collisions import Contacts
from .dynamics import Surroundings
from .state import Model, State

# What the surroundings are at a time in seconds.
Course = Callable[[float], Surroundings]


@dataclass(frozen=True)
class Checkpoint:
    """A state, and how many frames of the run it has behind it."""

    frame: int
    state: State


def save(path: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint; a half-written one never takes the place of the last."""
    part = path.with_suffix(".part")
    arrays.save(part, checkpoint)
    os.replace(part, path)


def load(path: Path) -> Checkpoint:
    """Read back a checkpoint; its arrays can be changed."""
    checkpoint = arrays.load(path, Checkpoint)
    state = _writable(checkpoint.state)
    return replace(checkpoint, state=replace(state, contacts=_writable(state.contacts)))


def run_frames(
    model: Model,
    state: State,
    course: Course,
    *,
    seconds: float,
    count: int,
    path: Path,
    interval: int,
    after: Callable[[int, State], None] | None = None,
    integrator: str = "leapfrog",
) -> State:
    """Go on frame by frame, leaving a checkpoint now and then; from the last one, if it is there.

    A run that was killed and is called again with the same arguments ends with the same bytes.

    Args:
        model: The lattices.
        state: At the start of the run.
        course: What acts from outside, asked at the start of each frame.
        seconds: Of a frame, cut into equal steps.
        count: Frames of the whole run.
        path: Of the checkpoint.
        interval: Frames between checkpoints.
        after: Called with the number of each frame that is done, and its state.
        integrator: See ``dynamics.advance``.

    Returns:
        The state at the end.
    """
    first = 0
    if path.exists():
        checkpoint = load(path)
        first, state = checkpoint.frame, checkpoint.state
    for frame in range(first, count):
        surroundings = course(state.time)
        steps = int(np.ceil(seconds / dynamics.checked_step(model, None, surroundings.stiffness)))
        dynamics.run(model, state, surroundings, seconds / steps, steps, integrator)
        if after:
            after(frame, state)
        if (frame + 1) % interval == 0:
            save(path, Checkpoint(frame + 1, state))
    return state


def _writable(value: State | Contacts):
    copies = {item.name: getattr(value, item.name) for item in fields(value)}
    return type(value)(**{name: item.copy() if isinstance(item, np.ndarray) else item for name, item in copies.items()})
