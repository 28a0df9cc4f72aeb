"""Gradient noise, cellular noise, and a displacement that roughens crack faces without folding space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit

# Upper bound of the slope of one octave with wavelength 1. It is the maximum, over all positions and directions, of the
# sum over the eight corners of the largest slope that one of the twelve gradients adds.
SLOPE_BOUND = 3.75
# Amplitude of an octave over that of the previous one (Perlin 1985). Its wavelength is half that of the previous one.
GAIN = 0.5
# Mean magnitude of one octave, measured over 10^6 points. ``absolute_turbulence`` is divided by it.
MEAN_MAGNITUDE = 0.22
# Lipschitz constant of the warp's displacement. Below 1, the warp cannot fold. At 0.5, 0.8 and 0.99, the wavelength of
# a warp that would fold is 1.9, 1.2 and 0.96 times as long.
WARP_LIPSCHITZ = 0.95
# Octaves of the warp. The slope of further octaves would stretch the wavelength more than they add detail. With 1 and 3
# octaves, numbers of fragments differ by at most one.
WARP_OCTAVES = 2


def turbulence(points: np.ndarray, seed: int, wavelength: float, octaves: int = 3) -> np.ndarray:
    """Return the sum of octaves of gradient noise.

    Args:
        points: (N, 3) m.
        seed: Seed of the field.
        wavelength: Wavelength of the first octave, m.
        octaves: Number of octaves. Each has half the wavelength and half the amplitude of the previous one.

    Returns:
        (N,) values from about -1 to 1, with mean 0.

    Notes:
        Perlin 2002, Improving Noise. The noise is 0 at the corners of a lattice with the wavelength as spacing.

    Example:
        >>> turbulence(np.array([[0.0, 0.0, 0.0], [0.25, 0.1, 0.4]]), 7, 1.0, 1).round(3).tolist()
        [0.0, 0.365]
    """
    values = np.zeros(len(points))
    _turbulence_kernel(np.ascontiguousarray(points, float), seed, wavelength, octaves, values)
    return values


def absolute_turbulence(points: np.ndarray, seed: int, wavelength: float, octaves: int = 3) -> np.ndarray:
    """Return Perlin's turbulence: the sum of the magnitudes of octaves of noise.

    It has creases where an octave changes its sign.

    Args:
        points: (N, 3) m.
        seed: Seed of the field.
        wavelength: Wavelength of the first octave, m.
        octaves: Number of octaves. Each has half the wavelength and half the amplitude of the previous one.

    Returns:
        (N,) values of 0 and more, with mean about 1.

    Notes:
        Perlin 1985, An Image Synthesizer.

    Example:
        >>> points = np.random.default_rng(0).uniform(0.0, 20.0, (20_000, 3))
        >>> values = absolute_turbulence(points, 1, 1.0)
        >>> bool(values.min() >= 0.0), round(float(values.mean()), 1)
        (True, 1.0)
    """
    gains = GAIN ** np.arange(octaves)
    values = np.zeros(len(points))
    for octave, gain in enumerate(gains):
        values += gain * np.abs(turbulence(points, _octave_seed(seed, octave), wavelength / 2.0**octave, 1))
    return values / (gains.sum() * MEAN_MAGNITUDE)


def cellular(points: np.ndarray, seed: int, wavelength: float) -> np.ndarray:
    """Return cellular noise: the distance to the nearest random point, with one in each cube of a grid.

    Args:
        points: (N, 3) m.
        seed: Seed of the random points.
        wavelength: Width of the cubes, m.

    Returns:
        (N,) distance over the width of the cubes, from 0 to about 1.

    Notes:
        Worley 1996, A Cellular Texture Basis Function. Only the 27 cubes around a point are searched.

    Example:
        >>> cellular(np.array([[0.0, 0.0, 0.0], [0.3, 0.2, 0.1]]), 7, 1.0).round(3).tolist()
        [0.649, 0.645]
    """
    distances = np.empty(len(points))
    _cellular_kernel(np.ascontiguousarray(points, float) / wavelength, seed, distances)
    return distances


def slope_bound(wavelength: float, octaves: int) -> float:
    """Return a Lipschitz constant of ``turbulence``: the sum of the bounds of the slopes of its octaves.

    Args:
        wavelength: Wavelength of the first octave, m.
        octaves: Number of octaves.

    Returns:
        1/m.

    Notes:
        Own: ``SLOPE_BOUND`` bounds one octave. A second octave has half its amplitude and half its wavelength, so that
        it adds the same slope before both are divided by the sum of the amplitudes, 3/2.

    Example:
        >>> slope_bound(1.0, 1), slope_bound(1.0, 2), slope_bound(2.0, 1)
        (3.75, 5.0, 1.875)
    """
    gains = GAIN ** np.arange(octaves)
    return float(SLOPE_BOUND / wavelength * (gains * 2.0 ** np.arange(octaves)).sum() / gains.sum())


def warp(points: np.ndarray, seeds: Sequence[int], amplitude: float, wavelength: float) -> np.ndarray:
    """Displace points by smooth noise that cannot fold space.

    Args:
        points: (N, 3) m.
        seeds: Seed of each of the three components.
        amplitude: About the largest displacement along each axis, m.
        wavelength: Size of the largest bumps, m. It is increased if the amplitude would fold space otherwise.

    Returns:
        (N, 3) displaced points, m.

    Notes:
        Smith et al. 2001, section 3.6, with noise of Perlin 2002. The bound is own: the Lipschitz constant of the
        displacement is below 1, so that the map is one to one, and surfaces that do not intersect do not intersect
        afterwards.

    Example:
        The order of points stays, although the wavelength is small for the amplitude.

        >>> line = np.linspace([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], 1000)
        >>> bool(np.diff(warp(line, (1, 2, 3), 0.3, 0.1)[:, 0]).min() > 0.0)
        True
    """
    if amplitude == 0.0:
        return np.array(points, float)
    # The norm of the Jacobian is at most sqrt(3) times the slope of one of its three components.
    steepness = np.sqrt(3.0) * amplitude * slope_bound(wavelength, WARP_OCTAVES)
    wavelength *= max(1.0, steepness / WARP_LIPSCHITZ)
    components = [turbulence(points, seed, wavelength, WARP_OCTAVES) for seed in seeds]
    return points + amplitude * np.stack(components, axis=1)


# Gradients: the directions of the twelve edges of a cube (Perlin 2002).
_GRADIENTS = np.array(
    [[x, y, 0] for x in (-1, 1) for y in (-1, 1)]
    + [[x, 0, z] for x in (-1, 1) for z in (-1, 1)]
    + [[0, y, z] for y in (-1, 1) for z in (-1, 1)],
    float,
)


@njit(cache=True)
def _octave_seed(seed: int, octave: int) -> int:
    return (seed * 64 + octave) & 0xFFFFFFFF


@njit(cache=True)
def _hash(i: Any, j: Any, k: Any, seed: int) -> Any:
    """Mix three lattice coordinates, numbers or arrays, and a seed into 31 bits (multiply and xor-shift)."""
    mixed = (i * 73856093) ^ (j * 19349663) ^ (k * 83492791) ^ (seed * 40503 + 12345)
    mixed = mixed & 0x7FFFFFFF
    mixed = ((mixed ^ (mixed >> 15)) * 739982445) & 0x7FFFFFFF
    mixed = ((mixed ^ (mixed >> 12)) * 695872825) & 0x7FFFFFFF
    return mixed ^ (mixed >> 15)


@njit(cache=True)
def _cellular_kernel(scaled: np.ndarray, seed: int, distances: np.ndarray) -> None:
    for row in range(len(scaled)):
        x, y, z = scaled[row]
        i, j, k = int(np.floor(x)), int(np.floor(y)), int(np.floor(z))
        nearest = np.inf
        for a in range(i - 1, i + 2):
            for b in range(j - 1, j + 2):
                for c in range(k - 1, k + 2):
                    dx = a + _hash(a, b, c, 3 * seed) / 0x7FFFFFFF - x
                    dy = b + _hash(a, b, c, 3 * seed + 1) / 0x7FFFFFFF - y
                    dz = c + _hash(a, b, c, 3 * seed + 2) / 0x7FFFFFFF - z
                    nearest = min(nearest, dx * dx + dy * dy + dz * dz)
        distances[row] = np.sqrt(nearest)


@njit(cache=True)
def _turbulence_kernel(points: np.ndarray, seed: int, wavelength: float, octaves: int, values: np.ndarray) -> None:
    gain_sum = 0.0
    for octave in range(octaves):
        gain_sum += GAIN**octave
    for row in range(len(points)):
        total = 0.0
        for octave in range(octaves):
            scale = 2.0**octave / wavelength
            octave_seed = _octave_seed(seed, octave)
            x, y, z = points[row, 0] * scale, points[row, 1] * scale, points[row, 2] * scale
            i, j, k = int(np.floor(x)), int(np.floor(y)), int(np.floor(z))
            x, y, z = x - i, y - j, z - k
            u = x * x * x * (x * (x * 6.0 - 15.0) + 10.0)
            v = y * y * y * (y * (y * 6.0 - 15.0) + 10.0)
            w = z * z * z * (z * (z * 6.0 - 15.0) + 10.0)
            value = 0.0
            for a in range(2):
                for b in range(2):
                    for c in range(2):
                        gradient = _GRADIENTS[_hash(i + a, j + b, k + c, octave_seed) % 12]
                        weight = (u if a else 1.0 - u) * (v if b else 1.0 - v) * (w if c else 1.0 - w)
                        value += weight * (gradient[0] * (x - a) + gradient[1] * (y - b) + gradient[2] * (z - c))
            total += GAIN**octave / gain_sum * value
        values[row] = total
