"""Where the burden of a bond of wood is computed."""

from __future__ import annotations

import numpy as np

from .bonds.full_bonds import FullBonds


def burden_arms(bonds: FullBonds, directions: np.ndarray) -> np.ndarray:
    """Return the arms of the points of faces at which the burden of wood is computed.

    Cells are rigid and long along the grain. Where the body bends along its grain, the traction of a face along the
    grain varies over the length of the face. Only its mean is a stress of the material, and across the grain the
    strength is low. The points of a face are therefore moved along it to the middle of its length.

    Args:
        bonds: F bonds.
        directions: (F, 3) unit vectors along the grain.

    Returns:
        (F, 2, 3, 3) in units of the cell size, as ``FullBonds.arms``. A face across the grain keeps its points.

    Notes:
        Own (docs/decisions/grain.md). The jump between two rigid cells is linear over their face, so that the traction
        at the middle is the mean.

    Example:
        A face between the cells is along the grain z. Its quadrature points get one height.

        >>> from ...data.material import PORCELAIN
        >>> from ...data.solid import from_cells
        >>> from .bonds.full_bonds import build_full_bonds
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> bonds = build_full_bonds(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN)
        >>> arms, moved = (bonds.cell_size * each for each in (bonds.arms, burden_arms(bonds, np.eye(3)[2:])))
        >>> arms[0, 0].round(3).tolist()
        [[0.25, -0.083, -0.083], [0.25, 0.417, -0.083], [0.25, -0.083, 0.417]]
        >>> moved[0, 0].round(3).tolist()
        [[0.25, -0.083, 0.083], [0.25, 0.417, 0.083], [0.25, -0.083, 0.083]]
    """
    in_face = directions - (directions * bonds.normals).sum(axis=1, keepdims=True) * bonds.normals
    offsets = bonds.arms - bonds.arms.mean(axis=2, keepdims=True)
    along = np.einsum("fsqi,fi->fsq", offsets, in_face)
    return bonds.arms - along[..., None] * in_face[:, None, None]
