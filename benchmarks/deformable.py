"""Deformable bodies that hit a floor after a fall from 1 m: largest stretch of the drawn surface."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import Row
from tests.core.timeline.deformable.dropped_shapes import MATERIALS, SHAPES, breaking_stretch, dropped_stretch

CELLS, FRAMES = 300, 8


def rows() -> Iterator[Row]:
    """Yield the stretch of each shape and material; the baseline is the stretch at which the material breaks."""
    for material in MATERIALS:
        for shape in SHAPES:
            stretch, _ = dropped_stretch(shape, material, CELLS, FRAMES)
            yield Row(f"stretch_{material}_{shape}".replace(" ", "_"), CELLS, stretch, "", breaking_stretch(material))
