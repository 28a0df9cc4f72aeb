"""Random points with a minimum distance (Poisson disk samples, blue noise) on a surface and inside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numba import njit

from ...data.arrays import ReadOnlyArrays
from ...data.errors import InvalidMeshError
from ...data.surface import Surface, area_vectors
from ...geometry.inside import is_inside
from .cell_sizes import EVEN, Spread

# Least distance of an opposite point from the others on its side of a wall, over the spacing. From 0.3 to 0.9 the
# volume of a jar with 2,000 cells is wrong by 0.5 to 0.7 %, in the mean of two seeds.
PARTNER_SHARE = 0.6
# Share of candidates that are kept for independent points. It gives as many points as blue noise far from a boundary
# (measured).
UNIFORM_SHARE = 0.073
# Largest number of grid cells with candidates for points inside. They take 2 GB.
MOST_CANDIDATES = 3e7
# Ratio by which a wanted fineness must exceed that of a grid cell to divide it. It exceeds rounding.
FINER = 1.001
# Direction that chooses one of the two sides of a wall. Normals of common surfaces are not perpendicular to it. With
# three such directions, a plate gets the same 3,079 cells in three layers, and a jar 2,752 to 2,919.
ONE_SIDE = (0.61, 0.53, 0.59)
OCTANTS = np.stack(np.meshgrid([0, 1], [0, 1], [0, 1], indexing="ij"), axis=-1).reshape(-1, 3)


@dataclass(frozen=True)
class BoundaryPoints(ReadOnlyArrays):
    """Points on a surface, and the opposite points on the other side of the wall.

    Attributes:
        points: (N, 3) m.
        normals: (N, 3) outward unit normals.
        spacings: (N,) m, least distance of other points on the same side of the wall.
        opposite: (N, 3) m, point at which the inward ray leaves the body; the point itself if the wall is thick.
        opposite_normals: (N, 3) outward unit normals there.
        thickness: (N,) m, distance between both points; infinite if the wall is thick.
    """

    points: np.ndarray
    normals: np.ndarray
    spacings: np.ndarray
    opposite: np.ndarray
    opposite_normals: np.ndarray
    thickness: np.ndarray

    def take(self, rows: np.ndarray | slice) -> BoundaryPoints:
        """Return some of the points."""
        return BoundaryPoints(*(getattr(self, item.name)[rows] for item in fields(self)))

    def swapped(self) -> BoundaryPoints:
        """Return the opposite points, with these points opposite to them."""
        return BoundaryPoints(
            self.opposite, self.opposite_normals, self.spacings, self.points, self.normals, self.thickness
        )

    @classmethod
    def joined(cls, parts: Sequence[BoundaryPoints]) -> BoundaryPoints:
        """Return several sets as one."""
        return cls(*(np.concatenate([getattr(part, item.name) for part in parts]) for item in fields(cls)))


def sample_surface(
    surface: Surface, count: int, random: np.random.Generator, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Draw independent random points on a surface.

    Args:
        surface: Surface with at least one face.
        count: Number of points.
        random: Random generator.
        weights: (F,) relative number of points on each face. Default: the areas, for a uniform density.

    Returns:
        (count, 3) points, m, and (count,) their faces.

    Notes:
        Turk 1990, Generating Random Points in Triangles.

    Example:
        All points are in the triangle; a third of them is nearest to each corner.

        >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
        >>> points, _ = sample_surface(Surface(corners, [[0, 1, 2]]), 9000, np.random.default_rng(1))
        >>> bool((points >= 0.0).all() and (points.sum(axis=1) <= 1.0).all()), points.mean(axis=0).round(1).tolist()
        (True, [0.3, 0.3, 0.0])
    """
    weights = np.linalg.norm(area_vectors(surface), axis=1) if weights is None else weights
    rows = np.sort(random.choice(len(weights), size=count, p=weights / weights.sum()))
    u, v = np.sqrt(random.random(count)), random.random(count)
    corners = surface.corners[rows]
    shares = np.stack([1.0 - u, u * (1.0 - v), u * v], axis=1)
    points = np.einsum("nk,nki->ni", shares, corners)
    shuffled = random.permutation(count)
    return points[shuffled], rows[shuffled]


