"""A surface meshed anew from samples on a grid: coarse, but anything with an inside and an outside will do."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numba import njit

from ..surface import Surface, area_vectors

# Samples in all; crossings stay this far from the ends of a grid edge (shares of it), so that no triangle is empty.
SAMPLES, MARGIN = 100_000, 0.05
# A cluster of triangles farther off than this many of its radii counts as one.
FAR = 3.0


def voxel_remesh(surface: Surface) -> tuple[np.ndarray, np.ndarray]:
    """The surface on which the generalised winding number (Jacobson et al. 2013) is one half.

    Returns:
        (P, 3) points and (F, 3) faces, closed, manifold and free of crossings by construction; no faces where the
        winding number nowhere exceeds one half.
    """
    size = np.ptp(surface.points, axis=0)
    spacing = float((np.prod(np.maximum(size, 0.02 * size.max())) / SAMPLES) ** (1.0 / 3.0))
    low = surface.points.min(axis=0) - 1.5 * spacing
    counts = np.ceil(size / spacing).astype(int) + 4
    samples = low + spacing * np.stack(np.unravel_index(np.arange(np.prod(counts)), counts), axis=1)
    grid, faces = level_set(winding_numbers(surface, samples).reshape(counts) - 0.5)
    return low + spacing * grid, faces


def winding_numbers(surface: Surface, points: np.ndarray) -> np.ndarray:
    """(N,) generalised winding numbers of points: whole ones around what is closed, others near holes.

    The solid angles of all triangles over 4 pi; far clusters of triangles count as one dipole (Barill et al. 2018,
    "Fast Winding Numbers for Soups and Clouds", to first order and on one level).
    """
    centers, vectors = surface.corners.mean(axis=1), area_vectors(surface)
    side = surface.diagonal / max(2.0, len(centers) ** 0.25)
    cell = np.floor((centers - centers.min(axis=0)) / side).astype(np.int64)
    _, cluster = np.unique(cell, axis=0, return_inverse=True)
    cluster = cluster.reshape(-1)
    order = np.argsort(cluster, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(cluster))])
    weight = np.maximum(np.linalg.norm(vectors, axis=1), 1e-300)
    total = np.bincount(cluster, weight)
    middle = np.stack([np.bincount(cluster, weight * centers[:, k]) for k in range(3)], axis=1) / total[:, None]
    dipole = np.stack([np.bincount(cluster, vectors[:, k]) for k in range(3)], axis=1)
    radius = np.zeros(len(total))
    reach = np.linalg.norm(surface.corners - middle[cluster][:, None], axis=2).max(axis=1)
    np.maximum.at(radius, cluster, reach)
    corners = np.ascontiguousarray(surface.corners[order])
    return _winding_kernel(corners, starts, middle, dipole, radius, np.ascontiguousarray(points, float))


def level_set(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Marching tetrahedra: where (X, Y, Z) samples pass through zero, wound so that positive samples are inside.

    Each cube is divided into six tetrahedra along its diagonal (Kuhn's division), which meet face to face.

    Returns:
        (P, 3) points in units of the grid and (F, 3) faces.
    """
    strides = np.array([values.shape[1] * values.shape[2], values.shape[2], 1])
    flat = values.ravel()
    inside = flat > 0.0
    origins = np.arange(flat.size).reshape(values.shape)[:-1, :-1, :-1].ravel()
    cube_corners = [int(np.dot(strides, corner)) for corner in np.ndindex(2, 2, 2)]
    inside_count = sum(inside[origins + corner].astype(int) for corner in cube_corners)
    origins = origins[(inside_count > 0) & (inside_count < 8)]
    pieces = []
    for path in permutations(range(3)):
        steps = np.concatenate([[0], np.cumsum(strides[list(path)])])
        cells = origins[:, None] + steps
        odd = np.linalg.det(np.eye(3)[list(path)]) < 0.0
        pieces.append(cells[:, [0, 2, 1, 3]] if odd else cells)
    edges = _crossed_edges(np.concatenate(pieces), inside).reshape(-1, 3, 2)
    edges, rows = np.unique(np.sort(edges.reshape(-1, 2), axis=1), axis=0, return_inverse=True)
    start, end = (np.stack(np.unravel_index(edges[:, k], values.shape), axis=1) for k in range(2))
    first, second = flat[edges[:, 0]], flat[edges[:, 1]]
    share = np.clip(first / (first - second), MARGIN, 1.0 - MARGIN)[:, None]
    return start + share * (end - start), rows.reshape(-1, 3)


def _crossed_edges(cells: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """(F * 3, 2) the grid edge on which each corner of each triangle lies, for positively oriented cells."""
    found = [np.empty((0, 2), np.int64)]
    state = inside[cells]
    # Even permutations that bring any corner to the front, and any pair of corners.
    for corner, (b, c, d) in enumerate(((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))):
        alone = state[:, corner] & (state.sum(axis=1) == 1)
        found.append(cells[alone][:, [corner, b, corner, c, corner, d]].reshape(-1, 2))
        missing = ~state[:, corner] & (state.sum(axis=1) == 3)
        found.append(cells[missing][:, [corner, b, corner, d, corner, c]].reshape(-1, 2))
    for a, b, c, d in ((0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2), (1, 2, 0, 3), (3, 1, 0, 2), (2, 3, 0, 1)):
        pair = state[:, a] & state[:, b] & ~state[:, c] & ~state[:, d]
        quad = [a, c, a, d, b, d, a, c, b, d, b, c]
        found.append(cells[pair][:, quad].reshape(-1, 2))
    return np.concatenate(found)


@njit(cache=True)
def _winding_kernel(corners, starts, middle, dipole, radius, points):
    result = np.zeros(len(points))
    offset = np.empty(3)
    for index in range(len(points)):
        total = 0.0
        for cluster in range(len(radius)):
            for k in range(3):
                offset[k] = middle[cluster, k] - points[index, k]
            square = offset[0] ** 2 + offset[1] ** 2 + offset[2] ** 2
            if square > (FAR * radius[cluster]) ** 2:
                flux = dipole[cluster, 0] * offset[0] + dipole[cluster, 1] * offset[1] + dipole[cluster, 2] * offset[2]
                total += flux / (square * np.sqrt(square))
            else:
                for row in range(starts[cluster], starts[cluster + 1]):
                    total += _solid_angle(corners[row], points[index])
        result[index] = total / (4.0 * np.pi)
    return result


@njit(cache=True)
def _solid_angle(triangle, point):
    """Of a triangle seen from a point, positive from inside (van Oosterom and Strackee 1983)."""
    ax, ay, az = triangle[0, 0] - point[0], triangle[0, 1] - point[1], triangle[0, 2] - point[2]
    bx, by, bz = triangle[1, 0] - point[0], triangle[1, 1] - point[1], triangle[1, 2] - point[2]
    cx, cy, cz = triangle[2, 0] - point[0], triangle[2, 1] - point[1], triangle[2, 2] - point[2]
    a = np.sqrt(ax * ax + ay * ay + az * az)
    b = np.sqrt(bx * bx + by * by + bz * bz)
    c = np.sqrt(cx * cx + cy * cy + cz * cz)
    triple = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    dot_ab, dot_bc, dot_ca = ax * bx + ay * by + az * bz, bx * cx + by * cy + bz * cz, cx * ax + cy * ay + cz * az
    return 2.0 * np.arctan2(triple, a * b * c + dot_ab * c + dot_bc * a + dot_ca * b)
