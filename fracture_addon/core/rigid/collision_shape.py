"""The shape of a body or fragment in the rigid world: balls inside its drawn surface, and a surface for fragments.

Surfaces of two fragments share their crack and never overlap, so the balls inside them do not overlap either. Fragments
therefore start without contacts, and no fragment jumps when a body breaks. A ball is within a small tolerance of each
corner that a fragment can stand on, so that the drawn fragment rests on the floor. Larger balls keep other bodies out.
Whole bodies that are convex touch one another with their hulls (``collider_shape.convex_corners``).
"""

from __future__ import annotations

import numpy as np
from manifold3d import Manifold, Mesh64
from scipy.spatial import ConvexHull, QhullError

from ..data.arrays import cross_rows, distinct, lengths, unit
from ..data.solid import CELL_FACES, cell_volumes, outer_faces
from ..data.surface import Surface, area_vectors
from ..geometry.farthest_points import farthest_points
from ..geometry.inside import Windings
from ..geometry.nearest import Nearest
from ..geometry.normals import point_normals

# Largest distance of a ball from the surface point that it represents, over the size of the whole body. Sensitive:
# several bodies break into 16, 8 and 16 pieces at 0.0005, 0.001 and 0.002, a tile into 3, 3 and 4; a slab into 12 each.
TOLERANCE = 1e-3
# Depths of the centres below a surface point: the first is the tolerance, each next one is the ratio times deeper.
# With 4, 8 and 12 depths the balls fill 14, 84 and 84 % of a jar.
DEPTH_RATIO, DEPTH_COUNT = 2.0, 8
# Distance between balls of neighbours, as a share of the tolerance: more than the rounding of single precision.
# From 0.003 to 0.1 the corners of a jar and of a plate are 0.4 to 0.5 per mille of the diagonal from a ball, in the
# mean.
CLEARANCE = 0.03
# The large ball below a surface point is the first with this share of the largest radius there. From 0.7 to 0.99
# the balls fill 81 to 84 % of a jar; at 0.7 one corner of a plate is 4.7 instead of 1.3 per mille from a ball.
LARGE_ENOUGH = 0.95
# Directions that are tried if no ball fits below a surface point. From 100 to 4,000 a jar and a plate get the
# same balls.
WAY_COUNT = 1000
# Share of the balls that are large: they keep thin meshes and other fragments out. Fragments with triangles need fewer
# of them, and more small balls: on the floor, fragments of a jar of 0.4 m sank in by 2.7 mm with the first share and by
# 1.0 mm with the second one (measured).
LARGE_SHARE, LARGE_SHARE_WITH_TRIANGLES = 0.35, 0.15
# Largest share of the small balls that represent corners of the convex hull. From 0.4 to 1 the jar and the plate get
# the same balls.
CORNER_SHARE = 0.8


def balls(
    surface: Surface,
    middles: np.ndarray,
    sites: np.ndarray,
    count: int,
    size: float,
    large_share: float = LARGE_SHARE,
) -> tuple[np.ndarray, np.ndarray]:
    """Fill a closed surface with balls.

    Args:
        surface: Closed, wound outwards.
        middles: (M, 3) m, centres of the boundary cells' inspheres, where large balls fit.
        sites: (S, 3) m, points near the surface, so that wide faces also have balls between their corners.
        count: Largest number of balls.
        size: Size of the whole body, m.
        large_share: Share of the balls that are large.

    Returns:
        Centres (B, 3) and radii (B,), m. All balls are inside.

    Notes:
        Own (docs/decisions/rigid_contacts.md); compare Bradshaw and O'Sullivan 2004, Adaptive Medial-Axis Approximation
        for Sphere-Tree Construction. Small balls touch the surface from inside, large ones keep other bodies out.

    Example:
        The largest ball in a tetrahedron has the radius 3 V / A.

        >>> corners = np.vstack([np.zeros(3), np.eye(3)])
        >>> surface = Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> middle, radius = inspheres(corners, np.array([[0, 1, 2, 3]]))
        >>> centers, radii = balls(surface, middle, surface.corners.mean(axis=1), 20, 1.0)
        >>> bool((centers > radii[:, None]).all()), bool(abs(radii.max() - radius[0]) < 1e-3)
        (True, True)
    """
    tolerance = TOLERANCE * size
    large_count = int(large_share * count)
    room = _Room(surface)
    places, inwards = _places(surface, *room.nearest.to(sites)[:2])
    chosen = corners(surface.points, tolerance, max(4, int(CORNER_SHARE * (count - large_count))))
    chosen = farthest_points(places, count - large_count, chosen)
    centers, radii, deep_centers, deep_radii = _below(room, places[chosen], inwards[chosen], tolerance)
    deep_centers = np.concatenate([middles, deep_centers])
    deep_radii = np.concatenate([room.radii(middles), deep_radii])
    largest = np.argsort(-deep_radii, kind="stable")[:1]
    large = farthest_points(deep_centers, large_count, largest)
    centers, radii = np.concatenate([deep_centers[large], centers]), np.concatenate([deep_radii[large], radii])
    radii = radii - CLEARANCE * tolerance
    return centers[radii > 0.0], radii[radii > 0.0]


