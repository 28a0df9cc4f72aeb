"""Random surfaces of draws: simple solids, shipped meshes, and meshes with defects."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fracture_addon.core.data.surface import Surface
from fracture_addon.core.data.thin import Thin
from fracture_addon.core.meshing.thin import ropes, sheets
from tests import shapes

Random = np.random.Generator

# Longest edge of the box around a body, m.
SMALLEST, LARGEST = 0.02, 4.0
# Share of solids that have a defect, and that are shipped meshes.
DEFECTIVE, SHIPPED = 0.1, 0.12
# Shipped meshes whose repair takes a few seconds at most.
MODELLED = ("bowl", "bread-plate", "rock3", "stoneLantern", "glass_12oz", "crate")


def _block(random: Random) -> Surface:
    return shapes.box(random.uniform(0.1, 1.0, 3))


def _board(random: Random) -> Surface:
    return shapes.box((1.0, random.uniform(0.1, 1.0), random.uniform(0.01, 0.1)))


def _vessel(random: Random) -> Surface:
    make = shapes.cup if random.random() < 0.5 else shapes.bowl
    return make(wall=float(random.uniform(0.002, 0.01)), segments=int(random.integers(8, 33)), rings=6)


def _two_blocks(random: Random) -> Surface:
    """Return two cubes: apart, side by side, or intersecting."""
    offset = random.choice([0.3, 1.0, 1.4]) * np.eye(3)[random.integers(3)]
    return shapes.joined(shapes.cube(), shapes.moved(shapes.cube(), offset=offset))


def _hollow(random: Random) -> Surface:
    inner = shapes.flipped(shapes.icosphere(random.uniform(0.3, 0.9), 1))
    return shapes.joined(shapes.icosphere(1.0, 1), inner)


def _scattered(random: Random) -> Surface:
    """Return a ball with an uneven surface."""
    ball = shapes.icosphere(1.0, 2)
    return Surface(ball.points * random.uniform(0.7, 1.0, (len(ball.points), 1)), ball.faces)


SOLIDS: tuple[Callable[[Random], Surface], ...] = (
    _block,
    _board,
    _vessel,
    _two_blocks,
    _hollow,
    _scattered,
    lambda random: shapes.cube(),
    lambda random: shapes.tetrahedron(),
    lambda random: shapes.icosphere(1.0, int(random.integers(1, 4))),
    lambda random: shapes.torus(1.0, random.uniform(0.05, 0.5), 16, 8),
)
DEFECTS: tuple[Callable[[Random, Surface], Surface], ...] = (
    lambda random, surface: shapes.without_faces(surface, random.integers(len(surface.faces), size=1)),
    lambda random, surface: shapes.flipped(surface),
    lambda random, surface: Surface(surface.points, surface.faces[:1]),
    lambda random, surface: Surface(surface.points * [1.0, 1.0, 0.0], surface.faces),
    lambda random, surface: Surface(surface.points, np.concatenate([surface.faces, surface.faces[:2]])),
    lambda random, surface: Surface(
        surface.points[surface.faces].reshape(-1, 3), np.arange(3 * len(surface.faces)).reshape(-1, 3)
    ),
)


def solid(random: Random) -> Surface:
    """Return a body at the origin with a random rotation and size."""
    if random.random() < SHIPPED:
        surface = shapes.shipped(str(random.choice(MODELLED)))
    else:
        surface = SOLIDS[random.integers(len(SOLIDS))](random)
    if random.random() < DEFECTIVE:
        surface = DEFECTS[random.integers(len(DEFECTS))](random, surface)
    return placed(random, surface)


def placed(random: Random, surface: Surface) -> Surface:
    """Return the surface at the origin with a random size and, in half of the draws, a random rotation."""
    size = np.exp(random.uniform(np.log(SMALLEST), np.log(LARGEST)))
    middle = 0.5 * (surface.points.min(axis=0) + surface.points.max(axis=0))
    centered = shapes.moved(surface, offset=-middle)
    turn = rotation(random) if random.random() < 0.5 else None
    return shapes.moved(centered, scale=size / np.ptp(surface.points, axis=0).max(), rotation=turn)


def thin(random: Random, cell_count: int) -> tuple[Surface, Thin]:
    """Return a rope, a sheet or a shell at the origin."""
    size = float(np.exp(random.uniform(np.log(0.1), np.log(LARGEST))))
    thickness = size * float(np.exp(random.uniform(np.log(0.005), np.log(0.05))))
    kind = str(random.choice(["rope", "sheet", "shell"]))
    if kind == "rope":
        line = size * np.cumsum(random.normal(size=(4, 3)), axis=0) / 4.0
        made = ropes.rope(line, np.array([[0, 1], [1, 2], [2, 3]]), thickness, cell_count)
        return ropes.skin(made), made
    side = 0.5 * size
    square = Surface([[-side, -side, 0], [side, -side, 0], [side, side, 0], [-side, side, 0]], [[0, 1, 2], [0, 2, 3]])
    turned = shapes.moved(square, rotation=rotation(random))
    return sheets.sheet(turned, thickness, cell_count, kind)


def rotation(random: Random) -> np.ndarray:
    """Return a random rotation, (3, 3)."""
    matrix = np.linalg.qr(random.normal(size=(3, 3)))[0]
    return matrix * np.sign(np.linalg.det(matrix))
