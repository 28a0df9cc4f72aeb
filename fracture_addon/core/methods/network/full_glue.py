"""Forces of full bonds, which transmit forces and moments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numba import njit

from ...data.material import COMPRESSION_FACTOR, Material
from ...data.settings.settings import ModelSettings
from ...data.solid import SolidModel
from ...fields.prior_stress import has_prior_stress, prior_stress
from ...fields.strength import SHEAR_SHARE
from ...numerics.sparse.block_matrix import CHAINS, side_by_side
from ..rigid_components import Cells, RigidComponents
from .bonds.full_bonds import NO_FIBRES, THINNEST_BOND, FullBonds, build_full_bonds, jump_vector
from .free_strain import BondStrain, bond_strain
from .glue import Glue
from .selection import select_breaks
from .solver.equilibrium import NONE_HELD, RESIDUAL, Equilibrium, balanced
from .tempering import tempering

# Prestress or misfit of bonds without one.
NOTHING = np.zeros((1, 3))


class FullGlue(Glue):
    """Forces of full bonds, which transmit forces and moments. The burden of a bond is a stress in Pa.

    Args:
        bonds: Cells and F bonds.
        prestress: (F, 3) Pa, normal stress at the quadrature points before any cell moves, tension positive; ``None``
            for none.
        misfit: (F, 3) m, gap e that each bond closes by pulling; ``None`` for none. Tractions are C^-1 (J d - e). The
            load J^T C^-1 e moves the cells into equilibrium, and so does the prestress.
        burden_arms: (F, 2, 3, 3) arms at which the burden of wood is computed, see ``grain.burden_arms``; ``None`` for
            those of the bonds.
        compression_factor: Compressive strength over tensile strength, of all bonds or (F,) of each.
        held: (H,) cells that do not move.

    Notes:
        Own bonds instead of the paper's distance constraints (docs/decisions/full_bonds.md). Prestress and misfit are
        the k C of Smith et al. 2001, section 3.1.

    Example:
        A force of 1,000 N on a shared face of 0.5 m2 is a mean tension of 2,000 Pa.

        >>> from ...data.material import PORCELAIN
        >>> from ...data.solid import from_cells
        >>> from ..rigid_components import cells_of, find_components
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> solid = from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], [])
        >>> cells = cells_of(solid, PORCELAIN)
        >>> glue = FullGlue(build_full_bonds(solid, PORCELAIN))
        >>> glue.solve(find_components(cells, solid.face_cells), np.array([[-1000.0, 0, 0], [1000.0, 0, 0]]))
        >>> (glue.tension(np.array([0])).round(2) + 0.0).tolist()
        [[2000.0, 0.0, 0.0]]
    """

    def __init__(
        self,
        bonds: FullBonds,
        prestress: np.ndarray | None = None,
        misfit: np.ndarray | None = None,
        burden_arms: np.ndarray | None = None,
        compression_factor: np.ndarray | float = COMPRESSION_FACTOR,
        held: np.ndarray = NONE_HELD,
    ):
        self._bonds, self._compression_factor = bonds, np.atleast_1d(compression_factor)
        self._burden_arms = bonds.arms if burden_arms is None else burden_arms
        self._prestress, self._misfit = prestress, misfit
        self.is_prestressed = prestress is not None or misfit is not None
        self.equilibrium = Equilibrium(bonds, held)
        self._alive = np.ones(len(bonds.areas), bool)
        self._residual_displacement = np.zeros_like(self.equilibrium.displacement)
        self._strain: BondStrain | None = None
        # Burden under the present load; ``None`` if it is not known.
        self._burden: np.ndarray | None = None

    @staticmethod
    def bonds(solid: SolidModel, material: Material, settings: ModelSettings, cells: Cells) -> FullBonds:
        """Build full bonds."""
        return replace(build_full_bonds(solid, material, settings.strength), cells=cells)

    @staticmethod
    def prestress(solid: SolidModel, settings: ModelSettings, wall: float) -> np.ndarray | None:
        """Return the prestress of tempering, (F, 3) Pa; ``None`` for a body that is not tempered."""
        pressure = settings.strength.tempering
        return tempering(solid, pressure, wall) if pressure > 0.0 else None

    @staticmethod
    def misfit(solid: SolidModel, settings: ModelSettings, bonds: FullBonds) -> np.ndarray | None:
        """Return the gaps of prior stress, (F, 3) m; ``None`` for none.

        Cells that do not move have the prior stress, because the normal stiffness is E / h. Cells that all have the
        same prior stress close their gaps by moving together, without shear.
        """
        if not has_prior_stress(settings):
            return None
        centers = bonds.cells.centers[bonds.pairs]
        between = centers[:, 1] - centers[:, 0]
        height = np.maximum(np.einsum("fi,fi->f", between, bonds.normals), THINNEST_BOND * bonds.cell_size)
        strain = prior_stress(solid.points[solid.faces].mean(axis=1), settings) / (bonds.normal_stiffness * height)
        return -strain[:, None] * between

    def holding(self, held: np.ndarray) -> FullGlue:
        """See ``Solver``."""
        return FullGlue(self._bonds, self._prestress, self._misfit, self._burden_arms, self._compression_factor, held)

    def copy(self) -> FullGlue:
        """Return a copy that shares the factor; breaking bonds of the copy leaves this one unchanged."""
        result = FullGlue.__new__(FullGlue)
        result._bonds, result._alive, result._prestress = self._bonds, self._alive.copy(), self._prestress
        result.is_prestressed, result._misfit = self.is_prestressed, self._misfit
        result._burden_arms, result._compression_factor = self._burden_arms, self._compression_factor
        result.equilibrium = self.equilibrium.copy()
        result._residual_displacement = self._residual_displacement.copy()
        result._strain, result._burden = self._strain, self._burden
        result.work = self.work
        return result

    def make_ready(self) -> None:
        """See ``Equilibrium.make_ready``."""
        self.equilibrium.make_ready()

    def solve(self, parts: RigidComponents, forces: np.ndarray, residual: float = RESIDUAL) -> None:
        """Solve for the displacement under forces on the cells, and set ``work``.

        Args:
            parts: Connected components of the bonds that hold.
            forces: (C, 3) N.
            residual: Relative residual at which the solver stops.

        Raises:
            SolverDivergedError: The residual was not reached.
        """
        self._burden = None
        if self.is_prestressed:
            # The displacement due to prestress is stored separately, because it does not scale with the load.
            loaded = self.equilibrium.displacement
            self.equilibrium.displacement = self._residual_displacement
            self._residual_displacement = self.equilibrium.solve(self._misfit_load(), residual)
            self.equilibrium.displacement = loaded
        load = balanced(self._bonds, parts, forces, self.equilibrium.held)
        if self._strain is not None:
            load += self._strain.load(self._bonds, self._alive)
        self.work = float(self.equilibrium.solve(load, residual) @ load)

    def strain(self, points: np.ndarray, strains: np.ndarray) -> None:
        """See ``Glue``."""
        self._burden = None
        added = bond_strain(self._bonds, points, strains)
        self._strain = added if self._strain is None else self._strain.plus(added)

    def scale(self, factor: float) -> None:
        """Multiply the displacement under the load, and its free strain, by ``factor``."""
        self._burden = None
        self.equilibrium.displacement *= factor
        if self._strain is not None:
            self._strain = self._strain.times(factor)

    def remove(self, rows: np.ndarray) -> None:
        """Break bonds."""
        self._burden = None
        self._alive[rows] = False
        self.equilibrium.remove(rows)
        if self._strain is not None:
            self._strain = self._strain.relieved(self._bonds, rows)

    def burden(self, factor: float = 1.0) -> np.ndarray:
        """Return (F,) Pa, the equivalent tensile stress of each bond under ``factor`` times the present load.

        It is the largest value at the quadrature points: sqrt(normal^2 + shear^2 / 4) under tension, and the pressure
        over the compression factor under compression. In wood the points are those of ``grain.burden_arms``, but not
        under free strain. Free strain varies over a face: see ``BondStrain.burden``.
        The array is read-only: a round of breaks asks twice for the burden under the present load.
        """
        if factor != 1.0:
            return self._burden_under(factor)
        if self._burden is None:
            self._burden = self._burden_under(1.0)
            self._burden.setflags(write=False)
        return self._burden

    def _burden_under(self, factor: float) -> np.ndarray:
        displacement = factor * self.equilibrium.displacement + self._residual_displacement
        bonds, result = self._bonds, np.empty(len(self._alive))
        if self._strain is not None:
            strain = self._strain.times(factor)
            burden = strain.burden(bonds, self._tractions(displacement, strain), self._compression_factor)
            return np.where(self._alive, burden, 0.0)
        prestress = NOTHING if self._prestress is None else self._prestress
        before = prestress, NOTHING if self._misfit is None else self._misfit
        stiffness = bonds.normal_stiffness, bonds.shear_stiffness
        fibres = bonds.fibres or NO_FIBRES
        bond_data = displacement.reshape(-1, 6), bonds.pairs, self._burden_arms, bonds.normals, *stiffness
        arguments = *bond_data, fibres.directions, fibres.stiffness, *before, self._compression_factor
        ends = np.arange(CHAINS + 1) * len(result) // CHAINS
        side_by_side(lambda chain: _burden_kernel(ends[chain], ends[chain + 1], *arguments, self._alive, result))
        return result

    def tension(self, rows: np.ndarray) -> np.ndarray:
        """Return the mean traction (K, 3) on each face, Pa; points under compression count as zero. See ``Glue``."""
        displacement = self.equilibrium.displacement + self._residual_displacement
        traction = self._tractions(displacement, self._strain, rows)
        normals = self._bonds.normals[rows, None]
        opens = (traction * normals).sum(axis=-1, keepdims=True) > 0.0
        return np.where(opens, traction, 0.0).mean(axis=1)

    def _tractions(
        self, displacement: np.ndarray, strain: BondStrain | None, rows: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the tractions (K, 3, 3) Pa at the quadrature points of bonds ``rows``; ``None`` for all bonds."""
        rows = np.arange(len(self._alive)) if rows is None else rows
        result = self._bonds.traction_vectors(displacement, rows, self._misfit)
        if self._prestress is not None:
            result = result + self._prestress[rows][..., None] * self._bonds.normals[rows, None]
        return result if strain is None else result - self._bonds.pulls(strain.gaps[rows], rows)

    def residual_stress(self) -> np.ndarray:
        """See ``Glue``."""
        normal, _ = self._bonds.tractions(self._residual_displacement)
        if self._misfit is not None:
            normal = normal - np.einsum("fqi,fi->fq", self._bonds.pulls(self._misfit[:, None]), self._bonds.normals)
        return (normal if self._prestress is None else normal + self._prestress).mean(axis=1)

    @staticmethod
    def strengths(stress: np.ndarray, areas: np.ndarray, volumes: np.ndarray) -> np.ndarray:
        """Return the tensile strength, because the burden is a stress."""
        return stress

    @staticmethod
    def stress(burden: np.ndarray, areas: np.ndarray) -> np.ndarray:
        """Return the burden, which is a stress."""
        return burden

    @staticmethod
    def paper_floor(lowest: np.ndarray) -> np.ndarray:
        """Return ``lowest``, the floor of the ``lobe``."""
        return lowest

    @staticmethod
    def advances(most: int) -> int:
        """Return ``most``: the stress at a new crack tip is estimated, so a crack may advance over many faces."""
        return most

    select = staticmethod(select_breaks)

    def _misfit_load(self) -> np.ndarray:
        """Return the load (6C,), N, of prestress and misfit on the cells: J^T C^-1 e over the unbroken bonds."""
        bonds, each = self._bonds, np.zeros((len(self._alive), 2, 6))
        if self._prestress is not None:
            pull = np.where(self._alive[:, None], self._prestress, 0.0) * (bonds.areas / 3.0)[:, None]
            each -= np.einsum("fq,fi,fqia->fa", pull, bonds.normals, bonds.jumps(), optimize=True).reshape(-1, 2, 6)
        if self._misfit is not None:
            gap = np.where(self._alive[:, None], self._misfit, 0.0)
            force = bonds.pulls(gap[:, None])[:, 0] * (bonds.areas / 3.0)[:, None]
            each += np.einsum("fi,fqia->fa", force, bonds.jumps(), optimize=True).reshape(-1, 2, 6)
        load = np.zeros((bonds.cell_count, 6))
        for side in range(2):
            np.add.at(load, bonds.pairs[:, side], each[:, side])
        return load.ravel()


