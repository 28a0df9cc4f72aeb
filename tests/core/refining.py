"""A way of breaking for tests: halves a solid as ``halving`` does, after having divided each of its cells in four."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fracture_addon.core.data.solid import CELL_FACES, SolidModel, cell_centers, from_cells
from tests.core import halving


def refined(solid: SolidModel) -> SolidModel:
    """The solid with a point in the middle of every cell; no face between two cells changes."""
    centers = cell_centers(solid.points, solid.cells)
    middle = np.broadcast_to(len(solid.points) + np.arange(solid.cell_count)[:, None, None], (solid.cell_count, 4, 1))
    cells = np.concatenate([solid.cells[:, CELL_FACES], middle], axis=2).reshape(-1, 4)
    return from_cells(np.concatenate([solid.points, centers]), cells, solid.padding_cells)


def strike(model, settings, motion, impacts, *, progress=None, watch=None, solver=None):
    solid, material = model
    finer = refined(solid)
    return replace(halving.strike((finer, material), settings, motion, impacts), solid=finer)


class Refining(halving.Halving):
    """Halving, on cells of its own."""

    strike = staticmethod(strike)
