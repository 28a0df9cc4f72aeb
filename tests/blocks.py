"""Blocks of cubic cells for tests of lattices, small and by formula."""

from __future__ import annotations

import numpy as np

from fracture_addon.core.methods.lattice.lattice import Lattice

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]])
EDGES = [(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7)]
BODY_DIAGONALS = [(0, 7), (1, 6), (2, 5), (3, 4)]
FACE_DIAGONALS = [(a, b) for a in range(8) for b in range(a + 1, 8) if np.abs(CORNERS[a] - CORNERS[b]).sum() == 2]
# Share of each cell in a bond's stiffness over E h: of cubes, isotropic with Poisson's ratio 1/4.
KINDS = {
    "body": ((EDGES, 0.2), (BODY_DIAGONALS, 0.3)),
    "face": ((EDGES, 0.1), (FACE_DIAGONALS, 0.2)),
    "both": ((EDGES, 0.15), (BODY_DIAGONALS, 0.15), (FACE_DIAGONALS, 0.1)),
}


def block(shape, spacing: float = 0.01, kind: str = "body") -> Lattice:
    """A block of ``shape`` cells: ``body`` diagonals, ``face`` with both diagonals of every face, or ``both``."""
    nodes = np.array(shape) + 1
    grid = np.stack(np.meshgrid(*(np.arange(n) for n in nodes), indexing="ij"), axis=-1).reshape(-1, 3)
    lowest = np.stack(np.meshgrid(*(np.arange(n) for n in shape), indexing="ij"), axis=-1).reshape(-1, 3)
    strides = np.array([nodes[1] * nodes[2], nodes[2], 1])
    cells = (lowest[:, None] + CORNERS) @ strides
    pairs, shares = [], []
    for local, share in KINDS[kind]:
        pairs.append(cells[:, np.array(local)])
        shares.append(np.full((len(cells), len(local)), share * spacing))
    pairs, shares = np.concatenate(pairs, axis=1), np.concatenate(shares, axis=1)
    width = pairs.shape[1]
    bonds, row = np.unique(np.sort(pairs.reshape(-1, 2), axis=1), axis=0, return_inverse=True)
    points = grid * spacing
    volumes = np.bincount(cells.ravel(), minlength=len(points)) * spacing**3 / 8.0
    return Lattice(
        points,
        volumes,
        bonds,
        np.linalg.norm(points[bonds[:, 1]] - points[bonds[:, 0]], axis=1),
        np.bincount(row.ravel(), shares.ravel()),
        cells,
        row.ravel(),
        np.arange(len(cells) + 1) * width,
        [0, len(points)],
    )
