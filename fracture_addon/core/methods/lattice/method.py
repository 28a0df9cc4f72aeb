"""The lattice method: point masses joined by springs that break (Norton et al. 1991, Sweeney et al. 1991)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...data.impact import Impact
from ...data.progress import CrackWatch, ShareProgress
from ...data.settings.settings import StrikeSettings
from ...data.solid import outer_faces
from ..break_result import split, unbroken
from ..method import Break, Method, RigidMotion
from ..rigid_components import Cells
from ..surface_cracks import lines_on_surface
from .cells.discretise import discretise
from .cells.thin_bodies import discretise_thin
from .critical_load import KnownForces, critical_force
from .fragment_labels import cell_momenta, dust, label_cells
from .impact_window import follow
from .model import BodyModel, build
from .state import State
from .stress import stress_window
from .whole_shot import LatticeShot


def strike(
    body: BodyModel,
    settings: StrikeSettings,
    motion: RigidMotion,
    impacts: Sequence[Impact],
    *,
    progress: ShareProgress | None = None,
    watch: CrackWatch | None = None,
    solver: KnownForces | None = None,
) -> Break:
    """Break a body by simultaneous impacts; see ``table.strike``.

    A static or kinematic body is computed like a free one, because it breaks before the wave reaches its anchor. The
    fragments receive the momentum of the impacts without their load factor.
    """
    load_factor = sum(impact.peak_force for impact in impacts) / critical_force(body, settings, impacts, solver=solver)
    if load_factor <= 1.0:
        return unbroken(body.cells, impacts, motion, load_factor)

    def show(state: State, _share: float) -> None:
        if watch:
            watch(lambda: _crack_lines(body, state))

    found = follow(body, impacts, breaking=True, progress=progress, watch=show)
    valid, merge = found.state.valid, settings.pieces.dust_rule.merges
    crushed = label_cells(body, valid, merge, settings.seed, crushed=True) < 0
    label = label_cells(body, valid, merge, settings.seed)
    pairs = body.solid.face_cells
    impulses, spins = cell_momenta(body, found.state, label)
    result = split(
        body.cells,
        pairs,
        body.areas,
        label[pairs[:, 0]] == label[pairs[:, 1]],
        found.momentum_share * impulses,
        found.momentum_share * spins,
        motion,
        settings,
        load_factor=load_factor,
        solve_count=0,
    )
    count, volume = dust(body, found.state, settings.pieces.dust_volume)
    share = body.cells.masses @ crushed / body.cells.masses.sum()
    return replace(result, dust_count=count, dust_volume=volume, crushed=float(share))


def _crack_lines(body: BodyModel, state: State) -> np.ndarray:
    """Return the lines (L, 2, 3) m along which broken cells meet the surface."""
    solid, broken = body.solid, ~state.valid[body.owners]
    cracks = solid.faces[broken[solid.face_cells].any(axis=1)]
    return lines_on_surface(solid.points, cracks, outer_faces(solid.cells)[0])


class LatticeMethod(Method[BodyModel, KnownForces]):
    """Springs between the nodes of cells."""

    discretise = staticmethod(discretise)
    discretise_thin = staticmethod(discretise_thin)
    build = staticmethod(build)

    def solver(self, model: BodyModel) -> KnownForces:
        """Return an empty cache of critical forces."""
        return KnownForces()

    def cells(self, model: BodyModel) -> Cells:
        """Return the cells of the solid."""
        return model.cells

    critical_force = staticmethod(critical_force)
    strike = staticmethod(strike)
    stress_window = staticmethod(stress_window)
    whole_shot = staticmethod(LatticeShot)
