"""Irregular, even point sets on a surface and inside it, from a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numba import njit

from ...data.errors import InvalidMeshError
from ...data.surface import Surface, area_vectors
from ...geometry.inside import is_inside
from .cell_sizes import EVEN, Spread

# A point opposite to an accepted one is taken unless another is nearer to it than this share of the spacing.
PARTNER_SHARE = 0.6
# Share of the candidates that gives as many points as keep their distance (measured far from a boundary).
UNIFORM_SHARE = 0.073
# Cells of the grid that candidates for points inside come from: two gigabytes.
MOST_CANDIDATES = 3e7
OCTANTS = np.stack(np.meshgrid([0, 1], [0, 1], [0, 1], indexing="ij"), axis=-1).reshape(-1, 3)


@dataclass(frozen=True)
class BoundaryPoints:
    """Points on a surface, and what lies opposite to them through the wall.

    Attributes:
        points: (N, 3) m.
        normals: (N, 3) unit, outwards.
        spacings: (N,) m that others of a like normal keep away.
        opposite: (N, 3) m, where the ray inwards comes out again; the point itself where the wall is thick.
        opposite_normals: (N, 3) unit, outwards.
        thickness: (N,) m between the two, infinite where the wall is thick.
    """

    points: np.ndarray
    normals: np.ndarray
    spacings: np.ndarray
    opposite: np.ndarray
    opposite_normals: np.ndarray
    thickness: np.ndarray

    def take(self, rows) -> BoundaryPoints:
        """Some of the points."""
        return BoundaryPoints(*(getattr(self, item.name)[rows] for item in fields(self)))

    def turned(self) -> BoundaryPoints:
        """The opposite points, seen from their own side."""
        return BoundaryPoints(
            self.opposite, self.opposite_normals, self.spacings, self.points, self.normals, self.thickness
        )

    @classmethod
    def joined(cls, parts: Sequence[BoundaryPoints]) -> BoundaryPoints:
        """Several sets as one."""
        return cls(*(np.concatenate([getattr(part, item.name) for part in parts]) for item in fields(cls)))


def sample_surface(
    surface: Surface, count: int, random: np.random.Generator, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Random points on a surface.

    Args:
        surface: With at least one face.
        count: Of points.
        random: Where they come from.
        weights: (F,) points to expect on each face, in proportion; the areas for an even density.

    Returns:
        (count, 3) points in metres, (count,) rows of the faces that they lie on.
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
    """Candidates that keep their distance, taken in their order; of thin walls, with the points opposite to them.

    Points only keep others of a like normal away, so that the two sides of a wall thinner than the spacing are apart.

    Args:
        candidates: In order of preference.
        accepted: Points that are there already; they come first in the result.
        share: Of their spacings that the candidates keep from each other and from what is accepted.
    """
    accepted = candidates.take(slice(0)) if accepted is None else accepted
    everything = BoundaryPoints.joined([accepted, candidates])
    count = len(everything.points)
    distances = everything.spacings * np.where(np.arange(count) < len(accepted.points), 1.0, share)
    both = BoundaryPoints.joined([everything, everything.turned()])
    partnered = np.isfinite(everything.thickness)
    kept = _throw_darts(both.points, both.normals, distances, partnered, len(accepted.points))
    return both.take(kept)


def inside_surface(
    surface: Surface, spacing: float, boundary: np.ndarray, random: np.random.Generator, spread: Spread = EVEN
) -> np.ndarray:
    """Points inside a closed surface.

    Args:
        surface: The surface.
        spacing: Metres where the spread says nothing. No point is nearer to another, or to a ``boundary`` point.
        boundary: (B, 3), metres.
        random: Where they come from.
        spread: Where they are finer; points that it wants uniform are as many, at any distance.

    Returns:
        (N, 3), metres.

    Raises:
        InvalidMeshError: The points are too near to one another for the size of the surface.
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
    # Equal normals: everything keeps everything else away; the boundary is accepted first.
    kept = _throw_darts(
        points, np.tile([0.0, 0.0, 1.0], (count, 1)), spacing / spread.at(points), np.zeros(count, bool), len(boundary)
    )
    return points[kept[kept >= len(boundary)]]


