"""The walls between the regions that cell labels describe, on shared vertices, ready to cut a surface with.

A region is the union of the tetrahedra that have one label, out to the edge of the complex: labels are spread from the
cells through the padding, so that regions cover the neighbourhood of the surface and meet it crosswise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_array

from . import roughness
from .solid import CELL_FACES, SolidModel, cell_centers, cell_volumes

# Flatter tetrahedra (volume over that of a regular one with the same mean edge) join the neighbour with most contact.
FLATNESS = 0.05
# Walls are smoothed this often, and their ends on the boundary lifted off the surface by this share of a cell's size.
SMOOTHING_STEPS, LIFT = 3, 0.3
# A move may not shrink a tetrahedron at a wall below this share of its volume.
LEAST_VOLUME = 0.2
# Walls near the body are subdivided until their edges are shorter than this share of a cell, or at this many triangles.
WALL_EDGE, WALL_BUDGET, WALL_LEVELS = 0.5, 60_000, 2
# Wavelength of the crack faces' relief over a cell's size (stretched by the warp when the amplitude asks for it).
RELIEF_WAVELENGTH = 1.5

OUTSIDE = -1


@dataclass(frozen=True)
class Walls:
    """Triangles between regions.

    Attributes:
        points: (P, 3), metres.
        rest: (P, 3), the same points in the complex as it was, before smoothing and relief: there the order of the
            faces around an edge is certain.
        faces: (W, 3), wound so that the normal leaves the first label's region.
        labels: (W, 2) the regions on both sides; the second is ``OUTSIDE`` on the hull of the complex.
        axis: (W,) coordinate along which the wall is projected for texture: that of the largest component of its
            normal before it was roughened, so that roughness tears no texture.
    """

    points: np.ndarray
    rest: np.ndarray
    faces: np.ndarray
    labels: np.ndarray
    axis: np.ndarray


def cell_size(solid: SolidModel) -> float:
    """Mean edge, metres, of regular tetrahedra as large as the cells."""
    return float(np.mean(np.cbrt(6.0 * np.sqrt(2.0) * cell_volumes(solid.points, solid.cells))))


def build_walls(solid: SolidModel, region_of_cell: np.ndarray, relief: float, seed: int) -> Walls:
    """Walls of all regions.

    Args:
        solid: Cells and the padding around them.
        region_of_cell: (C,) labels, all 0 or more.
        relief: Amplitude of the crack faces' relief over a cell's size.
        seed: Of the relief.
    """
    tets = np.concatenate([solid.cells, solid.padding_cells])
    faces, owners = complex_faces(tets, len(solid.points))
    inner = owners[:, 1] >= 0
    labels = spread_labels(solid, tets, region_of_cell, owners[inner])
    labels = _join_flat(solid.points, tets, labels, faces[inner], owners[inner])
    sides = np.stack([labels[owners[:, 0]], np.where(inner, labels[owners[:, 1]], OUTSIDE)], axis=1)
    wall = sides[:, 0] != sides[:, 1]
    size = cell_size(solid)
    points = _settle(solid, tets, faces[wall], sides[wall], size)
    normals = _cross(points, faces[wall])
    axis = np.argmax(np.abs(normals), axis=1).astype(np.int32)
    walls = Walls(points, solid.points, faces[wall], sides[wall], axis)
    if relief > 0.0:
        walls = _refine(walls, solid.cells, WALL_EDGE * size)
    edges = _WallEdges.of(walls)
    walls = edges.split(walls, edges.crowded(walls))
    points = roughness.warp(walls.points, seed, relief * size, RELIEF_WAVELENGTH * size)
    return replace(walls, points=points)


def complex_faces(tets: np.ndarray, point_count: int) -> tuple[np.ndarray, np.ndarray]:
    """All triangles of positively oriented tetrahedra, each once.

    Returns:
        (F, 3) faces wound out of their first owner, (F, 2) rows of ``tets``, the second -1 on the hull.
    """
    faces = tets[:, CELL_FACES].reshape(-1, 3)
    keys = np.sort(faces, axis=1).astype(np.int64)
    key = (keys[:, 0] * point_count + keys[:, 1]) * point_count + keys[:, 2]
    order = np.argsort(key, kind="stable")
    repeated = np.zeros(len(order) + 1, bool)
    repeated[1:-1] = key[order][1:] == key[order][:-1]
    first = order[~repeated[:-1]]
    paired = repeated[1:][~repeated[:-1]]
    second = np.full(len(first), -1)
    second[paired] = order[repeated[:-1]] // 4
    return faces[first], np.stack([first // 4, second], axis=1)


def spread_labels(solid: SolidModel, tets: np.ndarray, region_of_cell: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Carry the cells' labels outwards through the padding, layer by layer.

    Within a layer a tetrahedron takes the label of the neighbour whose centre is nearest.

    Args:
        solid: Whose cells are the first rows of ``tets``.
        tets: (T, 4).
        region_of_cell: (C,) labels, 0 or more.
        pairs: (N, 2) tetrahedra that share a face.

    Returns:
        (T,) labels.
    """
    labels = np.full(len(tets), -1, np.int64)
    labels[: solid.cell_count] = region_of_cell
    centers = cell_centers(solid.points, tets)
    both_ways = np.concatenate([pairs, pairs[:, ::-1]])
    distances = np.linalg.norm(centers[both_ways[:, 0]] - centers[both_ways[:, 1]], axis=1)
    both_ways = both_ways[np.argsort(distances, kind="stable")]
    while True:
        open_ways = both_ways[labels[both_ways[:, 1]] < 0]
        front = open_ways[labels[open_ways[:, 0]] >= 0]
        if not len(front):
            # What no face leads to is far from every wall that matters.
            return np.maximum(labels, 0)
        target, nearest = np.unique(front[:, 1], return_index=True)
        labels[target] = labels[front[nearest, 0]]
        both_ways = open_ways


