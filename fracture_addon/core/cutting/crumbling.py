"""Painted dust: at a break, the painted cells of an object come off as dust."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..data.solid import SolidModel, cell_volumes
from ..methods.method import Break
from ..numerics.components import components
from .chipping import divided


def crumbled(result: Break, solid: SolidModel, is_dust: np.ndarray) -> Break:
    """Return a break in which some cells are dust, with the velocity of their fragment.

    Cells that only dust connected to a fragment become further fragments.

    Args:
        result: Result of an impact.
        solid: Solid whose cells the result labels.
        is_dust: (C,) bool, the cells that become dust.

    Returns:
        The break; ``result`` itself if no cell or all of them become dust.

    Notes:
        Own: the artist chooses the dust, which then does not depend on the load.

    Example:
        One fragment of two cells, of which the second becomes dust.

        >>> from ..data.solid import from_cells
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
        >>> solid = from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], [])
        >>> still = np.zeros((1, 3))
        >>> whole = Break(np.zeros(2, np.int32), still, still, 1.0, 1, 0, 0.0, np.ones(1, bool))
        >>> found = crumbled(whole, solid, np.array([False, True]))
        >>> found.kept[found.fragment_of_cell].tolist(), found.dust_count
        ([True, False], 1)
    """
    labels = np.asarray(result.fragment_of_cell)
    stays = result.kept[labels] & ~is_dust
    if not is_dust.any() or not stays.any():
        return result
    one, other = solid.face_cells.T
    holds = (labels[one] == labels[other]) & (is_dust[one] == is_dust[other])
    found = divided(result, solid, components(solid.face_cells, len(labels), holds))
    dust = np.zeros(len(found.kept), bool)
    dust[found.fragment_of_cell[is_dust]] = True
    volumes = cell_volumes(solid.points, solid.cells)
    return replace(
        found,
        kept=found.kept & ~dust,
        dust_count=result.dust_count + int(np.count_nonzero(dust & found.kept)),
        dust_volume=result.dust_volume + float(volumes[result.kept[labels] & is_dust].sum() / volumes.sum()),
    )