@njit(cache=True, nogil=True)
def _burden_kernel(
    first: int,
    end: int,
    freedoms: np.ndarray,
    pairs: np.ndarray,
    arms: np.ndarray,
    normals: np.ndarray,
    normal_stiffness: np.ndarray,
    shear_stiffness: np.ndarray,
    grain: np.ndarray,
    fibre_stiffness: np.ndarray,
    prestress: np.ndarray,
    misfit: np.ndarray,
    compression_factors: np.ndarray,
    alive: np.ndarray,
    result: np.ndarray,
) -> None:
    """Write the burden of the bonds ``first`` to ``end``.

    ``grain``, ``prestress`` and ``misfit`` are (F, 3), or one row of zeros for none. ``fibre_stiffness`` is (F,), or
    zeros for none. ``compression_factors`` is (F,), or has one value for all bonds.
    """
    for bond in range(first, end):
        largest, compression_factor = 0.0, compression_factors[bond % len(compression_factors)]
        if alive[bond]:
            for point in range(3):
                x, y, z = jump_vector(freedoms, pairs, arms, bond, point)
                gap = misfit[bond % len(misfit)]
                x, y, z = x - gap[0], y - gap[1], z - gap[2]
                n0, n1, n2 = normals[bond, 0], normals[bond, 1], normals[bond, 2]
                g, fibre = grain[bond % len(grain)], fibre_stiffness[bond % len(fibre_stiffness)]
                along, pull = x * n0 + y * n1 + z * n2, fibre * (x * g[0] + y * g[1] + z * g[2])
                x, y, z = x - along * n0, y - along * n1, z - along * n2
                normal = normal_stiffness[bond] * along + prestress[bond % len(prestress), point]
                if pull != 0.0:
                    # The share of the pull along the face acts like a jump that gives the same shear stress.
                    facing, more = pull * (g[0] * n0 + g[1] * n1 + g[2] * n2), 1.0 / shear_stiffness[bond]
                    normal += facing
                    x += more * (pull * g[0] - facing * n0)
                    y += more * (pull * g[1] - facing * n1)
                    z += more * (pull * g[2] - facing * n2)
                shear = shear_stiffness[bond] * np.sqrt(x * x + y * y + z * z)
                burden = -normal / compression_factor
                if normal > 0.0:
                    burden = np.sqrt(normal * normal + SHEAR_SHARE * shear * shear)
                largest = max(largest, burden)
        result[bond] = largest
