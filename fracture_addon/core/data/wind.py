"""Wind on deformable bodies."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .arrays import frozen


@dataclass(frozen=True)
class Wind:
    """A field of air velocity.

    Attributes:
        kind: ``uniform`` (along ``direction``), ``vortex`` (around the axis ``direction`` through ``point``, with the
            same speed everywhere) or ``turbulence`` (random directions).
        point: (3,) m, in the world.
        direction: (3,) unit vector.
        speed: m/s; for turbulence, about the largest value of each component of the velocity.
        size: m, size of the eddies of turbulence.
        gusts: Relative amplitude of changes in speed, 0 to 1.
        seed: Seed of turbulence and gusts.
    """

    kind: str
    point: np.ndarray = field(default_factory=lambda: np.zeros(3))
    direction: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    speed: float = 1.0
    size: float = 1.0
    gusts: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", frozen(self.point, np.float64, 3))
        object.__setattr__(self, "direction", frozen(self.direction, np.float64, 3))
