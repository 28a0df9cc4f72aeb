"""A variation: a run at low detail, as a small picture and a number of pieces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import ReadOnlyArrays


@dataclass(frozen=True)
class Variation(ReadOnlyArrays):
    """Result of a variation.

    Attributes:
        pixels: (H, W, 4) uint8 picture, the bottom row first; the background is transparent.
        piece_count: Number of pieces in the picture, whole bodies included.
        strengthened: Factor of ``Job.break_anyway`` on all impacts.
        deviation: m, mean distance of the cracks from the drawn ones; ``None`` without drawn cracks.
    """

    pixels: np.ndarray
    piece_count: int
    strengthened: float = 1.0
    deviation: float | None = None
