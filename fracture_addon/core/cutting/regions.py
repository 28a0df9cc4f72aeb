"""Cell labels to regions: which part of space, out to the edge of the complex, a cut gives to each fragment.

A region is the union of the tetrahedra that have one label. Labels are spread from the cells through the padding, so
that regions cover the neighbourhood of the surface and their walls meet it crosswise.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numba import njit

from ..data.solid import SolidModel
from .cell_complex import CellComplex, cell_size, normals_of
from .crack_face_detail import Inside, Room, raised, smallness, subdivided
from .crack_face_shape import guarded, lifted, roughened, smoothed, within_cells
from .crack_faces import OUTSIDE, WallEdges, Walls, refine
from .relief import Relief

# Cells that are farther from what is cut than this many of their own size have no say in how.
FAR = 3.0
# Walls near the body are divided until their edges are shorter than this share of a cell's size.
WALL_EDGE = 0.5


def nearby(solid: SolidModel, points: np.ndarray) -> SolidModel:
    """A solid without the padding far from points (N, 3) that are to be cut: for a small piece, most of the body is.

    What is left covers the box around the points, and all that walls in it are smoothed with.
    """
    margin = FAR * cell_size(solid)
    low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
    # A bit for each side of the box that a point is within: the corners of what reaches into it have all among them.
    sides = np.packbits(np.concatenate([solid.points > low, solid.points < high], axis=1), axis=1)[:, 0]
    one, two, three, four = sides[solid.padding_cells.T]
    near = (one | two | three | four) == np.packbits([True] * 6)
    return replace(solid, padding_cells=solid.padding_cells[near])


def build_walls(
    solid: SolidModel,
    region_of_cell: np.ndarray,
    relief: Relief,
    inside: Inside | None = None,
    known: CellComplex | None = None,
) -> Walls:
    """Walls of all regions.

    Args:
        solid: Cells and the padding around them.
        region_of_cell: (C,) labels, all 0 or more.
        relief: Of the crack faces; an amplitude of 0 leaves their triangles undivided.
        inside: From points (N, 3) to (N,) bool, those in the surface that is to be cut; everything without it.
        known: The solid's complex, where there is one already.
    """
    known = known or CellComplex(solid)
    tets, size, (faces, owners) = known.tets, known.size, known.triangles
    labels = _join_flat(known, spread_labels(known.centers, region_of_cell, known.pairs))
    # No owner is -1, which is the last.
    sides = np.append(labels, OUTSIDE)[owners]
    wall = sides[:, 0] != sides[:, 1]
    faces, sides, owners = faces[wall], sides[wall], owners[wall]
    axis = np.argmax(np.abs(normals_of(solid.points, faces)), axis=1).astype(np.int32)
    walls = Walls(solid.points, solid.points, faces, sides, axis, owners)
    rows = guarded(walls, tets, known.flat)
    walls = smoothed(walls, tets[rows], relief.smoothing)
    walls, folded = lifted(walls, tets, rows, known.flat, known.boundary_normals, size)
    if relief.amplitude > 0.0:
        walls = refine(walls, solid.cells, WALL_EDGE * size, relief.budget)
    edges = WallEdges.of(walls)
    walls = edges.split(walls, edges.crowded(walls))
    if relief.amplitude == 0.0:
        return walls
    walls = roughened(walls, tets, folded, relief, size)
    if relief.is_level:
        return walls
    counts = np.bincount(region_of_cell, minlength=int(walls.labels.max()) + 2).astype(float)
    inside = inside or (lambda points: np.ones(len(points), bool))
    room = Room.of(walls, relief.recipe.reach * size, within_cells(walls, tets, folded))
    walls, room, heights = subdivided(walls, room, relief, counts, inside, size)
    bumps = relief.heights(walls.points, room.normals, size)
    return raised(walls, room, heights + smallness(walls, counts) * bumps)


def spread_labels(centers: np.ndarray, region_of_cell: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Carry the cells' labels outwards through the padding, layer by layer.

    Within a layer a tetrahedron takes the label of the neighbour whose centre is nearest.

    Args:
        centers: (T, 3) of the tetrahedra, cells first.
        region_of_cell: (C,) labels, 0 or more.
        pairs: (N, 2) tetrahedra that share a face.

    Returns:
        (T,) labels.
    """
    labels = np.full(len(centers), -1, np.int64)
    labels[: len(region_of_cell)] = region_of_cell
    _spread_kernel(centers, pairs, labels)
    # What no face leads to is far from every wall that matters.
    return np.maximum(labels, 0)


@njit(cache=True, nogil=True)
def _spread_kernel(centers, pairs, labels):
    """Let labels run between pairs (N, 2) to where there are none (-1), a layer at a time."""
    ways, count = np.empty((2 * len(pairs), 2), np.int64), 0
    for side in range(2):
        for row in range(len(pairs)):
            if labels[pairs[row, 1 - side]] < 0:
                ways[count, 0], ways[count, 1] = pairs[row, side], pairs[row, 1 - side]
                count += 1
    nearest, reached = np.full(len(labels), np.inf), np.full(len(labels), -1, labels.dtype)
    while True:
        left, spreads = 0, False
        for row in range(count):
            start, end = ways[row]
            if labels[end] < 0:
                ways[left, 0], ways[left, 1] = start, end
                left += 1
                if labels[start] >= 0:
                    x, y = centers[start, 0] - centers[end, 0], centers[start, 1] - centers[end, 1]
                    z = centers[start, 2] - centers[end, 2]
                    length = np.sqrt(x * x + y * y + z * z)
                    if length < nearest[end]:
                        nearest[end], reached[end], spreads = length, labels[start], True
        if not spreads:
            return
        for row in range(left):
            labels[ways[row, 1]] = reached[ways[row, 1]]
        count = left


def _join_flat(known: CellComplex, labels: np.ndarray) -> np.ndarray:
    """Give tetrahedra without thickness to the neighbour with most contact: two walls would touch across them."""
    flat, (both_ways, both_areas) = known.flat, known.flat_contacts
    if not len(both_ways):
        return labels
    label_count = int(labels.max()) + 1
    labels = labels.copy()
    for _ in range(2):
        keys, contact = np.unique(both_ways[:, 0] * label_count + labels[both_ways[:, 1]], return_inverse=True)
        area = np.bincount(contact, both_areas)
        order = np.lexsort((area, keys // label_count))
        last = order[np.append(np.diff(keys[order] // label_count) > 0, True)]
        rows, wanted = keys[last] // label_count, keys[last] % label_count
        # A region keeps its last tetrahedron that is not flat.
        solid_count = np.bincount(labels[~flat], minlength=label_count)
        movable = solid_count[labels[rows]] > 0
        labels[rows[movable]] = wanted[movable]
    return labels
