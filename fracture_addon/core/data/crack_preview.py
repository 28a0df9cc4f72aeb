"""Cracks of an impact on the surface of a body, for previews."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import frozen


@dataclass(frozen=True)
class BodyCracks:
    """Cracks of one body after its first break.

    Attributes:
        points: (P, 3) m, rest space.
        lines: (L, 2) int32, rows of ``points``: lines of the cracks on the surface.
        piece_count: Number of fragments; 1 if the body does not break, 0 while it breaks.
        load_factor: Largest load of the impacts over the critical load; 0 without an impact.
        critical_force: N, smallest force that breaks something; 0 without an impact.
        cell_size: m, spacing of the points of the cells.
    """

    points: np.ndarray
    lines: np.ndarray
    piece_count: int
    load_factor: float
    critical_force: float
    cell_size: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", frozen(self.points, np.float64, -1, 3))
        object.__setattr__(self, "lines", frozen(self.lines, np.int32, -1, 2))


@dataclass(frozen=True)
class Cracks:
    """Result of a crack preview: one entry for each body of the job, in its order."""

    bodies: tuple[BodyCracks, ...]
