"""Conduction of heat against the series of a plate, and its balance."""

import numpy as np
import pytest

from fracture_addon.core.fields.heat import HeatMesh, warming
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from tests import shapes
from tests.core.plate_series import plate_rise

SIZE = (0.05, 0.05, 0.01)
CONDUCTIVITY, CAPACITY = 1.2, 2e6


@pytest.fixture(scope="module")
def plate():
    return HeatMesh.of(tetrahedralize(shapes.box(SIZE), 1000, 0))


def flat_faces(mesh):
    """Outer faces of the two large sides."""
    corners = mesh.points[mesh.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.abs(normals[:, 2]) > 0.5 * np.linalg.norm(normals, axis=1)


def rises(mesh, biot, fouriers):
    one, half = np.ones(mesh.owners.max() + 1), 0.5 * SIZE[2]
    transfers = np.where(flat_faces(mesh), biot * CONDUCTIVITY / half, 0.0)
    times = np.array(fouriers) * half**2 * CAPACITY / CONDUCTIVITY
    return list(warming(mesh, CONDUCTIVITY * one, CAPACITY * one, transfers, times))


@pytest.mark.parametrize("biot", [1.0, 10.0])
def test_a_plate_warms_as_the_series_says(plate, biot):
    """Within 3 % of the difference, from a tenth of the time in which heat crosses half of the plate."""
    fouriers = (0.1, 0.3, 1.0)
    inner = (np.abs(plate.points[:, :2]) < 0.02).all(axis=1)
    for fourier, rise in zip(fouriers, rises(plate, biot, fouriers), strict=True):
        exact = plate_rise(biot, fourier, np.clip(plate.points[inner, 2] / (0.5 * SIZE[2]), -1.0, 1.0))
        assert np.sqrt(((rise[inner] - exact) ** 2).mean()) < 0.03


def test_the_heat_in_the_body_is_that_which_crossed_its_surface(plate):
    """Over the short last step: the gain of heat is the flow through the surface times the time."""
    before, after = rises(plate, 2.0, (0.2, 0.202))
    masses = CAPACITY * np.bincount(plate.cells.ravel(), np.repeat(0.25 * plate.volumes, 4))
    half = 0.5 * SIZE[2]
    wet = flat_faces(plate)
    transfer = 2.0 * CONDUCTIVITY / half
    flow = transfer * plate.areas[wet] @ (1.0 - after[plate.faces[wet]].mean(axis=1))
    gain = masses @ (after - before) / (0.002 * half**2 * CAPACITY / CONDUCTIVITY)
    assert gain == pytest.approx(flow, rel=0.01)


def test_times_grow_with_the_square_of_the_wall_and_fall_with_the_diffusivity(plate):
    twice = HeatMesh.of(tetrahedralize(shapes.box(tuple(2.0 * size for size in SIZE)), 1000, 0))
    one, large = np.ones(1), 1e9
    times = plate.times(one, one, large)
    assert twice.times(one, one, large) == pytest.approx(4.0 * times, rel=0.05)
    assert plate.times(2.0 * one, one, large) == pytest.approx(0.5 * times)
    assert (np.diff(times) > 0.0).all()


def test_a_soft_shock_lasts_until_heat_has_passed_the_surface(plate):
    one = np.ones(1)
    assert plate.times(one, one, 1e-3)[-1] == pytest.approx(1e3 * plate.wall, rel=0.02)
