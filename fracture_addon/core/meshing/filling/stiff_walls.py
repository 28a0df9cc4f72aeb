"""Walls that a method cannot bend: linear tetrahedra that are much wider than the wall is thick.

Each has one shear strain where it should have none: about k w / 4 under a curvature k, where it is as wide as w. Alone
that makes walls bend 1 + 1.3 (w / t)^2 times too stiffly at the thickness t, however many elements lie through it. As
elements of walls share stress with their neighbours (``fem/walls``) a fourteenth of it is left: 1.3, 2.3 and 7 times
where cells are 2, 4 and 8 times as wide as the wall is thick (measured; see docs/equations.md).
"""

from __future__ import annotations

from ...data.job import Body, Settings
from ...data.surface import Surface, area, volume
from .cell_sizes import Spread
from .tetrahedralize import CELLS_PER_SQUARE_SPACING, spacings

# Methods of linear tetrahedra.
METHODS = ("fem",)
# Too much stiffness over the square of the cells' width over the wall's thickness.
LOCKING = 0.09
# Below this many times the true stiffness nobody is told.
WORTH_A_WARNING = 3.0
# Cells so many times as wide as the wall is thick bend it well enough.
WIDE_ENOUGH = 2.0


def bending_error(surface: Surface, settings: Settings) -> float:
    """How many times too stiffly the walls of a body bend; 1 where it has none that are thinner than its cells."""
    thick, thin = spacings(surface, settings.cell_count, Spread.of(settings))
    return 1.0 + LOCKING * (thin / _thickness(surface)) ** 2 if thin > thick else 1.0


def warnings(body: Body, surface: Surface) -> list[str]:
    """What to tell of a body whose walls bend too stiffly.

    Args:
        body: Its settings count.
        surface: Closed.
    """
    error = bending_error(surface, body.settings) if body.settings.method in METHODS else 1.0
    if error < WORTH_A_WARNING:
        return []
    wall = _thickness(surface)
    enough = CELLS_PER_SQUARE_SPACING * area(surface) / (WIDE_ENOUGH * wall) ** 2
    return [
        f"'{body.name}' bends about {error:.2g} times too stiffly: its cells are much wider than its wall is thick "
        f"({wall:.2g} m); choose the method Network (--method network), or a detail of about "
        f"{float(f'{enough:.1g}'):,.0f} cells"
    ]


def _thickness(surface: Surface) -> float:
    """m, of a body that is all walls: twice its volume over its surface."""
    return 2.0 * volume(surface) / area(surface)
