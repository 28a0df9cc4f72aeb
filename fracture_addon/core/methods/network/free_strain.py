"""Free strain in full bonds: the strain of heat or cold, which loads bonds where the cells around them hinder it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import eye_array
from scipy.spatial import cKDTree

from ...data.arrays import ReadOnlyArrays
from ...fields.strength import SHEAR_SHARE
from .bonds.full_bonds import FullBonds

# Values at the six samples of a face, its corners and the middles of its edges, from those at its quadrature points,
# which vary linearly over it. A corner is twice its own point minus the mean of all three.
_CORNERS = 2.0 * np.eye(3) - 1.0 / 3.0
SAMPLES = np.concatenate([_CORNERS, 0.5 * (_CORNERS + np.roll(_CORNERS, -1, axis=0))])
# Radius, in cell sizes, within which the gradient of the strain is averaged. With 0.7, 1, 1.5 and 2, the stress of a
# quenched plate of 1,500 cells is 1.12, 1.09, 1.12 and 1.14 times that of the series (Biot number 1), that of a wall of
# 4,000 cells 1.20, 1.17, 1.20 and 1.21 times.
SMOOTHED = 1.0
# Spread of points over the radius below which they give no gradient in that direction. No physical meaning.
FLAT = 1e-9


@dataclass(frozen=True)
class BondStrain(ReadOnlyArrays):
    """Gaps of F bonds at which they have no traction, because the cells on both sides have free strain.

    Attributes:
        gaps: (F, 3, 3) m, at the quadrature points, where the strain varies linearly over the face.
        rest: (F, 6, 3) Pa, at the samples of the face, tractions of the strain that is not linear. It moves no cell,
            but loads the material, as in the cold skin of a wall one cell thick.
    """

    gaps: np.ndarray
    rest: np.ndarray

    def times(self, factor: float) -> BondStrain:
        """Return ``factor`` times the strain."""
        return BondStrain(factor * self.gaps, factor * self.rest)

    def plus(self, other: BondStrain) -> BondStrain:
        """Return the sum of two strains."""
        return BondStrain(self.gaps + other.gaps, self.rest + other.rest)

    def relieved(self, bonds: FullBonds, rows: np.ndarray) -> BondStrain:
        """Return the strain after the bonds ``rows`` broke: the cells on both sides of a crack lose ``rest``.

        The solver releases ``gaps`` by moving the cells. ``rest`` moves no cell, and would break a wall of one cell
        into single cells.
        """
        beside = np.zeros(bonds.cell_count, bool)
        beside[bonds.pairs[rows]] = True
        rest = np.where(beside[bonds.pairs].any(axis=1)[:, None, None], 0.0, self.rest)
        return BondStrain(self.gaps, rest)

    def load(self, bonds: FullBonds, alive: np.ndarray) -> np.ndarray:
        """Return the load J^T C^-1 e (6C,), N, of the bonds ``alive`` (F,) on the cells."""
        pulls = bonds.pulls(self.gaps) * (np.where(alive, bonds.areas, 0.0) / 3.0)[:, None, None]
        each = np.einsum("fqi,fqia->fa", pulls, bonds.jumps(), optimize=True).reshape(-1, 2, 6)
        result = np.zeros((bonds.cell_count, 6))
        for side in range(2):
            np.add.at(result, bonds.pairs[:, side], each[:, side])
        return result.ravel()

    def burden(self, bonds: FullBonds, tractions: np.ndarray, compression_factors: np.ndarray) -> np.ndarray:
        """Return the equivalent tensile stress of bonds: the largest at the samples, see ``FullGlue.burden``.

        Args:
            bonds: The bonds.
            tractions: (F, 3, 3) Pa, at the quadrature points.
            compression_factors: (F,) or (1,) compressive strength over tensile strength.

        Returns:
            (F,) Pa.
        """
        tractions = SAMPLES @ tractions + self.rest
        normal = (tractions * bonds.normals[:, None]).sum(axis=-1)
        shear = np.maximum((tractions**2).sum(axis=-1) - normal**2, 0.0)
        pressed = -normal / compression_factors[:, None]
        result: np.ndarray = np.where(normal > 0.0, np.sqrt(normal**2 + SHEAR_SHARE * shear), pressed).max(axis=1)
        return result


def bond_strain(bonds: FullBonds, points: np.ndarray, strains: np.ndarray) -> BondStrain:
    """Return the gaps that free strain opens in bonds.

    The strain e(y) + g x moves the centroids a and b of two cells apart by e(y) (b - a) + g (|b - y|^2 - |a - y|^2) / 2
    as seen at a point y of their face, if the cells turn with the material. The mean e over the face and the gradient g
    of its surroundings are linear, and the rest stays. The factor 1 / (1 - nu) stands for the other two directions: a
    bond has no lateral contraction, and a cold skin is held in both directions of its plane.

    Args:
        bonds: F bonds.
        points: (K, 3) m, places of the strains, among them the corners of the cells and the middles of their edges.
        strains: (K,) expansion positive.

    Returns:
        The gaps.

    Notes:
        Own (docs/decisions/thermal_shock.md). The displacement of a linear strain is that of Boley and Weiner 1960,
        Theory of Thermal Stresses, section 9.9: a linear temperature loads no free body.

    Example:
        Two cells whose centroids are 0.5 m apart expand by 0.1 %, with a Poisson's ratio of 0.22.

        >>> from ...data.material import PORCELAIN
        >>> from ...data.solid import from_cells
        >>> from .bonds.full_bonds import build_full_bonds
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> bonds = build_full_bonds(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN)
        >>> strain = bond_strain(bonds, np.zeros((1, 3)), np.array([1e-3]))
        >>> (0.78 * strain.gaps[0, :, 0]).round(9).tolist(), float(abs(strain.rest).max().round(9))
        ([0.0005, 0.0005, 0.0005], 0.0)
    """
    centers = bonds.cells.centers[bonds.pairs]
    between = centers[:, 1] - centers[:, 0]
    quadrature = centers[:, :1] + bonds.cell_size * bonds.arms[:, 0]
    middles, samples = quadrature.mean(axis=1, keepdims=True), SAMPLES @ quadrature
    values = strains[cKDTree(points).query(samples.reshape(-1, 3))[1]].reshape(-1, 6)
    slopes = _slopes(samples, values, SMOOTHED * bonds.cell_size)
    # The mean of a quadratic function over a triangle is that of the middles of its edges.
    means = values[:, 3:].mean(axis=1, keepdims=True)
    linear, course = (means + np.einsum("fqi,fi->fq", at - middles, slopes) for at in (quadrature, samples))
    first, second = (((quadrature - centers[:, None, side]) ** 2).sum(axis=-1, keepdims=True) for side in (0, 1))
    gaps = linear[..., None] * between[:, None] + 0.5 * (second - first) * slopes[:, None]
    poisson_ratios = bonds.normal_stiffness / (2.0 * bonds.shear_stiffness) - 1.0
    factors = 1.0 / (1.0 - poisson_ratios)[:, None, None]
    return BondStrain(factors * gaps, -bonds.pulls(factors * (values - course)[..., None] * between[:, None]))


def _slopes(samples: np.ndarray, values: np.ndarray, radius: float) -> np.ndarray:
    """Return the gradient (F, 3), 1/m, of ``values`` (F, 6) at ``samples`` (F, 6, 3) m around each face.

    Least squares over the samples of all faces whose middles are within ``radius``. One face of a thin wall has most of
    its area on one side of the wall, so that its own slope would differ from that of the wall.
    """
    places = (samples - samples.mean(axis=(0, 1))) / radius
    tree = cKDTree(places.mean(axis=1))
    near = tree.sparse_distance_matrix(tree, 1.0, output_type="coo_matrix").tocsr()
    near.data[:] = 1.0
    near = near + eye_array(len(values), format="csr")
    basis = np.concatenate([np.ones((*values.shape, 1)), places], axis=2)
    squares = near @ np.einsum("fsi,fsj->fij", basis, basis).reshape(-1, 16)
    products = near @ np.einsum("fsi,fs->fi", basis, values)
    fits = np.linalg.pinv(squares.reshape(-1, 4, 4), rcond=FLAT, hermitian=True) @ products[..., None]
    result: np.ndarray = fits[:, 1:, 0] / radius
    return result
