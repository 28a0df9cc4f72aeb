"""Fill a closed surface with a cubic lattice: select cubes and compute the share of each inside the surface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy import ndimage

from ....data.arrays import frozen
from ....data.errors import InvalidMeshError
from ....data.surface import Surface, area, volume
from ..lattice import Lattice
from .cells import CORNERS, lattice_of_cells

# Vertical lines through a cube along each horizontal side. They sample the volume inside, and thus decide which cubes
# at the surface count: glued bricks move 72, 63 and 68 mm with 2, 5 and 10.
LINES = 5
# Smallest filled share of a cube over that of the fullest adjacent cube. It keeps a wall thinner than a cube complete,
# and drops slivers at the surface of a thick body. A large share drops needed cubes: glued bricks move 67, 63 and
# 83 mm at 0.05, 0.1 and 0.2.
SMALLEST_SHARE = 0.1
# Smallest share of the volume of a separate group of cubes. From 1e-5 to 0.1 all recordings keep their bytes.
ISLAND_SHARE = 1e-3
# First estimate of the cubes that the surface adds: cubes per square of the spacing. Corrections follow. The estimate
# only decides which of several spacings they find: glued bricks move 68, 63 and 59 mm at 0.23, 0.45 and 0.9.
CUBES_PER_AREA = 0.45
# Relative error of the number of cubes, and the largest number of corrections of the spacing. 0.001 to 0.1 and 4 to
# 80 give the same bytes.
COUNT_TOLERANCE, CORRECTIONS = 0.1, 4
# Exponent of the number of cubes over the spacing, and the limits of the correction. The exponent lies between those
# of a wall (2) and a thick body (3). Limits of 0.002 to 0.4 and 2.5 to 500 give the same bytes.
COUNT_EXPONENT, SMALLEST_RATIO, LARGEST_RATIO = 2.5, 0.2, 5.0
# Layers of empty cubes around the surface; with ``OFFSET`` they place the lattice. Glued bricks move 63, 63 and 65 mm
# at 1, 3 and 6.
MARGIN = 3
# Offset of the lattice in spacings. Irrational numbers keep its planes off the artist's, which are often round numbers.
OFFSET = np.sqrt([2.0, 3.0, 5.0]) % 1.0


@dataclass(frozen=True)
class CubeGrid:
    """A grid of cubes around a surface.

    Attributes:
        origin: (3,) m, lowest corner of cube (0, 0, 0).
        spacing: m.
        touched: (X, Y, Z) bool, cubes that the surface reaches.
        cubes: (K, 3) int32, grid coordinates of the selected cubes.
        fractions: (K,) share of each selected cube inside the surface, scaled so that the total volume is exact.
    """

    origin: np.ndarray
    spacing: float
    touched: np.ndarray
    cubes: np.ndarray
    fractions: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "origin", frozen(self.origin, np.float64, 3))
        object.__setattr__(self, "touched", frozen(self.touched, bool))
        object.__setattr__(self, "cubes", frozen(self.cubes, np.int32, -1, 3))
        object.__setattr__(self, "fractions", frozen(self.fractions, np.float64, -1))


def fill(surface: Surface, cell_count: int, kind: str = "face") -> tuple[Lattice, CubeGrid]:
    """Fill a closed surface with a lattice of about ``cell_count`` cubes.

    Stiffness and volume of a cube are proportional to its share inside. Therefore the mass and the stiffness of a thin
    wall do not depend on the position of the lattice.

    Args:
        surface: Closed, with outward normals.
        cell_count: Wanted number of cubes, met within 10 % where the shape allows it.
        kind: ``"body"`` or ``"face"`` diagonals, or ``"fitted"`` for all 28 springs.

    Returns:
        The lattice, with nodes layer by layer along the longest side, and its grid.

    Raises:
        InvalidMeshError: The surface has no interior.

    Notes:
        Norton et al. 1991 fill solids with cubes. Own: cubes that the surface cuts count by their share.

    Example:
        The volume is that of the surface, a tetrahedron.

        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> lattice, grid = fill(Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]), 200)
        >>> round(6.0 * float(lattice.volumes.sum()), 6), 180 <= len(grid.cubes) <= 220
        (1.0, True)
    """
    grid = choose_cubes(surface, cell_count)
    return lattice_in(grid, kind), grid


def choose_cubes(surface: Surface, cell_count: int) -> CubeGrid:
    """Select the cubes of ``fill``, with a spacing for about ``cell_count`` cubes."""
    if volume(surface) <= 0.0:
        raise InvalidMeshError("The surface has no interior to fill with cubes; repair it or flip its normals first")
    spacing = _first_spacing(surface, cell_count)
    for correction in range(CORRECTIONS):
        grid = cubes_at(surface, spacing)
        ratio = len(grid.cubes) / cell_count
        if abs(ratio - 1.0) < COUNT_TOLERANCE or correction == CORRECTIONS - 1:
            break
        spacing *= float(np.clip(ratio, SMALLEST_RATIO, LARGEST_RATIO) ** (1.0 / COUNT_EXPONENT))
    return grid


def cubes_at(surface: Surface, spacing: float) -> CubeGrid:
    """Select the cubes of size ``spacing``, m, that a closed surface fills."""
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    origin = low - (MARGIN + OFFSET) * spacing
    counts = np.ceil((high - origin) / spacing).astype(int) + MARGIN
    inside = np.zeros(counts, np.float32)
    corners = (surface.corners - origin) / spacing
    starts, heights, directions = _crossings(corners, counts[0], counts[1], LINES)
    _fill_lines(starts, heights, directions, LINES, inside)
    kept = inside >= np.maximum(SMALLEST_SHARE * ndimage.maximum_filter(inside, 3), 1e-6)
    kept &= _without_islands(kept, inside)
    if not kept.any():
        raise InvalidMeshError("No cube fits inside the surface; check that it is closed and has thickness")
    touched = inside > 0.0
    _mark_faces(corners, touched)
    cubes = _order_along_longest(np.argwhere(kept), counts)
    fractions = inside[tuple(cubes.T)].astype(float)
    return CubeGrid(origin, spacing, touched, cubes, fractions * (volume(surface) / (fractions.sum() * spacing**3)))


def lattice_in(grid: CubeGrid, kind: str) -> Lattice:
    """Assemble the lattice of a grid's cubes; ``kind`` as in ``fill``."""
    points, cells = cube_nodes(grid.cubes, grid.touched.shape)
    volumes = np.full(len(cells), grid.spacing**3)
    parity = grid.cubes.sum(axis=1) % 2
    points = grid.origin + grid.spacing * points
    return lattice_of_cells(points, cells, volumes, kind, parity=parity, regular=True, fractions=grid.fractions)


