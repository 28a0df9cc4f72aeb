"""Forces in full bonds, which carry force and moment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numba import njit

from ...data.impact import Schedule
from ...data.job import Settings
from ...data.material import Material
from ...data.solid import SolidModel
from ...numerics.sparse.blocks import CHAINS, side_by_side
from ..rigid_parts import Cells, Parts
from .bonds.full_bonds import FullBonds, build_full_bonds, jump
from .glue import COMPRESSION_FACTOR, Glue
from .load_steps import by_ratio
from .selection import select_breaks
from .solver.equilibrium import RESIDUAL, Equilibrium, balanced
from .tempering import tempering

# How much of the squared shear stress counts beside the squared tension.
SHEAR_SHARE = 0.25


class FullGlue(Glue):
    """Forces from full bonds; what a bond bears is a stress in pascals.

    Args:
        bonds: The glue.
        prestress: (F, 3) normal stress at the quadrature points that bonds would have if no cell moved, Pa, tension
            positive; ``None`` for none. It is the paper's kC (Smith et al. 2001, section 3.1): tractions are
            C^-1 (J d - e) with e the misfit of each bond, so -e's load J^T C^-1 e moves the cells until all balance.
    """

    def __init__(self, bonds: FullBonds, prestress: np.ndarray | None = None):
        self._bonds = bonds
        self._prestress, self.is_prestressed = prestress, prestress is not None
        self._equilibrium = Equilibrium(bonds)
        self._alive = np.ones(len(bonds.areas), bool)
        self._residual_displacement = np.zeros_like(self._equilibrium.displacement)

    @classmethod
    def of(cls, solid: SolidModel, material: Material, cells: Cells, settings: Settings, wall: float) -> FullGlue:
        """Build the glue of a solid; ``settings.tempering`` is its prestress."""
        bonds = replace(build_full_bonds(solid, material), cells=cells)
        return cls(bonds, tempering(solid, settings.tempering, wall) if settings.tempering > 0.0 else None)

    def copy(self) -> FullGlue:
        """Return one that can be broken while this stays whole; they share the factor of the stiffness."""
        result = FullGlue.__new__(FullGlue)
        result._bonds, result._alive, result._prestress = self._bonds, self._alive.copy(), self._prestress
        result.is_prestressed = self.is_prestressed
        result._equilibrium = self._equilibrium.copy()
        result._residual_displacement = self._residual_displacement.copy()
        result.work = self.work
        return result

    def make_ready(self) -> None:
        """See ``Equilibrium.make_ready``."""
        self._equilibrium.make_ready()

    def solve(self, parts: Parts, forces: np.ndarray, residual: float = RESIDUAL) -> None:
        """Find what every bond bears under (C, 3) forces on the cells, newtons, and the ``work`` of these, joules."""
        if self.is_prestressed:
            # The same stiffness under another load: what the prestress alone does, kept apart as it does not scale.
            loaded = self._equilibrium.displacement
            self._equilibrium.displacement = self._residual_displacement
            self._residual_displacement = self._equilibrium.solve(self._misfit_load(), residual)
            self._equilibrium.displacement = loaded
        load = balanced(self._bonds, parts, forces)
        self.work = float(self._equilibrium.solve(load, residual) @ load)

    def scale(self, factor: float) -> None:
        """Multiply the displacement under the load."""
        self._equilibrium.displacement *= factor

    def remove(self, rows: np.ndarray) -> None:
        """Break bonds."""
        self._alive[rows] = False
        self._equilibrium.remove(rows)

    def burden(self, factor: float = 1.0) -> np.ndarray:
        """(F,) stress to hold against the tensile strength, Pa: tension with shear, or an eighth of the pressure.

        Under ``factor`` times the present load.
        """
        displacement = factor * self._equilibrium.displacement + self._residual_displacement
        bonds, result = self._bonds, np.empty(len(self._alive))
        prestress = self._prestress if self.is_prestressed else np.zeros((1, 3))
        stiffness = bonds.normal_stiffness, bonds.shear_stiffness
        arguments = displacement.reshape(-1, 6), bonds.pairs, bonds.arms, bonds.normals, *stiffness, prestress
        ends = np.arange(CHAINS + 1) * len(result) // CHAINS
        side_by_side(lambda chain: _burden_kernel(*ends[chain : chain + 2], *arguments, self._alive, result))
        return result

    def burden_readable(self, factor: float = 1.0) -> np.ndarray:
        """The same in NumPy."""
        displacement = factor * self._equilibrium.displacement + self._residual_displacement
        normal, shear = self._bonds.tractions(displacement)
        if self.is_prestressed:
            normal = normal + self._prestress
        tension = np.where(normal > 0.0, np.sqrt(normal**2 + SHEAR_SHARE * shear**2), -normal / COMPRESSION_FACTOR)
        return np.where(self._alive, tension.max(axis=1), 0.0)

    @staticmethod
    def strengths(stress: np.ndarray, areas: np.ndarray, volumes: np.ndarray) -> np.ndarray:
        """Return the tensile strength: full bonds bear stress."""
        return stress

    @staticmethod
    def stress(burden: np.ndarray, areas: np.ndarray) -> np.ndarray:
        """Return the burden: full bonds bear stress."""
        return burden

    @staticmethod
    def paper_floor(lowest: np.ndarray) -> np.ndarray:
        """Return the share under the full amount of the lobe."""
        return lowest

    @staticmethod
    def load_steps(critical: float, peak: float, schedule: Schedule, count: int) -> Iterator[tuple[float, float]]:
        """Yield steps of equal ratios; the next step may remain as overload, and none after the last."""
        levels = by_ratio(critical, peak)
        yield from ((low, high / low) for low, high in pairwise(levels))
        yield levels[-1], 1.0

    @staticmethod
    def advances(most: int) -> int:
        """Return as many as make sense."""
        return most

    select = staticmethod(select_breaks)

    def _misfit_load(self) -> np.ndarray:
        """J^T C^-1 e (6C,) of what still holds."""
        bonds = self._bonds
        pull = np.where(self._alive[:, None], self._prestress, 0.0) * (bonds.areas / 3.0)[:, None]
        each = -np.einsum("fq,fi,fqia->fa", pull, bonds.normals, bonds.jumps(), optimize=True).reshape(-1, 2, 6)
        load = np.zeros((bonds.cell_count, 6))
        for side in range(2):
            np.add.at(load, bonds.pairs[:, side], each[:, side])
        return load.ravel()


@njit(cache=True, nogil=True)
def _burden_kernel(first, end, freedoms, pairs, arms, normals, pull, slide, prestress, alive, result):
    """Write the burden of the bonds ``first`` to ``end``; ``prestress`` (F, 3), or one row of zeros for none."""
    for bond in range(first, end):
        most = 0.0
        if alive[bond]:
            for point in range(3):
                along, across = jump(freedoms, pairs, arms, normals, bond, point)
                normal = pull[bond] * along + prestress[bond % len(prestress), point]
                shear = slide[bond] * across
                burden = -normal / COMPRESSION_FACTOR
                if normal > 0.0:
                    burden = np.sqrt(normal * normal + SHEAR_SHARE * shear * shear)
                most = max(most, burden)
        result[bond] = most