def within_walls(candidates: BoundaryPoints, interior: np.ndarray, layers: int) -> np.ndarray:
    """Points inside with sheets of further ones in walls that are thin, so that so many cells lie through them.

    Args:
        candidates: On both sides of the walls.
        interior: (N, 3) points that are there already, metres.
        layers: One less sheets than that, each with points of its own.
    """
    walls = candidates.take(np.flatnonzero(np.isfinite(candidates.thickness)))
    sheets = [interior]
    for number in range(1, layers):
        depth = number / layers * walls.thickness
        # Seen from the other side it is the other sheet: those with a normal in one half of space give it.
        depth = np.where(walls.normals @ [0.61, 0.53, 0.59] > 0.0, depth, walls.thickness - depth)
        points = np.concatenate([interior, walls.points - depth[:, None] * walls.normals])
        count, accepted = len(points), len(interior)
        distances = np.concatenate([np.full(accepted, walls.spacings.max(initial=0.0)), walls.spacings])
        alike = np.tile([0.0, 0.0, 1.0], (count, 1))
        if count > accepted:
            kept = _throw_darts(points, alike, distances, np.zeros(count, bool), accepted)
            sheets.append(points[kept[kept >= accepted]])
    return np.concatenate(sheets)


def _candidates(surface: Surface, spacing: float, random: np.random.Generator, spread: Spread):
    """One point in each cell of a grid finer than the spacing, (N, 3), and the fineness that its cell is made for.

    A cell whose middle wants to be finer is divided into eight: the cost stays bound to the number of points.
    """
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    level, points, levels = spread.least, [], []
    step = 0.5 * spacing / level
    counts = np.maximum(1, np.ceil((high - low) / step).astype(int))
    if np.prod(counts.astype(float)) > MOST_CANDIDATES:
        width = float((high - low).max())
        raise InvalidMeshError(
            f"cells {spacing / level:.2g} m wide are too small for a body {width:.2g} m across, and would take "
            "more memory than there is; lower the detail (Detail, --resolution)"
        )
    cells = np.stack(np.meshgrid(*(np.arange(count) for count in counts), indexing="ij"), axis=-1).reshape(-1, 3)
    while len(cells):
        finer = (
            spread.at(low + (cells + 0.5) * step) > 1.001 * level if level < spread.most else np.zeros(len(cells), bool)
        )
        whole = cells[~finer]
        points.append(low + (whole + random.random(whole.shape)) * step)
        levels.append(np.full(len(whole), level))
        cells = (2 * cells[finer][:, None] + OCTANTS).reshape(-1, 3)
        level, step = 2.0 * level, 0.5 * step
    return np.concatenate(points), np.concatenate(levels)


@njit(cache=True)
def _throw_darts(points, normals, distances, partnered, accepted_count):
    """Rows that are kept, in order: the first ``accepted_count`` always, a later one when nothing alike is nearer.

    The first N rows of ``points`` are the candidates; where ``partnered`` (N,) says so, row N + i is the partner of
    row i, and is kept after it unless something alike is much nearer. Two points keep the smaller of their distances.
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
def _bucket(i, j, k, mask):
    return (i * 73856093 ^ j * 19349663 ^ k * 83492791) & mask


@njit(cache=True)
def _enter(row, grid_of_point, heads, following, mask):
    bucket = _bucket(grid_of_point[row, 0], grid_of_point[row, 1], grid_of_point[row, 2], mask)
    following[row] = heads[bucket]
    heads[bucket] = row


@njit(cache=True)
def _is_free(row, share, points, normals, distances, grid_of_point, heads, following, mask):
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
