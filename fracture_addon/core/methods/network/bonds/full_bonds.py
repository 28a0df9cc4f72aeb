"""Full bonds: rigid cells glued over the whole area of the faces that they share.

The multipliers are those of very stiff glue (Smith et al. 2001, section 3.2): lambda = C^-1 J d with the compliance C
of the bonds, the displacement jumps J d and the displacements d of the cells. Each cell has six degrees of freedom, a
displacement and a rotation. A bond acts at the three quadrature points of its face, so that it transmits forces and
moments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numba import njit

from ....data.arrays import ReadOnlyArrays
from ....data.material import Material
from ....data.settings.strength import StrengthSettings
from ....data.solid import SolidModel, cell_edge, face_vectors
from ....fields.strength import grain_directions
from ...rigid_components import Cells, cells_of

# Barycentric coordinates of the three-point quadrature of a triangle, exact to degree 2 (Strang and Fix 1973).
QUADRATURE = np.array([[4.0, 1.0, 1.0], [1.0, 4.0, 1.0], [1.0, 1.0, 4.0]]) / 6.0
# Smallest thickness of a bond, as a share of the cell size: centroids of flat neighbours nearly coincide. Tuned: half
# of it gives the same counts of fragments in 14 of 18 runs; twice changes single runs within the scatter of seeds
# (docs/decisions/constants.md).
THINNEST_BOND = 0.15
# Stiffness of the fibres in a face along the grain over the difference of Young's moduli. If cells moved with the mean
# strain, isotropic faces would need 5 / 3. Measured: 1.5 gives ratios of 5 to 30 within 5 %
# (docs/decisions/grain.md).
FIBRE_FACTOR = 1.5


@dataclass(frozen=True)
class Fibres(ReadOnlyArrays):
    """Fibres of wood in the bonds. They resist displacement jumps along the grain only.

    Attributes:
        directions: (F, 3) unit vectors along the grain.
        stiffness: (F,) Pa/m, traction along the grain per jump along it.

    Notes:
        Own: the share of the elasticity along the grain in the traction of a face (docs/decisions/grain.md).

    Example:
        The cells of pine, 8 GPa along x and 1 GPa across it, share a face across x. Their centroids are 0.5 m apart.

        >>> from ....data.material import Material
        >>> from ....data.settings.strength import StrengthSettings
        >>> from ....data.solid import from_cells
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> solid = from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], [])
        >>> pine = Material("Pine", young_modulus=8e9, grain_stiffness_ratio=8.0)
        >>> bonds = build_full_bonds(solid, pine, StrengthSettings(grain=np.array([1.0, 0.0, 0.0])))
        >>> (bonds.normal_stiffness / 1e9).round(6).tolist(), (bonds.fibres.stiffness / 1e9).round(6).tolist()
        ([2.0], [21.0])
    """

    directions: np.ndarray
    stiffness: np.ndarray


# For bonds without fibres: one row stands for all bonds.
NO_FIBRES = Fibres(np.zeros((1, 3)), np.zeros(1))


@dataclass(frozen=True)
class FullBonds(ReadOnlyArrays):
    """Cells and the bonds between them; ``F`` bonds, ``C`` cells. Rotations are scaled by ``cell_size`` to metres.

    Attributes:
        cells: Centroids, masses, inertias.
        pairs: (F, 2) int32 cells of each bond.
        normals: (F, 3) unit, first cell to second.
        areas: (F,) m2.
        arms: (F, 2, 3, 3) vectors from each cell's centroid to each quadrature point, in units of ``cell_size``.
        normal_stiffness, shear_stiffness: (F,) Pa/m, traction per displacement jump: E / h and G / h, with grain those
            across it.
        cell_size: m, edge of a regular tetrahedron with the mean volume.
        fibres: ``None`` for a material that is as stiff along the grain as across it.
    """

    cells: Cells
    pairs: np.ndarray
    normals: np.ndarray
    areas: np.ndarray
    arms: np.ndarray
    normal_stiffness: np.ndarray
    shear_stiffness: np.ndarray
    cell_size: float
    fibres: Fibres | None = None

    @property
    def cell_count(self) -> int:
        """Number of cells."""
        return len(self.cells.masses)

    def jumps(self, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return J (N, 3, 3, 12): derivatives of the displacement jumps by the degrees of freedom of both cells.

        The jump is u_b + theta_b x (y - x_b) - u_a - theta_a x (y - x_a) at each point y.
        """
        arms = self.arms[rows]
        result = np.zeros((len(arms), 3, 3, 12))
        for side, sign in ((0, -1.0), (1, 1.0)):
            result[..., 6 * side : 6 * side + 3] = sign * np.eye(3)
            result[..., 6 * side + 3 : 6 * side + 6] = -sign * cross_matrices(arms[:, side])
        return result

    def add_stiffness(self, sign: float, rows: np.ndarray, places: np.ndarray, data: np.ndarray) -> None:
        """Add the blocks of bonds to the stiffness matrix, or subtract them.

        Each call computes the blocks again: stored, they would need more memory than the matrix.

        Args:
            sign: 1 to add, -1 to subtract.
            rows: (N,) bonds.
            places: (F, 4) indices of the 6 x 6 blocks (a, a), (b, b), (a, b) and (b, a) of the cells a, b of a bond.
            data: (B, 6, 6) N/m, blocks of the matrix.
        """
        thirds = sign * self.areas / 3.0
        stiffness = thirds * self.normal_stiffness, thirds * self.shear_stiffness
        _stiffness_kernel(rows, places, self.arms, self.normals, *stiffness, data)
        if self.fibres is not None:
            stiffness = thirds * self.fibres.stiffness, np.zeros_like(thirds)
            _stiffness_kernel(rows, places, self.arms, self.fibres.directions, *stiffness, data)

    def tractions(self, displacement: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the stresses at the quadrature points of bonds: stiffness times displacement jump.

        Args:
            displacement: (6C,) m, of the cells.

        Returns:
            Normal stress (F, 3), tension positive, and shear stress (F, 3), Pa.

        Notes:
            Smith et al. 2001, section 3.2: lambda = C^-1 J d.

        Example:
            The second cell moves away by 1 micrometre: 140 GPa/m x 1e-6 m.

            >>> from ....data.material import PORCELAIN
            >>> from ....data.solid import from_cells
            >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
            >>> bonds = build_full_bonds(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN)
            >>> displacement = np.zeros(12)
            >>> displacement[6] = 1e-6
            >>> bonds.tractions(displacement)[0].round(3).tolist()
            [[140000.0, 140000.0, 140000.0]]
        """
        if self.fibres is not None:
            vectors = self.traction_vectors(displacement, np.arange(len(self.pairs)))
            along = np.einsum("fqi,fi->fq", vectors, self.normals)
            return along, np.linalg.norm(vectors - along[..., None] * self.normals[:, None], axis=-1)
        normal, shear = np.empty((2, len(self.pairs), 3))
        _tractions_kernel(displacement.reshape(-1, 6), self.pairs, self.arms, self.normals, normal, shear)
        return normal * self.normal_stiffness[:, None], shear * self.shear_stiffness[:, None]

    def traction_vectors(
        self, displacement: np.ndarray, rows: np.ndarray, misfit: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the tractions (N, 3, 3) at the quadrature points of bonds ``rows``, Pa: the pull on the first cell.

        ``misfit`` (F, 3), m, is the gap at which a bond has no traction; ``None`` for none.
        """
        jumps = np.einsum(
            "nqia,na->nqi", self.jumps(rows), displacement.reshape(-1, 6)[self.pairs[rows]].reshape(-1, 12)
        )
        if misfit is not None:
            jumps -= misfit[rows, None]
        return self.pulls(jumps, rows)

    def pulls(self, jumps: np.ndarray, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return the tractions (N, Q, 3), Pa, of displacement jumps (N, Q, 3), m, of bonds ``rows``."""
        normals, normal, shear = self.normals[rows, None], self.normal_stiffness[rows], self.shear_stiffness[rows]
        along = (jumps * normals).sum(axis=-1, keepdims=True) * normals
        result = shear[:, None, None] * jumps + (normal - shear)[:, None, None] * along
        if self.fibres is not None:
            grain, stiffness = self.fibres.directions[rows, None], self.fibres.stiffness[rows, None, None]
            result += stiffness * (jumps * grain).sum(axis=-1, keepdims=True) * grain
        return result


@njit(cache=True, inline="always")
def jump_vector(
    freedoms: np.ndarray, pairs: np.ndarray, arms: np.ndarray, bond: int, point: int
) -> tuple[float, float, float]:
    """Return the displacement jump at a quadrature point, m."""
    one, two = pairs[bond, 0], pairs[bond, 1]
    p0, p1, p2 = arms[bond, 0, point, 0], arms[bond, 0, point, 1], arms[bond, 0, point, 2]
    q0, q1, q2 = arms[bond, 1, point, 0], arms[bond, 1, point, 1], arms[bond, 1, point, 2]
    a, b, c = freedoms[one, 3], freedoms[one, 4], freedoms[one, 5]
    d, e, f = freedoms[two, 3], freedoms[two, 4], freedoms[two, 5]
    x = freedoms[two, 0] - freedoms[one, 0] + (e * q2 - f * q1) - (b * p2 - c * p1)
    y = freedoms[two, 1] - freedoms[one, 1] + (f * q0 - d * q2) - (c * p0 - a * p2)
    z = freedoms[two, 2] - freedoms[one, 2] + (d * q1 - e * q0) - (a * p1 - b * p0)
    return x, y, z


@njit(cache=True, inline="always")
def jump(
    freedoms: np.ndarray, pairs: np.ndarray, arms: np.ndarray, normals: np.ndarray, bond: int, point: int
) -> tuple[float, float]:
    """Return the displacement jump at a quadrature point: along the normal, and its size across the normal, m."""
    x, y, z = jump_vector(freedoms, pairs, arms, bond, point)
    n0, n1, n2 = normals[bond, 0], normals[bond, 1], normals[bond, 2]
    along = x * n0 + y * n1 + z * n2
    x, y, z = x - along * n0, y - along * n1, z - along * n2
    return along, np.sqrt(x * x + y * y + z * z)


@njit(cache=True)
def _tractions_kernel(
    freedoms: np.ndarray,
    pairs: np.ndarray,
    arms: np.ndarray,
    normals: np.ndarray,
    normal: np.ndarray,
    shear: np.ndarray,
) -> None:
    """Write the jumps (F, 3) along and across the normals, m."""
    for bond in range(len(pairs)):
        for point in range(3):
            normal[bond, point], shear[bond, point] = jump(freedoms, pairs, arms, normals, bond, point)


@njit(cache=True)
def _stiffness_kernel(
    rows: np.ndarray,
    places: np.ndarray,
    arms: np.ndarray,
    normals: np.ndarray,
    normal: np.ndarray,
    shear: np.ndarray,
    data: np.ndarray,
) -> None:
    """See ``FullBonds.add_stiffness``; ``normals``, ``normal`` and ``shear`` as for ``add_resistance``."""
    jump, pull = np.zeros((3, 12)), np.empty((3, 12))
    for i in range(3):
        jump[i, i], jump[i, 6 + i] = -1.0, 1.0
    for bond in rows:
        n0, n1, n2, across = normals[bond, 0], normals[bond, 1], normals[bond, 2], shear[bond]
        for point in range(3):
            for side in range(2):
                column, sign = 6 * side + 3, 2.0 * side - 1.0
                arm = arms[bond, side, point]
                x, y, z = sign * arm[0], sign * arm[1], sign * arm[2]
                jump[0, column + 1], jump[0, column + 2] = z, -y
                jump[1, column], jump[1, column + 2] = -z, x
                jump[2, column], jump[2, column + 1] = y, -x
            for column in range(12):
                u, v, w = jump[0, column], jump[1, column], jump[2, column]
                along = (normal[bond] - across) * (n0 * u + n1 * v + n2 * w)
                pull[0, column] = across * u + along * n0
                pull[1, column] = across * v + along * n1
                pull[2, column] = across * w + along * n2
            for side in range(2):
                for other in range(2):
                    block = data[places[bond, side if side == other else 2 + side]]
                    for i in range(6):
                        u, v, w = jump[0, 6 * side + i], jump[1, 6 * side + i], jump[2, 6 * side + i]
                        for j in range(6):
                            k = 6 * other + j
                            block[i, j] += u * pull[0, k] + v * pull[1, k] + w * pull[2, k]


@njit(cache=True, nogil=True, fastmath=True)
def add_resistance(
    first: int,
    end: int,
    pairs: np.ndarray,
    arms: np.ndarray,
    normals: np.ndarray,
    normal: np.ndarray,
    shear: np.ndarray,
    freedoms: np.ndarray,
    result: np.ndarray,
) -> None:
    """Add the product J^T C^-1 J d of the bonds ``first`` to ``end`` to ``result`` (C, 6).

    ``freedoms`` d is (C, 6). ``normal`` and ``shear`` (F,) are stiffnesses times a third of the area, N/m, and 0 for
    broken bonds. For fibres, ``normals`` are the directions of the grain, and ``shear`` is 0. The kernel reads a
    quarter of the bytes of a product with the stored matrix. Rigid motions give exactly zero force.
    """
    for bond in range(first, end):
        if normal[bond] == 0.0:
            continue
        one, two, across = pairs[bond, 0], pairs[bond, 1], shear[bond]
        n0, n1, n2, more = normals[bond, 0], normals[bond, 1], normals[bond, 2], normal[bond] - shear[bond]
        u, v, w = (
            freedoms[two, 0] - freedoms[one, 0],
            freedoms[two, 1] - freedoms[one, 1],
            freedoms[two, 2] - freedoms[one, 2],
        )
        a, b, c = freedoms[one, 3], freedoms[one, 4], freedoms[one, 5]
        d, e, f = freedoms[two, 3], freedoms[two, 4], freedoms[two, 5]
        for point in range(3):
            p0, p1, p2 = arms[bond, 0, point, 0], arms[bond, 0, point, 1], arms[bond, 0, point, 2]
            q0, q1, q2 = arms[bond, 1, point, 0], arms[bond, 1, point, 1], arms[bond, 1, point, 2]
            x = u + (e * q2 - f * q1) - (b * p2 - c * p1)
            y = v + (f * q0 - d * q2) - (c * p0 - a * p2)
            z = w + (d * q1 - e * q0) - (a * p1 - b * p0)
            along = more * (x * n0 + y * n1 + z * n2)
            x, y, z = across * x + along * n0, across * y + along * n1, across * z + along * n2
            result[one, 0] -= x
            result[one, 1] -= y
            result[one, 2] -= z
            result[one, 3] -= p1 * z - p2 * y
            result[one, 4] -= p2 * x - p0 * z
            result[one, 5] -= p0 * y - p1 * x
            result[two, 0] += x
            result[two, 1] += y
            result[two, 2] += z
            result[two, 3] += q1 * z - q2 * y
            result[two, 4] += q2 * x - q0 * z
            result[two, 5] += q0 * y - q1 * x


def build_full_bonds(solid: SolidModel, material: Material, strength: StrengthSettings | None = None) -> FullBonds:
    """Build the cells and bonds of a solid.

    Args:
        solid: C tetrahedra with F shared faces.
        material: Density, Young's modulus, shear modulus and ``stiffness_ratio``.
        strength: ``grain`` and ``grains``; ``None`` for a material without grain.

    Returns:
        F bonds. The stiffness of a bond is the modulus over the distance h of the centroids along the normal.

    Notes:
        Own (docs/decisions/full_bonds.md): very stiff glue over the whole face (Smith et al. 2001, section 3.2).
        With grain g, the traction of a jump d on a face with normal n is n C n d / h, where the elasticity C is that of
        the isotropic material across the grain, and dE g g g g: the fibres add dE (n g)^2 g g d / h.

    Example:
        The centroids of two cells of porcelain, 70 GPa, are 0.5 m apart: E / h = 140 GPa/m.

        >>> from ....data.material import PORCELAIN
        >>> from ....data.solid import from_cells
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> bonds = build_full_bonds(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN)
        >>> bonds.areas.tolist(), (bonds.normal_stiffness / 1e9).round(6).tolist()
        ([0.5], [140.0])
    """
    points, pairs = solid.points, solid.face_cells
    cells = cells_of(solid, material)
    corners = points[solid.faces]
    vectors = face_vectors(solid)
    areas = np.linalg.norm(vectors, axis=1)
    normals = vectors / areas[:, None]
    cell_size = float(cell_edge(cells.masses.mean() / material.density))
    mixture = solid.mixture
    between = cells.centers[pairs[:, 1]] - cells.centers[pairs[:, 0]]
    thickness = np.maximum(np.einsum("fi,fi->f", between, normals), THINNEST_BOND * cell_size)
    ratio, fibres = material.stiffness_ratio, None
    if ratio > 1.0 and strength is not None:
        grain = grain_directions(corners.mean(axis=1), strength.grain, strength.grains)
        more = FIBRE_FACTOR * material.young_modulus * (1.0 - 1.0 / ratio)
        fibres = Fibres(grain, more * np.einsum("fi,fi->f", normals, grain) ** 2 / thickness)
        material = replace(material, young_modulus=material.young_modulus / ratio)
    return FullBonds(
        cells=cells,
        pairs=pairs,
        normals=normals,
        areas=areas,
        arms=(np.einsum("qk,fki->fqi", QUADRATURE, corners)[:, None] - cells.centers[pairs][:, :, None]) / cell_size,
        normal_stiffness=(material.young_modulus if mixture is None else mixture.young_moduli) / thickness,
        shear_stiffness=(material.shear_modulus if mixture is None else mixture.shear_moduli) / thickness,
        cell_size=cell_size,
        fibres=fibres,
    )


def cross_matrices(vectors: np.ndarray) -> np.ndarray:
    """Return matrices X with X w = v x w.

    Args:
        vectors: v, (..., 3).

    Returns:
        (..., 3, 3).

    Example:
        >>> cross_matrices(np.array([1.0, 2.0, 3.0])).tolist()
        [[0.0, -3.0, 2.0], [3.0, 0.0, -1.0], [-2.0, 1.0, 0.0]]
    """
    result = np.zeros((*vectors.shape, 3))
    x, y, z = np.moveaxis(vectors, -1, 0)
    result[..., 0, 1], result[..., 0, 2] = -z, y
    result[..., 1, 0], result[..., 1, 2] = z, -x
    result[..., 2, 0], result[..., 2, 1] = -y, x
    return result
