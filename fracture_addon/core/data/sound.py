"""Sounds that make objects resonate."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .arrays import frozen
from .errors import SettingsError
from .pressure import check_load_factor

# Pa, sound pressure of 0 dB in air, root mean square (ISO 1683).
HEARING_THRESHOLD = 20e-6
# dB, largest level of a sound: its peak is 1.4 times the pressure of the air, below which no vacuum can go.
HIGHEST_LEVEL = 194.0


@dataclass(frozen=True)
class Sound:
    """A steady tone of a loudspeaker or a singer, which makes every rigid body vibrate that it reaches.

    Attributes:
        name: Name of the object.
        frame: First frame of the tone.
        last_frame: Last frame of the tone.
        point: (3,) m, in the world on the first frame of the tone.
        frequency: Hz; 0: each body gets the own frequency at which it rings.
        level: dB at a distance of 1 m.
        load_factor: Load at full resonance over the critical load. It replaces ``level``; 0: the level determines the
            load.

    Raises:
        SettingsError: The frequency is negative, the level is too high, or one of the values is not finite.
    """

    name: str
    frame: int
    last_frame: int
    point: np.ndarray
    frequency: float
    level: float
    load_factor: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.frequency < math.inf:
            raise SettingsError(
                f"the frequency of the sound is {self.frequency:g} Hz; set it to a finite value above zero, or to 0 "
                "for the own frequency of the object"
            )
        if not -math.inf < self.level <= HIGHEST_LEVEL:
            raise SettingsError(f"the level of the sound is {self.level:g} dB; set it to {HIGHEST_LEVEL:g} dB or less")
        if self.last_frame < self.frame:
            raise SettingsError(
                f"the sound ends on frame {self.last_frame}, before its frame {self.frame}; set its Last Frame to 0 or "
                "to a later frame"
            )
        check_load_factor(self.load_factor)
        object.__setattr__(self, "point", frozen(self.point, np.float64, 3))

    @property
    def pressure(self) -> float:
        """Peak of the sound pressure at a distance of 1 m, Pa."""
        return peak_pressure(self.level)


def peak_pressure(level: float) -> float:
    """Return the peak pressure, Pa, of a tone with a level in dB.

    Args:
        level: dB.

    Returns:
        The root mean square times the square root of 2.

    Notes:
        ISO 1683: 0 dB are 20 micropascals.

    Example:
        >>> round(peak_pressure(94.0), 2)
        1.42
    """
    return math.sqrt(2.0) * HEARING_THRESHOLD * 10.0 ** (level / 20.0)
