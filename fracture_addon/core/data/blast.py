"""Explosions in the air."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .arrays import frozen
from .errors import SettingsError
from .pressure import check_load_factor


@dataclass(frozen=True)
class Blast:
    """An explosion that loads every rigid body which it reaches.

    Attributes:
        frame: Frame of the explosion.
        point: (3,) m, in the world.
        charge: kg of TNT; 1 kg releases 4.184 MJ.
        load_factor: Peak load over the critical load. It replaces ``charge``; 0: the charge determines the load.

    Raises:
        SettingsError: The charge is not positive and finite, or the load factor is negative or not finite.
    """

    frame: int
    point: np.ndarray
    charge: float
    load_factor: float = 0.0

    def __post_init__(self) -> None:
        if not (self.charge > 0.0 and math.isfinite(self.charge)):
            raise SettingsError(f"the charge of a blast is {self.charge:g} kg; set it to a finite value above zero")
        check_load_factor(self.load_factor)
        object.__setattr__(self, "point", frozen(self.point, np.float64, 3))
