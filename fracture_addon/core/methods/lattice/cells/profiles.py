"""Build lattices of surfaces of revolution (Norton et al. 1991, "Geometric modeling").

Their cells are deformed and their surface is smooth; a lattice of cubes has steps. Where corners coincide, for example
on an axis, cells are wedges with repeated corners.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from ....data.errors import InvalidMeshError
from ....numerics.components import components
from ..lattice import Lattice
from .cells import CORNERS, corner_volumes, hexahedron_volumes, lattice_of_cells

# Distance over the diagonal of the bounding box at which points are merged: above rounding (2e-16), below a cell.
# From 1e-9 to 1e-5, trial cylinders keep their bytes.
WELD_SHARE = 1e-7
# Negative corner volume over the cell's volume above which a cell counts as folded, not as a rounding error. From
# 1e-8 to 1e-4, trial cylinders keep their bytes.
FOLDED = 1e-6


def revolved(outer: ArrayLike, inner: ArrayLike, segments: int, layers: int) -> Lattice:
    """Build a thick surface of revolution about Z between two profile curves.

    Args:
        outer: (N, 2) radius and height, m.
        inner: (N, 2) the opposite point of each outer point, m. Where both lie on the axis, the solid is closed.
        segments: Number of cells around the axis.
        layers: Number of cells between the profiles.

    Returns:
        The lattice.

    Raises:
        InvalidMeshError: Cells are folded.

    Notes:
        Norton et al. 1991, "Geometric modeling".

    Example:
        A tube of four straight cells around its axis: a square of 2 m x 2 m without one of 1 m x 1 m, 1 m high.

        >>> outer, inner = [[2.0**0.5, 0.0], [2.0**0.5, 1.0]], [[0.5**0.5, 0.0], [0.5**0.5, 1.0]]
        >>> tube = revolved(outer, inner, segments=4, layers=1)
        >>> tube.node_count, len(tube.cells), round(float(tube.volumes.sum()), 9)
        (16, 4, 3.0)
    """
    share = np.linspace(0.0, 1.0, layers + 1)[:, None, None]
    profiles = (1.0 - share) * np.asarray(inner, float) + share * np.asarray(outer, float)
    angles = np.linspace(0.0, 2.0 * np.pi, segments + 1)
    radius, height = np.broadcast_arrays(profiles[..., :1], profiles[..., 1:], subok=False)
    points = [
        radius * np.cos(angles),
        radius * np.sin(angles),
        np.broadcast_to(height, (*height.shape[:2], segments + 1)),
    ]
    return solid(np.stack(points, axis=-1), "fitted")


def solid(grid: np.ndarray, kind: str) -> Lattice:
    """Build cells between the points of an (I, J, K, 3) grid, which is closed where its ends coincide."""
    cubes = np.argwhere(np.ones(np.array(grid.shape[:3]) - 1, bool))
    cells = np.ravel_multi_index(tuple(np.moveaxis(cubes[:, None] + CORNERS, -1, 0)), grid.shape[:3])
    return hexahedra(*merge_close_points(grid.reshape(-1, 3), cells), kind, cubes.sum(axis=1) % 2)


def hexahedra(points: np.ndarray, cells: np.ndarray, kind: str, parity: np.ndarray | None = None) -> Lattice:
    """Assemble a lattice of hexahedra.

    Args:
        points: (N, 3) m.
        cells: (K, 8) with corner 4 i + 2 j + k at (i, j, k).
        kind: A name in ``CELL_KINDS``.
        parity: See ``lattice_of_cells``.

    Returns:
        The lattice.

    Raises:
        InvalidMeshError: Cells are folded.
    """
    points, cells = order_for_memory(points, cells)
    volumes = hexahedron_volumes(points[cells])
    if volumes.sum() < 0.0:
        # All cells are left-handed: swap their corners along the last axis.
        cells, volumes = cells.reshape(-1, 4, 2)[..., ::-1].reshape(-1, 8), -volumes
    folded = int((corner_volumes(points[cells]).min(axis=1) < -FOLDED * volumes).sum())
    if folded:
        raise InvalidMeshError(
            f"{folded} of {len(cells)} cells of the lattice are inverted; reduce the thickness or enlarge the cells"
        )
    spans = points[cells[:, [4, 2, 1]]] - points[cells[:, :1]]
    lengths = np.linalg.norm(spans, axis=2)
    cube = np.allclose(lengths, lengths.mean(), rtol=1e-9) and np.allclose(volumes, lengths.mean() ** 3, rtol=1e-9)
    return lattice_of_cells(points, cells, volumes, kind, parity=parity, regular=cube)


def merge_close_points(points: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Merge points that coincide, and renumber the corners of cells."""
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    pairs = cKDTree(points).query_pairs(WELD_SHARE * size, output_type="ndarray")
    number = components(pairs, len(points))
    _, first = np.unique(number, return_index=True)
    return points[first], number[cells]


def order_for_memory(points: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Keep used points only, slab by slab along the longest side, so that near points are near in memory."""
    used, rows = np.unique(cells, return_inverse=True)
    points, cells = points[used], rows.reshape(cells.shape)
    thickness = np.median(np.linalg.norm(points[cells[:, -1]] - points[cells[:, 0]], axis=1))
    axes = np.argsort(np.ptp(points, axis=0), kind="stable")
    slabs = np.floor((points - points.min(axis=0))[:, axes] / thickness).astype(np.int64)
    order = np.lexsort((points[:, axes[0]], slabs[:, 1], slabs[:, 2]))
    number = np.empty(len(points), np.int64)
    number[order] = np.arange(len(points))
    return points[order], number[cells]
