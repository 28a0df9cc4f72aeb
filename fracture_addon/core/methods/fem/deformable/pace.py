"""When a deformable body takes small steps: while waves cross it, and while it may bounce."""

from __future__ import annotations

import numpy as np

from ..elements import Law
from ..state import Mesh

# Tension over strength below which no crack is near. An impact is slow if the stress of its wave stays below this
# ratio. From 0.005 to 0.5 all recordings keep their bytes; at 1 the fragments of a brick move 401 instead of 57 mm
# until they lie still.
CALM = 0.5
# A body that collides faster than ``BOUNCING`` (m/s) may bounce. Long steps would damp the bounce, so small steps
# follow the waves for ``BOUNCE_CROSSINGS`` crossings of the body. A brick of rubber moves 32, 32, 30 and 16 mm in ten
# frames at 0.25, 0.5, 1 and 50 m/s, and 29, 32, 27 and 29 mm at 2, 4, 8 and 400 crossings.
BOUNCING, BOUNCE_CROSSINGS = 0.5, 4.0


class Pace:
    """The time of a body, and until when it takes small steps.

    Args:
        mesh: The body at rest.
        law: Its largest stiffness.
        strength: Its tensile strength at this stiffness, Pa.

    Attributes:
        time: s, since the first frame.
        calm_from: s, time from which steps may be long.
    """

    def __init__(self, mesh: Mesh, law: Law, strength: float):
        diagonal = float(np.linalg.norm(np.ptp(mesh.rest[mesh.mass > 0.0], axis=0)))
        self._stiff_crossing = diagonal * float(np.sqrt(law.density / law.rigidity))
        self._stiff_slow = CALM * strength / (law.density * law.wave_speed)
        self.time, self.calm_from = 0.0, 0.0
        self.set_stiffness(1.0)

    def set_stiffness(self, factor: float) -> None:
        """Set the factor on the largest stiffness: waves in a softer body are slower."""
        root = float(np.sqrt(factor))
        self._crossing, self._slow = self._stiff_crossing / root, root * self._stiff_slow

    @property
    def slow(self) -> float:
        """Change of velocity, m/s, whose wave brings no crack near."""
        return self._slow

    @property
    def hard(self) -> float:
        """Velocity, m/s, above which a collision may crack the body or let it bounce."""
        return min(self._slow, BOUNCING)

    @property
    def is_calm(self) -> bool:
        """Whether no wave is followed now."""
        return self.time >= self.calm_from

    def watch_wave(self, start: float | None = None) -> None:
        """Take small steps while a wave crosses the body, from a time in s or from now."""
        self._watch(self.time if start is None else start, self._crossing)

    def watch_bounce(self, start: float | None = None) -> None:
        """Take small steps while the body bounces, from a time in s or from now."""
        self._watch(self.time if start is None else start, BOUNCE_CROSSINGS * self._crossing)

    def _watch(self, start: float, seconds: float) -> None:
        self.calm_from = max(self.calm_from, start + seconds)