def _join_flat(points, tets, labels, faces, owners) -> np.ndarray:
    """Give tetrahedra without thickness to the neighbour with most contact: two walls would touch across them."""
    flat = _is_flat(points, tets)
    areas = np.linalg.norm(_cross(points, faces), axis=1)
    both_ways = np.concatenate([owners, owners[:, ::-1]])
    both_areas = np.concatenate([areas, areas])[flat[both_ways[:, 0]]]
    both_ways = both_ways[flat[both_ways[:, 0]]]
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


def _settle(solid: SolidModel, tets, faces, labels, size: float) -> np.ndarray:
    """Smooth the walls, and lift their ends off the surface that they would run along, without inverting anything.

    A vertex between two regions moves with all of the wall around it, one between three along their common line;
    where more meet it stays.
    """
    points = solid.points.copy()
    fixed = np.zeros(len(points), bool)
    fixed[faces[labels[:, 1] == OUTSIDE]] = True
    edges, vertex_weight = _smoothing_graph(faces, labels, len(points))
    at_wall = np.zeros(len(points), bool)
    at_wall[faces] = True
    guarded = tets[at_wall[tets].any(axis=1)]
    volumes = cell_volumes(points, guarded)
    least = LEAST_VOLUME * volumes
    adjacency = coo_array(
        (
            np.ones(2 * len(edges)),
            (np.concatenate([edges[:, 0], edges[:, 1]]), np.concatenate([edges[:, 1], edges[:, 0]])),
        ),
        shape=(len(points), len(points)),
    ).tocsr()
    degree = np.asarray(adjacency.sum(axis=1)).ravel()
    moving = (vertex_weight > 0) & (degree > 1) & ~fixed
    for _ in range(SMOOTHING_STEPS):
        target = points.copy()
        mean = (adjacency @ points)[moving] / degree[moving, None]
        target[moving] += 0.5 * (mean - points[moving])
        points = _guarded_move(points, target, guarded, least)
    normals = _boundary_normals(solid)
    lifted = points + LIFT * size * np.where((at_wall & ~fixed)[:, None], normals, 0.0)
    thick = ~_is_flat(solid.points, guarded)
    return _guarded_move(points, lifted, guarded[thick], least[thick])


