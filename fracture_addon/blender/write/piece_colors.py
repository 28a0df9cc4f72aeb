"""Colours that tell pieces apart."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...core.data.recording import Fragment

ATTRIBUTE = "fracture_color"
# Hues a golden section of the circle apart: however many there are, neighbours in the list are unlike.
STEP = 0.5 * (np.sqrt(5.0) - 1.0)
SATURATION, BRIGHTNESSES = 0.6, (0.55, 0.95)


def random_colors(count: int, seed: int) -> np.ndarray:
    """(N, 4) linear colours, opaque; the same seed gives the same."""
    random = np.random.default_rng([seed, 7])
    hues = (random.random() + STEP * np.arange(count)) % 1.0
    brightnesses = random.uniform(*BRIGHTNESSES, count)
    return np.array(
        [(*colorsys.hsv_to_rgb(*color), 1.0) for color in zip(hues, [SATURATION] * count, brightnesses, strict=True)]
    )


def painted(fragments: Sequence[Fragment], colors: np.ndarray) -> list[Fragment]:
    """Fragments whose surfaces carry their colours, (N, 4), as an attribute."""
    return [
        replace(fragment, surface=replace(fragment.surface, corner_attributes=_with(fragment.surface, color)))
        for fragment, color in zip(fragments, colors, strict=True)
    ]


def _with(surface, color: np.ndarray) -> dict[str, np.ndarray]:
    return {**surface.corner_attributes, f"color/{ATTRIBUTE}": np.tile(color, (len(surface.faces), 3, 1))}
