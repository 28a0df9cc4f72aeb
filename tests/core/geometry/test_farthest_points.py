"""Points that are far apart."""

import numpy as np

from fracture_addon.core.geometry.farthest_points import farthest_points

POINTS = np.array([[0.0, 0, 0], [1, 0, 0], [1.1, 0, 0], [5, 0, 0], [5, 0, 0]])


def test_each_point_is_the_farthest_from_those_before():
    np.testing.assert_array_equal(farthest_points(POINTS, 3, np.array([2])), [2, 3, 0])
    np.testing.assert_array_equal(np.sort(farthest_points(POINTS, 9, np.array([2]))), [0, 1, 2, 3])


def test_the_selection_ends_where_all_points_are_near():
    assert len(farthest_points(POINTS, 5, np.array([0]), least_distance=1.2)) == 2