def spaced(candidates: BoundaryPoints, accepted: BoundaryPoints | None = None, share: float = 1.0) -> BoundaryPoints:
    """Choose candidates that keep a minimum distance, and on thin walls their opposite points too.

    Only points with normals within 90 degrees of each other keep the distance. The two sides of a wall thinner than the
    spacing are therefore independent.

    Args:
        candidates: Candidates in order of preference.
        accepted: Points that are accepted already; they come first in the result.
        share: Distance of the candidates from each other and from accepted points, over their spacings.

    Returns:
        The accepted points, followed by the chosen candidates, each with its opposite point if that keeps its distance.

    Notes:
        Dart throwing (Cook 1986, Stochastic Sampling in Computer Graphics). The pairs on thin walls are own
        (docs/decisions/blue_noise_points.md).

    Example:
        Of three points on a line, the second is too close to the first.

        >>> points, up = np.array([[0.0, 0, 0], [0.5, 0, 0], [1, 0, 0]]), np.tile([0.0, 0.0, 1.0], (3, 1))
        >>> line = BoundaryPoints(points, up, np.ones(3), points, -up, np.full(3, np.inf))
        >>> spaced(line).points[:, 0].tolist()
        [0.0, 1.0]
    """
    accepted = candidates.take(slice(0)) if accepted is None else accepted
    everything = BoundaryPoints.joined([accepted, candidates])
    count = len(everything.points)
    distances = everything.spacings * np.where(np.arange(count) < len(accepted.points), 1.0, share)
    both = BoundaryPoints.joined([everything, everything.swapped()])
    partnered = np.isfinite(everything.thickness)
    kept = _throw_darts(both.points, both.normals, distances, partnered, len(accepted.points))
    return both.take(kept)


def inside_surface(
    surface: Surface, spacing: float, boundary: np.ndarray, random: np.random.Generator, spread: Spread = EVEN
) -> np.ndarray:
    """Return random points inside a closed surface.

    Args:
        surface: Closed surface.
        spacing: Least distance between points, and from ``boundary`` points, m, where the fineness is 1.
        boundary: (B, 3) m, points on the surface.
        random: Random generator.
        spread: Fineness and distribution of the points. If it is uniform, the points are independent of one
            another; their number stays about the same.

    Returns:
        (N, 3) m.

    Raises:
        InvalidMeshError: The spacing is too small for the size of the surface.

    Notes:
        Dart throwing (Cook 1986), with one candidate in each cube of half the spacing.

    Example:
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> tetrahedron = Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> points = inside_surface(tetrahedron, 0.2, np.empty((0, 3)), np.random.default_rng(1))
        >>> pairs = np.linalg.norm(points[:, None] - points, axis=2) + np.eye(len(points))
        >>> len(points) > 5, bool(pairs.min() >= 0.2), bool((points.sum(axis=1) < 1.0).all())
        (True, True, True)
    """
    candidates, levels = _candidates(surface, spacing, random, spread)
    inside = is_inside(surface, candidates)
    candidates, levels = candidates[inside], levels[inside]
    if spread.uniform:
        wanted = UNIFORM_SHARE * (spread.at(candidates) / levels) ** 3
        return candidates[random.random(len(candidates)) < wanted]
    candidates = random.permutation(candidates)
    points = np.concatenate([boundary, candidates])
    count = len(points)
    # With equal normals, all points keep the distance. The boundary points are accepted first.
    kept = _throw_darts(
        points, np.tile([0.0, 0.0, 1.0], (count, 1)), spacing / spread.at(points), np.zeros(count, bool), len(boundary)
    )
    return points[kept[kept >= len(boundary)]]


def within_walls(candidates: BoundaryPoints, interior: np.ndarray, layers: int) -> np.ndarray:
    """Add layers of points inside thin walls, for several cells through the thickness.

    Args:
        candidates: Candidates on both sides of the walls.
        interior: (N, 3) m, points inside that are accepted already.
        layers: Number of cells across a wall. One layer of points fewer is added.

    Returns:
        (M, 3) m, with ``interior`` first.

    Notes:
        Dart throwing (Cook 1986) in each layer; the layers are own.

    Example:
        Two layers of cells in a wall of 10 cm have points in its middle.

        >>> top, up = np.array([[0.0, 0.0, 0.1]]), np.array([[0.0, 0.0, 1.0]])
        >>> wall = BoundaryPoints(top, up, np.ones(1), top - 0.1 * up, -up, np.full(1, 0.1))
        >>> within_walls(wall, np.empty((0, 3)), 2).tolist()
        [[0.0, 0.0, 0.05]]
    """
    walls = candidates.take(np.flatnonzero(np.isfinite(candidates.thickness)))
    sheets = [interior]
    for number in range(1, layers):
        depth = number / layers * walls.thickness
        # Depths count from one side of the wall, whichever side a candidate is on.
        depth = np.where(walls.normals @ np.array(ONE_SIDE) > 0.0, depth, walls.thickness - depth)
        points = np.concatenate([interior, walls.points - depth[:, None] * walls.normals])
        count, accepted = len(points), len(interior)
        distances = np.concatenate([np.full(accepted, walls.spacings.max(initial=0.0)), walls.spacings])
        alike = np.tile([0.0, 0.0, 1.0], (count, 1))
        if count > accepted:
            kept = _throw_darts(points, alike, distances, np.zeros(count, bool), accepted)
            sheets.append(points[kept[kept >= accepted]])
    return np.concatenate(sheets)


