"""Area over which two surfaces face each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..data.arrays import ReadOnlyArrays, unit
from ..data.surface import Surface
from .nearest import Nearest

# Cosine of the largest angle between a normal and the direction across the gap: beside the edge of the other surface,
# samples count up to a fifth of the gap away from it. From 0.96 to 0.999 the areas between bricks stay the same.
STRAIGHT = 0.98
# Smallest value of minus the cosine of the angle between the two normals. From 0.35 to 0.95 the areas between bricks
# stay the same. Two balls of 5 cm with a gap of 1 mm face each other over 6 cm2 up to 0.7, and over 3 cm2 at 0.9.
OPPOSITE = 0.7
# Gap over the size of a surface below which rounding determines its direction. From 1e-9 to 1e-3 the areas between
# bricks stay the same.
TOUCHING = 1e-6
# Largest number of samples along one edge of a triangle. It bounds memory where a huge triangle is near a small object.
MOST_STEPS = 400
# Samples along the diagonal of a surface, at least. For two bricks that overlap by a tenth, the area is 0.91 to 1.18 of
# the exact one with 8 to 64 samples; with 4, no sample is found.
SAMPLES_PER_DIAGONAL = 16.0


@dataclass(frozen=True)
class Facing(ReadOnlyArrays):
    """Samples of the area over which two surfaces face each other.

    Attributes:
        first: (N, 3) m, points of the first surface.
        second: (N, 3) m, the nearest points of the second one.
        normals: (N, 3) unit, from the first surface to the second.
        areas: (N,) m2.
    """

    first: np.ndarray
    second: np.ndarray
    normals: np.ndarray
    areas: np.ndarray

    @property
    def gaps(self) -> np.ndarray:
        """Distances (N,) between the surfaces, m."""
        return np.linalg.norm(self.second - self.first, axis=1)

    @property
    def squares(self) -> np.ndarray:
        """Squares (N, 4, 3) m with the areas of the samples, in the middle of the gap, for display."""
        # Any direction across the normal; the axis that is farthest from the normal is never parallel to it.
        axes = np.eye(3)[np.abs(self.normals).argmin(axis=1)]
        one = np.cross(self.normals, axes)
        one *= (0.5 * np.sqrt(self.areas) / np.linalg.norm(one, axis=1))[:, None]
        two = np.cross(self.normals, one)
        return (0.5 * (self.first + self.second))[:, None] + np.stack([-one - two, one - two, one + two, two - one], 1)

    def flipped(self) -> Facing:
        """Return the same area, seen from the second surface."""
        return Facing(self.second, self.first, -self.normals, self.areas)


def facing(first: Surface, second: Surface, second_tree: Nearest, distance: float, spacing: float) -> Facing:
    """Find the area over which two surfaces face each other.

    Args:
        first: The smaller surface. Its triangles are divided into samples.
        second: The larger surface.
        second_tree: Tree of the second surface.
        distance: m, largest gap.
        spacing: m, largest distance between samples.

    Returns:
        The samples whose nearest point on the second surface is straight across, within ``distance``.

    Notes:
        Own: samples instead of an intersection, because the surfaces are curved and do not touch exactly.

    Example:
        >>> square = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
        >>> lower = Surface(square, [[0, 1, 2], [0, 2, 3]])
        >>> upper = Surface(square + [0.5, 0.0, 0.01], [[0, 2, 1], [0, 3, 2]])
        >>> found = facing(lower, upper, Nearest(upper), 0.02, 0.01)
        >>> round(float(found.areas.sum()), 1), found.normals[0].round(6).tolist()
        (0.5, [0.0, 0.0, 1.0])
    """
    low, high = second.points.min(axis=0) - distance, second.points.max(axis=0) + distance
    corners = first.corners
    near = ((corners.max(axis=1) >= low) & (corners.min(axis=1) <= high)).all(axis=1)
    points, faces, areas = _samples(corners[near], spacing)
    inside = ((points >= low) & (points <= high)).all(axis=1)
    points, areas = points[inside], areas[inside]
    normals = _unit_normals(corners[near])[faces[inside]]
    rows, weights, gaps = second_tree.to(points)
    others, there = _unit_normals(second.corners)[rows], np.einsum("nk,nki->ni", weights, second.corners[rows])
    across = there - points
    straightness = np.maximum(*(np.abs(np.einsum("ni,ni->n", across, way)) for way in (normals, others)))
    straight = straightness >= STRAIGHT * gaps - TOUCHING * first.diagonal
    opposite = np.einsum("ni,ni->n", normals, others) <= -OPPOSITE
    chosen = (gaps <= distance + TOUCHING * first.diagonal) & straight & opposite
    between = normals[chosen] - others[chosen]
    between /= np.linalg.norm(between, axis=1, keepdims=True)
    return Facing(points[chosen], there[chosen], between, areas[chosen])


def contact_area(
    first: Surface,
    second: Surface,
    distance: float,
    spacing: float = np.inf,
    tree_of: Callable[[Surface], Nearest] = Nearest,
) -> Facing:
    """Find the area over which two surfaces face each other, with samples of the smaller one.

    Args:
        first: A surface.
        second: Another one, in the same space.
        distance: m, largest gap.
        spacing: m, largest distance between samples. ``SAMPLES_PER_DIAGONAL`` may require a smaller one.
        tree_of: Returns the tree of a surface; for callers that use it again.

    Returns:
        The area, seen from ``first``.

    Notes:
        Own; see ``facing``.

    Example:
        Two cubes of 1 m with a gap of 1 cm.

        >>> corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
        >>> faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6]]
        >>> faces += [[0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
        >>> cubes = Surface(corners, faces), Surface(corners + [1.01, 0.0, 0.0], faces)
        >>> float(contact_area(*cubes, distance=0.02).areas.sum().round(3))
        1.0
    """
    small, large = sorted((first, second), key=lambda surface: surface.diagonal)
    spacing = min(spacing, small.diagonal / SAMPLES_PER_DIAGONAL)
    area = facing(small, large, tree_of(large), distance, spacing)
    return area if small is first else area.flipped()


def gap(first: Surface, second: Surface) -> float:
    """Return the smallest distance from a corner of either surface to the other surface.

    Args:
        first: A surface.
        second: Another one.

    Returns:
        m; larger than the true distance where two edges are nearest.

    Notes:
        Own: corners only, because the gaps of joints are between faces.

    Example:
        >>> triangle = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
        >>> gap(Surface(triangle, [[0, 1, 2]]), Surface(triangle + [0.0, 0.0, 0.25], [[0, 1, 2]]))
        0.25
    """
    return float(min(Nearest(one).to(other.points)[2].min() for one, other in ((first, second), (second, first))))


def _unit_normals(corners: np.ndarray) -> np.ndarray:
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return unit(normals)


def _samples(corners: np.ndarray, spacing: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Divide triangles (F, 3, 3) into equal parts; return their centroids (N, 3), faces (N,) and areas (N,)."""
    edges = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1, initial=0.0)
    steps = np.clip(np.ceil(edges / spacing), 1, MOST_STEPS).astype(int)
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    points, faces = [np.empty((0, 3))], [np.empty(0, int)]
    for count in np.unique(steps):
        rows = np.flatnonzero(steps == count)
        weights = _part_centers(count)
        points.append(np.einsum("nk,fki->fni", weights, corners[rows]).reshape(-1, 3))
        faces.append(np.repeat(rows, len(weights)))
    face = np.concatenate(faces)
    return np.concatenate(points), face, areas[face] / steps[face] ** 2


def _part_centers(count: int) -> np.ndarray:
    """Return barycentric coordinates (count^2, 3) of the centroids of equal parts of a triangle."""
    one, two = np.divmod(np.arange(count * count), count)
    upright = one + two < count
    # Parts that point the other way fill the square of indices beyond its diagonal.
    one, two = np.where(upright, one, count - 1 - one), np.where(upright, two, count - 1 - two)
    shift = np.where(upright, 1.0, 2.0) / 3.0
    first, second = (one + shift) / count, (two + shift) / count
    return np.stack([1.0 - first - second, first, second], axis=1)
