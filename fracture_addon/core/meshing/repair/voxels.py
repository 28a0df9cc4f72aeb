"""Voxel remesh: a new surface from winding numbers on a grid. It is coarse, and accepts any set of triangles."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import permutations

import numpy as np
from numba import njit

from ...data.progress import ShareProgress
from ...data.surface import Surface, area_vectors
from ...geometry.box_tree import DEEPEST, LEAF, box_tree

# Number of samples. With 50,000, 100,000 and 200,000, the new surface of a jar is up to 1.3, 1.1 and 0.9 % of its
# diagonal away, and has 69,000, 109,000 and 174,000 faces.
SAMPLES = 100_000
# Number of samples of faces that bound no solid. With 15,000, 30,000 and 50,000, the distance is 2.0, 1.6 and 1.3 %.
SCRAP_SAMPLES = 30_000
# Least extent of the grid along an axis over the longest one, for the choice of its spacing. Thin bodies would get more
# samples than wanted: a plate of 1 m and 1 mm has 242,000, 153,000 and 98,000 at 0.01, 0.02 and 0.04, and 1.1 million
# without a limit.
LEAST_EXTENT = 0.02
# Least distance of a crossing from the ends of a grid edge, over its length. It prevents triangles without area:
# for a ball without a fifth of its faces, the smallest height of a triangle is 0.001, 0.016, 0.03 and 0.06 of the
# spacing at 0, 0.025, 0.05 and 0.1. The volume changes by 0.1 % at most up to 0.2.
MARGIN = 0.05
# Distance over radius from which a branch of triangles is replaced by a dipole (Barill et al. 2018 use 2).
FAR = 3.0
# Distance behind a face at which its winding number is measured, over the diagonal, and number of measured faces. The
# share of a jar, one with a hole, a ball with a hole and leaves stays from 1e-8 to 1e-4, and within 0.003 with 100 to
# 8,000 faces.
BEHIND, LOOKS = 1e-6, 2000
# Largest difference of a winding number from 1 inside a solid. Behind faces that bound nothing it is near one half.
# From 0.25 to 0.4, balls without up to 40 % of their faces have all of their area above it, leaves none, and loose
# triangles 2 to 28 %. At 0.1 a ball without a fifth of them has 28 %; at 0.49 triangles have 51 %.
FULL = 0.25
# Points between two calls of a progress function (a fraction of a second), and number of threads. They do not affect
# results.
POINTS_AT_A_TIME, LOTS_AT_A_TIME = 5000, 2


def voxel_remesh(
    surface: Surface, progress: ShareProgress = lambda share: None, sample_count: int = SAMPLES
) -> tuple[np.ndarray, np.ndarray]:
    """Return the surface on which the generalised winding number is one half.

    Args:
        surface: Surface with at least one face.
        progress: Called with the finished share, 0 to 1.
        sample_count: Approximate number of samples.

    Returns:
        (P, 3) points, m, and (F, 3) faces. They are closed, manifold and without crossings by construction. There are
        no faces if the winding number is below one half everywhere.

    Notes:
        Jacobson, Kavan and Sorkine-Hornung 2013, Robust Inside-Outside Segmentation Using Generalized Winding Numbers.

    Example:
        >>> from ...data.surface import volume
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> surface = Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> bool(abs(6.0 * volume(Surface(*voxel_remesh(surface, sample_count=8000))) - 1.0) < 0.05)
        True
    """
    size = np.ptp(surface.points, axis=0)
    spacing = float((np.prod(np.maximum(size, LEAST_EXTENT * size.max())) / sample_count) ** (1.0 / 3.0))
    low = surface.points.min(axis=0) - 1.5 * spacing
    counts = np.ceil(size / spacing).astype(int) + 4
    samples = low + spacing * np.stack(np.unravel_index(np.arange(np.prod(counts)), counts), axis=1)
    grid, faces = level_set(generalised_winding_numbers(surface, samples, progress).reshape(counts) - 0.5)
    return low + spacing * grid, faces


def solid_share(surface: Surface) -> float:
    """Return the share of the area behind which the winding number is about 1.

    Args:
        surface: Surface with at least one face. At most about ``LOOKS`` faces are measured.

    Returns:
        1 for the boundary of a solid. Behind faces that bound nothing, the winding number is about one half.

    Notes:
        Own; winding numbers of Jacobson et al. 2013.

    Example:
        A tetrahedron, and a triangle.

        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> solid_share(Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]))
        1.0
        >>> solid_share(Surface(corners, [[0, 2, 1]]))
        0.0
    """
    rows = np.arange(0, len(surface.faces), max(1, len(surface.faces) // LOOKS))
    vectors = area_vectors(surface)[rows]
    areas = np.linalg.norm(vectors, axis=1)
    normals = vectors / np.maximum(areas, 1e-300)[:, None]
    behind = surface.corners[rows].mean(axis=1) - BEHIND * surface.diagonal * normals
    is_full = np.abs(generalised_winding_numbers(surface, behind) - 1.0) < FULL
    return float(areas[is_full].sum() / max(areas.sum(), 1e-300))


def generalised_winding_numbers(
    surface: Surface, points: np.ndarray, progress: ShareProgress = lambda share: None
) -> np.ndarray:
    """Return generalised winding numbers: integers for a closed surface, other values near holes.

    Args:
        surface: Surface with at least one face.
        points: (N, 3) m.
        progress: Called with the finished share, 0 to 1.

    Returns:
        (N,).

    Notes:
        Sum of the solid angles of all triangles over 4 pi. A distant branch of the tree of triangles counts as one
        dipole (Barill et al. 2018, Fast Winding Numbers for Soups and Clouds, first order).

    Example:
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> surface = Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> generalised_winding_numbers(surface, np.array([[0.1, 0.1, 0.1], [1.0, 1.0, 1.0]])).round(6).tolist()
        [1.0, 0.0]
    """
    corners = surface.corners
    order, nodes = box_tree(corners.min(axis=1), corners.max(axis=1))
    corners = np.ascontiguousarray(corners[order])
    middle, dipole, radius = _dipoles(corners, area_vectors(surface)[order], nodes)
    points, result = np.ascontiguousarray(points, float), np.zeros(len(points))

    def measure(start: int) -> float:
        end = start + POINTS_AT_A_TIME
        _winding_kernel(corners, middle, dipole, radius, points[start:end], result[start:end])
        return min(end / len(points), 1.0)

    with ThreadPoolExecutor(LOTS_AT_A_TIME) as pool:
        for share in pool.map(measure, range(0, len(points), POINTS_AT_A_TIME)):
            progress(share)
    return result


def _dipoles(corners: np.ndarray, vectors: np.ndarray, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the centroid (M, 3), area vector (M, 3) and radius (M,) of the triangles below each node of a tree."""
    leaves = len(nodes) // 2
    leaf = leaves + np.arange(len(corners)) // LEAF
    weight = np.maximum(np.linalg.norm(vectors, axis=1), 1e-300)
    sums = np.zeros((len(nodes), 7))
    np.add.at(sums, leaf, np.column_stack([weight, weight[:, None] * corners.mean(axis=1), vectors]))
    level = leaves
    while level > 1:
        level //= 2
        sums[level : 2 * level] = sums[2 * level : 4 * level].reshape(level, 2, 7).sum(axis=1)
    middle = sums[:, 1:4] / np.maximum(sums[:, :1], 1e-300)
    reach = np.maximum(middle - nodes[:, :3], nodes[:, 3:] - middle)
    is_empty = sums[:, 0] == 0.0
    return middle, sums[:, 4:], np.where(is_empty, 0.0, np.linalg.norm(np.where(is_empty[:, None], 0.0, reach), axis=1))


