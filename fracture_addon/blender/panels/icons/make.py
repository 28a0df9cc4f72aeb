"""Makes the icons of the toolbar: ``python fracture_addon/blender/panels/icons/make.py``.

Blender's files of coloured triangles: "VCO" and a zero, width, height and origin (a byte each), then six bytes for the
corners of each triangle, then a colour of four bytes for each corner. The y axis points up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

Point = tuple[float, float]
Triangle = tuple[Point, Point, Point]
Color = tuple[int, int, int, int]

# The white of Blender's own icons, and the orange of what a tool adds.
WHITE, ORANGE = (243, 243, 243, 255), (255, 158, 44, 255)
# Length of both sides; half of the width of a line.
SIZE, HALF = 255, 8.0
# Where the impact meets the surface.
CENTER = (112.0, 104.0)
# The drawn crack, ending at the pen; where the tip of the pen ends, and the end of its barrel.
DRAWN = ((16.0, 40.0), (56.0, 70.0), (40.0, 110.0), (92.0, 124.0), (86.0, 160.0), (124.0, 120.0))
GRIP, BARREL = (158.0, 148.0), (216.0, 196.0)
# Two shards that stay, and one that is pulled out.
SHARDS = (
    ((16.0, 20.0), (112.0, 20.0), (92.0, 88.0), (16.0, 116.0)),
    ((128.0, 20.0), (220.0, 20.0), (220.0, 96.0), (110.0, 84.0)),
    ((16.0, 132.0), (90.0, 104.0), (104.0, 150.0), (16.0, 208.0)),
)
PULLED = ((130.0, 124.0), (236.0, 140.0), (240.0, 244.0), (146.0, 200.0))
# Cracks from there, and the arrow: its tail, and where its head begins.
CRACKS = (
    ((72.0, 132.0), (50.0, 122.0), (16.0, 160.0)),
    ((78.0, 78.0), (66.0, 48.0), (26.0, 26.0)),
    ((128.0, 66.0), (116.0, 42.0), (136.0, 10.0)),
    ((158.0, 92.0), (178.0, 66.0), (236.0, 58.0)),
    ((104.0, 150.0), (122.0, 178.0), (104.0, 236.0)),
)
TAIL, NECK, HEAD_HALF = (240.0, 240.0), (164.0, 160.0), 28.0


def impact() -> Iterator[tuple[Triangle, Color]]:
    """Yield the triangles of the icon of the Impact Tool: an arrow, and cracks from its tip."""
    for crack in CRACKS:
        for start, end in pairwise((CENTER, *crack)):
            yield from ((triangle, WHITE) for triangle in _line(start, end))
    yield from ((triangle, ORANGE) for triangle in _line(NECK, TAIL))
    (x, y), (across_x, across_y) = NECK, _across(CENTER, NECK, HEAD_HALF)
    yield (CENTER, (x + across_x, y + across_y), (x - across_x, y - across_y)), ORANGE


def draw_cracks() -> Iterator[tuple[Triangle, Color]]:
    """Yield the triangles of the icon of the tool Draw Cracks: a crack, and a pen at its end."""
    for start, end in pairwise(DRAWN):
        yield from ((triangle, WHITE) for triangle in _line(start, end))
    (x, y), (across_x, across_y) = GRIP, _across(DRAWN[-1], GRIP, HEAD_HALF)
    left, right = (x + across_x, y + across_y), (x - across_x, y - across_y)
    (along_x, along_y) = BARREL[0] - x, BARREL[1] - y
    far_left, far_right = (left[0] + along_x, left[1] + along_y), (right[0] + along_x, right[1] + along_y)
    for triangle in ((DRAWN[-1], left, right), (left, far_left, far_right), (left, far_right, right)):
        yield triangle, ORANGE


def pull_piece() -> Iterator[tuple[Triangle, Color]]:
    """Yield the triangles of the icon of the tool Pull a Piece: shards, and one that is pulled out."""
    for shard in SHARDS:
        for corner, after in pairwise(shard[1:]):
            yield (shard[0], corner, after), WHITE
    for corner, after in pairwise(PULLED[1:]):
        yield (PULLED[0], corner, after), ORANGE


def encoded(triangles: Iterator[tuple[Triangle, Color]]) -> bytes:
    """Return the bytes of a file."""
    shapes, colors = zip(*triangles, strict=True)
    corners = bytes(round(value) for triangle in shapes for point in triangle for value in point)
    return b"VCO\0" + bytes((SIZE, SIZE, 0, 0)) + corners + b"".join(3 * bytes(color) for color in colors)


def _across(start: Point, end: Point, length: float) -> Point:
    x, y = end[0] - start[0], end[1] - start[1]
    return -y * length / math.hypot(x, y), x * length / math.hypot(x, y)


def _line(start: Point, end: Point) -> Iterator[Triangle]:
    """Yield the two triangles of a line."""
    x, y = _across(start, end, HALF)
    left, right = ((start[0] + x, start[1] + y), (start[0] - x, start[1] - y))
    far_left, far_right = ((end[0] + x, end[1] + y), (end[0] - x, end[1] - y))
    yield left, right, far_right
    yield left, far_right, far_left


ICONS = {"impact": impact, "draw_cracks": draw_cracks, "pull_piece": pull_piece}


if __name__ == "__main__":
    for name, triangles in ICONS.items():
        Path(__file__).with_name(f"{name}.dat").write_bytes(encoded(triangles()))
