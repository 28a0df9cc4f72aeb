"""What the bonds of a network bear, and where they have broken, from level to level of the load."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...data.impact import Impact
from ...data.job import Settings
from ...data.solid import SolidModel
from ...data.stress import NO_CRACK, CellMoments, StressWindow, chosen_moments, window_of_cells
from ..method import Progress
from . import fracture, loading
from .model import Model


def stress_window(
    model: Model, solid: SolidModel, settings: Settings, impacts: Sequence[Impact], progress: Progress | None = None
) -> StressWindow:
    """What goes on in a body during impacts that fall together; see ``method.strike``.

    A cell's stress is the greatest that its bonds bear. At each level of the load there is a moment before, and one
    after what broke.
    """
    blow, state = fracture.initial_state(model, impacts, settings)
    critical, peak = loading.next_failure(state), blow.violence * blow.peak
    times: list[float] = []
    stress: list[np.ndarray] = []
    alive: list[np.ndarray] = []

    def take() -> None:
        greatest, borne = (
            np.zeros(solid.cell_count),
            np.where(state.alive, state.glue.stress(state.burden(), model.areas), 0.0),
        )
        for cell in model.pairs.T:
            np.maximum.at(greatest, cell, borne)
        times.append(state.time * max(impact.duration for impact in impacts))
        stress.append(greatest)
        alive.append(state.alive.copy())

    if peak < critical:
        state = fracture.advance(model, state, blow, peak)
        take()
    for load, overload in loading.loads(state, blow, critical, settings):
        state = fracture.advance(model, state, blow, load)
        take()
        state = fracture.break_up(model, state, blow, settings, overload)
        take()
        if progress:
            progress(load / peak)
        if fracture.is_spent(model, state, blow):
            break
    rows = chosen_moments(len(times))
    broken = ~np.stack([alive[row] for row in rows])
    crack = np.where(broken.any(axis=0), broken.argmax(axis=0), NO_CRACK)
    moments = CellMoments(np.array(times)[rows], np.stack(stress)[rows], None, crack)
    return window_of_cells(solid, state.parts.part_of_cell, moments)
