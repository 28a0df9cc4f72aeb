"""Shapes of debris: irregular octahedra, for fragments that are too small to be cut from the artist's surface."""

from __future__ import annotations

import numpy as np

from ..data.surface import Surface
from ..numerics.random_streams import rng

# Range of the half axes, and largest displacement of a corner along each axis, before scaling to the volume. They
# affect only the look. On average the longest extent is 1.8 times the shortest; with half of SHORTEST or twice LONGEST
# it is 2.5 times, without displacement 1.7 times, and with twice the displacement 2.05 times (4,000 shapes).
SHORTEST, LONGEST, CROOKED = 0.5, 1.4, 0.3
CORNERS = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)
FACES = np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]])


def debris_shapes(sizes: np.ndarray, seed: int) -> Surface:
    """Return a random shape of each volume, around the origin.

    Args:
        sizes: (N,) m, edge of a cube of the same volume.
        seed: Seed of the shapes.

    Returns:
        A surface with 6 points and 8 faces for each shape, in their order.

    Notes:
        Own: irregular octahedra, because debris is too small to be cut from the artist's surface.

    Example:
        >>> from ..data.surface import volume
        >>> round(1e6 * volume(debris_shapes(np.array([0.01]), seed=1)), 9)  # cm3
        1.0
    """
    random = rng(seed, "debris shapes")
    axes = random.uniform(SHORTEST, LONGEST, (len(sizes), 1, 3))
    points = axes * (CORNERS + random.uniform(-CROOKED, CROOKED, (len(sizes), *CORNERS.shape)))
    a, b, c = np.moveaxis(points[:, FACES], 2, 0)
    volumes = np.einsum("nfi,nfi->n", a, np.cross(b, c)) / 6.0
    points *= (np.asarray(sizes) / np.cbrt(volumes))[:, None, None]
    faces = FACES + len(CORNERS) * np.arange(len(sizes))[:, None, None]
    return Surface(points.reshape(-1, 3), faces.reshape(-1, 3), np.full(faces.size // 3, -1))
