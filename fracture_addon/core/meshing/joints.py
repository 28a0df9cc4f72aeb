"""Joints between the cells of two solids, as triangles. A network treats them as faces between cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.arrays import ReadOnlyArrays
from ..data.solid import SolidModel, cell_centers, outer_faces
from ..data.surface import Surface
from ..geometry.facing import Facing
from ..geometry.nearest import Nearest

# Area of a joint over the mean one below which it is left out, because few samples give no direction. Its area is added
# to the others. From 0.001 to 0.2 a wall of four bricks breaks into the same four fragments.
LEAST_AREA = 0.1
# Second moment of a small sample of area 1 about its centroid: that of an equilateral triangle, 1 / (6 sqrt 3).
SAMPLE_MOMENT = 1.0 / (6.0 * np.sqrt(3.0))


@dataclass(frozen=True)
class OuterCells(ReadOnlyArrays):
    """Cells at the surface of a solid, in a tree.

    Attributes:
        tree: Outer faces of the cells.
        owners: (F,) cell of each outer face.
    """

    tree: Nearest
    owners: np.ndarray

    @classmethod
    def of(cls, solid: SolidModel) -> OuterCells:
        """Find the outer cells of a solid."""
        faces, owners = outer_faces(solid.cells)
        return cls(Nearest(Surface(solid.points, faces)), owners)


@dataclass(frozen=True)
class Joints(ReadOnlyArrays):
    """Joints between cells of two solids.

    Attributes:
        pairs: (J, 2) cell of the first solid, and of the second one.
        triangles: (J, 3, 3) m, triangle with the area, centroid and second moments of the joint, in the middle of the
            gap. Its normal points to the second cell.
        gaps: (J,) m, mean gap.
        depths: (J, 2) m, distance of each cell's centroid from the surface of its object, along the normal.
    """

    pairs: np.ndarray
    triangles: np.ndarray
    gaps: np.ndarray
    depths: np.ndarray


def join_cells(first: SolidModel, second: SolidModel, cells: tuple[OuterCells, OuterCells], area: Facing) -> Joints:
    """Find the joints between the cells of two solids.

    Args:
        first: A solid.
        second: Another one, in the same space.
        cells: Outer cells of both.
        area: Area over which their surfaces face each other; not empty.

    Returns:
        The joints. Their areas sum to that of ``area``.

    Notes:
        Own, because the cells of two solids do not meet face to face: the area of a pair of cells is the sum of the
        samples that are nearest to both. It becomes a triangle with the same centroid, area and directions of its
        second moments.

    Example:
        A cell below another one: one joint, with the area of their common triangle.

        >>> from ..data.solid import CELL_FACES, from_cells
        >>> from ..geometry.facing import contact_area
        >>> base = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
        >>> sides = [from_cells(np.vstack([base, [0.3, 0.3, z]]), [[0, 1, 2, 3]], []) for z in (-1.0, 1.0)]
        >>> outer = OuterCells.of(sides[0]), OuterCells.of(sides[1])
        >>> surfaces = [Surface(side.points, side.cells[0][CELL_FACES]) for side in sides]
        >>> joints = join_cells(*sides, outer, contact_area(*surfaces, 0.01))
        >>> sides = np.diff(joints.triangles[0], axis=0)
        >>> joints.pairs.tolist(), round(0.5 * float(np.linalg.norm(np.cross(*sides))), 3)
        ([[0, 0]], 0.5)
    """
    one, two = (
        side.owners[side.tree.to(points)[0]] for side, points in zip(cells, (area.first, area.second), strict=True)
    )
    keys, group = np.unique(one.astype(np.int64) * second.cell_count + two, return_inverse=True)
    areas = np.bincount(group, area.areas)
    kept = areas >= LEAST_AREA * areas.mean()
    keys, row = keys[kept], np.cumsum(kept) - 1
    chosen = kept[group]
    group, weights = row[group[chosen]], area.areas[chosen]
    whole = np.bincount(group, weights)

    def mean(values: np.ndarray) -> np.ndarray:
        columns = values[chosen].reshape(len(weights), -1).T
        return np.stack([np.bincount(group, weights * column) for column in columns], axis=1) / whole[:, None]

    normals = mean(area.normals)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    middle = 0.5 * (area.first + area.second)
    centers = mean(middle)
    arms = np.zeros_like(middle)
    arms[chosen] = middle[chosen] - centers[group]
    spread = mean(arms[:, :, None] * arms[:, None, :]).reshape(-1, 3, 3)
    own = SAMPLE_MOMENT * np.bincount(group, weights**2) / whole
    pairs = np.stack([keys // second.cell_count, keys % second.cell_count], axis=1).astype(np.int32)
    gaps = mean(area.gaps)[:, 0]
    places = [cell_centers(solid.points, solid.cells)[pairs[:, side]] for side, solid in enumerate((first, second))]
    ends = mean(area.first), mean(area.second)
    depths = np.stack(
        [
            sign * np.einsum("ji,ji->j", end - place, normals)
            for sign, end, place in zip((1, -1), ends, places, strict=True)
        ],
        axis=1,
    )
    triangles = _triangles(centers, normals, spread + own[:, None, None] * np.eye(3), whole * areas.sum() / whole.sum())
    return Joints(pairs, triangles, gaps, np.maximum(depths, 0.0))


def _triangles(centers: np.ndarray, normals: np.ndarray, spread: np.ndarray, areas: np.ndarray) -> np.ndarray:
    """Return triangles (J, 3, 3) with given areas and the directions and ratio of second moments (J, 3, 3)."""
    flat = np.eye(3) - normals[:, :, None] * normals[:, None, :]
    values, vectors = np.linalg.eigh(flat @ spread @ flat)
    # The smallest value is that of the normal. The others become the half axes of the triangle's ellipse.
    long, short = vectors[:, :, 2], np.cross(normals, vectors[:, :, 2])
    half = np.sqrt(values[:, 1:])
    half *= np.sqrt(areas / (half[:, 0] * half[:, 1]) / (0.75 * np.sqrt(3.0)))[:, None]
    angles = 2.0 * np.pi * np.arange(3) / 3.0
    offsets = (
        np.cos(angles)[:, None] * (half[:, 1, None] * long)[:, None]
        + np.sin(angles)[:, None] * (half[:, 0, None] * short)[:, None]
    )
    return centers[:, None] + offsets
