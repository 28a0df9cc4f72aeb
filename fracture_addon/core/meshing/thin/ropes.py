"""Ropes: lines with equal segments, directions across them, and the tubes around them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from ...data.cut_part import CutPart
from ...data.errors import InvalidMeshError
from ...data.surface import Surface, joined
from ...data.thin import TETRAHEDRA, Thin, evenly_along

# Corners of the cross-section of a tube. Tubes of 6, 12 and 24 corners have 0.83, 0.95 and 0.99 of the volume of a
# cylinder.
SIDES = 12
# Shortest segment of a rope over its thickness. It limits the number of segments of thick ropes; the stable time step
# is proportional to the length of a segment. At 0.375, 0.75 and 1.5, a rope of 1 m and 20 mm with 6,000 cells gets 133,
# 67 and 33 segments. Half the value therefore takes about four times as long.
SHORTEST = 0.75


def chains(segments: np.ndarray) -> list[np.ndarray]:
    """Join segments into polylines, which end where the number of segments at a point is not two.

    Args:
        segments: (K, 2) points of segments, without repetitions.

    Returns:
        Points of each polyline. A closed ring starts at any point and repeats it at the end.

    Notes:
        Own: a walk along the segments (Hierholzer 1873, without joining the walks).

    Example:
        >>> [line.tolist() for line in chains(np.array([[0, 1], [1, 2], [2, 3], [2, 4]]))]
        [[0, 1, 2], [2, 3], [2, 4]]
    """
    neighbours: dict[int, list[int]] = {}
    for one, other in np.asarray(segments).tolist():
        neighbours.setdefault(one, []).append(other)
        neighbours.setdefault(other, []).append(one)
    left = {(min(pair), max(pair)) for pair in np.asarray(segments).tolist()}
    result = []
    # Polylines with ends come first. The remaining segments are rings.
    for start in sorted(neighbours, key=lambda point: (len(neighbours[point]) == 2, point)):
        for following in neighbours[start]:
            chain = [start]
            while (min(chain[-1], following), max(chain[-1], following)) in left:
                left.remove((min(chain[-1], following), max(chain[-1], following)))
                chain.append(following)
                onward = [point for point in neighbours[following] if point != chain[-2]]
                if len(neighbours[following]) != 2 or following == start or not onward:
                    break
                following = onward[0]
            if len(chain) > 1:
                result.append(np.array(chain))
    return result


def rope(points: np.ndarray, segments: np.ndarray, thickness: float, cell_count: int) -> Thin:
    """Return a rope with nearly equal segments along lines. Points where lines meet are kept.

    Args:
        points: (P, 3) m.
        segments: (K, 2) rows of ``points``.
        thickness: Diameter, m.
        cell_count: Wanted number of tetrahedra, six for each segment. Segments are at least ``SHORTEST`` times the
            thickness long.

    Returns:
        The rope.

    Raises:
        InvalidMeshError: The lines have no length.

    Notes:
        Sweeney et al. 1991, section 3: ropes. The equal segments are own, because the shortest one limits the time
        step.

    Example:
        Six tetrahedra for each of four segments.

        >>> rope(np.array([[0.0, 0, 0], [1, 0, 0]]), np.array([[0, 1]]), 0.01, 24).points[:, 0].tolist()
        [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    lines = chains(np.unique(np.sort(segments, axis=1), axis=0))
    lengths = [float(np.linalg.norm(np.diff(points[line], axis=0), axis=1).sum()) for line in lines]
    if not sum(lengths) > 0.0:
        raise InvalidMeshError("its lines have no length; draw them longer")
    spacing = max(sum(lengths) * TETRAHEDRA / cell_count, SHORTEST * thickness)
    places: list[np.ndarray] = []
    pairs: list[np.ndarray] = []
    rows: dict[int, int] = {}
    for line, length in zip(lines, lengths, strict=True):
        count = max(round(length / spacing), 3 if line[0] == line[-1] else 1)
        numbers = []
        for place, point in enumerate(evenly_along(points[line], count + 1)):
            end = int(line[0] if place == 0 else line[-1]) if place in (0, count) else -1
            if end in rows:
                numbers.append(rows[end])
                continue
            if end >= 0:
                rows[end] = len(places)
            numbers.append(len(places))
            places.append(point)
        pairs.append(np.stack([numbers[:-1], numbers[1:]], axis=1))
    return Thin("rope", np.array(places), np.concatenate(pairs), np.full(len(places), thickness))


def across(centers: np.ndarray, before: np.ndarray | None = None) -> np.ndarray:
    """Return two unit vectors across a line at each of its points, without twist around the line.

    Args:
        centers: (R, 3) points of the line.
        before: (3,) first vector at the first point in the previous frame. The result differs from it as little as
            possible.

    Returns:
        (R, 2, 3).

    Notes:
        Bishop 1975, There is More than One Way to Frame a Curve.

    Example:
        >>> across(np.array([[0.0, 0, 0], [0, 0, 1], [0, 0, 2]]))[2].tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    along = np.gradient(centers, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
    side = np.empty_like(along)
    side[0] = np.eye(3)[np.argmin(np.abs(along[0]))] if before is None else before
    for row in range(len(along)):
        side[row] = side[max(row - 1, 0)] - along[row] * (side[max(row - 1, 0)] @ along[row])
        side[row] /= max(float(np.linalg.norm(side[row])), 1e-300)
    return np.stack([side, np.cross(along, side)], axis=1)


def skin(thin: Thin) -> Surface:
    """Return closed tubes around a whole rope, one for each polyline.

    Args:
        thin: The rope.

    Returns:
        One surface of all tubes.
    """
    return joined([piece.surface for piece in pieces(thin, np.zeros(len(thin.cells), int))])


def pieces(thin: Thin, labels: np.ndarray) -> list[CutPart]:
    """Return closed tubes around the fragments of a rope.

    Args:
        thin: The rope, with K segments.
        labels: (K,) fragment of each segment. Each run of segments of a polyline with the same label is one tube.

    Returns:
        The tubes, along each polyline.

    Notes:
        Own: polygons of ``SIDES`` corners around the frames of ``across`` (Bishop 1975).

    Example:
        A rope of 1 m torn in the middle: two tubes, 0.95 of the volume of a cylinder.

        >>> from ...data.surface import volume
        >>> torn = pieces(rope(np.array([[0.0, 0, 0], [1, 0, 0]]), np.array([[0, 1]]), 0.1, 12), np.array([0, 1]))
        >>> [(piece.label, round(volume(piece.surface) / (np.pi * 0.05**2 * 0.5), 2)) for piece in torn]
        [(0, 0.95), (1, 0.95)]
    """
    segments = np.sort(thin.cells, axis=1).tolist()
    label_of = {tuple(pair): int(label) for pair, label in zip(segments, labels, strict=True)}
    result = []
    for chain in chains(thin.cells):
        pairs = np.sort(np.stack([chain[:-1], chain[1:]], axis=1), axis=1).tolist()
        own = np.array([label_of[tuple(pair)] for pair in pairs])
        starts = np.concatenate([[0], np.flatnonzero(np.diff(own)) + 1, [len(own)]])
        centers = thin.points[chain]
        frames = across(centers)
        lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(centers, axis=0), axis=1))])
        for first, last in itertools.pairwise(starts):
            rows = slice(first, last + 1)
            radius = 0.5 * thin.thickness[chain[rows]]
            torn = (first > 0, last < len(own))
            result.append(CutPart(int(own[first]), *_tube(centers[rows], frames[rows], radius, lengths[rows], torn)))
    return result


def _tube(
    centers: np.ndarray, frames: np.ndarray, radius: np.ndarray, lengths: np.ndarray, torn: Sequence[bool]
) -> tuple[Surface, np.ndarray]:
    """Return a closed tube, and its faces (F,) bool at torn ends."""
    count = len(centers)
    angles = 2.0 * np.pi * np.arange(SIDES) / SIDES
    round_about = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    outward = np.einsum("sk,rki->rsi", round_about, frames)
    rings = centers[:, None] + radius[:, None, None] * outward
    points = np.concatenate([rings.reshape(-1, 3), centers[[0, -1]]])
    ring, side = np.meshgrid(np.arange(count - 1), np.arange(SIDES), indexing="ij")
    a, b = ring * SIDES + side, ring * SIDES + (side + 1) % SIDES
    c, d = b + SIDES, a + SIDES
    walls = np.stack([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)], axis=2).reshape(-1, 3)
    around = np.arange(SIDES)
    start = np.stack([(around + 1) % SIDES, around, np.full(SIDES, count * SIDES)], axis=1)
    end = np.stack([around, (around + 1) % SIDES, np.full(SIDES, count * SIDES + 1 - (count - 1) * SIDES)], axis=1)
    faces = np.concatenate([walls, start, end + (count - 1) * SIDES])
    # A texture covers the circumference once, and repeats after an equal length along the rope.
    u = np.stack([side, side + 1, side + 1, side], axis=-1) / SIDES
    v = (lengths / np.maximum(2.0 * np.pi * radius, 1e-300))[np.stack([ring, ring, ring + 1, ring + 1], axis=-1)]
    uv = np.stack([u, v], axis=-1)[:, :, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3, 2)
    caps = 0.5 + 0.5 * np.stack([round_about[(around + 1) % SIDES], round_about, np.zeros((SIDES, 2))], axis=1)
    normals = outward.reshape(-1, 3)[walls]
    axis = [np.cross(*frame) for frame in frames[[0, -1]]]
    normals = np.concatenate([normals, np.tile(-axis[0], (SIDES, 3, 1)), np.tile(axis[1], (SIDES, 3, 1))])
    interior = np.repeat([False, *torn], [len(walls), SIDES, SIDES])
    faces_are = {
        "material_index": np.where(interior, -1, 0),
        "smooth": ~np.repeat([False, True], [len(walls), 2 * SIDES]),
    }
    corners_are = {"normal": normals, "uv/UVMap": np.concatenate([uv, caps, caps])}
    return Surface(points, faces, np.where(interior, -1, np.arange(len(faces))), faces_are, corners_are), interior
