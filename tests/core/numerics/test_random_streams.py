"""Streams of one seed are independent."""

import numpy as np
import pytest

from fracture_addon.core.fields.noise import turbulence
from fracture_addon.core.numerics.random_streams import NOISE_SEEDS, STREAMS, noise_seed, rng

POINTS = np.random.default_rng(0).uniform(-20.0, 20.0, (4000, 3))


def test_each_stream_has_a_number_of_its_own():
    assert len(set(STREAMS.values())) == len(STREAMS)


def test_a_stream_repeats_and_differs_from_others():
    draws = {name: rng(5, name).random(4).tobytes() for name in STREAMS}
    assert len(set(draws.values())) == len(STREAMS)
    assert rng(5, "chips").random(4).tobytes() == draws["chips"]
    assert rng(6, "chips").random(4).tobytes() != draws["chips"]
    assert rng(5, "chips", 1).random(4).tobytes() != draws["chips"]
    assert rng([5, 6], "chips").random() != rng([6, 5], "chips").random()


def test_an_unknown_stream_is_an_error():
    with pytest.raises(KeyError, match="no such"):
        rng(1, "no such")


def test_noise_seeds_of_streams_are_farther_apart_than_seeds_of_artists():
    seeds = np.sort([noise_seed(0, name, component) for name in STREAMS for component in range(3)])
    assert np.diff(np.append(seeds, seeds[0] + NOISE_SEEDS)).min() > 100_000


def test_neighbouring_seeds_share_no_noise():
    """The density of one seed was once the strength of the next one."""
    density = turbulence(POINTS, noise_seed(7, "density noise"), 1.0)
    for seed in (6, 7, 8):
        strength = turbulence(POINTS, noise_seed(seed, "strength noise"), 1.0)
        assert abs(np.corrcoef(density, strength)[0, 1]) < 0.1