def triangles(surface: Surface, size: float) -> Surface | None:
    """Return a closed surface with fewer triangles that the balls of other fragments touch.

    Corners of other fragments sink into the gaps between balls: fragments of a jar that lay in a
    heap overlapped by 8 % of their volume, with triangles by 0.6 %.

    Args:
        surface: Closed, wound outwards.
        size: Size of the whole body, m. The surface moves by less than the clearance of the balls, so that fragments
            start without contacts.

    Returns:
        The surface; ``None`` if the surface is not closed.

    Notes:
        Edge collapses of manifold3d (compare Hoppe et al. 1993, Mesh Optimization).

    Example:
        A face of a tetrahedron in three parts becomes one again.

        >>> corners = np.vstack([np.zeros(3), np.eye(3), [0.2, 0.2, 0.0]])
        >>> parts = [[0, 2, 4], [2, 1, 4], [1, 0, 4], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
        >>> len(triangles(Surface(corners, parts), 1.0).faces)
        4
    """
    mesh = Mesh64(np.array(surface.points), np.array(surface.faces, np.uint64))
    simplified = Manifold(mesh).simplify(0.5 * CLEARANCE * TOLERANCE * size)
    if simplified.is_empty():
        return None
    mesh = simplified.to_mesh64()
    return Surface(np.array(mesh.vert_properties)[:, :3], np.array(mesh.tri_verts).astype(np.int32))


def corners(points: np.ndarray, tolerance: float, most: int) -> np.ndarray:
    """Select points whose convex hull is within a tolerance of all others, but at most ``most``.

    Args:
        points: (N, 3) m.
        tolerance: m.
        most: Largest number of points.

    Returns:
        Their rows.

    Notes:
        The hull grows as in Quickhull (Barber, Dobkin and Huhdanpaa 1996): each facet adds the point farthest outside
        it.

    Example:
        A cube and its middle.

        >>> cube = np.array(list(np.ndindex(2, 2, 2)), float)
        >>> sorted(corners(np.vstack([cube, [0.5, 0.5, 0.5]]), 1e-6, 100).tolist())
        [0, 1, 2, 3, 4, 5, 6, 7]
    """
    try:
        outer = ConvexHull(points).vertices
        axes = np.concatenate([np.eye(3), np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])])
        reach = points[outer] @ axes.T
        chosen = np.unique(outer[np.concatenate([reach.argmin(axis=0), reach.argmax(axis=0)])])
        while len(chosen) < most:
            facets = ConvexHull(points[chosen]).equations
            outside = points[outer] @ facets[:, :3].T + facets[:, 3]
            farthest = outside.argmax(axis=0)
            distance = outside[farthest, np.arange(len(facets))]
            order = np.argsort(-distance, kind="stable")
            order = order[distance[order] > tolerance]
            if not len(order):
                break
            _, first = np.unique(farthest[order], return_index=True)
            chosen = np.append(chosen, outer[farthest[order[np.sort(first)]]][: most - len(chosen)])
    except QhullError:
        # All points lie in a plane, so that there is no hull.
        return farthest_points(points, most, np.zeros(1, int))
    return chosen if len(chosen) <= most else chosen[farthest_points(points[chosen], most, np.zeros(1, int))]


