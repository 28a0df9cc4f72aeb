"""Regions of fragments: the parts of space that a cut gives to each fragment, and the crack faces between them.

A region is the union of the tetrahedra with one label. Labels are extended from the cells through the padding, so that
regions cover the neighbourhood of the surface, and crack faces cross the surface.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numba import njit

from ..data.solid import SolidModel
from .cell_complex import CellComplex, cell_size, normals_of
from .crack_face_detail import Inside, Room, raised, smallness, subdivided
from .crack_face_shape import guarded, lifted, roughened, smoothed, within_cells
from .crack_faces import OUTSIDE, CrackFaceEdges, CrackFaces, refine
from .relief import Relief

# Distance over cell size beyond which padding is left out of a cut. At 0.5, 1.5, 3 and 6, points of the fragments of a
# fragment of a cube are 0.015, 0.008, 0.005 and 0 cells from where all padding puts them, in the mean, and those of a
# torus 0.021, 0.005, 0.002 and 0.002.
FAR = 3.0
# Longest edge of crack faces near the body over the cell size, before the subdivisions for relief. At 0.25 there are 2
# to 19 % more triangles, and at 1 there are 20 to 65 % fewer. The area of the fragments changes by at most 2.3 and
# 4.5 %, their number by at most 2 (seven small breaks).
LONGEST_EDGE = 0.5


def nearby(solid: SolidModel, points: np.ndarray) -> SolidModel:
    """Return a solid without the padding far from some points. For a small fragment, that is most of the body.

    Args:
        solid: Cells and the padding around them.
        points: (N, 3) m.

    Returns:
        The solid. Its padding covers the box around the points, with a margin for the smoothing of crack faces.
    """
    margin = FAR * cell_size(solid)
    low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
    # One bit for each side of the box that a point is inside of. The corners of a tetrahedron near the box have all
    # bits.
    sides = np.packbits(np.concatenate([solid.points > low, solid.points < high], axis=1), axis=1)[:, 0]
    one, two, three, four = sides[solid.padding_cells.T]
    near = (one | two | three | four) == np.packbits([True] * 6)
    return replace(solid, padding_cells=solid.padding_cells[near])


def build_crack_faces(
    solid: SolidModel,
    region_of_cell: np.ndarray,
    relief: Relief,
    inside: Inside | None = None,
    known: CellComplex | None = None,
) -> CrackFaces:
    """Build the crack faces of all regions, with their relief.

    Args:
        solid: Cells and the padding around them.
        region_of_cell: (C,) labels of 0 or more.
        relief: Relief of the crack faces. With amplitude 0, their triangles are not subdivided.
        inside: Returns whether points (N, 3) are inside the surface to cut. Default: all are.
        known: Complex of the solid, if it exists already.

    Returns:
        The crack faces, the hull of the complex included.

    Notes:
        Smith et al. 2001, section 3.6, for the relief. The order is own: smooth, lift off the surface, subdivide,
        displace by noise, add the heights of the relief.

    Example:
        Two cells in two regions have one common face. The other six are on the hull.

        >>> from ..data.solid import from_cells
        >>> points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
        >>> solid = from_cells(points, [[0, 1, 2, 3], [1, 2, 3, 4]], [])
        >>> cracks = build_crack_faces(solid, np.array([0, 1]), Relief())
        >>> [int((cracks.labels[:, 1] == label).sum()) for label in (1, OUTSIDE)]
        [1, 6]
    """
    known = known or CellComplex(solid)
    tets, size, (faces, owners) = known.tets, known.size, known.triangles
    labels = _join_flat(known, spread_labels(known.centers, region_of_cell, known.pairs))
    # A missing owner is -1, which indexes the last label: OUTSIDE.
    sides = np.append(labels, OUTSIDE)[owners]
    is_crack = sides[:, 0] != sides[:, 1]
    faces, sides, owners = faces[is_crack], sides[is_crack], owners[is_crack]
    axis = np.argmax(np.abs(normals_of(solid.points, faces)), axis=1).astype(np.int32)
    cracks = CrackFaces(solid.points, solid.points, faces, sides, axis, owners)
    rows = guarded(cracks, tets, known.flat)
    cracks = smoothed(cracks, tets[rows], relief.smoothing)
    cracks, folded = lifted(cracks, tets, rows, known.flat, known.boundary_normals, size)
    if relief.amplitude > 0.0:
        cracks = refine(cracks, solid.cells, LONGEST_EDGE * size, relief.budget)
    edges = CrackFaceEdges.of(cracks)
    cracks = edges.split(cracks, edges.crowded(cracks))
    if relief.amplitude == 0.0:
        return cracks
    # A thin body has cells on its hull: there the hull is the surface to cut.
    on_surface = (cracks.labels[:, 1] == OUTSIDE) & (cracks.tets[:, 0] < len(solid.cells))
    cracks = roughened(cracks, tets, folded, relief, size, cracks.faces[on_surface].ravel())
    if relief.is_level:
        return cracks
    counts = np.bincount(region_of_cell, minlength=int(cracks.labels.max()) + 2).astype(float)
    inside = inside or (lambda points: np.ones(len(points), bool))
    room = Room.of(cracks, relief.recipe.reach * size, within_cells(cracks, tets, folded))
    cracks, room, heights = subdivided(cracks, room, relief, counts, inside, size)
    bumps = relief.heights(cracks.points, room.normals, size)
    return raised(cracks, room, heights + smallness(cracks, counts) * bumps)


def spread_labels(centers: np.ndarray, region_of_cell: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Extend the labels of cells outwards through the padding, layer by layer.

    Args:
        centers: (T, 3) m, centroids of the tetrahedra, cells first.
        region_of_cell: (C,) labels of 0 or more.
        pairs: (N, 2) tetrahedra that share a face.

    Returns:
        (T,) labels; 0 for tetrahedra that are not connected to cells.

    Notes:
        Own: a tetrahedron of a layer gets the label of the neighbour with the nearest centroid.

    Example:
        Four tetrahedra in a row; the outer ones are cells with the labels 5 and 7.

        >>> centers = np.array([0.0, 3.0, 1.0, 2.0])[:, None] * [1.0, 0.0, 0.0]
        >>> spread_labels(centers, np.array([5, 7]), np.array([[0, 2], [2, 3], [3, 1]])).tolist()
        [5, 7, 5, 7]
    """
    labels = np.full(len(centers), -1, np.int64)
    labels[: len(region_of_cell)] = region_of_cell
    _spread_kernel(centers, pairs, labels)
    # Tetrahedra that are not connected to cells are far from all crack faces that are used.
    return np.maximum(labels, 0)


@njit(cache=True, nogil=True)
def _spread_kernel(centers: np.ndarray, pairs: np.ndarray, labels: np.ndarray) -> None:
    """Extend labels across pairs (N, 2) to tetrahedra without one (-1), one layer at a time."""
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
    """Give flat tetrahedra the label of the neighbour with the largest common area.

    Otherwise two crack faces would touch.
    """
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
        # Regions with only flat tetrahedra keep them.
        solid_count = np.bincount(labels[~flat], minlength=label_count)
        movable = solid_count[labels[rows]] > 0
        labels[rows[movable]] = wanted[movable]
    return labels
