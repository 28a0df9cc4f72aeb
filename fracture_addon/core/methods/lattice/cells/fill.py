"""A cubic lattice that fills a closed surface: which cubes, and how much of each is inside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy import ndimage

from ....data.arrays import frozen
from ....data.errors import InvalidMeshError
from ....data.surface import Surface, area, volume
from ..model import Lattice
from .cells import CORNERS, lattice_of_cells

# Vertical lines through each cube, a side.
LINES = 5
# A cube is kept when at least this share of what the fullest cube around it holds is inside it: a wall thinner than a
# cube is kept whole, and the last slivers of a thick body are not.
LEAST_SHARE = 0.1
# Separate groups of cubes with less than this share of the volume are dropped.
ISLAND_SHARE = 1e-3
# Cubes that a unit of area adds, in squares of the spacing; corrected by what comes out.
CUBES_OF_AREA = 0.45
COUNT_TOLERANCE, CORRECTIONS = 0.1, 4
# Empty cubes around the surface.
MARGIN = 3
# The lattice's planes lie apart from the artist's, which are often at round numbers.
OFFSET = np.sqrt([2.0, 3.0, 5.0]) % 1.0


@dataclass(frozen=True)
class CubeGrid:
    """Where the cubes of a lattice are.

    Attributes:
        origin: (3,) m, the lowest corner of cube (0, 0, 0).
        spacing: m.
        touched: (X, Y, Z) bool, cubes that the surface reaches into.
        cubes: (K, 3) int32, those that are kept.
        fractions: (K,) of each that is inside; their sum has the surface's volume.
    """

    origin: np.ndarray
    spacing: float
    touched: np.ndarray
    cubes: np.ndarray
    fractions: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "origin", frozen(self.origin, np.float64, 3))
        object.__setattr__(self, "touched", frozen(self.touched, bool))
        object.__setattr__(self, "cubes", frozen(self.cubes, np.int32, -1, 3))
        object.__setattr__(self, "fractions", frozen(self.fractions, np.float64, -1))


def fill(surface: Surface, cell_count: int, kind: str = "face") -> tuple[Lattice, CubeGrid]:
    """A lattice of about ``cell_count`` cubes in a closed surface.

    Stiffness and volume of a cube go with the fraction of it that is inside, so that neither the mass nor the membrane
    of a thin wall depends on how the lattice happens to lie.

    Args:
        surface: Closed, wound outwards.
        cell_count: Wanted number of cubes, met within 10 % where the shape allows it.
        kind: ``"body"`` or ``"face"`` diagonals, or ``"fitted"`` for all 28 springs.

    Returns:
        The lattice, with nodes layer by layer along the longest side, and the grid that it is in.

    Raises:
        InvalidMeshError: The surface has no inside.
    """
    grid = choose_cubes(surface, cell_count)
    return lattice_in(grid, kind), grid


def choose_cubes(surface: Surface, cell_count: int) -> CubeGrid:
    """The cubes of ``fill``."""
    if volume(surface) <= 0.0:
        raise InvalidMeshError("the surface cannot be filled with cubes: it has no inside; repair or turn it first")
    spacing = _first_spacing(surface, cell_count)
    for correction in range(CORRECTIONS):
        grid = cubes_at(surface, spacing)
        ratio = len(grid.cubes) / cell_count
        if abs(ratio - 1.0) < COUNT_TOLERANCE or correction == CORRECTIONS - 1:
            break
        # Between two and three dimensions, like a wall a few cubes thick.
        spacing *= np.clip(ratio, 0.2, 5.0) ** (1.0 / 2.5)
    return grid


def cubes_at(surface: Surface, spacing: float) -> CubeGrid:
    """Cubes of a given size, metres, that a closed surface fills."""
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    origin = low - (MARGIN + OFFSET) * spacing
    counts = np.ceil((high - origin) / spacing).astype(int) + MARGIN
    inside = np.zeros(counts, np.float32)
    corners = (surface.corners - origin) / spacing
    starts, heights, turns = _crossings(corners, counts[0], counts[1], LINES)
    _fill_lines(starts, heights, turns, LINES, inside)
    kept = inside >= np.maximum(LEAST_SHARE * ndimage.maximum_filter(inside, 3), 1e-6)
    kept &= _without_islands(kept, inside)
    if not kept.any():
        raise InvalidMeshError("nothing inside the surface could be filled; check that it is closed and has thickness")
    touched = inside > 0.0
    _mark_faces(corners, touched)
    cubes = _along_longest(np.argwhere(kept), counts)
    fractions = inside[tuple(cubes.T)].astype(float)
    return CubeGrid(origin, spacing, touched, cubes, fractions * (volume(surface) / (fractions.sum() * spacing**3)))


def lattice_in(grid: CubeGrid, kind: str) -> Lattice:
    """Springs in the cubes of a grid."""
    points, cells = cube_nodes(grid.cubes, grid.touched.shape)
    volumes = np.full(len(cells), grid.spacing**3)
    parity = grid.cubes.sum(axis=1) % 2
    points = grid.origin + grid.spacing * points
    return lattice_of_cells(points, cells, volumes, kind, parity=parity, regular=True, fractions=grid.fractions)


def cube_nodes(cubes: np.ndarray, counts) -> tuple[np.ndarray, np.ndarray]:
    """(N, 3) coordinates of the nodes of cubes, layer by layer, and (K, 8) the nodes of each.

    Args:
        cubes: (K, 3) coordinates.
        counts: Of cubes along each axis.
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


