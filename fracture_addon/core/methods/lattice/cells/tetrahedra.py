"""Lattices with springs along the edges of tetrahedra, for any solid or fragment."""

from __future__ import annotations

import numpy as np

from ....data.solid import SolidModel, cell_edge, cell_volumes
from ..lattice import Lattice
from .stiffness import CONTRACTION

EDGES = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], np.int32)
# Sweeps of the fit over the six edges. Shares differ from those of 2,000 sweeps by 0.0005 on average, but by 0.44 in
# the worst cell; with 30 and 120 sweeps by 0.001 and up to 0.0004 on average (docs/decisions/constants.md).
SWEEPS = 60
# Smallest share of a spring; 1 in a regular tetrahedron. Without it a node whose springs all lie nearly in a plane
# moves freely out of that plane: in a bowl of 24,000 cells one such node lowered the critical load from 5,800 N to 36 N
# (docs/equations.md). A dropped tile breaks into 9, 10, 14 and 10 fragments at 0.05, 0.075, 0.15 and 0.3.
SMALLEST_SHARE = 0.15


def lattice_of_tetrahedra(solid: SolidModel) -> tuple[Lattice, np.ndarray]:
    """Build the lattice whose cells are the tetrahedra of a solid.

    Nodes are numbered slab by slab along the longest side, so that near nodes are near in memory.

    Args:
        solid: C tetrahedra.

    Returns:
        The lattice, and (C, 4) int32, the nodes of each tetrahedron.

    Notes:
        Norton et al. 1991 have cubes. Own: springs along the edges of tetrahedra.

    Example:
        A regular tetrahedron with edges of sqrt(8) m and 8/3 m3. Each spring has V / l^2 times Young's modulus.

        >>> from ....data.solid import from_cells
        >>> corners = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
        >>> lattice, _ = lattice_of_tetrahedra(from_cells(corners, [[0, 1, 2, 3]], []))
        >>> (3.0 * lattice.stiffness).round(9).tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    used, corners = np.unique(solid.cells, return_inverse=True)
    corners = corners.reshape(-1, 4)
    points = solid.points[used]
    volumes = cell_volumes(solid.points, solid.cells)
    slab = cell_edge(volumes.mean())
    axes = np.argsort(np.ptp(points, axis=0), kind="stable")
    slabs = np.floor(points[:, axes] / slab).astype(np.int64)
    order = np.lexsort((points[:, axes[0]], slabs[:, 1], slabs[:, 2]))
    number = np.empty(len(points), np.int32)
    number[order] = np.arange(len(points))
    points, nodes = points[order], number[corners]

    pairs = np.sort(nodes[:, EDGES].reshape(-1, 2), axis=1)
    bonds, row = np.unique(pairs, axis=0, return_inverse=True)
    rest_lengths = np.linalg.norm(points[bonds[:, 1]] - points[bonds[:, 0]], axis=1)
    shares = isotropic_shares(points, nodes) * volumes[:, None]
    stiffness = np.bincount(row.ravel(), shares.ravel(), len(bonds)) / rest_lengths**2
    node_volumes = np.bincount(nodes.ravel(), np.repeat(volumes / 4.0, 4), len(points))
    starts = 6 * np.arange(len(nodes) + 1)
    lattice = Lattice(
        points=points,
        volumes=node_volumes,
        bonds=bonds,
        rest_lengths=rest_lengths,
        stiffness=stiffness,
        cells=nodes,
        cell_bonds=row.ravel(),
        cell_starts=starts,
        part_starts=np.array([0, len(points)]),
    )
    return lattice, nodes


def isotropic_shares(points: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Fit the springs of tetrahedra to an isotropic material.

    The fit is least squares of sum w n n n n against the isotropic tensor of central forces (Poisson's ratio 1/4, both
    Lame constants 2 E / 5), with no spring below ``SMALLEST_SHARE``. Each edge of a regular tetrahedron gets 1.

    Args:
        points: (N, 3) m.
        cells: (C, 4) points of each tetrahedron.

    Returns:
        (C, 6) stiffness of each edge times its squared length, over Young's modulus times the cell's volume.

    Notes:
        Own fit; the tensor of central forces is that of Love 1927.

    Example:
        The shares of any cell sum to 6.

        >>> regular = np.array([[1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
        >>> isotropic_shares(regular, np.array([[0, 1, 2, 3]])).round(6).tolist()
        [[1.0, 1.0, 1.0, 1.0, 1.0, 1.0]]
        >>> round(float(isotropic_shares(regular * [1, 1, 2], np.array([[0, 1, 2, 3]])).sum()), 6)
        6.0
    """
    corners = points[cells]
    directions = corners[:, EDGES[:, 1]] - corners[:, EDGES[:, 0]]
    directions /= np.linalg.norm(directions, axis=2)[..., None]
    gram = np.einsum("cei,cfi->cef", directions, directions) ** 4
    shares = np.ones((len(cells), 6))
    for _ in range(SWEEPS):
        for edge in range(6):
            best = CONTRACTION[3] - np.einsum("cf,cf->c", gram[:, edge], shares) + shares[:, edge]
            shares[:, edge] = np.maximum(best, SMALLEST_SHARE)
    # If the edges of a cell cannot represent the tensor, the fit is too soft. The isotropic tensor fixes the sum of the
    # shares: 6.
    return shares * (6.0 / shares.sum(axis=1))[:, None]