def level_set(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the zero level set of samples. Positive samples are inside.

    Args:
        values: (X, Y, Z).

    Returns:
        (P, 3) points in units of the grid, and (F, 3) faces with outward normals.

    Notes:
        Marching tetrahedra (Doi and Koide 1991). Each cube is divided into six tetrahedra along its diagonal (Kuhn
        1960), which meet face to face.

    Example:
        >>> samples = np.full((3, 3, 3), -1.0)
        >>> samples[1, 1, 1] = 1.0
        >>> points, faces = level_set(samples)
        >>> points.mean(axis=0).round(6).tolist(), len(faces) == 2 * len(points) - 4
        ([1.0, 1.0, 1.0], True)
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
    """Return the grid edge (3 F, 2) of each corner of each triangle, for tetrahedra of positive volume."""
    found = [np.empty((0, 2), np.int64)]
    state = inside[cells]
    # Even permutations that move any corner, or any pair of corners, to the front.
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


@njit(cache=True, nogil=True)
def _winding_kernel(
    corners: np.ndarray,
    middle: np.ndarray,
    dipole: np.ndarray,
    radius: np.ndarray,
    points: np.ndarray,
    result: np.ndarray,
) -> None:
    leaves, waiting = len(radius) // 2, np.empty(DEEPEST, np.int64)
    offset = np.empty(3)
    for index in range(len(points)):
        total = 0.0
        waiting[0], count = 1, 1
        while count:
            count -= 1
            node = waiting[count]
            for k in range(3):
                offset[k] = middle[node, k] - points[index, k]
            square = offset[0] ** 2 + offset[1] ** 2 + offset[2] ** 2
            if square > (FAR * radius[node]) ** 2:
                flux = dipole[node, 0] * offset[0] + dipole[node, 1] * offset[1] + dipole[node, 2] * offset[2]
                total += flux / (square * np.sqrt(square))
            elif node < leaves:
                waiting[count], waiting[count + 1] = 2 * node, 2 * node + 1
                count += 2
            else:
                start = (node - leaves) * LEAF
                for row in range(start, min(start + LEAF, len(corners))):
                    total += _solid_angle(corners[row], points[index])
        result[index] = total / (4.0 * np.pi)


@njit(cache=True, nogil=True)
def _solid_angle(triangle: np.ndarray, point: np.ndarray) -> float:
    """Return the solid angle of a triangle at a point, positive from inside (van Oosterom and Strackee 1983)."""
    ax, ay, az = triangle[0, 0] - point[0], triangle[0, 1] - point[1], triangle[0, 2] - point[2]
    bx, by, bz = triangle[1, 0] - point[0], triangle[1, 1] - point[1], triangle[1, 2] - point[2]
    cx, cy, cz = triangle[2, 0] - point[0], triangle[2, 1] - point[1], triangle[2, 2] - point[2]
    a = np.sqrt(ax * ax + ay * ay + az * az)
    b = np.sqrt(bx * bx + by * by + bz * bz)
    c = np.sqrt(cx * cx + cy * cy + cz * cz)
    triple = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    dot_ab, dot_bc, dot_ca = ax * bx + ay * by + az * bz, bx * cx + by * cy + bz * cz, cx * ax + cy * ay + cz * az
    return 2.0 * np.arctan2(triple, a * b * c + dot_ab * c + dot_bc * a + dot_ca * b)
