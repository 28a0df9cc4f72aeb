"""Colours of fragments: distinct random ones, or by size, depth or birth."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...core.data.recording import Fragment
from ...core.data.surface import Surface
from ...core.numerics.random_streams import rng

ATTRIBUTE = "fracture_color"
# Step between hues, as a fraction of the circle. With the golden section, successive hues differ for any number.
STEP = 0.5 * (np.sqrt(5.0) - 1.0)
SATURATION, BRIGHTNESSES = 0.6, (0.55, 0.95)


# Colours from the smallest to the largest value.
RAMP = np.array([[0.05, 0.15, 0.6, 1.0], [0.1, 0.6, 0.5, 1.0], [0.9, 0.75, 0.1, 1.0], [0.8, 0.1, 0.05, 1.0]])


def colors(kind: str, fragments: Sequence[Fragment], depths: Sequence[int], seed: int) -> np.ndarray:
    """Return linear colours (N, 4) of fragments.

    Args:
        kind: ``SIZE`` (by the rank of the mass), ``DEPTH``, ``BIRTH``, or random for any other value.
        fragments: N fragments.
        depths: Depth of each; see ``depths_of``.
        seed: Seed of random colours.
    """
    if kind == "SIZE":
        return ramp(np.unique([fragment.mass for fragment in fragments], return_inverse=True)[1])
    if kind == "DEPTH":
        return ramp(np.array(depths))
    if kind == "BIRTH":
        return ramp(np.array([fragment.birth_frame for fragment in fragments]))
    return random_colors(len(fragments), seed)


def depths_of(fragments: Sequence[Fragment]) -> list[int]:
    """Return the number of breaks that made each fragment of a recording: 1 for one that the whole body broke into."""
    depths: list[int] = []
    for fragment in fragments:
        depths.append(1 if fragment.parent < 0 else depths[fragment.parent] + 1)
    return depths


def ramp(values: np.ndarray) -> np.ndarray:
    """Return colours (N, 4) for values (N,): blue for the smallest, red for the largest, blue if all are equal."""
    if not len(values):
        return np.zeros((0, 4))
    shares = (values - values.min()) / max(float(np.ptp(values)), 1.0)
    stops = np.linspace(0.0, 1.0, len(RAMP))
    return np.stack([np.interp(shares, stops, channel) for channel in RAMP.T], axis=1)


def random_colors(count: int, seed: int) -> np.ndarray:
    """Return N opaque linear colours (N, 4), determined by the seed."""
    random = rng(seed, "piece colours")
    hues = (random.random() + STEP * np.arange(count)) % 1.0
    brightnesses = random.uniform(*BRIGHTNESSES, count)
    return np.array(
        [(*colorsys.hsv_to_rgb(*color), 1.0) for color in zip(hues, [SATURATION] * count, brightnesses, strict=True)]
    )


def painted(fragments: Sequence[Fragment], colors: np.ndarray) -> list[Fragment]:
    """Return fragments with their colours (N, 4) as a corner attribute."""
    return [
        replace(fragment, surface=replace(fragment.surface, corner_attributes=_with(fragment.surface, color)))
        for fragment, color in zip(fragments, colors, strict=True)
    ]


def _with(surface: Surface, color: np.ndarray) -> dict[str, np.ndarray]:
    return {**surface.corner_attributes, f"color/{ATTRIBUTE}": np.tile(color, (len(surface.faces), 3, 1))}
