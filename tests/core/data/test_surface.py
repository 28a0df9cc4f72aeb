"""Volume, area and mass of surfaces against solids whose values are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from fracture_addon.core.data.surface import Surface, area, area_vectors, center_of_volume, mass_properties, volume
from tests import shapes

SIZES = st.floats(0.01, 10.0)


@settings(max_examples=30, deadline=None)
@given(size=st.tuples(SIZES, SIZES, SIZES), center=st.tuples(*[st.floats(-5.0, 5.0)] * 3), density=st.floats(1.0, 1e4))
def test_a_box_has_its_mass_center_and_inertia(size, center, density):
    mass, found_center, inertia = mass_properties(shapes.box(size, center), density)
    squares = np.square(size)
    expected = density * np.prod(size)
    assert mass == pytest.approx(expected, rel=1e-9)
    assert found_center == pytest.approx(np.array(center), abs=1e-9)
    assert (center_of_volume(shapes.box(size, center)) == mass_properties(shapes.box(size, center))[1]).all()
    expected_inertia = expected / 12.0 * np.diag(squares.sum() - squares)
    assert inertia == pytest.approx(expected_inertia, rel=1e-6, abs=1e-9 * expected_inertia.max())


def test_the_corner_tetrahedron_has_its_mass_center_and_inertia():
    mass, center, inertia = mass_properties(shapes.tetrahedron(), density=6.0)
    assert mass == pytest.approx(1.0)
    assert center == pytest.approx(np.full(3, 0.25))
    # Second moments of the unit corner tetrahedron of mass 1 about its centroid: 3/80 each, products -1/80.
    second = np.full((3, 3), -1.0 / 80.0) + np.eye(3) * 4.0 / 80.0
    assert inertia == pytest.approx(np.trace(second) * np.eye(3) - second)


@pytest.mark.parametrize("shape", [shapes.torus(), shapes.cup(), shapes.bowl()], ids=["torus", "cup", "bowl"])
def test_inertia_turns_with_the_body(shape):
    rotation = Rotation.from_rotvec([0.3, -1.1, 0.7]).as_matrix()
    mass, center, inertia = mass_properties(shape, 2.0)
    turned_mass, turned_center, turned = mass_properties(shapes.moved(shape, 1.0, rotation, (3.0, -2.0, 1.0)), 2.0)
    assert turned_mass == pytest.approx(mass)
    assert turned_center == pytest.approx(rotation @ center + [3.0, -2.0, 1.0])
    assert turned == pytest.approx(rotation @ inertia @ rotation.T, rel=1e-6, abs=1e-9 * np.abs(inertia).max())


def test_volume_and_area():
    box = shapes.box((1.0, 2.0, 3.0))
    assert volume(box) == pytest.approx(6.0)
    assert volume(shapes.flipped(box)) == pytest.approx(-6.0)
    assert area(box) == pytest.approx(22.0)
    assert area_vectors(box).sum(axis=0) == pytest.approx(np.zeros(3))
    assert (np.einsum("fi,fi->f", area_vectors(box), box.corners.mean(axis=1)) > 0.0).all()
    sphere = shapes.icosphere(2.0, 4)
    assert volume(sphere) == pytest.approx(4.0 / 3.0 * np.pi * 8.0, rel=0.01)
    assert area(sphere) == pytest.approx(16.0 * np.pi, rel=0.01)


def test_faces_name_themselves_as_their_source():
    box = shapes.box()
    assert np.array_equal(box.face_source, np.arange(12))
    assert box.diagonal == pytest.approx(3**0.5)
    assert Surface(np.empty((0, 3)), np.empty((0, 3))).diagonal == 0.0
    with pytest.raises(ValueError, match="read-only"):
        box.points[0] = 0.0
