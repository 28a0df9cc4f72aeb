"""Grips: hands, clamps and hooks that hold a part of an object and move."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .arrays import frozen, lengths
from .errors import SettingsError
from .pressure import check_load_factor


@dataclass(frozen=True)
class Grip:
    """A hand, a clamp or a hook that holds the part of a body within a sphere. The part follows the motion of the grip.

    Two grips that move relative to each other pull, twist or bend the body between them.

    Attributes:
        name: Name of the object.
        radius: m, radius of the sphere around ``track[0, :3]`` in rest space.
        track: (T, 7) pose of the middle of the grip on each frame, from the first one. A track that ends before the run
            lets go.
        stiffness: N/m, force on a rigid body per displacement of the grip, as of the skin of a hand or a rubber pad.
        load_factor: Largest load of the body over the critical load. It replaces ``stiffness``; 0: the stiffness
            determines the load.

    Raises:
        SettingsError: The radius or the stiffness is not positive and finite, or the load factor is negative or not
            finite.
    """

    name: str
    radius: float
    track: np.ndarray
    stiffness: float
    load_factor: float = 0.0

    def __post_init__(self) -> None:
        if not (self.radius > 0.0 and math.isfinite(self.radius)):
            raise SettingsError(f"the radius of the grip is {self.radius:g} m; scale it to a finite size above zero")
        if not (self.stiffness > 0.0 and math.isfinite(self.stiffness)):
            raise SettingsError(
                f"the stiffness of the grip is {self.stiffness:g} N/m; set it to a finite value above zero"
            )
        check_load_factor(self.load_factor)
        object.__setattr__(self, "track", frozen(self.track, np.float64, -1, 7))

    @property
    def center(self) -> np.ndarray:
        """Middle (3,) m in rest space."""
        return self.track[0, :3]

    def holds(self, points: np.ndarray) -> np.ndarray:
        """Return (K,) bool, the points (K, 3) m of rest space in the sphere."""
        return lengths(points - self.center) <= self.radius
