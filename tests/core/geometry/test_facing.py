"""The area over which two surfaces face each other."""

import numpy as np
import pytest

from fracture_addon.core.geometry.facing import facing, gap
from fracture_addon.core.geometry.nearest import Nearest
from fracture_addon.core.geometry.touching import touching_pairs
from tests import shapes

SIZE = (0.2, 0.1, 0.06)


def between(first, second, distance=0.012, spacing=0.004):
    return facing(first, second, Nearest(second), distance, spacing)


@pytest.mark.parametrize("height", [0.0, 0.003, 0.01])
def test_half_a_brick_on_another_shares_half_its_face(height):
    lower, upper = shapes.box(SIZE), shapes.box(SIZE, (0.1, 0.0, 0.06 + height))
    area = between(lower, upper)
    assert area.areas.sum() == pytest.approx(0.01, rel=0.02)
    assert area.gaps == pytest.approx(np.full(len(area.gaps), height), abs=1e-12)
    assert area.normals == pytest.approx(np.tile([0.0, 0.0, 1.0], (len(area.normals), 1)))
    assert gap(lower, upper) == pytest.approx(height, abs=1e-12)


def test_the_sides_of_bricks_in_a_row_do_not_face_each_other():
    assert between(shapes.box(SIZE), shapes.box(SIZE, (0.21, 0.0, 0.0)), 0.005).areas.sum() == 0.0
    row = between(shapes.box(SIZE), shapes.box(SIZE, (0.21, 0.0, 0.0)))
    assert row.areas.sum() == pytest.approx(0.006)
    assert row.flipped().normals == pytest.approx(np.tile([-1.0, 0.0, 0.0], (len(row.areas), 1)))


def test_a_ball_in_a_hollow_of_its_size_faces_it_all_around():
    ball = shapes.icosphere(0.05)
    hollow = shapes.joined(shapes.cube(2.0), shapes.flipped(shapes.icosphere(0.052)))
    corners = ball.corners
    whole = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum()
    assert between(ball, hollow).areas.sum() == pytest.approx(whole, rel=0.01)


def test_bricks_in_stretcher_bond_touch_those_they_face():
    """A brick on two others touches both; bricks that meet only at an edge or lie apart do not touch."""
    lower = [shapes.box(SIZE, (x, 0.0, 0.0)) for x in (0.0, 0.21)]
    upper = shapes.box(SIZE, (0.105, 0.0, 0.07))
    beside, far = shapes.box(SIZE, (0.0, 0.1, -0.06)), shapes.box(SIZE, (2.0, 0.0, 0.0))
    assert touching_pairs([*lower, upper, beside, far], 0.012).tolist() == [[0, 1], [0, 2], [1, 2]]
    assert touching_pairs([*lower, upper], 0.005).tolist() == []
