"""Distinct random colours of fragments."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...core.data.recording import Fragment
from ...core.data.surface import Surface

ATTRIBUTE = "fracture_color"
# Step between hues, as a fraction of the circle. With the golden section, successive hues differ for any number.
STEP = 0.5 * (np.sqrt(5.0) - 1.0)
SATURATION, BRIGHTNESSES = 0.6, (0.55, 0.95)


def random_colors(count: int, seed: int) -> np.ndarray:
    """Return N opaque linear colours (N, 4), determined by the seed."""
    random = np.random.default_rng([seed, 7])
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
