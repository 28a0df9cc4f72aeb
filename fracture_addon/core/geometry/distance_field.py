"""Signed distances to a closed surface on a grid, computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit
from scipy import ndimage
from scipy.spatial import ConvexHull, QhullError

from ..data.arrays import frozen
from ..data.errors import InvalidMeshError
from ..data.surface import Surface, area, volume
from .inside import is_inside
from .nearest import nearest

# Largest number of grid points along the longest side of the shape. With 24, 48 and 96 points, distances on the surface
# of a jar are wrong by 0.13, 0.03 and 0.01 % of its diagonal in the mean. The memory grows with the cube.
RESOLUTION = 48
# Smallest number of grid points along the longest side. With 6, 12 and 24 points, the same error is 2.4, 0.7 and 0.1 %.
FEWEST = 12
# Spacing over the thickness of a wall, so that there are points inside it. A soft ball that meets a plate of half a
# spacing passes through it.
WALL_SHARE = 0.5
# Largest number of grid points for the sake of thin walls; it bounds time and memory. 400,000 points take a second. The
# glass of the tests, with the thinnest walls of all, needs 63,000.
MOST_POINTS = 400_000
# Mean thickness over the size of a shape, below which it may have hollows: 0.33 for a cube, 0.08 for a jar.
HOLLOW = 0.2
# Layers of points around the shape: distances are known up to so many spacings outside of it. Interpolation at the
# surface needs one. With 1, 2 and 4 layers, the field of a jar has 100,000, 114,000 and 145,000 points.
MARGIN = 2
# Volume over the diagonal's cube below which a mesh is replaced by its convex hull, because it has no inside. A square
# in any orientation has 1e-17, a plate of 1 m and 0.1 mm 4e-5, and the thinnest of the shipped meshes 3e-3.
SOLID_VOLUME = 1e-6


@dataclass(frozen=True)
class DistanceField:
    """Signed distances on a grid, negative inside.

    Attributes:
        origin: (3,) m, first point of the grid.
        spacing: Distance of neighbouring points, m.
        values: (X, Y, Z) m.
    """

    origin: np.ndarray
    spacing: float
    values: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "origin", frozen(self.origin, np.float64, 3))
        object.__setattr__(self, "values", frozen(self.values, np.float64))

    @cached_property
    def extent(self) -> float:
        """Largest distance of a point of the grid from the coordinate origin, m."""
        end = self.origin + self.spacing * (np.array(self.values.shape) - 1)
        return float(np.linalg.norm(np.maximum(np.abs(self.origin), np.abs(end))))


def distance_field(surface: Surface, finest: float = 0.0, narrowest: float = 0.0) -> DistanceField:
    """Compute the signed distances of a closed surface on a grid.

    Args:
        surface: Closed surface with outward normals.
        finest: Smallest useful spacing, m. The spacing is smaller only for thin walls and to reach ``FEWEST`` points.

        narrowest: Radius of a ball, m. Hollows that it cannot enter from outside count as inside; 0 for all hollows.

    Returns:
        The distances, ``MARGIN`` layers beyond the surface included.

    Notes:
        Own: the nearest point and the winding number at every grid point. Both are exact, and a shape is computed once.

    Example:
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> field = distance_field(Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]))
        >>> slope = np.empty(3)
        >>> round(distance_and_slope(np.array([0.3, 0.3, 0.1]), field.origin, field.spacing, field.values, slope), 3)
        -0.1
        >>> (slope / field.spacing).round(3).tolist()
        [0.0, 0.0, -1.0]
    """
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    size = float((high - low).max())
    spacing = min(max(size / (RESOLUTION - 1), finest), size / (FEWEST - 1))
    # A plate or a shell has two sides.
    thickness = 2.0 * abs(volume(surface)) / area(surface)
    least = float(np.cbrt(np.prod(high - low + 2.0 * MARGIN * WALL_SHARE * thickness) / MOST_POINTS))
    spacing = min(spacing, max(WALL_SHARE * thickness, least))
    # A ball as large as the shape enters no hollow of it.
    radius = min(narrowest, 0.5 * size) if thickness < HOLLOW * size else 0.0
    margin = MARGIN + int(np.ceil(radius / spacing))
    counts = np.ceil((high - low) / spacing).astype(int) + 1 + 2 * margin
    origin = 0.5 * (low + high) - 0.5 * (counts - 1) * spacing
    points = origin + spacing * np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), axis=-1).reshape(-1, 3)
    distances = nearest(surface, points)[2]
    values = np.where(is_inside(surface, points), -distances, distances).reshape(counts)
    if radius > 0.0:
        values = _filled(values, spacing, radius)
    return DistanceField(origin, spacing, values)


def _filled(values: np.ndarray, spacing: float, radius: float) -> np.ndarray:
    """Return distances (X, Y, Z) m in which hollows that a ball from outside cannot enter are inside (closing).

    The centre of the ball is at least its radius away from the shape, and connected with the outside by such places.
    """
    labels, _ = ndimage.label(values >= radius)
    reached = labels == labels[0, 0, 0]
    beyond = spacing * ndimage.distance_transform_edt(~reached) - radius
    # Grid points of the ball's centre are up to two spacings from the nearest one that is possible.
    inside = beyond > 2.0 * spacing
    return np.where(inside, np.minimum(values, -beyond), values) if (values[inside] > 0.0).any() else values


@njit(cache=True, error_model="numpy")
def distance_and_slope(
    p: np.ndarray, origin: np.ndarray, spacing: float, values: np.ndarray, slope: np.ndarray
) -> float:
    """Interpolate the distance at a point trilinearly.

    Args:
        p: (3,) m.
        origin: As in ``DistanceField``.
        spacing: As in ``DistanceField``.
        values: As in ``DistanceField``.
        slope: (3,) becomes the gradient times ``spacing``, m.

    Returns:
        The distance, m; infinite outside the grid.

    Notes:
        Own: the gradient is the derivative of the interpolated distance, without values of other grid cells.

    Example:
        Distances from the plane x = 0.

        >>> values = np.broadcast_to(np.array([0.0, 2.0])[:, None, None], (2, 2, 2)).copy()
        >>> slope = np.empty(3)
        >>> float(distance_and_slope(np.array([0.5, 1.0, 1.0]), np.zeros(3), 2.0, values, slope)), slope.tolist()
        (0.5, [2.0, 0.0, 0.0])
    """
    u0, u1, u2 = (p[0] - origin[0]) / spacing, (p[1] - origin[1]) / spacing, (p[2] - origin[2]) / spacing
    i, j, k = int(np.floor(u0)), int(np.floor(u1)), int(np.floor(u2))
    if i < 0 or j < 0 or k < 0 or i + 1 >= values.shape[0] or j + 1 >= values.shape[1] or k + 1 >= values.shape[2]:
        return np.inf
    u0 -= i
    u1 -= j
    u2 -= k
    total = 0.0
    slope[:] = 0.0
    for a in range(2):
        wa, da = (u0, 1.0) if a else (1.0 - u0, -1.0)
        for b in range(2):
            wb, db = (u1, 1.0) if b else (1.0 - u1, -1.0)
            for c in range(2):
                wc, dc = (u2, 1.0) if c else (1.0 - u2, -1.0)
                value = values[i + a, j + b, k + c]
                total += wa * wb * wc * value
                slope[0] += da * wb * wc * value
                slope[1] += wa * db * wc * value
                slope[2] += wa * wb * dc * value
    return total


def closed(surface: Surface, shape: str, name: str) -> Surface:
    """Return a closed surface with the shape of a collider: its own surface, its box, or a convex hull.

    Args:
        surface: Surface of the collider.
        shape: As for ``job.Collider``, without ``sphere``.
        name: Name of the collider, for the message.

    Returns:
        A surface with outward normals. A mesh without volume becomes its hull.

    Raises:
        InvalidMeshError: The surface is flat.

    Example:
        The box around a tetrahedron with edges of 1 m.

        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> round(volume(closed(Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]), "box", "Wedge")), 9)
        1.0
    """
    return CLOSED[shape](surface, name)


def _own(surface: Surface, name: str) -> Surface:
    has_inside = volume(surface) > SOLID_VOLUME * surface.diagonal**3
    return surface if has_inside else _hull(surface, name)


def _box(surface: Surface, name: str) -> Surface:
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    return _hull_of(np.where(list(np.ndindex(2, 2, 2)), high, low), name)


def _hull(surface: Surface, name: str) -> Surface:
    return _hull_of(surface.points, name)


def _hull_of(points: np.ndarray, name: str) -> Surface:
    try:
        hull = ConvexHull(points)
    except QhullError as error:
        raise InvalidMeshError(f"'{name}' encloses no volume; give it a thickness") from error
    corners = points[hull.simplices]
    turned = np.einsum(
        "fi,fi->f", np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), hull.equations[:, :3]
    )
    return Surface(points, np.where((turned < 0.0)[:, None], hull.simplices[:, ::-1], hull.simplices))


# Closed surface, by ``job.Collider.shape``.
CLOSED = {"mesh": _own, "box": _box, "hull": _hull}
