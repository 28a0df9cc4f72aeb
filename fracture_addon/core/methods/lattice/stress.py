"""Stress preview: stress and cracks inside a lattice during the impact window."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...data.impact import Impact
from ...data.progress import ShareProgress
from ...data.settings.settings import StrikeSettings
from ...data.solid import SolidModel
from ...data.stress_window import MOST_MOMENTS, NO_CRACK, CellMoments, StressWindow, window_of_cells
from ..method import Solver
from .fragment_labels import label_cells
from .impact_window import follow
from .model import BodyModel
from .state import State
from .tension import tension


def stress_window(
    body: BodyModel,
    solid: SolidModel,
    settings: StrikeSettings,
    impacts: Sequence[Impact],
    progress: ShareProgress | None = None,
    solver: Solver | None = None,
) -> StressWindow:
    """Record stress, displacements and cracks during simultaneous impacts; see ``table.stress_window``."""
    lattice, pairs = body.model.lattice, solid.face_cells
    modulus = float(body.model.stiffness[0] / lattice.stiffness[0])
    times: list[float] = []
    stress: list[np.ndarray] = []
    displacements: list[np.ndarray] = []
    crack = np.full(len(pairs), NO_CRACK, np.int32)

    def watch(state: State, share: float) -> None:
        if len(times) == MOST_MOMENTS or share < len(times) / MOST_MOMENTS:
            return
        broken = ~state.valid[body.owners]
        crack[(crack == NO_CRACK) & broken[pairs].any(axis=1)] = len(times)
        times.append(state.time)
        largest_tension = np.zeros(lattice.node_count)
        tensions = np.where(state.alive, tension(body.model, state), 0.0)
        for ends in lattice.bonds.T:
            np.maximum.at(largest_tension, ends, tensions)
        stress.append(modulus * largest_tension[body.corners].mean(axis=1))
        shift = state.positions - lattice.points
        displacements.append((shift - body.model.masses @ shift / body.model.masses.sum())[body.corners])

    state = follow(body, impacts, breaking=True, progress=progress, watch=watch).state
    label = label_cells(body, state.valid, settings.pieces.dust_rule.merges, settings.seed)
    # The cells at these faces stayed intact, or broke after the last recorded moment.
    crack[crack == NO_CRACK] = len(times) - 1
    moments = CellMoments(np.array(times), np.stack(stress), np.stack(displacements), crack)
    return window_of_cells(solid, label, moments)
