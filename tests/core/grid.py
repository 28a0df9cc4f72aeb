"""Blocks of even tetrahedra, for what is known in closed form."""

import itertools

import numpy as np

from fracture_addon.core.data.solid import SolidModel, from_cells


def block(counts, size, *, jitter: float = 0.0) -> SolidModel:
    """A cuboid from the origin to ``size`` (3,) m of ``counts`` (3,) cubes, six tetrahedra each, without padding.

    ``jitter`` moves the nodes inside by up to that share of a cube.
    """
    counts, size = np.array(counts), np.array(size, float)
    ticks = np.stack(np.meshgrid(*[np.arange(count + 1) for count in counts], indexing="ij"), axis=-1).reshape(-1, 3)
    first = np.stack(np.meshgrid(*[np.arange(count) for count in counts], indexing="ij"), axis=-1).reshape(-1, 3)
    cells = []
    for order in itertools.permutations(range(3)):
        steps = np.concatenate([np.zeros((1, 3), int), np.cumsum(np.eye(3, dtype=int)[list(order)], axis=0)])
        corners = first[:, None] + steps
        cells.append((corners[..., 0] * (counts[1] + 1) + corners[..., 1]) * (counts[2] + 1) + corners[..., 2])
    points = ticks * (size / counts)
    inside = ((ticks > 0) & (ticks < counts)).all(axis=1)
    random = np.random.default_rng(0)
    points[inside] += jitter * random.uniform(-1.0, 1.0, (int(inside.sum()), 3)) * (size / counts)
    return from_cells(points, np.concatenate(cells), np.empty((0, 4), int))
