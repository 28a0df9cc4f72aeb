"""Separation of closed surfaces that overlap: translations that take them apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from manifold3d import Error, Manifold, Mesh64
from scipy.spatial import ConvexHull, QhullError

from ..data.surface import Surface
from ..numerics.components import components

# Rounds after which the rest of an overlap stays. Heaps of 30 to 100 fragments of cup, bowl and jar need 5 to 18.
MOST_ROUNDS = 80
# A pair moves apart by the thickness of its overlap, times this for each earlier round, and at most by the extent of
# the overlap along the motion: bodies that others hold need longer ways.
GROWTH = 1.1
# A body that shares more than this of its volume with one that does not move is left there: that one may be hollow and
# contain it. Fragments of thin walls that a fall pressed into each other share up to 0.31, in a wall of bricks 0.7.
MOST_SHARE = 0.5


def solid_of(surface: Surface, detail: float) -> Manifold | None:
    """Return a closed surface as a solid for ``separated``.

    Args:
        surface: Wound outwards.
        detail: m, by which a simpler surface may differ.

    Returns:
        The solid; ``None`` if the surface is not closed or wound inwards.

    Notes:
        Edge collapses of manifold3d (compare Hoppe et al. 1993, Mesh Optimization).

    Example:
        >>> corners, faces = np.vstack([np.zeros(3), np.eye(3)]), [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
        >>> round(solid_of(Surface(corners, faces), 1e-6).volume(), 6)
        0.166667
        >>> solid_of(Surface(corners, faces[:3]), 1e-6) is None
        True
    """
    solid = Manifold(Mesh64(np.array(surface.points), np.array(surface.faces, np.uint64)))
    if solid.status() != Error.NoError or solid.volume() <= 0.0:
        return None
    return solid.simplify(detail).as_original()


def separated(
    solids: Sequence[Manifold],
    inverse_masses: np.ndarray,
    touches: np.ndarray,
    up: np.ndarray,
    tolerance: float,
    wait: Callable[[], None] = lambda: None,
) -> np.ndarray:
    """Find translations after which solids overlap by no more than a tolerance.

    Args:
        solids: N solids of ``solid_of``, in the world.
        inverse_masses: (N,) 1/kg; 0 for one that does not move.
        touches: (N, N) bool, pairs that must not overlap.
        up: (3,) unit vector against gravity. Nothing moves downwards, where a support may be; zero without gravity.
        tolerance: m, thickness of an overlap that may stay.
        wait: Called before each round; it may raise an error to end the search.

    Returns:
        (N, 3) m.

    Notes:
        Own. Each round translates each overlapping pair along the gradient of the shared volume, which is the sum of
        the area vectors of one surface inside the other (compare Allard et al. 2010, Volume Contact Constraints at
        Arbitrary Resolution). The masses share the motion, as in position-based dynamics (Müller et al. 2007).

    Example:
        A cube lies 0.2 m deep in another, which does not move: it goes up, and a little away from that cube's middle.

        >>> cubes = [Manifold.cube((1, 1, 1)), Manifold.cube((1, 1, 1)).translate((0.1, 0, 0.8))]
        >>> cubes, pairs = [cube.as_original() for cube in cubes], ~np.eye(2, dtype=bool)
        >>> separated(cubes, np.array([0.0, 1.0]), pairs, np.array([0.0, 0.0, 1.0]), 0.01).round(3).tolist()
        [[0.0, 0.0, 0.0], [0.043, 0.0, 0.195]]
    """
    offsets = np.zeros((len(solids), 3))
    boxes = np.array([solid.bounding_box() for solid in solids]).reshape(-1, 6)
    volumes = [solid.volume() for solid in solids]
    pairs = np.argwhere(np.triu(touches & (inverse_masses[:, None] + inverse_masses > 0.0), 1))
    changed = np.ones(len(solids), bool)
    for turn in range(MOST_ROUNDS):
        wait()
        low, high = boxes[:, :3] + offsets, boxes[:, 3:] + offsets
        first, second = pairs.T
        near = (np.minimum(high[first], high[second]) - np.maximum(low[first], low[second]) > tolerance).all(axis=1)
        now, changed = pairs[near & (changed[first] | changed[second])].tolist(), np.zeros(len(solids), bool)
        for one, other in now:
            shared = solids[one] ^ solids[other].translate(tuple(offsets[other] - offsets[one]))
            is_held = not inverse_masses[one] * inverse_masses[other]
            if shared.is_empty() or (is_held and shared.volume() > MOST_SHARE * min(volumes[one], volumes[other])):
                continue
            way = _way_out(shared, solids[one].original_id(), tolerance, GROWTH**turn)
            if way is not None:
                offsets[[one, other]] += _shares(way, inverse_masses[[one, other]], up)
                changed[[one, other]] = True
        if not changed.any():
            break
    return offsets


def thickness(points: np.ndarray) -> float:
    """Return the smallest extent of points across a face of their convex hull.

    Args:
        points: (N, 3) m.

    Returns:
        m; 0 if they are flat.

    Notes:
        The smallest width of a body is across a face, or across two edges (Houle and Toussaint 1988, Computing the
        Width of a Set). Faces alone give a little more.

    Example:
        >>> thickness(np.array(list(np.ndindex(2, 2, 2))) * [3.0, 0.5, 1.0])
        0.5
    """
    try:
        hull = ConvexHull(points)
    except QhullError:
        return 0.0
    return float(np.ptp(points[hull.vertices] @ hull.equations[:, :3].T, axis=0).min())


def _way_out(shared: Manifold, first: int, tolerance: float, factor: float) -> np.ndarray | None:
    """Return the translation (3,) m of the second solid that takes the thickest part of an overlap apart.

    Args:
        shared: The overlap.
        first: Number of the first solid's faces.
        tolerance: m, thickness up to which an overlap is left.
        factor: The way over the thickness of the overlap, at most.
    """
    mesh = shared.to_mesh64()
    points, faces = np.array(mesh.vert_properties)[:, :3], np.array(mesh.tri_verts).astype(np.int32)
    counts = np.diff(np.array(mesh.run_index)) // 3
    is_first = np.repeat(np.array(mesh.run_original_id) == first, counts)
    part = components(faces, len(points))
    thicknesses = [thickness(points[part == number]) for number in range(part.max() + 1)]
    thickest = int(np.argmax(thicknesses))
    a, b, c = points[faces[(part[faces[:, 0]] == thickest) & is_first]].transpose(1, 0, 2)
    normal = 0.5 * np.cross(b - a, c - a).sum(axis=0)
    size = float(np.linalg.norm(normal))
    if thicknesses[thickest] <= tolerance or size == 0.0:
        return None
    extent = float(np.ptp(points[part == thickest] @ normal)) / size
    return min(extent, factor * thicknesses[thickest]) / size * normal


def _shares(way: np.ndarray, inverse_masses: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return the translations (2, 3) m of two bodies, whose difference is ``way`` unless both would have to sink."""
    steepness = float(way @ up) / float(np.linalg.norm(way))
    # The lower one of two bodies has something below it.
    weights = inverse_masses * np.clip(1.0 + steepness * np.array([-1.0, 1.0]), 0.0, 1.0)
    if not weights.any():
        return np.zeros((2, 3))
    ways = weights[:, None] / weights.sum() * np.array([-way, way])
    return ways - np.minimum(ways @ up, 0.0)[:, None] * up
