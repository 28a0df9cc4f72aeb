"""How near the cracks of a run came to the drawn ones: the score of a search over seeds and loads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.arrays import unit
from ..data.job import Body, Job
from ..data.placed_fields import WeakSheet
from ..data.recording import Fragment, Recording
from ..data.surface import Surface, area_vectors
from ..geometry.nearest import Nearest

# Largest deviation, over the diagonal of the body: further away, a crack has nothing to do with the drawn one. With
# 0.15, 0.25 and 0.4 the same of 24 breaks of a plate and of a jar is nearest.
FARTHEST = 0.25
# Number of distances that are tried up to it. With 12, 24 and 48 the same of these breaks is nearest.
DISTANCES = 24
# Distance between two places of a drawn crack, and largest distance of a place from the surface of the body, over its
# diagonal. The margin of a drawn sheet beyond the surface is at most 0.02.
SPACING, NEAR = 0.02, 0.03
# Sine of the smallest angle between a drawn crack and the surface. On a plate in Blender's first view it is 0.45: a
# line from left to right goes through the plate along the view. A matter of taste.
STEEP = 0.2


def crack_deviation(job: Job, recording: Recording, frame: int) -> float | None:
    """Return how far the drawn cracks of all bodies are from cracks that run along them.

    At each place of a drawn crack on the surface of its body, the deviation is the smallest distance at which the two
    sides of the drawn crack belong to different pieces. A crack that only crosses the drawn one separates no two sides.

    Args:
        job: The scene.
        recording: Its result.
        frame: The pieces of this frame count.

    Returns:
        m, mean over the drawn cracks, by their area; ``None`` if there are none.

    Notes:
        Own: Norton et al. 1991 name the control of cracks as an open problem.

    Example:
        A body breaks at x = 0 into two tetrahedra. The drawn crack is at x = 0.1 m.

        >>> from ..data.material import PORCELAIN
        >>> from ..data.recording import NEVER
        >>> from ..data.settings.settings import Settings
        >>> points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0]], float)
        >>> right, left = [[0, 1, 3], [0, 2, 1], [1, 2, 3]], [[0, 3, 4], [0, 4, 2], [4, 3, 2]]
        >>> sheet = WeakSheet([[0.1, 0, 0], [0.1, 1, 0], [0.1, 0, 1]], [[0, 1, 2]], factor=1.0)
        >>> body = Body("body", Surface(points, right + left), PORCELAIN, Settings.of(sheets=(sheet,)))
        >>> still = np.zeros(3), 1.0, 1, NEVER, np.zeros((1, 7))
        >>> pieces = [Fragment(0, -1, Surface(points, faces), np.zeros(3, bool), *still) for faces in (right, left)]
        >>> round(crack_deviation(Job((body,)), Recording(1, (), fragments=tuple(pieces)), 1), 1)
        0.1
    """
    total = weight = 0.0
    for row, body in enumerate(job.bodies):
        if not body.settings.strength.sheets:
            continue
        pieces = [
            piece
            for piece in recording.fragments
            if piece.body == row and piece.birth_frame <= frame < piece.death_frame
        ]
        deviations, areas = _deviations(body, pieces)
        total, weight = total + float(deviations @ areas), weight + float(areas.sum())
    return total / weight if weight else None


def _deviations(body: Body, pieces: Sequence[Fragment]) -> tuple[np.ndarray, np.ndarray]:
    """Return the deviations (N,) m at places of the drawn cracks of a body, and the areas (N,) m2 of the places."""
    farthest = FARTHEST * body.surface.diagonal
    points, across, areas = _places(body)
    result = np.full(len(points), farthest)
    outside, piece_of_face = _outsides(pieces)
    if len(points) == 0 or len(pieces) < 2 or len(outside.faces) == 0:
        return result, areas
    nearest = Nearest(outside)
    for distance in np.linspace(farthest, 0.0, DISTANCES, endpoint=False):
        sides = (piece_of_face[nearest.to(points + sign * distance * across)[0]] for sign in (1.0, -1.0))
        result[np.not_equal(*sides)] = distance
    return result, areas


def _places(body: Body) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return places of the drawn cracks on the surface of a body.

    Returns:
        (N, 3) m; (N, 3) unit vectors along the surface across the drawn crack; (N,) m2, areas of the places.
    """
    spacing = SPACING * body.surface.diagonal
    found = [_spread(sheet, spacing) for sheet in body.settings.strength.sheets]
    points, normals, areas = (np.concatenate(column) for column in zip(*found, strict=True))
    faces, weights, distances = Nearest(body.surface).to(points)
    outward = unit(area_vectors(body.surface)[faces])
    across = normals - (normals * outward).sum(axis=1, keepdims=True) * outward
    # A drawn crack along the surface has no two sides there.
    on_surface = (distances < NEAR * body.surface.diagonal) & (np.linalg.norm(across, axis=1) > STEEP)
    points = (weights[:, :, None] * body.surface.corners[faces]).sum(axis=1)
    return points[on_surface], unit(across[on_surface]), areas[on_surface]


def _spread(sheet: WeakSheet, spacing: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return points (N, 3) at most about ``spacing`` (m) apart on a sheet, its normals there, and the areas (N,)."""
    surface = Surface(sheet.points, sheet.faces)
    vectors, corners = area_vectors(surface), surface.corners
    points, rows = [], []
    for row, triangle in enumerate(corners):
        longest = np.linalg.norm(triangle - np.roll(triangle, 1, axis=0), axis=1).max()
        count = int(np.ceil(longest / spacing))
        # Centres of the cells of a grid over a square, folded onto the triangle.
        first, second = ((np.indices((count, count)) + 0.5) / count).reshape(2, -1)
        beyond = first + second > 1.0
        first, second = np.where(beyond, 1.0 - first, first), np.where(beyond, 1.0 - second, second)
        weights = np.stack([1.0 - first - second, first, second], axis=1)
        points.append(weights @ triangle)
        rows.append(np.full(count * count, row))
    row_of_point = np.concatenate(rows)
    areas = np.linalg.norm(vectors, axis=1) / np.bincount(row_of_point)
    return np.concatenate(points), unit(vectors)[row_of_point], areas[row_of_point]


def _outsides(pieces: Sequence[Fragment]) -> tuple[Surface, np.ndarray]:
    """Return the faces of pieces that are no crack faces, in rest space, and the piece (F,) of each face."""
    corners = [piece.surface.corners[~piece.interior] + piece.center for piece in pieces]
    piece_of_face = np.repeat(np.arange(len(pieces)), [len(faces) for faces in corners])
    points = np.concatenate([np.empty((0, 3, 3)), *corners]).reshape(-1, 3)
    return Surface(points, np.arange(len(points)).reshape(-1, 3)), piece_of_face