def _candidates(
    surface: Surface, spacing: float, random: np.random.Generator, spread: Spread
) -> tuple[np.ndarray, np.ndarray]:
    """Return a random point (N, 3) in each cell of a grid finer than the spacing, and the fineness (N,) of the cell.

    A grid cell that is too coarse at its centre is divided into eight, so that the cost follows the number of points.
    """
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    level = spread.least
    points: list[np.ndarray] = []
    levels: list[np.ndarray] = []
    step = 0.5 * spacing / level
    counts = np.maximum(1, np.ceil((high - low) / step).astype(int))
    if np.prod(counts.astype(float)) > MOST_CANDIDATES:
        width = float((high - low).max())
        raise InvalidMeshError(
            f"cells {spacing / level:.2g} m wide are too small for a body {width:.2g} m across: they would need too "
            "much memory; lower the detail (Detail, --resolution)"
        )
    cells = np.stack(np.meshgrid(*(np.arange(count) for count in counts), indexing="ij"), axis=-1).reshape(-1, 3)
    while len(cells):
        finer = (
            spread.at(low + (cells + 0.5) * step) > FINER * level if level < spread.most else np.zeros(len(cells), bool)
        )
        whole = cells[~finer]
        points.append(low + (whole + random.random(whole.shape)) * step)
        levels.append(np.full(len(whole), level))
        cells = (2 * cells[finer][:, None] + OCTANTS).reshape(-1, 3)
        level, step = 2.0 * level, 0.5 * step
    return np.concatenate(points), np.concatenate(levels)


@njit(cache=True)
def _throw_darts(
    points: np.ndarray, normals: np.ndarray, distances: np.ndarray, partnered: np.ndarray, accepted_count: int
) -> np.ndarray:
    """Return the rows of points that keep their distance, tested in their order.

    Args:
        points: (2 N, 3) or (N, 3) m: candidates, then the opposite point of each.
        normals: Unit normals of the points. Only points with normals within 90 degrees keep a distance.
        distances: (N,) m. Two points keep the smaller of their distances.
        partnered: (N,) bool, candidates whose opposite point is tested after them, with ``PARTNER_SHARE``.
        accepted_count: Number of candidates that are accepted without a test.
    """
    count = len(distances)
    size = distances.max()
    low = np.array([points[:, 0].min(), points[:, 1].min(), points[:, 2].min()])
    grid_of_point = np.floor((points - low) / size).astype(np.int64)
    mask = np.int64(1)
    while mask < 2 * count:
        mask *= 2
    heads = np.full(mask, -1, np.int64)
    mask -= 1
    following = np.full(len(points), -1, np.int64)
    kept = np.empty(len(points), np.int64)
    kept_count = 0
    for row in range(count):
        free = row < accepted_count or _is_free(
            row, 1.0, points, normals, distances, grid_of_point, heads, following, mask
        )
        if not free:
            continue
        kept[kept_count] = row
        kept_count += 1
        _enter(row, grid_of_point, heads, following, mask)
        partner = row + count
        if (
            row >= accepted_count
            and partnered[row]
            and _is_free(partner, PARTNER_SHARE, points, normals, distances, grid_of_point, heads, following, mask)
        ):
            kept[kept_count] = partner
            kept_count += 1
            _enter(partner, grid_of_point, heads, following, mask)
    return kept[:kept_count]


@njit(cache=True)
def _bucket(i: int, j: int, k: int, mask: np.int64) -> np.int64:
    return (i * 73856093 ^ j * 19349663 ^ k * 83492791) & mask


@njit(cache=True)
def _enter(row: int, grid_of_point: np.ndarray, heads: np.ndarray, following: np.ndarray, mask: np.int64) -> None:
    bucket = _bucket(grid_of_point[row, 0], grid_of_point[row, 1], grid_of_point[row, 2], mask)
    following[row] = heads[bucket]
    heads[bucket] = row


@njit(cache=True)
def _is_free(
    row: int,
    share: float,
    points: np.ndarray,
    normals: np.ndarray,
    distances: np.ndarray,
    grid_of_point: np.ndarray,
    heads: np.ndarray,
    following: np.ndarray,
    mask: np.int64,
) -> bool:
    count = len(distances)
    i, j, k = grid_of_point[row]
    for di in range(-1, 2):
        for dj in range(-1, 2):
            for dk in range(-1, 2):
                other = heads[_bucket(i + di, j + dj, k + dk, mask)]
                while other >= 0:
                    apart = share * min(distances[row % count], distances[other % count])
                    square = 0.0
                    alike = 0.0
                    for axis in range(3):
                        square += (points[row, axis] - points[other, axis]) ** 2
                        alike += normals[row, axis] * normals[other, axis]
                    if square < apart * apart and alike > 0.0:
                        return False
                    other = following[other]
    return True
