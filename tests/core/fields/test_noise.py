"""Gradient noise and the warp of space."""

import numpy as np
import pytest

from fracture_addon.core.fields.noise import slope_bound, turbulence, warp
from tests import readable_kernels


@pytest.fixture
def points() -> np.ndarray:
    return np.random.default_rng(5).uniform(-50.0, 50.0, (20_000, 3))


@pytest.mark.parametrize(("seed", "wavelength", "octaves"), [(0, 1.0, 1), (7, 0.3, 3), (123456789, 20.0, 5)])
def test_kernel_agrees_with_the_readable_twin(points, seed, wavelength, octaves):
    fast = turbulence(points[:500], seed, wavelength, octaves)
    np.testing.assert_allclose(fast, readable_kernels.turbulence(points[:500], seed, wavelength, octaves), atol=1e-13)


@pytest.mark.parametrize("octaves", [1, 3])
def test_range_and_mean(points, octaves):
    values = turbulence(points, 3, 1.0, octaves)
    assert np.abs(values).max() <= 1.04
    assert np.abs(values).max() > 0.4
    assert abs(values.mean()) < 0.02


def test_seeds_are_unrelated_and_repeatable(points):
    one, other = turbulence(points, 1, 2.0), turbulence(points, 2, 2.0)
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.05
    assert (one == turbulence(points, 1, 2.0)).all()


@pytest.mark.parametrize("octaves", [1, 2, 4])
def test_slope_stays_below_its_bound(points, octaves):
    step = 1e-5 * np.random.default_rng(0).normal(size=points.shape)
    rise = np.abs(turbulence(points + step, 4, 0.7, octaves) - turbulence(points, 4, 0.7, octaves))
    slope = rise / np.linalg.norm(step, axis=1)
    assert 0.2 * slope_bound(0.7, octaves) < slope.max() < slope_bound(0.7, octaves)


@pytest.mark.parametrize(("amplitude", "wavelength"), [(0.1, 2.0), (1.0, 0.01), (5.0, 30.0)])
def test_warp_is_a_contraction_of_displacement(points, amplitude, wavelength):
    """Lipschitz below 1, near by and far apart, even where the wanted wavelength would fold."""
    random = np.random.default_rng(1)
    displaced = warp(points, (2, 3, 4), amplitude, wavelength) - points
    assert 0.1 * amplitude < np.abs(displaced).max() <= amplitude
    for reach in (1e-4, 0.1, 10.0):
        others = points + reach * random.normal(size=points.shape)
        change = np.linalg.norm(warp(others, (2, 3, 4), amplitude, wavelength) - others - displaced, axis=1)
        assert (change < np.linalg.norm(others - points, axis=1)).all()


def test_amplitude_zero_changes_nothing(points):
    assert (warp(points, (2, 3, 4), 0.0, 1.0) == points).all()


def test_warp_is_one_function_of_position(points):
    whole = warp(points, (9, 10, 11), 0.2, 1.0)
    assert (whole[::-3] == warp(points[::-3], (9, 10, 11), 0.2, 1.0)).all()
