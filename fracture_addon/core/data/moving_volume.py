"""Volumes that let held pieces go or stop moving ones when they reach them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import ReadOnlyArrays
from .errors import SettingsError
from .surface import Surface


@dataclass(frozen=True)
class MovingVolume(ReadOnlyArrays):
    """A volume that moves and grows.

    Attributes:
        name: Name of the object.
        matrices: (T, 4, 4) from its own space to the world on each frame, m. A singular matrix: it is empty there.
        surface: Its shape in its own space. An open surface only reaches what it passes. ``None``: the unit sphere.
    """

    name: str
    matrices: np.ndarray
    surface: Surface | None = None


@dataclass(frozen=True)
class Freeze:
    """A volume that stops the moving fragments that it reaches, and holds them in the world until its last frame.

    It stops each fragment once: one that it has let go, and all that it breaks into, move on.

    Attributes:
        volume: The volume.
        first_frame: First frame on which it stops fragments.
        last_frame: Last frame on which it holds them.

    Raises:
        SettingsError: It ends before it starts.
    """

    volume: MovingVolume
    first_frame: int
    last_frame: int

    def __post_init__(self) -> None:
        """Check the order of the frames."""
        if self.last_frame < self.first_frame:
            raise SettingsError(
                f"The freeze lets go on frame {self.last_frame}, before it starts on frame {self.first_frame}; choose "
                "a later frame, or 0 to hold on"
            )
