"""Bodies on a slope: they slide as Coulomb's law says, or rest where friction holds them."""

from __future__ import annotations

import numpy as np
import pytest

from fracture_addon.core.data.job import Collider
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.rigid.world import World
from tests import shapes
from tests.core.balls import add_cells, sheet

FRAME_RATE, SUBSTEPS, FRAMES = 24.0, 10, 48


@pytest.fixture(scope="module")
def bricks():
    """Flat boxes by their length, m."""
    return {size: tetrahedralize(shapes.box((size, size, 0.4 * size)), 120, 0) for size in (0.1, 1.0)}


def distance_down(solid, angle, friction):
    """Distance, m, that a box moves down a slope in two seconds; gravity is tilted instead of the floor."""
    gravity = 9.81 * np.array([np.sin(np.radians(angle)), 0.0, -np.cos(np.radians(angle))])
    size = float(np.linalg.norm(np.ptp(solid.points[solid.cells.ravel()], axis=0)))
    world = World(gravity, size, 1.0)
    lowest = solid.points[solid.cells.ravel(), 2].min()
    world.add_collider(Collider("slope", sheet(50.0), friction=friction), np.array([0.0, 0.0, 1.0]))
    key, _ = add_cells(world, solid, np.arange(solid.cell_count), height=-lowest, friction=friction)
    start = world.pose(key)[0]
    for _ in range(FRAMES):
        world.calm(1.0 / FRAME_RATE)
        for _ in range(SUBSTEPS):
            world.step(1.0 / FRAME_RATE / SUBSTEPS)
    return world.pose(key)[0] - start


@pytest.mark.parametrize("size", [0.1, 1.0])
@pytest.mark.parametrize("angle", [3.0, 5.0, 10.0])
@pytest.mark.parametrize("friction", [0.03, 0.1, 0.6])
def test_a_box_slides_down_a_slope_as_friction_lets_it(bricks, size, angle, friction):
    distance = distance_down(bricks[size], angle, friction)
    acceleration = 9.81 * (np.sin(np.radians(angle)) - friction * np.cos(np.radians(angle)))
    expected = 0.5 * max(acceleration, 0.0) * (FRAMES / FRAME_RATE) ** 2
    assert distance == pytest.approx(expected, rel=0.1, abs=2e-3 * size)
