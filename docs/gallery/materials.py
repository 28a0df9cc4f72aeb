"""Make the pictures of materials.md by the commands that stand there: all of them, or those named.

python docs/gallery/materials.py [NAME ...]
"""

from __future__ import annotations

import math
import runpy
import sys
from collections.abc import Sequence
from itertools import pairwise, product
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
MODELS = FOLDER.parents[1] / "build" / "gallery"
COMMANDS = runpy.run_path(str(FOLDER / "commands.py"))
NAMES = tuple(COMMANDS["commands"]("materials.md"))
# Log: radius and length, m; points around it and along it, and rings of its ends.
RADIUS, LENGTH, AROUND, ALONG, RINGS = 0.045, 0.7, 40, 8, 4
# m: pitch of the pieces of the bar, width of a groove and of its slope, heights of groove and piece.
PITCH, GROOVE, SLOPE, LOW, HIGH = 0.025, 0.003, 0.002, 0.004, 0.009


def box(size: Sequence[float]) -> str:
    """An OBJ file of a box around the origin, Y up."""
    points = product(*((-0.5 * length, 0.5 * length) for length in size))
    faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return obj(points, faces)


def chocolate(columns: int, rows: int) -> str:
    """An OBJ file of a bar of chocolate with grooves between its pieces, Z up."""
    xs, ys = edges(columns), edges(rows)
    width = len(ys)

    def height(i: int, j: int) -> float:
        return HIGH if i % 4 in (2, 3) and j % 4 in (2, 3) else LOW

    tops = [(x, y, height(i, j)) for i, x in enumerate(xs) for j, y in enumerate(ys)]
    under = [(x, y, 0.0) for x in xs for y in ys]
    faces = []
    for i, j in product(range(len(xs) - 1), range(width - 1)):
        around = i * width + j, (i + 1) * width + j, (i + 1) * width + j + 1, i * width + j + 1
        faces += [around, tuple(len(tops) + corner for corner in reversed(around))]
    border = [i * width for i in range(len(xs))]
    border += [(len(xs) - 1) * width + j for j in range(1, width)]
    border += [i * width + width - 1 for i in reversed(range(len(xs) - 1))]
    border += list(reversed(range(width - 1)))
    faces += [(len(tops) + a, len(tops) + b, b, a) for a, b in pairwise(border)]
    return obj(tops + under, faces)


def log() -> str:
    """An OBJ file of a log that is not quite round, Y up."""
    circle = [2.0 * math.pi * i / AROUND for i in range(AROUND)]
    outline = [(RADIUS * (1.0 + 0.03 * math.sin(2.0 * a + 0.4) + 0.02 * math.sin(5.0 * a)), a) for a in circle]
    rings = [(share / RINGS, 0.0) for share in range(1, RINGS)]
    rings += [(1.0, LENGTH * k / ALONG) for k in range(ALONG + 1)]
    rings += [(share / RINGS, LENGTH) for share in range(RINGS - 1, 0, -1)]
    points = [(share * r * math.sin(a), y, share * r * math.cos(a)) for share, y in rings for r, a in outline]
    faces = []
    for k, i in product(range(len(rings) - 1), range(AROUND)):
        a, b = k * AROUND + i, k * AROUND + (i + 1) % AROUND
        faces.append((a, b, b + AROUND, a + AROUND))
    last = (len(rings) - 1) * AROUND
    faces += [tuple(reversed(range(AROUND))), tuple(range(last, last + AROUND))]
    return obj(points, faces)


def edges(count: int) -> list[float]:
    """Where the slopes of a row of pieces begin and end, m."""
    half = 0.5 * GROOVE
    found = [k * PITCH + step for k in range(count) for step in (0.0, half, half + SLOPE, PITCH - half - SLOPE)]
    return [*found, (count - 1) * PITCH + PITCH - half, count * PITCH]


def obj(points, faces) -> str:
    """An OBJ file."""
    lines = ["v {:g} {:g} {:g}".format(*point) for point in points]
    return "\n".join(lines + ["f " + " ".join(str(1 + corner) for corner in face) for face in faces]) + "\n"


def write_models(folder: Path = MODELS) -> None:
    """Write the models that the commands name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (
        ("block", box((0.5, 0.5, 0.5))),
        ("pane", box((0.6, 0.6, 0.006))),
        ("plank", box((1.2, 0.025, 0.14))),
        ("log", log()),
        ("chocolate", chocolate(6, 3)),
    ):
        (folder / f"{name}.obj").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_models()
    sys.exit(COMMANDS["main"](sys.argv[1:], "materials.md"))
