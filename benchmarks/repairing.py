"""Refusal of unusable surfaces: processor seconds until the message."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks import Row
from fracture_addon.core.data.errors import InvalidMeshError
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.meshing.repair.repair import prepare
from tests import shapes

TRIANGLES = 200_000


def rows() -> Iterator[Row]:
    """Yield random triangles, apart and over shared points, a plane, points that are not numbers, and flat letters."""
    random = np.random.default_rng(0)
    apart = random.random((TRIANGLES, 1, 3)) + 0.1 * random.random((TRIANGLES, 3, 3))
    corners = np.arange(3 * TRIANGLES).reshape(-1, 3)
    yield from _refused("soup", Surface(apart.reshape(-1, 3), corners))
    shared = random.integers(0, TRIANGLES // 2, (TRIANGLES, 3))
    yield from _refused("soup_of_shared_points", Surface(random.random((TRIANGLES // 2, 3)), shared))
    plane = _grid(round((TRIANGLES / 2) ** 0.5) + 1)
    yield from _refused("plane", plane)
    broken = plane.points.copy()
    broken[::100] = np.nan
    yield from _refused("not_numbers", Surface(broken, plane.faces))
    ball = shapes.icosphere(1.0, 2)
    flat = Surface(ball.points * [1.0, 1.0, 0.0], ball.faces)
    yield from _refused(
        "flat", shapes.joined(*(shapes.moved(flat, offset=(3.0 * row, 0.0, 0.0)) for row in range(200)))
    )


def _grid(count: int) -> Surface:
    x, y = np.meshgrid(np.linspace(0.0, 1.0, count), np.linspace(0.0, 1.0, count), indexing="ij")
    number = np.arange(count * count).reshape(count, count)
    quads = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1).reshape(-1, 4)
    return Surface(
        np.stack([x.ravel(), y.ravel(), 0.0 * x.ravel()], axis=1), quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
    )


def _refused(name: str, surface: Surface) -> Iterator[Row]:
    start = time.process_time()
    try:
        prepare(surface, name, allow_repair=False)
    except InvalidMeshError:
        yield Row(f"refuse_{name}", len(surface.faces), time.process_time() - start, "s")
