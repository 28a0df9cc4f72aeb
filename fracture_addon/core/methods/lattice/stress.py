"""Stress and cracks inside a lattice during the elastic window."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...data.impact import Impact
from ...data.job import Settings
from ...data.solid import SolidModel
from ...data.stress import MOST_MOMENTS, NO_CRACK, CellMoments, StressWindow, window_of_cells
from ..method import Progress
from .body import Body
from .impact_window import follow
from .labels import label_cells
from .state import State
from .tension import tension


def stress_window(
    body: Body, solid: SolidModel, settings: Settings, impacts: Sequence[Impact], progress: Progress | None = None
) -> StressWindow:
    """What goes on in a body during impacts that fall together; see ``method.strike``."""
    lattice, pairs = body.model.lattice, solid.face_cells
    modulus = float(body.model.stiffness[0] / lattice.stiffness[0])
    times: list[float] = []
    stress: list[np.ndarray] = []
    moves: list[np.ndarray] = []
    crack = np.full(len(pairs), NO_CRACK, np.int32)

    def watch(state: State, share: float) -> None:
        if len(times) == MOST_MOMENTS or share < len(times) / MOST_MOMENTS:
            return
        broken = ~state.valid[body.owners]
        crack[(crack == NO_CRACK) & broken[pairs].any(axis=1)] = len(times)
        times.append(state.time)
        pull = np.zeros(lattice.node_count)
        held = np.where(state.alive, tension(body.model, state), 0.0)
        for ends in lattice.bonds.T:
            np.maximum.at(pull, ends, held)
        stress.append(modulus * pull[body.corners].mean(axis=1))
        move = state.positions - lattice.points
        moves.append((move - body.model.masses @ move / body.model.masses.sum())[body.corners])

    state = follow(body, impacts, settings.violence, breaking=True, progress=progress, watch=watch).state
    label = label_cells(body, state.valid, settings.dust == "merge", settings.seed)
    # Cells that were whole to the end, or broke after the last moment.
    crack[crack == NO_CRACK] = len(times) - 1
    moments = CellMoments(np.array(times), np.stack(stress), np.stack(moves), crack)
    return window_of_cells(solid, label, moments)