def _smoothing_graph(faces, labels, point_count) -> tuple[np.ndarray, np.ndarray]:
    """Wall edges along which vertices are smoothed, and (P,) whether a vertex may move."""
    label_count = int(labels.max()) + 2
    corners = np.repeat(faces.ravel(), 2).astype(np.int64)
    near = np.repeat(labels + 1, 3, axis=0).ravel()
    regions_of_vertex = np.bincount(np.unique(corners * label_count + near) // label_count, minlength=point_count)
    edges = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1).astype(np.int64)
    edge_keys = np.repeat(edges[:, 0] * point_count + edges[:, 1], 2)
    keys, edge_row = np.unique(edge_keys, return_inverse=True)
    regions_of_edge = np.bincount(np.unique(edge_row * label_count + near) // label_count, minlength=len(keys))
    ends = np.stack([keys // point_count, keys % point_count], axis=1)
    along = (regions_of_edge[:, None] == regions_of_vertex[ends]).any(axis=1) & (regions_of_edge <= 3)
    return ends[along], (regions_of_vertex == 2) | (regions_of_vertex == 3)


def _guarded_move(points, target, tets, least) -> np.ndarray:
    """Move all points to their targets but those of tetrahedra that would fall below their least volume."""
    result = target.copy()
    while True:
        bad = cell_volumes(result, tets) < least
        back = np.unique(tets[bad])
        back = back[(result[back] != points[back]).any(axis=1)]
        if not len(back):
            return result
        result[back] = points[back]


def _boundary_normals(solid: SolidModel) -> np.ndarray:
    """(P, 3) unit normals, out of the cells, of the points that lie on the cells' boundary; zero elsewhere."""
    faces, owners = complex_faces(solid.cells, len(solid.points))
    faces = faces[owners[:, 1] < 0]
    vectors = _cross(solid.points, faces)
    normals = np.stack(
        [np.bincount(faces.ravel(), np.repeat(vectors[:, axis], 3), len(solid.points)) for axis in range(3)], axis=1
    )
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.divide(normals, length, out=np.zeros_like(normals), where=length > 0.0)


def _refine(walls: Walls, cells: np.ndarray, longest: float) -> Walls:
    """Halve the long edges of the walls near the body, as often as the budget allows."""
    near = np.zeros(len(walls.points), bool)
    near[cells] = True
    for _ in range(WALL_LEVELS):
        edges = _WallEdges.of(walls)
        lengths = np.linalg.norm(np.diff(walls.points[edges.ends], axis=1)[:, 0], axis=1)
        halved = near[edges.ends].any(axis=1) & (lengths > longest)
        if len(walls.faces) + halved[edges.of_face].sum() > WALL_BUDGET:
            break
        walls = edges.split(walls, halved)
        near = np.concatenate([near, near[edges.ends[halved]].all(axis=1)])
    return walls


@dataclass(frozen=True)
class _WallEdges:
    """Edges of walls: (E, 2) points at their ends, and (W, 3) the edges of each face from its first corner on."""

    ends: np.ndarray
    of_face: np.ndarray

    @classmethod
    def of(cls, walls: Walls) -> _WallEdges:
        edges = np.sort(walls.faces[:, [[0, 1], [1, 2], [2, 0]]], axis=2).astype(np.int64)
        keys, of_face = np.unique(edges[..., 0] * len(walls.points) + edges[..., 1], return_inverse=True)
        return cls(np.stack([keys // len(walls.points), keys % len(walls.points)], axis=1), of_face.reshape(-1, 3))

    def crowded(self, walls: Walls) -> np.ndarray:
        """(E,) edges in which a region has four faces or more.

        Their two sheets can only be told apart when there is a vertex on the edge that each can have for itself.
        """
        label_count = int(walls.labels.max()) + 2
        keys = (self.of_face[:, :, None] * label_count + walls.labels[:, None, :] + 1).ravel()
        unique, count = np.unique(keys, return_counts=True)
        result = np.zeros(len(self.ends), bool)
        result[unique[(count > 2) & (unique % label_count > 0)] // label_count] = True
        return result

    def split(self, walls: Walls, chosen: np.ndarray) -> Walls:
        """Halve the chosen edges, and with them the faces on all their sides."""
        middle = np.where(chosen, len(walls.points) + np.cumsum(chosen) - 1, -1)
        points, rest = (
            np.concatenate([item, item[self.ends[chosen]].mean(axis=1)]) for item in (walls.points, walls.rest)
        )
        faces, rows = _split_triangles(walls.faces, middle[self.of_face])
        return Walls(points, rest, faces, walls.labels[rows], walls.axis[rows])


# How a triangle with corners 0 1 2 and edge midpoints 3 (of 01), 4 (of 12), 5 (of 20) is divided, by the number of its
# edges that are split, once it is turned so that those come first (3; 3 and 4; all).
_DIVISIONS = {
    0: [[0, 1, 2]],
    1: [[0, 3, 2], [3, 1, 2]],
    2: [[3, 1, 4], [0, 3, 4], [0, 4, 2]],
    3: [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]],
}


def _split_triangles(faces, middles) -> tuple[np.ndarray, np.ndarray]:
    """The divided triangles and the row that each came from, for (W, 3) midpoints of which -1 is none."""
    split = middles >= 0
    count = split.sum(axis=1)
    # One split edge turns to the front; of two, the first is the one that follows the whole edge.
    turn = np.where(count == 1, np.argmax(split, axis=1), np.where(count == 2, (np.argmin(split, axis=1) + 1) % 3, 0))
    columns = (turn[:, None] + np.arange(3)) % 3
    corners = np.concatenate([np.take_along_axis(faces, columns, 1), np.take_along_axis(middles, columns, 1)], axis=1)
    parts, rows = [], []
    for number, division in _DIVISIONS.items():
        chosen = np.flatnonzero(count == number)
        parts.append(corners[chosen][:, division].reshape(-1, 3))
        rows.append(np.repeat(chosen, len(division)))
    rows = np.concatenate(rows)
    order = np.argsort(rows, kind="stable")
    return np.concatenate(parts)[order], rows[order]


def _is_flat(points, tets) -> np.ndarray:
    corners = points[tets]
    edges = [np.linalg.norm(corners[:, i] - corners[:, j], axis=1) for i in range(4) for j in range(i)]
    return cell_volumes(points, tets) < FLATNESS * np.mean(edges, axis=0) ** 3 / (6.0 * np.sqrt(2.0))


def _cross(points, faces) -> np.ndarray:
    """(F, 3) normals, twice as long as the area."""
    a, b, c = np.moveaxis(points[faces], 1, 0)
    return np.cross(b - a, c - a)