def _along_longest(cubes: np.ndarray, counts) -> np.ndarray:
    axes = np.argsort(-np.asarray(counts), kind="stable")
    return cubes[np.lexsort(tuple(cubes[:, axis] for axis in axes[::-1]))]


def _first_spacing(surface: Surface, cell_count: int) -> float:
    whole, boundary = volume(surface), area(surface)
    low, high = 1e-6 * surface.diagonal, surface.diagonal
    for _ in range(60):
        middle = np.sqrt(low * high)
        count = whole / middle**3 + CUBES_OF_AREA * boundary / middle**2
        low, high = (middle, high) if count > cell_count else (low, middle)
    return float(np.sqrt(low * high))


def _without_islands(kept: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """Cubes in groups, over faces, that are not too small."""
    group, count = ndimage.label(kept)
    volumes = np.bincount(group.ravel(), inside.ravel(), count + 1)
    volumes[0] = 0.0
    return (volumes >= ISLAND_SHARE * volumes.sum())[group]


@njit(cache=True)
def _crossings(corners, x_count, y_count, lines):
    """Where vertical lines meet triangles: the crossings of line i start at starts[i], with +1 where it leaves."""
    columns, rows = x_count * lines, y_count * lines
    starts = np.zeros(columns * rows + 1, np.int64)
    heights, turns = np.empty(0), np.empty(0, np.int8)
    for fill in range(2):
        if fill == 1:
            starts = np.cumsum(starts)
            place = starts[:-1].copy()
            heights, turns = np.empty(starts[-1]), np.empty(starts[-1], np.int8)
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
                    # Half-open: a line through a shared edge meets exactly one of its two faces.
                    if (u > 0 and v > 0 and w > 0) or (u <= 0 and v <= 0 and w <= 0 and (u < 0 or v < 0 or w < 0)):
                        line = i * rows + j
                        if fill == 0:
                            starts[line + 1] += 1
                        else:
                            heights[place[line]] = (u * a[2] + v * b[2] + w * c[2]) / (u + v + w)
                            turns[place[line]] = 1 if u + v + w > 0 else -1
                            place[line] += 1
    return starts, heights, turns


@njit(cache=True)
def _fill_lines(starts, heights, turns, lines, inside):
    """Add to ``inside`` the length of each line within the surface, where it winds around the line at least once."""
    rows = inside.shape[1] * lines
    for line in range(len(starts) - 1):
        start, end = starts[line], starts[line + 1]
        if start == end:
            continue
        i, j = line // rows // lines, line % rows // lines
        _sort_by_height(heights, turns, start, end)
        winding = 0
        for row in range(start, end):
            if winding > 0:
                below, above = heights[row - 1], heights[row]
                for k in range(int(below), min(int(above), inside.shape[2] - 1) + 1):
                    inside[i, j, k] += (min(above, k + 1.0) - max(below, float(k))) / (lines * lines)
            winding -= turns[row]


@njit(cache=True)
def _sort_by_height(heights, turns, start, end):
    """Sort the few crossings of a line."""
    for row in range(start + 1, end):
        height, turn = heights[row], turns[row]
        place = row
        while place > start and heights[place - 1] > height:
            heights[place], turns[place] = heights[place - 1], turns[place - 1]
            place -= 1
        heights[place], turns[place] = height, turn


@njit(cache=True)
def _mark_faces(corners, touched):
    """Mark cubes that hold a corner of a triangle: of small parts the lines may miss all."""
    for face in range(len(corners)):
        for corner in range(3):
            x, y, z = corners[face, corner]
            touched[int(x), int(y), int(z)] = True
