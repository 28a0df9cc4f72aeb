"""Hot and cold fluids that load bodies by the temperature that they bring."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .arrays import ReadOnlyArrays
from .errors import SettingsError
from .pressure import check_load_factor
from .surface import Surface

# Largest difference of temperatures, K. It refuses typing errors: lava and molten glass have 1,500 K.
MOST_DIFFERENCE = 5000.0


@dataclass(frozen=True)
class ThermalShock(ReadOnlyArrays):
    """A volume of hot or cold fluid that touches bodies from one frame on: water around a glass, or in it.

    Attributes:
        name: Name of the object.
        frame: Frame on which it touches the bodies.
        matrix: (4, 4) from its own space to the world on that frame, m.
        difference: K, temperature of the fluid minus that of the bodies; below zero for a cold fluid.
        transfer: W/(m2 K), heat flow per area and difference between the fluid and the surface.
        load_factor: Load over the critical load. It replaces the size of ``difference``, but not its sign; 0: the
            difference determines the load.
        surface: Its closed shape in its own space; ``None`` for the unit sphere.
        waits: Whether a body breaks when its stress reaches its strength, after heat has spread; else on the frame.

    Raises:
        SettingsError: The difference is zero or too large, the transfer is not positive and finite, the load factor is
            negative or not finite, or the volume has no size.
    """

    name: str
    frame: int
    matrix: np.ndarray
    difference: float
    transfer: float
    load_factor: float = 0.0
    surface: Surface | None = None
    waits: bool = True

    def __post_init__(self) -> None:
        if not 0.0 < abs(self.difference) <= MOST_DIFFERENCE:
            raise SettingsError(
                f"the temperature difference is {self.difference:g} K; set it above or below zero, at most to "
                f"{MOST_DIFFERENCE:g} K"
            )
        if not (self.transfer > 0.0 and math.isfinite(self.transfer)):
            raise SettingsError(f"the heat transfer is {self.transfer:g} W/(m² K); set it to a finite value above zero")
        check_load_factor(self.load_factor)
        if not abs(np.linalg.det(self.matrix[:3, :3])) > 0.0:
            raise SettingsError("the volume of the thermal shock has no size; scale it up")
        super().__post_init__()
