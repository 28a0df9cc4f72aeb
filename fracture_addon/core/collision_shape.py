"""The shape that a body or fragment shows to the rigid world: balls, each inside a tetrahedron of its own.

Two different tetrahedra never overlap, so neither do their balls: whatever way a body falls apart, its fragments
start without touching, and nothing jumps at the hand-over. An insphere touches the faces of its tetrahedron, so
that a fragment rests on its surface and not on its cells' centres; smaller balls fill the corners.
"""

from __future__ import annotations

import numpy as np

from .solid import CELL_FACES, cell_volumes

# Radius of a corner's ball over the inradius of the cell it lies in: how far a piece may sink in at a sharp corner.
CORNER_SHARE = 0.3
# Clearance between neighbours' balls, as a share of the radius: more than single precision loses.
CLEARANCE = 0.02


def inspheres(points: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centres (C, 3) and radii (C,) of the largest balls inside tetrahedra, metres.

    The incentre weighs each corner by the area of the face opposite to it; the inradius is 3 V / total area.
    """
    corners = points[cells]
    a, b, c = np.moveaxis(corners[:, CELL_FACES], 2, 0)
    areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=2)
    total = areas.sum(axis=1)
    centers = np.einsum("ck,cki->ci", areas, corners) / total[:, None]
    return centers, 3.0 * np.abs(cell_volumes(points, cells)) / total


def balls(points: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Balls that stand for the solid that ``cells`` make up: centres (B, 3) and radii (B,), metres.

    One in each cell that has a free face, and one in each corner of the boundary, inside the largest cell there and
    tangent to its three faces.
    """
    corner_rows, cell_rows = boundary(points, cells)
    centers, radii = inspheres(points, cells)
    # Of the cells at a boundary point, the one with the largest insphere holds the corner's ball.
    owner = np.full(len(points), -1)
    order = np.argsort(radii, kind="stable")
    owner[cells[order].ravel()] = np.repeat(order, 4)
    holder = owner[corner_rows]
    corner_centers = points[corner_rows] + CORNER_SHARE * (centers[holder] - points[corner_rows])
    return (
        np.concatenate([centers[cell_rows], corner_centers]),
        (1.0 - CLEARANCE) * np.concatenate([radii[cell_rows], CORNER_SHARE * radii[holder]]),
    )


def boundary(points: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of ``points`` on the boundary of ``cells``, and rows of the cells that have a face on it."""
    faces = np.sort(cells[:, CELL_FACES], axis=2).reshape(-1, 3).astype(np.int64)
    key = (faces[:, 0] * len(points) + faces[:, 1]) * len(points) + faces[:, 2]
    _, first, count = np.unique(key, return_index=True, return_counts=True)
    free = first[count == 1]
    return np.unique(faces[free]), np.unique(free // 4)


def fewer(centers: np.ndarray, radii: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """At most ``count`` of the balls, spread as widely as they go: the largest, then always the farthest from all."""
    if len(radii) <= count:
        return centers, radii
    chosen = np.empty(count, int)
    distance = np.full(len(radii), np.inf)
    chosen[0] = np.argmax(radii)
    for i in range(1, count):
        distance = np.minimum(distance, np.einsum("bi,bi->b", *[centers - centers[chosen[i - 1]]] * 2))
        chosen[i] = np.argmax(distance)
    chosen.sort()
    return centers[chosen], radii[chosen]
