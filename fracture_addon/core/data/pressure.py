"""Pressure inside hollow objects."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .arrays import frozen
from .errors import SettingsError


@dataclass(frozen=True)
class InternalPressure:
    """Gas under pressure in a hollow body: a bottle, a pipe, a boiler.

    Attributes:
        name: Name of the object.
        frame: Frame on which the pressure acts.
        point: (3,) m, in the world on the first frame, in the hollow of a body. It moves with that body.
        pressure: Pa above the pressure of the air outside.
        load_factor: Load over the critical load. It replaces ``pressure``; 0: the pressure determines the load.

    Raises:
        SettingsError: The pressure is not positive and finite, or the load factor is negative or not finite.
    """

    name: str
    frame: int
    point: np.ndarray
    pressure: float
    load_factor: float = 0.0

    def __post_init__(self) -> None:
        if not (self.pressure > 0.0 and math.isfinite(self.pressure)):
            raise SettingsError(f"the pressure is {self.pressure:g} Pa; set it to a finite value above zero")
        check_load_factor(self.load_factor)
        object.__setattr__(self, "point", frozen(self.point, np.float64, 3))


def check_load_factor(factor: float) -> None:
    """Refuse a load factor that is negative or not finite.

    Raises:
        SettingsError: The message has the value.
    """
    if not 0.0 <= factor < math.inf:
        raise SettingsError(f"the load is {factor:g} times the critical load; set it to a finite value above zero")
