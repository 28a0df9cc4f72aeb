"""Plastic flow of the bonds of a ductile body under an impact that does not break it: the dent that stays.

The contact approaches in small steps until it has taken the energy of the impact. The force F follows from the approach
x: F = (x - x_p) / c, with the compliance c of the body and the part x_p of the approach that plastic flow causes. In
each step, bonds flow where their stress is above the yield strength, and the body moves into equilibrium with the same
stiffness (initial stress method, Zienkiewicz, Valliappan and King 1969). The equations are those of small
displacements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...data.impact import Impact
from ...data.material import Material
from ...data.settings.settings import StrikeSettings
from ...data.solid import SolidModel
from .advance import initial_state
from .full_glue import FullGlue
from .model import Model
from .solver.equilibrium import Equilibrium, balanced

# Number of steps from the approach at which the first bond yields to the one of an elastic body; growth of each step
# over the one before, because plastic flow lets the contact approach further.
STEPS, GROWTH = 40, 1.03
# Most steps.
MOST_STEPS = 200
# Relative residual of the equilibrium of a step.
RESIDUAL = 1e-3
# Smallest stress treated as nonzero, Pa.
TINY = 1e-300


def dent(
    model: Model,
    solid: SolidModel,
    material: Material,
    settings: StrikeSettings,
    impacts: Sequence[Impact],
    most: float,
    solver: FullGlue,
) -> np.ndarray:
    """Return the permanent displacement of a body's points by impacts; see ``Method.dent``."""
    impact_load, state = initial_state(model, impacts, settings, solver)
    glue = state.glue
    assert isinstance(glue, FullGlue)
    if not state.compliance:
        return np.zeros_like(solid.points)
    contact = impact_load.contact(impact_load.speed_change / impact_load.impulse, state.compliance)
    energy = 0.5 * (impact_load.load_factor * contact.speed) ** 2 / contact.mobility
    unit_load = balanced(glue.equilibrium.bonds, state.parts, state.pressure)
    unit = glue.equilibrium.displacement.copy()
    flow = Flow(glue.equilibrium, material)
    force, peak = 1.0 / flow.overload(unit), math.sqrt(2.0 * energy / state.compliance)
    approach, work = force * state.compliance, 0.5 * force**2 * state.compliance
    step = (peak - force) * state.compliance / STEPS
    for _ in range(MOST_STEPS if step > 0.0 else 0):
        flowed = float(unit_load @ flow.displacement)
        before, approach = force, approach + step
        force = max((approach - flowed) / state.compliance, 0.0)
        work += 0.5 * step * (before + force)
        flow.advance(force * unit)
        if work >= energy or flowed >= most:
            break
        step *= GROWTH
    return _of_points(flow.displacement.reshape(-1, 6), solid, model)


class Flow:
    """Plastic flow at the quadrature points of bonds.

    The equivalent stress of a bond is that of von Mises for its traction: sqrt(normal^2 + 3 shear^2).

    Attributes:
        displacement: (6C,) m, displacement of the cells that remains without a load.
        strain: (F, 3) equivalent plastic strain.

    Args:
        equilibrium: Solver of the unbroken body; its displacement changes.
        material: Yield strength, hardening and stiffness.
    """

    def __init__(self, equilibrium: Equilibrium, material: Material):
        bonds = self._bonds = equilibrium.bonds
        self._equilibrium, self._material, self._derivatives = equilibrium, material, bonds.jumps()
        # m, plastic part of the displacement jumps.
        self._flowed = np.zeros((len(bonds.areas), 3, 3))
        self.strain = np.zeros((len(bonds.areas), 3))
        self.displacement = np.zeros(6 * bonds.cell_count)

    def overload(self, displacement: np.ndarray) -> float:
        """Return the largest equivalent stress over the yield strength at elastic displacements (6C,) m."""
        return float(
            self._equivalent(self._bonds.pulls(self._jumps(displacement))).max() / self._material.yield_strength
        )

    def advance(self, loaded: np.ndarray) -> None:
        """Let bonds flow, and move the body into equilibrium; ``loaded`` (6C,) m is its elastic displacement."""
        material = self._material
        elastic = self._jumps(loaded + self.displacement) - self._flowed
        stress = self._equivalent(self._bonds.pulls(elastic))
        excess = np.maximum(stress - material.yield_strength - material.hardening * self.strain, 0.0)
        increase = excess / (material.young_modulus + material.hardening)
        self.strain += increase
        self._flowed += (material.young_modulus * increase / np.maximum(stress, TINY))[..., None] * elastic
        pulls = self._bonds.pulls(self._flowed) * (self._bonds.areas / 3.0)[:, None, None]
        of_bonds = np.einsum("nqia,nqi->na", self._derivatives, pulls, optimize=True).reshape(-1, 6)
        cells = self._bonds.pairs.ravel()
        load = np.stack([np.bincount(cells, column, self._bonds.cell_count) for column in of_bonds.T], axis=1)
        self._equilibrium.displacement[:] = self.displacement
        self.displacement = self._equilibrium.solve(load.ravel(), RESIDUAL).copy()

    def _jumps(self, displacement: np.ndarray) -> np.ndarray:
        """Return the displacement jumps (F, 3, 3) m at the quadrature points."""
        of_bonds = displacement.reshape(-1, 6)[self._bonds.pairs].reshape(-1, 12)
        return np.einsum("nqia,na->nqi", self._derivatives, of_bonds, optimize=True)

    def _equivalent(self, tractions: np.ndarray) -> np.ndarray:
        """Return the equivalent stress (F, 3) of tractions, Pa."""
        normal = (tractions * self._bonds.normals[:, None]).sum(axis=-1)
        return np.sqrt(np.maximum(3.0 * (tractions**2).sum(axis=-1) - 2.0 * normal**2, 0.0))


def _of_points(freedoms: np.ndarray, solid: SolidModel, model: Model) -> np.ndarray:
    """Return the displacement (P, 3) m of a solid's points: the mean of the cells around each; 0 without a cell.

    Args:
        freedoms: (C, 6) m, displacements and rotations of the cells; rotations are scaled by the cell size.
        solid: The solid.
        model: Its model.
    """
    arms = solid.points[solid.cells] - model.cells.centers[:, None]
    of_corners = freedoms[:, None, :3] + np.cross(freedoms[:, None, 3:] / model.cell_size, arms)
    points = solid.cells.ravel()
    sums = [np.bincount(points, column, len(solid.points)) for column in of_corners.reshape(-1, 3).T]
    return np.stack(sums, axis=1) / np.maximum(np.bincount(points, minlength=len(solid.points)), 1)[:, None]
