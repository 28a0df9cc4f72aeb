"""Named streams of random numbers. Two streams of one seed are independent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

# Number of each stream. A new stream gets the next number. A change of a number changes results.
STREAMS = {
    "strength noise": 0,
    "cells": 1,
    "strength": 2,
    "lattice strength": 3,
    "element strength": 4,
    "sheet cells": 5,
    "fragment clusters": 6,
    "chips": 7,
    "crack face subdivision": 8,
    "debris tetrahedra": 9,
    "debris orientation": 10,
    "trial cylinders": 11,
    "density noise": 12,
    "crack face warp": 13,
    "crack face bumps": 14,
    "crack face stones": 15,
    "crack face ripples": 16,
    "fibre ends": 17,
    "fibre ridges": 18,
    "turbulence": 19,
    "gusts": 20,
    "piece colours": 21,
    "debris shapes": 22,
    "impacts one after another": 23,
    "joint strength": 24,
    "crumbling": 25,
}
# Number of different seeds of noise: ``fields.noise`` leaves 26 bits beside the octave.
NOISE_SEEDS = 1 << 26
# Distance between the noise seeds of two streams: the golden section of the number of seeds. Streams are far apart, so
# the small numbers that artists use as seeds never give the noise seed of another stream.
APART = round(NOISE_SEEDS * (5.0**0.5 - 1.0) / 2.0)
# Components of a vector field. Each has its own noise.
COMPONENTS = 3


def rng(seed: int | Sequence[int], stream: str, part: int = 0) -> np.random.Generator:
    """Return the generator of a stream.

    Args:
        seed: The artist's seed, or the seeds of several bodies.
        stream: A name in ``STREAMS``.
        part: Number of an independent part of the stream, for example a level of subdivision.

    Returns:
        A new generator at the start of the stream.

    Notes:
        NumPy's SeedSequence (O'Neill 2015) makes independent states from the seed, the stream and the part.

    Example:
        >>> rng(7, "strength").random() == rng(7, "strength").random()
        True
        >>> rng(7, "strength").random() == rng(7, "cells").random()
        False
    """
    seeds = [seed] if isinstance(seed, int) else list(seed)
    return np.random.default_rng([*seeds, STREAMS[stream], *([part] if part else [])])


def noise_seed(seed: int, stream: str, component: int = 0) -> int:
    """Return the seed of a noise field of ``fields.noise``.

    Args:
        seed: The artist's seed.
        stream: A name in ``STREAMS``.
        component: Component of a vector field, 0 to 2.

    Returns:
        A number from 0 to ``NOISE_SEEDS`` - 1.

    Notes:
        Own: noise takes one number instead of a generator, so that streams are offsets of it.

    Example:
        >>> noise_seed(7, "strength noise"), noise_seed(8, "strength noise")
        (7, 8)
        >>> noise_seed(7, "density noise") - noise_seed(7, "strength noise") > 1_000_000
        True
    """
    return (seed + APART * (COMPONENTS * STREAMS[stream] + component)) % NOISE_SEEDS
