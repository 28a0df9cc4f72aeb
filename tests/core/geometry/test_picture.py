"""Pictures of triangles: what is nearest, what is covered, what is lit."""

import numpy as np

from fracture_addon.core.geometry.picture import AMBIENT, LIGHT, draw

RED, GREEN = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
# Covers the whole picture, and is a half of it below the diagonal.
WHOLE = np.array([[-4.0, -1.0, 0.0], [4.0, -1.0, 0.0], [0.0, 8.0, 0.0]])
HALF = np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]])


def test_the_nearest_face_is_drawn_whatever_the_order():
    corners = np.stack([WHOLE, HALF + np.array([0.0, 0.0, 0.1])])
    first = draw(corners, np.stack([RED, GREEN]), 8)
    assert (first == draw(corners[::-1], np.stack([GREEN, RED]), 8)).all()
    assert first[0, 0, 1]
    assert not first[0, 0, 0]
    assert first[-1, -1, 0]
    assert not first[-1, -1, 1]


def test_the_picture_covers_the_area_of_the_triangle():
    covered = draw(HALF[None], RED[None], 64)[..., 3].mean() / 255.0
    assert abs(covered - 0.5) < 0.01


def test_depth_is_interpolated_within_a_face():
    # Two faces that cross in the middle: each is nearer on one side.
    tilted = WHOLE + np.outer(WHOLE[:, 0], [0.0, 0.0, 1.0])
    picture = draw(np.stack([tilted, WHOLE]), np.stack([RED, GREEN]), 8)
    assert picture[4, 7, 0]
    assert not picture[4, 7, 1]
    assert picture[4, 0, 1]
    assert not picture[4, 0, 0]


def test_a_face_towards_the_light_is_brighter_than_one_away_from_it():
    flat = draw(WHOLE[None], RED[None], 4)[0, 0, 0] / 255.0
    assert abs(flat - (AMBIENT + (1.0 - AMBIENT) * LIGHT[2])) < 0.01
    assert abs(draw(WHOLE[None, ::-1], RED[None], 4)[0, 0, 0] / 255.0 - AMBIENT) < 0.01


def test_faces_outside_the_picture_and_without_area_are_left_out():
    outside, thin = WHOLE + np.array([20.0, 0.0, 0.0]), np.zeros((3, 3))
    assert not draw(np.stack([outside, thin]), np.stack([RED, GREEN]), 4).any()
