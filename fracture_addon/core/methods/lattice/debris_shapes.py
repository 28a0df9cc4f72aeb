"""Draw isolated nodes as small tetrahedra, the smallest particles of a break (Norton et al. 1991)."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from ...data.solid import CELL_FACES
from ...data.surface import Surface
from ...numerics.random_streams import rng

# Corners of a regular tetrahedron of volume 1 about its centre.
_CORNERS = np.cbrt(3.0 / 8.0) * np.array([[1.0, 1, 1], [-1, 1, -1], [1, -1, -1], [-1, -1, 1]])


def debris_tetrahedra(points: np.ndarray, volumes: np.ndarray, seed: int) -> Surface:
    """Build a tetrahedron with a random rotation for each point.

    Args:
        points: (N, 3) m, centres.
        volumes: (N,) m3.
        seed: Seed of the rotations.

    Returns:
        4 N points and 4 N faces; those of the n-th point start at row 4 n. All faces are interior (``face_source`` -1).

    Example:
        >>> from ...data.surface import volume
        >>> shapes = debris_tetrahedra(np.zeros((1, 3)), np.array([2.0]), seed=0)
        >>> len(shapes.faces), round(volume(shapes), 9)
        (4, 2.0)
    """
    count = len(points)
    rotations = Rotation.random(count, rng=rng(seed, "debris tetrahedra")).as_matrix() if count else np.empty((0, 3, 3))
    corners = np.einsum("nij,cj->nci", rotations, _CORNERS) * np.cbrt(volumes)[:, None, None]
    faces = 4 * np.arange(count)[:, None, None] + CELL_FACES
    return Surface((points[:, None] + corners).reshape(-1, 3), faces.reshape(-1, 3), np.full(4 * count, -1))
