"""Shear locking: walls of linear tetrahedra are too stiff if the tetrahedra are much wider than the wall is thick.

Under a curvature k, a linear tetrahedron of width w has a false shear strain of about k w / 4. The stiffness of a wall
of thickness t in bending is therefore 1 + 1.3 (w / t)^2 times the true one, for any number of elements through the
thickness. The elements of walls share stress with their neighbours (``fem/walls``), which leaves a fourteenth of the
error. Measured: walls are 1.3, 2.3 and 7 times too stiff if cells are 2, 4 and 8 times as wide as the wall is thick.
"""

from __future__ import annotations

from ...data.job import Body
from ...data.settings.settings import FillSettings
from ...data.surface import Surface, area, volume, wall_thickness
from .cell_sizes import Spread
from .tetrahedralize import CELLS_PER_SQUARE_SPACING, spacings

# Relative error of the bending stiffness, over the square of cell width over wall thickness. Measured, see above.
LOCKING = 0.09
# Smallest ratio of computed to true stiffness with a warning. It affects only the warning.
WORTH_A_WARNING = 3.0
# Cell width over wall thickness that the warning proposes: 1.3 times too stiff.
WIDE_ENOUGH = 2.0


def bending_error(surface: Surface, settings: FillSettings) -> float:
    """Return computed over true bending stiffness of a body's walls.

    Args:
        surface: Closed surface.
        settings: Number and distribution of the cells.

    Returns:
        1 if no wall is thinner than its cells.

    Notes:
        Own: measured, see above. The cause is shear locking (Zienkiewicz and Taylor 2000, The Finite Element Method).

    Example:
        A solid tetrahedron has no thin walls.

        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> bending_error(Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]), FillSettings())
        1.0
    """
    thick, thin = spacings(surface, settings.filling.cell_count, Spread.of(settings.filling))
    return 1.0 + LOCKING * (thin / _thickness(surface)) ** 2 if thin > thick else 1.0


def warnings(body: Body, surface: Surface) -> list[str]:
    """Return warnings about a body of linear tetrahedra whose walls are too stiff in bending.

    Args:
        body: The body.
        surface: Its closed surface.

    Returns:
        At most one sentence.
    """
    error = bending_error(surface, body.settings)
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
    return wall_thickness(volume(surface), area(surface))
