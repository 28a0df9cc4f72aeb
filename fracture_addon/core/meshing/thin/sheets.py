"""Sheets and shells: middle surfaces of quads, and the closed surfaces around them."""

from __future__ import annotations

import numpy as np

from ...data.errors import InvalidMeshError
from ...data.surface import Surface
from ...data.thin import TETRAHEDRA, Thin, point_normals
from ...geometry.quads import Quads, border, paired, refined

# Corners of the two triangles of a quad on its front, and on its back.
FRONT, BACK = [[0, 1, 2], [0, 2, 3]], [[0, 2, 1], [0, 3, 2]]
# Radius over the largest radius below which a point of a profile is on the axis: Blender's float32 rounds at 6e-8.
ON_AXIS = 1e-6


def sheet(surface: Surface, thickness: float, cell_count: int, kind: str) -> tuple[Surface, Thin]:
    """Give a surface, open or closed, a thickness: half on each side.

    Args:
        surface: Surface with attributes.
        thickness: m.
        cell_count: Wanted number of tetrahedra, six for each quad.
        kind: ``sheet`` or ``shell``.

    Returns:
        The closed surface around it, and its middle surface.

    Raises:
        InvalidMeshError: More than two faces share an edge, or two faces at an edge have opposite windings.

    Notes:
        Sweeney et al. 1991, section 3: sheets.

    Example:
        A square of 1 m, 1 cm thick.

        >>> from ...data.surface import volume
        >>> square = Surface([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
        >>> skin, middle = sheet(square, 0.01, 24, "shell")
        >>> round(volume(skin), 9), len(middle.cells)
        (0.01, 4)
    """
    middle = refined(paired(surface), max(cell_count // TETRAHEDRA, 1))
    start, end = middle.quads.ravel().astype(np.int64), np.roll(middle.quads, -1, axis=1).ravel().astype(np.int64)
    keys = (start * len(middle.points) + end)[start != end]
    twice = len(keys) - len(np.unique(keys))
    if twice:
        raise InvalidMeshError(
            f"{twice} of its edges have more than two faces, or faces with opposite windings; "
            "recalculate its normals (Shift N), or separate those faces"
        )
    thin = Thin(kind, middle.points, middle.quads, np.full(len(middle.points), thickness))
    return _skin(surface, middle, thin), thin


def revolved(outer: np.ndarray, inner: np.ndarray, cell_count: int) -> tuple[Surface, Thin]:
    """Return a shell of revolution about Z between two profile curves.

    Args:
        outer: (N, 2) radius and height of the outer curve, m, at equal distances.
        inner: (N, 2) opposite points of the inner curve, m.
        cell_count: Wanted number of tetrahedra, six for each quad.

    Returns:
        The closed surface around it, and its middle surface.

    Notes:
        Norton et al. 1991, Geometric Modeling: surfaces of revolution.

    Example:
        A pipe of 1 m with the radii 9 and 11 cm: 2 pi r t h, less what the polygon cuts off.

        >>> from ...data.surface import volume
        >>> skin, _ = revolved(np.array([[0.11, 0.0], [0.11, 1.0]]), np.array([[0.09, 0.0], [0.09, 1.0]]), 600)
        >>> round(volume(skin) / (2.0 * np.pi * 0.1 * 0.02), 2)
        1.0
    """
    middle, thickness = 0.5 * (outer + inner), np.linalg.norm(outer - inner, axis=1)
    segments = max(round(cell_count / TETRAHEDRA / max(len(outer) - 1, 1)), 6)
    angles = 2.0 * np.pi * np.arange(segments) / segments
    on_axis = middle[:, 0] < ON_AXIS * max(float(middle[:, 0].max()), 1e-300)
    # A point on the axis is the same point in all segments.
    rows = (
        np.where(on_axis[:, None], 0, np.arange(segments))
        + np.cumsum([0, *np.where(on_axis, 1, segments)[:-1]])[:, None]
    )
    points = np.empty((int(rows.max()) + 1, 3))
    points[rows] = np.stack(
        [middle[:, :1] * np.cos(angles), middle[:, :1] * np.sin(angles), np.tile(middle[:, 1:], segments)], axis=-1
    )
    thick = np.empty(len(points))
    thick[rows] = thickness[:, None]
    following = np.roll(rows, -1, axis=1)
    quads = np.stack([rows[:-1], following[:-1], following[1:], rows[1:]], axis=-1).reshape(-1, 4)
    across, along = np.meshgrid(np.arange(segments), np.arange(len(outer) - 1))
    corner_uv = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    uv = (np.stack([across, along], axis=-1).reshape(-1, 1, 2) + corner_uv) / [segments, len(outer) - 1]
    # A quad with two corners on the axis becomes a triangle, which repeats its last corner.
    shift = np.argmax(quads == np.roll(quads, -1, axis=1), axis=1)
    doubled = (quads == np.roll(quads, -1, axis=1)).any(axis=1)
    turn = (np.where(doubled, shift - 2, 0)[:, None] + np.arange(4)) % 4
    quads, uv = np.take_along_axis(quads, turn, axis=1), np.take_along_axis(uv, turn[..., None], axis=1)
    quads = quads[(np.sort(quads, axis=1)[:, 1:] != np.sort(quads, axis=1)[:, :-1]).sum(axis=1) >= 2]
    normals = point_normals(points, quads)
    sheet_of = Quads(points, quads, np.arange(len(quads)), {"uv/UVMap": uv[: len(quads)], "normal": normals[quads]})
    thin = Thin("shell", points, quads, thick)
    count = len(quads)
    faces = {"material_index": np.zeros(count, np.int32), "smooth": np.ones(count, bool)}
    return _skin(Surface(points, quads[:, :3], face_attributes=faces), sheet_of, thin), thin


def _skin(surface: Surface, middle: Quads, thin: Thin) -> Surface:
    """Return the front, back and rim of a sheet. Both sides have the attributes of the surface."""
    count, quads = len(middle.points), middle.quads
    offsets = 0.5 * thin.thickness[:, None] * point_normals(middle.points, quads)
    points = np.concatenate([middle.points + offsets, middle.points - offsets])
    rim = border(quads)
    start, end, corner = rim.T
    after = (corner + 1) % 4 + corner // 4 * 4
    # A triangle repeats its last corner.
    after = np.where(quads.ravel()[after] == start, corner // 4 * 4, after)
    upper = np.stack([end, start, start + count, end + count], axis=1)
    around = np.stack([after, corner, corner, after], axis=1)
    faces = np.concatenate([quads[:, FRONT], quads[:, BACK] + count, upper[:, FRONT]]).reshape(-1, 3)
    owners = np.repeat(np.concatenate([middle.source, middle.source, middle.source[corner // 4]]), 2)
    kept = np.flatnonzero((faces != np.roll(faces, -1, axis=1)).all(axis=1))
    values = {}
    for name, given in middle.corner_attributes.items():
        flat = given.reshape(-1, given.shape[2])
        parts = [given[:, FRONT], given[:, BACK], flat[around][:, FRONT]]
        if name == "normal":
            sides = np.cross(points[upper[:, 1]] - points[upper[:, 0]], points[upper[:, 2]] - points[upper[:, 1]])
            sides /= np.maximum(np.linalg.norm(sides, axis=1, keepdims=True), 1e-300)
            parts = [parts[0], -parts[1], np.broadcast_to(sides[:, None, None], parts[2].shape)]
        values[name] = np.concatenate(parts).reshape(-1, 3, given.shape[2])[kept]
    return Surface(
        points,
        faces[kept],
        surface.face_source[owners[kept]],
        {name: np.asarray(given)[owners[kept]] for name, given in surface.face_attributes.items()},
        values,
    )