def cube_nodes(cubes: np.ndarray, counts: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Number the nodes of cubes, layer by layer.

    Args:
        cubes: (K, 3) grid coordinates.
        counts: (3,) cubes along each axis of the grid.

    Returns:
        (N, 3) grid coordinates of the nodes, and (K, 8) the nodes of each cube.
    """
    shape = np.asarray(counts) + 1
    axes = np.argsort(-shape, kind="stable")
    strides = np.empty(3, np.int64)
    strides[axes] = [shape[axes[1]] * shape[axes[2]], shape[axes[2]], 1]
    keys = (cubes @ strides)[:, None] + CORNERS @ strides
    number = np.zeros(int(np.prod(shape)), np.int32)
    number[keys] = 1
    used = np.flatnonzero(number)
    number[used] = np.arange(len(used))
    points = np.empty((len(used), 3))
    points[:, axes] = np.stack(np.unravel_index(used, shape[axes]), axis=1)
    return points, number[keys]


def _order_along_longest(cubes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Sort cubes layer by layer along the longest side of the grid."""
    axes = np.argsort(-np.asarray(counts), kind="stable")
    return cubes[np.lexsort(tuple(cubes[:, axis] for axis in axes[::-1]))]


def _first_spacing(surface: Surface, cell_count: int) -> float:
    """Estimate the spacing, m, from the volume and the area of the surface."""
    total_volume, total_area = volume(surface), area(surface)
    low, high = 1e-6 * surface.diagonal, surface.diagonal
    for _ in range(60):
        middle = np.sqrt(low * high)
        count = total_volume / middle**3 + CUBES_PER_AREA * total_area / middle**2
        low, high = (middle, high) if count > cell_count else (low, middle)
    return float(np.sqrt(low * high))


def _without_islands(kept: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """Mark the cubes that belong to face-connected groups of sufficient volume."""
    group, count = ndimage.label(kept)
    volumes = np.bincount(group.ravel(), inside.ravel(), count + 1)
    volumes[0] = 0.0
    return (volumes >= ISLAND_SHARE * volumes.sum())[group]


@njit(cache=True)
def _crossings(
    corners: np.ndarray, x_count: int, y_count: int, lines: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find the crossings of vertical lines with triangles, whose ``corners`` (F, 3, 3) are in spacings of the grid.

    The crossings of line i start at row starts[i]. Heights are in spacings. The direction is +1 where the line leaves
    the surface, else -1.
    """
    columns, rows = x_count * lines, y_count * lines
    starts = np.zeros(columns * rows + 1, np.int64)
    heights, directions = np.empty(0), np.empty(0, np.int8)
    for fill in range(2):
        if fill == 1:
            starts = np.cumsum(starts)
            place = starts[:-1].copy()
            heights, directions = np.empty(starts[-1]), np.empty(starts[-1], np.int8)
        for face in range(len(corners)):
            a, b, c = corners[face]
            first_x = max(int(np.ceil(min(a[0], b[0], c[0]) * lines - 0.5)), 0)
            last_x = min(int(np.floor(max(a[0], b[0], c[0]) * lines - 0.5)), columns - 1)
            first_y = max(int(np.ceil(min(a[1], b[1], c[1]) * lines - 0.5)), 0)
            last_y = min(int(np.floor(max(a[1], b[1], c[1]) * lines - 0.5)), rows - 1)
            for i in range(first_x, last_x + 1):
                x = (i + 0.5) / lines
                for j in range(first_y, last_y + 1):
                    y = (j + 0.5) / lines
                    u = (b[0] - x) * (c[1] - y) - (b[1] - y) * (c[0] - x)
                    v = (c[0] - x) * (a[1] - y) - (c[1] - y) * (a[0] - x)
                    w = (a[0] - x) * (b[1] - y) - (a[1] - y) * (b[0] - x)
                    # The test is half-open: a line through a shared edge crosses exactly one of its two faces.
                    if (u > 0 and v > 0 and w > 0) or (u <= 0 and v <= 0 and w <= 0 and (u < 0 or v < 0 or w < 0)):
                        line = i * rows + j
                        if fill == 0:
                            starts[line + 1] += 1
                        else:
                            heights[place[line]] = (u * a[2] + v * b[2] + w * c[2]) / (u + v + w)
                            directions[place[line]] = 1 if u + v + w > 0 else -1
                            place[line] += 1
    return starts, heights, directions


@njit(cache=True)
def _fill_lines(
    starts: np.ndarray, heights: np.ndarray, directions: np.ndarray, lines: int, inside: np.ndarray
) -> None:
    """Add to ``inside`` (X, Y, Z) the share of each cube's lines on which the surface's winding number is positive."""
    rows = inside.shape[1] * lines
    for line in range(len(starts) - 1):
        start, end = starts[line], starts[line + 1]
        if start == end:
            continue
        i, j = line // rows // lines, line % rows // lines
        _sort_by_height(heights, directions, start, end)
        winding = 0
        for row in range(start, end):
            if winding > 0:
                below, above = heights[row - 1], heights[row]
                for k in range(int(below), min(int(above), inside.shape[2] - 1) + 1):
                    inside[i, j, k] += (min(above, k + 1.0) - max(below, float(k))) / (lines * lines)
            winding -= directions[row]


@njit(cache=True)
def _sort_by_height(heights: np.ndarray, directions: np.ndarray, start: int, end: int) -> None:
    """Sort the few crossings of a line by height, by insertion."""
    for row in range(start + 1, end):
        height, direction = heights[row], directions[row]
        place = row
        while place > start and heights[place - 1] > height:
            heights[place], directions[place] = heights[place - 1], directions[place - 1]
            place -= 1
        heights[place], directions[place] = height, direction


@njit(cache=True)
def _mark_faces(corners: np.ndarray, touched: np.ndarray) -> None:
    """Mark the cubes that contain a corner of a triangle. Lines may miss small parts of the surface."""
    for face in range(len(corners)):
        for corner in range(3):
            x, y, z = corners[face, corner]
            touched[int(x), int(y), int(z)] = True
