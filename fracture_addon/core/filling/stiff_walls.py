"""Walls that a method cannot bend: linear tetrahedra that are wider than the wall is thick.

Each has one shear strain where it should have none: about k w / 4 under a curvature k, where it is as wide as w. The
energy of that is added to the bending: 3.6, 6.5, 22 and 82 times the true one where cells are 1, 2, 4 and 8 times as
wide as the wall is thick, however many of them lie through it (measured; see docs/equations.md).
"""

from __future__ import annotations

from ..job import Body, Settings
from ..surface import Surface, area, volume
from ..tetrahedralize import CELLS_PER_SQUARE_SPACING, spacings
from .spread import Spread

# Methods of linear tetrahedra.
METHODS = ("fem",)
# Too much stiffness over the square of the cells' width over the wall's thickness.
LOCKING = 1.3
# Below this many times the true stiffness nobody is told.
WORTH_A_WARNING = 3.0


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
    wall, width = _thickness(surface), CELLS_PER_SQUARE_SPACING * area(surface)
    return [
        f"'{body.name}' bends about {error:.2g} times too stiffly: its cells are wider than its wall is thick "
        f"({wall:.2g} m); choose the method Network (--method network), or a detail of about "
        f"{float(f'{width / wall**2:.1g}'):,.0f} cells"
    ]


def _thickness(surface: Surface) -> float:
    """m, of a body that is all walls: twice its volume over its surface."""
    return 2.0 * volume(surface) / area(surface)
