"""Free vibrations of a body: the lowest frequencies and shapes of the cells with the full bonds of the network.

Frequencies and shapes belong to the body, not to a method. Full bonds give them for the cells of every method, and do
not lock in thin walls (docs/decisions/resonance.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import bsr_array, coo_array, csc_array, diags_array
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from ..data.arrays import ReadOnlyArrays
from ..data.material import Material
from ..data.settings.strength import StrengthSettings
from ..data.solid import SolidModel
from .network.bonds.full_bonds import FullBonds, build_full_bonds

# Number of vibrations that are computed. With 12, 16 and 30 a wine glass breaks at the same level (137.1 dB).
COUNT = 16
# Motions of a free body without deformation.
RIGID_MOTIONS = 6
# Stiffness that fixes a held cell, over the mean of the diagonal, as for the weight of a body.
HELD = 1e3
# Shift of the eigenvalues over the mean of the diagonal of stiffness over mass: it makes the stiffness of a free body
# definite. From 1e-12 to 1e-8 the frequencies of a glass of 4,000 cells change by less than 1e-6.
SHIFT = 1e-10
# Eigenvalue over the shift below which a motion has no deformation. Rigid motions of glasses, tubes, panes, bars have
# at most 2e-7, and their vibrations at least 1,500.
RIGID = 1e-2


@dataclass(frozen=True)
class Vibration(ReadOnlyArrays):
    """A free vibration of a body, with an amplitude for which its kinetic energy at the speed 1/s is half a joule.

    Attributes:
        frequency: Hz.
        cells: (C, 3) m, displacements of the centroids of cells.
        points: (P, 3) m, displacements of the points of the solid; 0 for points without a cell.
        forces: (C, 3) N, forces that hold the body in this shape.
        rigidity: Share of the motion that is the motion of a rigid part: near 1 where a body nods on a thin stem, near
            0 where its walls bend.
    """

    frequency: float
    cells: np.ndarray
    points: np.ndarray
    forces: np.ndarray
    rigidity: float


def vibrations(
    solid: SolidModel, material: Material, strength: StrengthSettings, held: np.ndarray, count: int = COUNT
) -> tuple[Vibration, ...]:
    """Compute the lowest vibrations of a body.

    Args:
        solid: Its C cells.
        material: Density and stiffness.
        strength: Its grain.
        held: (H,) cells that do not move.
        count: Number of vibrations.

    Returns:
        The vibrations with rising frequencies; fewer for a body of few cells.

    Notes:
        K u = omega^2 M u (Rayleigh 1894, The Theory of Sound, chapter 4), by shift and invert with Lanczos' method
        (Ericsson and Ruhe 1980). K is that of full bonds (docs/decisions/full_bonds.md).

    Example:
        Two cells of 400 kg on one bond move against each other.

        >>> from ..data.material import PORCELAIN
        >>> from ..data.solid import from_cells
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> solid = from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], [])
        >>> lowest = vibrations(solid, PORCELAIN, StrengthSettings(), np.empty(0, int), 2)[0]
        >>> lowest.frequency > 100.0, bool(abs(lowest.cells[0] + lowest.cells[1]).max() < 1e-9)
        (True, True)
    """
    bonds = build_full_bonds(solid, material, strength)
    stiffness, mass = _stiffness(bonds), _mass(bonds)
    size = stiffness.shape[0]
    scale = float(stiffness.diagonal().mean())
    holding = np.zeros((bonds.cell_count, 6))
    holding[held] = HELD * scale
    system = stiffness + diags_array(holding.ravel(), format="csc")
    shift = SHIFT * scale / float(mass.diagonal().mean())
    factor = splu((system + shift * mass).tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0)
    values, shapes = eigsh(
        system,
        min(count + (0 if len(held) else RIGID_MOTIONS), size - 1),
        mass,
        sigma=-shift,
        OPinv=LinearOperator((size, size), factor.solve, dtype=float),
        v0=np.cos(np.arange(size)),
    )
    order = np.argsort(values)
    order = order[values[order] > RIGID * shift][:count]
    return tuple(_vibration(solid, bonds, stiffness, float(values[row]), shapes[:, row]) for row in order)


def _vibration(solid: SolidModel, bonds: FullBonds, stiffness: csc_array, value: float, shape: np.ndarray) -> Vibration:
    """Return the vibration of an eigenvalue, 1/s2, and an eigenvector (6C,)."""
    motion = shape.reshape(-1, 6)
    forces = (stiffness @ shape).reshape(-1, 6)[:, :3]
    arms = (solid.points[solid.cells] - bonds.cells.centers[:, None]) / bonds.cell_size
    corners = motion[:, None, :3] + np.cross(motion[:, None, 3:], arms)
    # The volume of its cells weights the displacement of a point.
    weights = np.repeat(bonds.cells.masses, 4)
    total = np.bincount(solid.cells.ravel(), weights, len(solid.points))
    sums = [np.bincount(solid.cells.ravel(), weights * column, len(total)) for column in corners.reshape(-1, 3).T]
    points = np.stack(sums, axis=1) / np.where(total > 0.0, total, 1.0)[:, None]
    frequency = float(np.sqrt(max(value, 0.0)) / (2.0 * np.pi))
    return Vibration(frequency, motion[:, :3].copy(), points, forces.copy(), _rigidity(bonds, motion[:, :3]))


def _rigidity(bonds: FullBonds, motion: np.ndarray) -> float:
    """Return the share of a motion (C, 3) in the nearest rigid motion, both weighted by the kinetic energy."""
    energy = bonds.cells.masses * (motion**2).sum(axis=1)
    arms = (bonds.cells.centers - np.average(bonds.cells.centers, axis=0, weights=energy)) / bonds.cell_size
    columns = np.concatenate([np.tile(np.eye(3), (len(arms), 1, 1)), -np.cross(np.eye(3), arms[:, None])], axis=1)
    root = np.sqrt(energy)[:, None]
    wanted, basis = (root * motion).ravel(), (root[:, None] * columns).transpose(0, 2, 1).reshape(-1, 6)
    rest = wanted - basis @ np.linalg.lstsq(basis, wanted, rcond=None)[0]
    return float(1.0 - (rest @ rest) / (wanted @ wanted))


def _stiffness(bonds: FullBonds) -> csc_array:
    """Assemble the stiffness of bonds, (6C, 6C) N/m."""
    jumps = bonds.jumps()
    pulls = np.stack([bonds.pulls(jumps[..., column]) for column in range(12)], axis=-1)
    blocks = np.einsum("f,fqia,fqib->fab", bonds.areas / 3.0, jumps, pulls, optimize=True)
    freedoms = (6 * bonds.pairs[:, :, None] + np.arange(6)).reshape(-1, 12)
    rows, columns = np.repeat(freedoms, 12, axis=1).ravel(), np.tile(freedoms, 12).ravel()
    return coo_array((blocks.ravel(), (rows, columns)), shape=(6 * bonds.cell_count,) * 2).tocsc()


def _mass(bonds: FullBonds) -> csc_array:
    """Return the masses and the inertias of cells, (6C, 6C) kg, for rotations in units of length."""
    cells, count = bonds.cells, bonds.cell_count
    blocks = np.zeros((count, 6, 6))
    blocks[:, :3, :3] = cells.masses[:, None, None] * np.eye(3)
    blocks[:, 3:, 3:] = cells.inertias / bonds.cell_size**2
    return bsr_array((blocks, np.arange(count), np.arange(count + 1)), shape=(6 * count,) * 2).tocsc()
