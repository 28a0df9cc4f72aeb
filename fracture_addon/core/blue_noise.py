"""Irregular, even point sets on a surface and inside it, from a seed."""

from __future__ import annotations

import numpy as np
from numba import njit

from .inside import is_inside
from .surface import Surface, area_vectors

# Candidates a wanted point: enough that the set is nearly maximal.
CANDIDATES_PER_POINT = 12


def sample_surface(surface: Surface, count: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Uniformly random points on a surface.

    Returns:
        (count, 3) points in metres, (count,) rows of the faces that they lie on.
    """
    areas = np.linalg.norm(area_vectors(surface), axis=1)
    rows = np.sort(random.choice(len(areas), size=count, p=areas / areas.sum()))
    u, v = np.sqrt(random.random(count)), random.random(count)
    corners = surface.corners[rows]
    weights = np.stack([1.0 - u, u * (1.0 - v), u * v], axis=1)
    points = np.einsum("nk,nki->ni", weights, corners)
    shuffled = random.permutation(count)
    return points[shuffled], rows[shuffled]


def on_surface(surface: Surface, spacing: float, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Points on a surface, no two on the same side of a wall nearer than ``spacing``.

    The two sides of a wall thinner than ``spacing`` are sampled apart: points only keep others of a like normal away.

    Returns:
        (N, 3) points in metres, (N, 3) unit normals.
    """
    vectors = area_vectors(surface)
    total_area = float(np.linalg.norm(vectors, axis=1).sum())
    wanted = max(8, int(total_area / (0.7 * spacing * spacing)))
    points, rows = sample_surface(surface, wanted * CANDIDATES_PER_POINT, random)
    normals = vectors[rows] / np.linalg.norm(vectors[rows], axis=1, keepdims=True)
    kept = _throw_darts(points, normals, spacing)
    return points[kept], normals[kept]


def inside_surface(surface: Surface, spacing: float, boundary: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Points inside a closed surface, none nearer than ``spacing`` to another or to a ``boundary`` point.

    Returns:
        (N, 3), metres.
    """
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    # One jittered candidate grid finer than the spacing keeps the cost bound to the volume.
    step = spacing / 2.0
    counts = np.maximum(1, np.ceil((high - low) / step).astype(int))
    grid = np.stack(np.meshgrid(*(np.arange(count) for count in counts), indexing="ij"), axis=-1).reshape(-1, 3)
    candidates = low + (grid + random.random(grid.shape)) * step
    candidates = candidates[is_inside(surface, candidates)]
    candidates = random.permutation(candidates)
    points = np.concatenate([boundary, candidates])
    # Equal normals: everything keeps everything else away; the boundary is accepted first.
    kept = _throw_darts(points, np.tile([0.0, 0.0, 1.0], (len(points), 1)), spacing, len(boundary))
    return points[kept[kept >= len(boundary)]]


@njit(cache=True)
def _throw_darts(points, normals, spacing, accepted_count=0):
    """Rows accepted in order; the first ``accepted_count`` always, a later one when nothing alike is nearer."""
    low = np.array([points[:, 0].min(), points[:, 1].min(), points[:, 2].min()])
    grid_of_point = np.empty((len(points), 3), np.int64)
    for row in range(len(points)):
        for axis in range(3):
            grid_of_point[row, axis] = int((points[row, axis] - low[axis]) / spacing)
    heads = {(np.int64(-1), np.int64(-1), np.int64(-1)): np.int64(-1)}
    following = np.full(len(points), -1, np.int64)
    kept = np.empty(len(points), np.int64)
    kept_count = 0
    for row in range(len(points)):
        i, j, k = grid_of_point[row]
        free = True
        if row >= accepted_count:
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    for dk in range(-1, 2):
                        key = (i + di, j + dj, k + dk)
                        other = heads[key] if key in heads else np.int64(-1)
                        while other >= 0 and free:
                            distance = 0.0
                            alike = 0.0
                            for axis in range(3):
                                distance += (points[row, axis] - points[other, axis]) ** 2
                                alike += normals[row, axis] * normals[other, axis]
                            if distance < spacing * spacing and alike > 0.0:
                                free = False
                            other = following[other]
        if free:
            key = (i, j, k)
            following[row] = heads[key] if key in heads else np.int64(-1)
            heads[key] = np.int64(row)
            kept[kept_count] = row
            kept_count += 1
    return kept[:kept_count]
