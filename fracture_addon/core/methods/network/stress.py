"""Stress preview of a network: stress and cracks at each load step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...data.impact import Impact
from ...data.progress import ShareProgress
from ...data.settings.settings import StrikeSettings
from ...data.solid import SolidModel
from ...data.stress_window import NO_CRACK, CellMoments, StressWindow, chosen_moments, window_of_cells
from .advance import initial_state
from .glue import Glue
from .impact_window import follow
from .model import Model


def stress_window(
    model: Model,
    solid: SolidModel,
    settings: StrikeSettings,
    impacts: Sequence[Impact],
    progress: ShareProgress | None = None,
    solver: Glue | None = None,
) -> StressWindow:
    """Return stress and cracks of a body during simultaneous impacts; see ``table.stress_window``.

    The stress of a cell is the largest stress of its bonds. Each round of breaks gives a moment before and one after
    it.
    """
    impact_load, state = initial_state(model, impacts, settings, solver)
    times: list[float] = []
    stress: list[np.ndarray] = []
    alive: list[np.ndarray] = []

    def record() -> None:
        largest = np.zeros(solid.cell_count)
        bond_stress = np.where(state.alive, state.glue.stress(state.burden(), model.areas), 0.0)[: model.tie_start]
        for cell in model.pairs[: model.tie_start].T:
            np.maximum.at(largest, cell, bond_stress)
        times.append(state.time)
        stress.append(largest)
        alive.append(state.alive[: model.tie_start].copy())

    for share in follow(model, state, impact_load, settings):
        record()
        if progress:
            progress(share)
    if not times:
        record()
    rows = chosen_moments(len(times))
    broken = ~np.stack([alive[row] for row in rows])
    crack = np.where(broken.any(axis=0), broken.argmax(axis=0), NO_CRACK)
    moments = CellMoments(np.array(times)[rows], np.stack(stress)[rows], None, crack)
    return window_of_cells(solid, state.parts.part_of_cell, moments)
