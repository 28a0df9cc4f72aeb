"""Closed surfaces that a cut makes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .surface import Surface


@dataclass(frozen=True)
class CutPart:
    """One connected part of a fragment, cut from the artist's surface.

    Attributes:
        label: The fragment's label.
        surface: Closed, wound outwards, in the space of the surface that was cut. ``face_source`` is the cut surface's
            own for its parts, and -1 for faces that the crack made.
        interior: (F,) bool, faces that this crack or an earlier one made.
    """

    label: int
    surface: Surface
    interior: np.ndarray
