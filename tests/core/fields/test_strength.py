"""The strength of bonds from place to place."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.fields.strength import (
    SAMPLE_SIZE,
    WEAKEST,
    bond_sizes,
    bond_strengths,
    size_effect,
    weakest_link,
)
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from tests import shapes

EVEN = replace(PORCELAIN, strength_variation=0.0)
PLAIN = Settings.of(noise=0.0)


@pytest.fixture(scope="module")
def solid():
    return tetrahedralize(shapes.torus(0.1, 0.03), 1500, 0)


def normals(solid):
    corners = solid.points[solid.faces]
    vectors = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_an_even_material_has_its_strength_everywhere(solid):
    np.testing.assert_array_equal(bond_strengths(solid, EVEN, PLAIN), EVEN.tensile_strength)


def test_a_crack_goes_on_by_toughness():
    """sigma = K_IC / sqrt(h) on cells longer than the material length, whatever the strength; at most that."""
    for strength in (40e6, 80e6):
        material = replace(EVEN, tensile_strength=strength)
        np.testing.assert_allclose(strength * size_effect(material, 0.01), EVEN.toughness / np.sqrt(0.01))
    assert size_effect(EVEN, 0.5 * EVEN.material_length) == 1.0


def test_scatter_has_the_materials_spread(solid):
    material = replace(EVEN, strength_variation=0.1)
    found = bond_strengths(solid, material, PLAIN) / material.tensile_strength
    found /= weakest_link(bond_sizes(solid), 0.1)
    assert abs(found.mean() - 1.0) < 0.01
    assert abs(found.std() - 0.1) < 0.01


@pytest.mark.parametrize("scatter", [0.1, 0.2])
def test_the_weakest_of_more_smaller_bonds_is_as_weak(scatter):
    """A chain's weakest link: 16 times as many bonds of a 16th of the area, with the strengths of Weibull's law."""
    modulus, random = 1.2 / scatter, np.random.default_rng(0)
    lowest = []
    for count, size in ((20, 1.0), (320, 0.25)):
        sizes = np.full(count, size * SAMPLE_SIZE)
        strengths = weakest_link(sizes, scatter) * random.weibull(modulus, (2000, count))
        lowest.append(strengths.min(axis=1).mean())
    assert lowest[1] == pytest.approx(lowest[0], rel=0.03)
    assert weakest_link(np.array([SAMPLE_SIZE]), scatter) == 1.0


def test_noise_varies_in_space_not_from_bond_to_bond(solid):
    settings = Settings.of(noise=0.5, noise_size=0.4)
    found = bond_strengths(solid, EVEN, settings) / EVEN.tensile_strength
    assert 0.05 < found.std() < 0.5
    centers = solid.points[solid.faces].mean(axis=1)
    distance = np.linalg.norm(centers[:, None] - centers[None, :300], axis=-1)
    difference = np.abs(found[:, None] - found[None, :300])
    assert difference[(distance > 0) & (distance < 0.01)].mean() < 0.4 * difference[distance > 0.1].mean()


def test_nothing_is_weaker_than_the_weakest(solid):
    material = replace(EVEN, strength_variation=1.0)
    found = bond_strengths(solid, material, Settings.of(noise=1.0))
    np.testing.assert_allclose(found.min(), WEAKEST * material.tensile_strength)


@pytest.mark.parametrize("grain", [(0.0, 0.0, 1.0), (2.0, 1.0, 0.0)])
def test_grain_follows_hankinson(solid, grain):
    """Across the grain (the face's normal lies across it) the plain strength, along it ``ratio`` times that."""
    material = replace(EVEN, grain_strength_ratio=20.0)
    found = bond_strengths(solid, material, Settings.of(noise=0.0, grain=np.array(grain))) / EVEN.tensile_strength
    cosine = np.abs(normals(solid) @ grain) / np.linalg.norm(grain)
    expected = 20.0 / (20.0 * (1.0 - cosine**2) + cosine**2)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert found[cosine < 0.1].max() < 1.1
    assert found.max() > 10.0


def test_seeds(solid):
    one, same, other = (bond_strengths(solid, PORCELAIN, Settings.of(seed=seed)) for seed in (1, 1, 2))
    assert one.tobytes() == same.tobytes()
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.5
