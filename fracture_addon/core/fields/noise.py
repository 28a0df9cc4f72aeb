"""Gradient noise: turbulence in a field, and the warp that roughens crack faces without folding space."""

from __future__ import annotations

import numpy as np
from numba import njit

# Steepest slope that one octave of the noise can have, its lattice being 1 wide: the largest, over all positions in a
# cell and all directions, of the sum over the eight corners of the largest that any of the twelve gradients adds.
SLOPE_BOUND = 3.75
# Each octave has half the wavelength and this share of the amplitude of the one before.
GAIN = 0.5
# Mean magnitude of one octave, measured over 10^6 points: turbulence of magnitudes is given over its mean.
MEAN_MAGNITUDE = 0.22
# The warp's own Lipschitz constant: below 1, at which it could fold.
WARP_LIPSCHITZ = 0.95
WARP_OCTAVES = 2


def turbulence(points: np.ndarray, seed: int, wavelength: float, octaves: int = 3) -> np.ndarray:
    """Gradient noise (Perlin 2002) summed over octaves, about -1 to 1 with mean 0.

    Args:
        points: (N, 3), metres.
        seed: Another seed gives another, unrelated field.
        wavelength: Of the first octave, metres.
        octaves: How many; each has half the wavelength and half the amplitude of the one before.

    Returns:
        (N,) float64.
    """
    values = np.zeros(len(points))
    _turbulence_kernel(np.ascontiguousarray(points, float), seed, wavelength, octaves, values)
    return values


def absolute_turbulence(points: np.ndarray, seed: int, wavelength: float, octaves: int = 3) -> np.ndarray:
    """Perlin's turbulence (1985): the sum of the octaves' magnitudes, which has creases where they change sign.

    Args:
        points: (N, 3), metres.
        seed: Of the field.
        wavelength: Of the first octave, metres.
        octaves: How many; each has half the wavelength and half the amplitude of the one before.

    Returns:
        (N,) 0 and up, with mean about 1.
    """
    gains = GAIN ** np.arange(octaves)
    values = np.zeros(len(points))
    for octave, gain in enumerate(gains):
        values += gain * np.abs(turbulence(points, _octave_seed(seed, octave), wavelength / 2.0**octave, 1))
    return values / (gains.sum() * MEAN_MAGNITUDE)


def cellular(points: np.ndarray, seed: int, wavelength: float) -> np.ndarray:
    """Distance to the nearest of points that are strewn about, one in each cube (Worley 1996): round bumps.

    Args:
        points: (N, 3), metres.
        seed: Of the points.
        wavelength: Width of the cubes, metres.

    Returns:
        (N,) over the width, 0 to about 1.
    """
    distances = np.empty(len(points))
    _cellular_kernel(np.ascontiguousarray(points, float) / wavelength, seed, distances)
    return distances


def slope_bound(wavelength: float, octaves: int) -> float:
    """Lipschitz constant of ``turbulence``, a metre: every octave is twice as steep as its amplitude says."""
    gains = GAIN ** np.arange(octaves)
    return float(SLOPE_BOUND / wavelength * (gains * 2.0 ** np.arange(octaves)).sum() / gains.sum())


def warp(points: np.ndarray, seed: int, amplitude: float, wavelength: float) -> np.ndarray:
    """Points displaced by a smooth field of position that cannot fold.

    The field's Lipschitz constant is below 1, so the map is one to one: what was apart stays apart, and whatever
    shares a point goes on sharing it. Where the wanted wavelength is too short for the amplitude it is stretched.

    Args:
        points: (N, 3), metres.
        seed: Of the field.
        amplitude: About the largest displacement along each axis, metres.
        wavelength: Wanted size of the largest bumps, metres.

    Returns:
        (N, 3) displaced points.
    """
    if amplitude == 0.0:
        return np.array(points, float)
    # Three independent components: the Jacobian's norm is at most sqrt(3) times the slope of one.
    steepness = np.sqrt(3.0) * amplitude * slope_bound(wavelength, WARP_OCTAVES)
    wavelength *= max(1.0, steepness / WARP_LIPSCHITZ)
    components = [turbulence(points, 3 * seed + axis, wavelength, WARP_OCTAVES) for axis in range(3)]
    return points + amplitude * np.stack(components, axis=1)


def _turbulence(points: np.ndarray, seed: int, wavelength: float, octaves: int) -> np.ndarray:
    """What ``_turbulence_kernel`` computes, to read."""
    gains = GAIN ** np.arange(octaves)
    values = np.zeros(len(points))
    for octave, gain in enumerate(gains):
        scaled = np.asarray(points, float) * (2.0**octave / wavelength)
        values += gain / gains.sum() * _octave(scaled, _octave_seed(seed, octave))
    return values


def _octave(points: np.ndarray, seed: int) -> np.ndarray:
    base = np.floor(points)
    offset = points - base
    fade = offset**3 * (offset * (offset * 6.0 - 15.0) + 10.0)
    values = np.zeros(len(points))
    for corner in np.ndindex(2, 2, 2):
        gradient = _GRADIENTS[_hash(*(base.astype(np.int64) + corner).T, seed) % len(_GRADIENTS)]
        weight = np.where(corner, fade, 1.0 - fade).prod(axis=1)
        values += weight * ((offset - corner) * gradient).sum(axis=1)
    return values


# The twelve edge directions of a cube: no lattice direction is preferred.
_GRADIENTS = np.array(
    [[x, y, 0] for x in (-1, 1) for y in (-1, 1)]
    + [[x, 0, z] for x in (-1, 1) for z in (-1, 1)]
    + [[0, y, z] for y in (-1, 1) for z in (-1, 1)],
    float,
)


@njit(cache=True)
def _octave_seed(seed, octave):
    return (seed * 64 + octave) & 0xFFFFFFFF


@njit(cache=True)
def _hash(i, j, k, seed):
    """Mix three lattice coordinates and a seed into 32 bits (multiply and xor-shift, within 63-bit integers)."""
    mixed = (i * 73856093) ^ (j * 19349663) ^ (k * 83492791) ^ (seed * 40503 + 12345)
    mixed = mixed & 0x7FFFFFFF
    mixed = ((mixed ^ (mixed >> 15)) * 739982445) & 0x7FFFFFFF
    mixed = ((mixed ^ (mixed >> 12)) * 695872825) & 0x7FFFFFFF
    return mixed ^ (mixed >> 15)


def _cellular(scaled: np.ndarray, seed: int) -> np.ndarray:
    """What ``_cellular_kernel`` computes, to read."""
    base = np.floor(scaled).astype(np.int64)
    nearest = np.full(len(scaled), np.inf)
    for step in np.ndindex(3, 3, 3):
        cube = base + np.array(step) - 1
        jitter = np.stack([_hash(*cube.T, 3 * seed + axis) / 0x7FFFFFFF for axis in range(3)], axis=1)
        nearest = np.minimum(nearest, ((cube + jitter - scaled) ** 2).sum(axis=1))
    return np.sqrt(nearest)


@njit(cache=True)
def _cellular_kernel(scaled, seed, distances):
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
def _turbulence_kernel(points, seed, wavelength, octaves, values):
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
