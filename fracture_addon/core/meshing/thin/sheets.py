"""A surface as a sheet or a shell: its middle divided evenly, and the closed skin that is seen of it."""

from __future__ import annotations

import numpy as np

from ...data.errors import InvalidMeshError
from ...data.surface import Surface
from ...data.thin import TETRAHEDRA, Thin, point_normals
from ...geometry.quads import Quads, border, paired, refined

# Corners of the two triangles of a quad, and of those on its other side.
FRONT, BACK = [[0, 1, 2], [0, 2, 3]], [[0, 2, 1], [0, 3, 2]]


def sheet(surface: Surface, thickness: float, cell_count: int, kind: str) -> tuple[Surface, Thin]:
    """A surface of any kind, open or closed, that gets a thickness: half to either side.

    Args:
        surface: With all that its faces and corners carry.
        thickness: m.
        cell_count: Wanted tetrahedra, six a quad.
        kind: ``sheet`` or ``shell``.

    Returns:
        The closed skin, and what the lattice is made of.

    Raises:
        InvalidMeshError: Faces that share an edge are wound against each other, or more than two share one.
    """
    middle = refined(paired(surface), max(cell_count // TETRAHEDRA, 1))
    start, end = middle.quads.ravel().astype(np.int64), np.roll(middle.quads, -1, axis=1).ravel().astype(np.int64)
    keys = (start * len(middle.points) + end)[start != end]
    twice = len(keys) - len(np.unique(keys))
    if twice:
        raise InvalidMeshError(
            f"{twice} of its edges have more than two faces, or faces turned against each other; "
            "recalculate its normals (Shift N), or take those faces apart"
        )
    thin = Thin(kind, middle.points, middle.quads, np.full(len(middle.points), thickness))
    return _skin(surface, middle, thin), thin


def revolved(outer: np.ndarray, inner: np.ndarray, cell_count: int, kind: str = "shell") -> tuple[Surface, Thin]:
    """The thick surface of revolution about Z between two profile curves (Norton et al. 1991, "Geometric modeling").

    Args:
        outer: (N, 2) radius and height, m, at even distances.
        inner: (N, 2), the points that those of the outer one face.
        cell_count: Wanted tetrahedra, six a cell.
        kind: ``sheet`` or ``shell``.
    """
    middle, thickness = 0.5 * (outer + inner), np.linalg.norm(outer - inner, axis=1)
    segments = max(round(cell_count / TETRAHEDRA / max(len(outer) - 1, 1)), 6)
    angles = 2.0 * np.pi * np.arange(segments) / segments
    on_axis = middle[:, 0] < 1e-6 * max(float(middle[:, 0].max()), 1e-300)
    # A point on the axis is one point, however often it is gone round.
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
    # Where a quad has two corners on the axis, the doubled one goes last, as triangles have it.
    shift = np.argmax(quads == np.roll(quads, -1, axis=1), axis=1)
    doubled = (quads == np.roll(quads, -1, axis=1)).any(axis=1)
    turn = (np.where(doubled, shift - 2, 0)[:, None] + np.arange(4)) % 4
    quads, uv = np.take_along_axis(quads, turn, axis=1), np.take_along_axis(uv, turn[..., None], axis=1)
    quads = quads[(np.sort(quads, axis=1)[:, 1:] != np.sort(quads, axis=1)[:, :-1]).sum(axis=1) >= 2]
    normals = point_normals(points, quads)
    sheet_of = Quads(points, quads, np.arange(len(quads)), {"uv/UVMap": uv[: len(quads)], "normal": normals[quads]})
    thin = Thin(kind, points, quads, thick)
    count = len(quads)
    faces = {"material_index": np.zeros(count, np.int32), "smooth": np.ones(count, bool)}
    return _skin(Surface(points, quads[:, :3], face_attributes=faces), sheet_of, thin), thin


def _skin(surface: Surface, middle: Quads, thin: Thin) -> Surface:
    """Both sides of a sheet and its rim, with what the surface carries on both sides alike."""
    count, quads = len(middle.points), middle.quads
    offsets = 0.5 * thin.thickness[:, None] * point_normals(middle.points, quads)
    points = np.concatenate([middle.points + offsets, middle.points - offsets])
    rim = border(quads)
    start, end, corner = rim.T
    after = (corner + 1) % 4 + corner // 4 * 4
    # A triangle's last corner is there twice.
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
