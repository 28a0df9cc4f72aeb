"""Many open parts that bound no solid: each gets a wall, and the parts that cross are united."""

import numpy as np
import pytest

from fracture_addon.core.data.surface import Surface, area, volume
from fracture_addon.core.meshing.repair import closing, repair
from tests import shapes
from tests.core.repairing import assert_usable, prepared


def triangles(count, size):
    random = np.random.default_rng(0)
    points = random.random((count, 1, 3)) + size * random.random((count, 3, 3))
    return Surface(points.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))


@pytest.mark.parametrize(
    ("surface", "count"),
    [
        (shapes.leaves(150), 150),
        (triangles(300, 0.1), 300),
        (triangles(150, 1.0), 150),
        (shapes.joined(shapes.cup(), shapes.leaves(150)), 150),
    ],
    ids=["leaves", "triangles", "triangles that cross", "leaves in a cup"],
)
def test_each_open_part_gets_a_wall(surface, count):
    result, report = prepared(surface)
    assert_usable(result)
    assert report.openings == repair.SCRAPS
    assert f"{count} open sheets given a wall" in report.sentence()
    assert report.moved < 0.01 * surface.diagonal


def test_the_wall_suits_the_parts_and_the_artist_can_choose_it():
    leaves = shapes.leaves(150)
    one = shapes.leaves(1)
    result, _ = prepared(leaves)
    wanted = area(leaves) * closing.SCRAP_WALL * one.diagonal
    assert volume(result) == pytest.approx(wanted, rel=0.1)
    thicker, _ = repair.prepare(leaves, "Thing", True, None, closing.Openings(thickness=0.004))
    assert volume(thicker) == pytest.approx(0.004 * area(leaves), rel=0.1)
