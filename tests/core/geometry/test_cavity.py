"""Hollows: what a point in them sees."""

import numpy as np
import pytest

from fracture_addon.core.geometry.cavity import covered_share, inner_faces, seen_volume
from tests import shapes

SHELL = shapes.joined(shapes.icosphere(0.11), shapes.flipped(shapes.icosphere(0.1)))


@pytest.mark.parametrize("point", [(0.0, 0.0, 0.0), (0.03, 0.02, -0.05)])
def test_a_closed_hollow_is_seen_in_all_directions_and_has_the_volume_of_its_surface(point):
    faces = inner_faces(SHELL, np.array(point))
    assert covered_share(faces, np.array(point)) == pytest.approx(1.0)
    inner = shapes.icosphere(0.1)
    corners = inner.corners
    expected = np.einsum("fi,fi->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    assert seen_volume(faces) == pytest.approx(expected)
    assert np.linalg.norm((faces.areas[:, None] * faces.normals).sum(axis=0)) < 1e-12


def test_a_cup_covers_all_directions_but_those_of_its_mouth():
    cup, point = shapes.cup(0.04, 0.09, 0.003), np.array([0.0, 0.0, 0.05])
    mouth = 0.5 * (1.0 - 0.04 / np.hypot(0.04, 0.037))
    assert covered_share(inner_faces(cup, point), point) == pytest.approx(1.0 - mouth, abs=0.01)


@pytest.mark.parametrize("point", [(0.2, 0.0, 0.0), (0.105, 0.0, 0.0)])
def test_a_point_outside_or_in_the_wall_sees_no_hollow_around_it(point):
    assert covered_share(inner_faces(SHELL, np.array(point)), np.array(point)) < 0.5
