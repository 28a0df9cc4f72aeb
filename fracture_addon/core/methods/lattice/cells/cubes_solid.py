"""Divide the cubes of a lattice into tetrahedra, so that the artist's surface can be cut along them."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from ....data.solid import SolidModel, from_cells
from .cells import FIVE_TETRAHEDRA
from .fill import CubeGrid, cube_nodes

# Layers of empty cubes around all cubes that the surface reaches. With 1 to 40 layers, fragments stay the same and
# points move by at most 0.1 mm in 60 mm.
PADDING_LAYERS = 2


def solid_of_lattice(grid: CubeGrid) -> tuple[SolidModel, np.ndarray]:
    """Divide each cube into five tetrahedra, and add empty cubes around them as padding.

    The division alternates from cube to cube, so that neighbours agree on their common face. Fragments later extend
    through the padding beyond the artist's surface. The surface is cut where they meet.

    Returns:
        The solid, whose first points are the nodes of the grid's lattice, and (C,) int32, the cube of each tetrahedron.
        A label for each cube becomes ``fragment_of_cell = label[cube_of_cell]``.
    """
    near = grid.touched.copy()
    near[tuple(grid.cubes.T)] = True
    near = ndimage.binary_dilation(near, np.ones((3, 3, 3)), PADDING_LAYERS)
    near[tuple(grid.cubes.T)] = False
    counts = grid.touched.shape
    points, nodes = cube_nodes(grid.cubes, counts)
    # Padding shares the nodes of the lattice; its own nodes come after them.
    padding = np.argwhere(near)
    padding_points, padding_nodes = cube_nodes(padding, counts)
    number = np.full(np.asarray(counts) + 1, -1)
    number[tuple(points.astype(int).T)] = np.arange(len(points))
    known = number[tuple(padding_points.astype(int).T)]
    new = known < 0
    known[new] = len(points) + np.arange(new.sum())
    points = grid.origin + grid.spacing * np.concatenate([points, padding_points[new]])
    cells = _tetrahedra(nodes, grid.cubes)
    solid = from_cells(points, cells, _tetrahedra(known[padding_nodes], padding))
    return solid, np.repeat(np.arange(len(nodes), dtype=np.int32), 5)


def _tetrahedra(nodes: np.ndarray, cubes: np.ndarray) -> np.ndarray:
    """Return (5 K, 4) nodes of the tetrahedra of (K, 8) cubes at (K, 3) grid coordinates."""
    division = FIVE_TETRAHEDRA[cubes.sum(axis=1) % 2].reshape(len(cubes), 20)
    return np.take_along_axis(nodes, division, axis=1).reshape(-1, 4)
