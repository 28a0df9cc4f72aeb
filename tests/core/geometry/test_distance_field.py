"""Distance fields of obstacles with thin walls and with hollows."""

import numpy as np
import pytest

from fracture_addon.core.geometry.distance_field import distance_and_slope, distance_field
from tests import shapes


def distances(field, points):
    slope = np.empty(3)
    return np.array([distance_and_slope(np.asarray(p, float), *vars(field).values(), slope) for p in points])


@pytest.mark.parametrize("thickness", [0.05, 0.01, 0.004])
def test_a_field_has_points_inside_thin_walls(thickness):
    field = distance_field(shapes.box((1.0, 1.0, thickness)), finest=0.1)
    found = distances(field, [[0.21, 0.13, 0.0], [0.21, 0.13, thickness]])
    assert found[0] < -0.2 * thickness
    assert found[1] == pytest.approx(0.5 * thickness, abs=0.3 * thickness)


def test_a_hollow_counts_as_inside_if_the_ball_does_not_fit_through_its_mouth():
    cup = shapes.cup()
    low, high = cup.points.min(axis=0), cup.points.max(axis=0)
    middle = 0.5 * (low + high)
    size = float((high - low).max())
    bare, filled = (distance_field(cup, narrowest=share * size) for share in (0.0, 0.5))
    assert distances(bare, [middle])[0] > 0.1 * size
    assert distances(filled, [middle])[0] < -0.1 * size
    above = [middle[0], middle[1], middle[2] + 0.52 * (high - low)[2]]
    assert distances(filled, [above])[0] > -0.02 * size


def test_a_plate_has_no_hollows():
    plate = shapes.box((1.0, 0.7, 0.05))
    bare, filled = (distance_field(plate, narrowest=narrowest) for narrowest in (0.0, 0.2))
    margin = (np.array(filled.values.shape) - bare.values.shape) // 2
    inner = filled.values[tuple(slice(count, -count) for count in margin)]
    np.testing.assert_allclose(inner, bare.values, atol=1e-12)
