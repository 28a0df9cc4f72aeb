"""Finite elements: what a crack costs."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks import Row
from fracture_addon.core.fem.mesh import from_solid
from fracture_addon.core.fem.remesh import separate_all, split_node
from fracture_addon.core.tetrahedralize import tetrahedralize
from tests import shapes


def rows() -> Iterator[Row]:
    """Cracks with their remeshing."""
    yield from _cracks(1000)


def _cracks(count: int) -> Iterator[Row]:
    """Random planes through random nodes of a block, each with its remeshing; planes that open nothing apart."""
    solid = tetrahedralize(shapes.cube(), 5000, 1)
    _crack_times(solid, 20)
    opened, null = _crack_times(solid, count)
    yield Row("fem_crack", len(opened), 1e6 * float(np.mean(opened)), "us a crack")
    yield Row("fem_null_crack", len(null), 1e6 * float(np.mean(null)), "us a crack")


def _crack_times(solid, count: int) -> tuple[list[float], list[float]]:
    """CPU seconds of the cracks that opened, and of those that did not."""
    mesh = from_solid(solid, 2500.0)
    separate_all(mesh)
    random = np.random.default_rng(0)
    opened, null = [], []
    for _ in range(count):
        node = int(random.choice(np.flatnonzero(mesh.mass > 0.0)))
        normal = random.normal(size=3)
        start = time.process_time()
        crack = split_node(mesh, node, normal)
        (opened if crack.opened else null).append(time.process_time() - start)
    return opened, null
