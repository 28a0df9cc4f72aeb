"""Fitting the boundary of the cells to a surface: on the mean neither inside nor outside of it."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array

from ...data.arrays import distinct
from ...data.solid import CELL_FACES, cell_volumes
from ...data.surface import Surface, area_vectors
from ...geometry.inside import is_inside
from ...geometry.rays import RayGrid

# Rounds of fitting; each moves the points by the mean gap that is left around them.
ROUNDS = 3
# Gaps wider than this share of a face's spacing are no gaps but holes.
WIDEST_GAP = 0.5
# A move leaves every tetrahedron this share of its volume; a point goes half as far each time that it would not, and
# stays where it is once it has come down to the least share of its way.
LEAST_VOLUME, LEAST_SHARE = 0.1, 0.2
# The mean of a quadratic over a triangle is that over these barycentric coordinates.
QUADRATURE = np.array([[4.0, 1.0, 1.0], [1.0, 4.0, 1.0], [1.0, 1.0, 4.0]]) / 6.0


def boundary_of(points: np.ndarray, cells: np.ndarray) -> Surface:
    """The surface around positively oriented cells, over all ``points``."""
    faces = cells[:, CELL_FACES].reshape(-1, 3)
    corners = np.sort(faces, axis=1).astype(np.int64)
    keys = (corners[:, 0] * len(points) + corners[:, 1]) * len(points) + corners[:, 2]
    _, first, count = np.unique(keys, return_index=True, return_counts=True)
    return Surface(points, faces[first[count == 1]])


def fitted(
    surface: Surface, grid: RayGrid, points: np.ndarray, cells: np.ndarray, padding: np.ndarray, spacings: np.ndarray
) -> np.ndarray:
    """Points of the cells' boundary moved along its normals, so that the gaps between it and a surface cancel.

    Points on a curved surface have flat faces between them: cells with all corners on it would fill too little of a
    bulge and too much of a hollow.

    Args:
        surface: Closed, wound outwards.
        grid: Of the surface.
        points: (P, 3) m.
        cells: (C, 4) tetrahedra that stand for the inside.
        padding: (Q, 4) the other tetrahedra of the complex; none of either is inverted.
        spacings: (P,) m.
    """
    faces = boundary_of(points, cells).faces
    tets = np.concatenate([cells, padding])
    tets = tets[np.isin(tets, faces).any(axis=1)]
    least = LEAST_VOLUME * cell_volumes(points, tets)
    reach = WIDEST_GAP * np.repeat(spacings[faces].min(axis=1), 3)
    # Sums over the faces around each point.
    gather = coo_array(
        (np.ones(faces.size), (faces.ravel(), np.repeat(np.arange(len(faces)), 3))), shape=(len(points), len(faces))
    ).tocsr()
    for _ in range(ROUNDS):
        vectors = area_vectors(Surface(points, faces))
        areas = np.linalg.norm(vectors, axis=1)
        normals = vectors / np.maximum(areas, 1e-300)[:, None]
        gaps = _mean_gaps(surface, grid, np.einsum("qk,fki->fqi", QUADRATURE, points[faces]), normals, reach)
        total = gather @ areas
        move = (gather @ (gaps[:, None] * vectors)) / np.where(total > 0.0, total, 1.0)[:, None]
        points = _guarded(points, move, tets, least)
    return points


def _mean_gaps(surface: Surface, grid: RayGrid, places: np.ndarray, normals: np.ndarray, reach: np.ndarray):
    """(F,) mean distance, metres, along each face's normal from the face out to the surface; negative beyond it."""
    places, ways = places.reshape(-1, 3), np.repeat(normals, 3, axis=0)
    within = is_inside(surface, places)
    gaps = np.where(within, grid.leaves(places, ways, reach)[0], -grid.enters(places, -ways, reach)[0])
    return np.where(np.isfinite(gaps), gaps, 0.0).reshape(-1, 3).mean(axis=1)


def _guarded(points: np.ndarray, move: np.ndarray, tets: np.ndarray, least: np.ndarray) -> np.ndarray:
    """Points moved as far as no tetrahedron gets less than its least volume."""
    share = np.where((move != 0.0).any(axis=1), 1.0, 0.0)
    while True:
        moved = points + share[:, None] * move
        back = distinct(tets[cell_volumes(moved, tets) < least])
        back = back[share[back] > 0.0]
        if not len(back):
            return moved
        share[back] = np.where(share[back] > LEAST_SHARE, 0.5 * share[back], 0.0)
