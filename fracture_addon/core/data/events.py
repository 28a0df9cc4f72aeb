"""Events of a run for sound, dust and sparks: what happened when, where, to which body, and with what energy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np

from .arrays import ReadOnlyArrays

# Kinds of events; ``Events.kinds`` has their rows. Break: a contact, an impact of the artist or a blast that broke a
# body or a fragment. The others broke nothing. Collision: a contact of a fragment. Impact: a contact of unbroken
# bodies, an impact of the artist or a blast.
KINDS = ("impact", "break", "collision")
IMPACT, BREAK, COLLISION = range(len(KINDS))


@dataclass(frozen=True)
class Events(ReadOnlyArrays):
    """Events in the order of time.

    Attributes:
        frames: (N,) int32, first frame that shows the event.
        times: (N,) s since the first frame of the run.
        points: (N, 3) m, in the world.
        energies: (N,) J, energy of the contact at its greatest compression; of an impact without contact, the kinetic
            energy that it gives to a free body at rest.
        bodies: (N,) int32, rows of ``Recording.bodies``: the body that broke, or one of those that touched.
        kinds: (N,) int32, rows of ``KINDS``.
    """

    frames: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))
    times: np.ndarray = field(default_factory=lambda: np.empty(0))
    points: np.ndarray = field(default_factory=lambda: np.empty((0, 3)))
    energies: np.ndarray = field(default_factory=lambda: np.empty(0))
    bodies: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))
    kinds: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))

    def __len__(self) -> int:
        """Return the number of events."""
        return len(self.frames)

    def rows(self, chosen: np.ndarray) -> Events:
        """Return some events; ``chosen`` is a mask (N,) or an array of rows."""
        return Events(*(getattr(self, item.name)[chosen] for item in fields(self)))

    def with_bodies(self, rows: Sequence[int] | np.ndarray) -> Events:
        """Return the events with other rows of their bodies: ``rows[body]`` for each body."""
        return replace(self, bodies=np.asarray(rows, np.int32)[self.bodies])