def inspheres(points: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest balls inside tetrahedra.

    Args:
        points: (P, 3) m.
        cells: (C, 4) rows of ``points``.

    Returns:
        Centres (C, 3) and radii (C,), m.

    Notes:
        Altshiller-Court 1935, Modern Pure Solid Geometry: the incentre weighs each corner by the area of the face
        opposite to it; the inradius is 3 V / total area.

    Example:
        A corner of a cube, and a plane at 1 m on each edge: r = 1 / (3 + sqrt(3)).

        >>> centers, radii = inspheres(np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 1, 2, 3]]))
        >>> centers.round(6).tolist(), radii.round(6).tolist()
        ([[0.211325, 0.211325, 0.211325]], [0.211325])
    """
    corners = points.take(cells, axis=0)
    a, b, c = (corners.take(corner, axis=1).reshape(-1, 3) for corner in CELL_FACES.T)
    areas = 0.5 * lengths(cross_rows(b - a, c - a)).reshape(-1, 4)
    total = areas.sum(axis=1)
    centers = np.einsum("ck,cki->ci", areas, corners) / total[:, None]
    return centers, 3.0 * np.abs(cell_volumes(points, cells)) / total


def boundary(points: np.ndarray, cells: np.ndarray) -> tuple[Surface, np.ndarray]:
    """Return the surface around tetrahedra.

    Args:
        points: (P, 3) m.
        cells: (C, 4) rows of ``points``, positively oriented.

    Returns:
        The surface, and the rows of the cells that have a face on it.

    Notes:
        Own: faces that appear once; see ``outer_faces``.

    Example:
        >>> points = np.vstack([np.zeros(3), np.eye(3), np.ones(3)])
        >>> surface, rows = boundary(points, np.array([[0, 1, 2, 3], [4, 2, 1, 3]]))
        >>> len(surface.faces), rows.tolist()
        (6, [0, 1])
    """
    faces, owners = outer_faces(cells)
    used, corner_rows = np.unique(faces, return_inverse=True)
    return Surface(points[used], corner_rows.reshape(-1, 3)), distinct(owners)


class _Room:
    """The free space inside a closed surface."""

    def __init__(self, surface: Surface):
        self.nearest, self._windings = Nearest(surface), Windings(surface)

    def radii(self, centers: np.ndarray) -> np.ndarray:
        """Return the radii (N,) m of the largest balls inside about centres (N, 3) m; 0 for a centre outside."""
        radii = np.zeros(len(centers))
        if len(centers):
            inside = np.flatnonzero(self._windings.around(centers) > 0)
            radii[inside] = self.nearest.to(centers[inside])[2]
        return radii


def _places(surface: Surface, rows: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points on a surface and the inward unit normals there: its own points, then points on faces ``rows``."""
    places = np.einsum("sk,ski->si", weights, surface.corners[rows])
    of_faces = unit(area_vectors(surface))
    return np.concatenate([surface.points, places]), -np.concatenate([point_normals(surface, of_faces), of_faces[rows]])


def _below(
    room: _Room, places: np.ndarray, inwards: np.ndarray, tolerance: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return centres and radii of the balls nearest to points of a surface, and those of the large balls below them."""
    depths = tolerance * DEPTH_RATIO ** np.arange(DEPTH_COUNT)
    inwards = _roomy(room, places, inwards, tolerance)
    centers = places[:, None] + depths[:, None] * inwards[:, None]
    radii = room.radii(centers.reshape(-1, 3)).reshape(len(places), DEPTH_COUNT)
    # In a slender fragment no ball is within the tolerance; then the nearest one counts.
    behind = np.where(radii > CLEARANCE * tolerance, np.maximum(depths - radii, tolerance), np.inf)
    near = np.where(behind == behind.min(axis=1, keepdims=True), radii, -1.0).argmax(axis=1)
    deep = (radii >= LARGE_ENOUGH * radii.max(axis=1, keepdims=True)).argmax(axis=1)
    every = np.arange(len(places))
    return centers[every, near], radii[every, near], centers[every, deep], radii[every, deep]


def _roomy(room: _Room, places: np.ndarray, inwards: np.ndarray, tolerance: float) -> np.ndarray:
    """Replace inward directions along which no ball fits: at the tip of a slender fragment the normal leads outside."""
    least = 2.0 * CLEARANCE * tolerance
    narrow = np.flatnonzero(room.radii(places + tolerance * inwards) < least)
    ways = _sphere(WAY_COUNT)
    radii = room.radii((places[narrow, None] + tolerance * ways).reshape(-1, 3)).reshape(-1, WAY_COUNT)
    inwards = inwards.copy()
    inwards[narrow] = ways[radii.argmax(axis=1)]
    return inwards


def _sphere(count: int) -> np.ndarray:
    """Return (N, 3) unit vectors at even distances (a Fibonacci lattice)."""
    rows = np.arange(count)
    height, turn = 1.0 - (2.0 * rows + 1.0) / count, rows * np.pi * (3.0 - np.sqrt(5.0))
    width = np.sqrt(1.0 - height**2)
    return np.stack([width * np.cos(turn), width * np.sin(turn), height], axis=1)
