"""Drawn cracks: strokes on the surface of an object become a mesh that acts as a weak sheet through the body.

The mesh is a child of the object, so that it moves with the object. The artist can move, rotate and edit it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector
from mathutils.bvhtree import BVHTree

from ...core.data.arrays import unit
from ...core.data.errors import InvalidMeshError, SceneError
from ...core.numerics.rotations import transformed

# Over the size of the object: spacing of the points of a sheet, and how far a sheet goes beyond the surface and beyond
# the ends of its line. Cells are larger than both, so that results do not depend on them.
SPACING, MARGIN = 0.02, 0.02
# Largest number of points of a line: that of a line 20 times as long as the object.
MOST_POINTS = 1000
# Neighbours on each side that a point shares its depth and its normal with: the pointer jumps over small details.
AROUND = 2
# Distance from the surface at which a ray begins, over the size of the object. It exceeds the rounding of float32.
BEGIN = 1e-4
# Most walls that one ray crosses. It only ends the search on a damaged mesh.
MOST_WALLS = 100


@dataclass(frozen=True)
class Stroke:
    """A line on the surface of an object.

    Attributes:
        points: (N, 3) scene units, world space.
        inward: (N, 3) unit vectors into the body, world space.
        is_closed: Whether the last point continues with the first one.
    """

    points: np.ndarray
    inward: np.ndarray
    is_closed: bool = False


class Body:
    """The surface of an object, for lines on it.

    Attributes:
        object: The object.
        size: Length of the longest side of its box, scene units.

    Raises:
        SceneError: The object is hidden.
        InvalidMeshError: It has no faces.
    """

    def __init__(self, context: Any, obj: Any):
        if not obj.visible_get():
            frame = context.scene.frame_current
            raise SceneError(f"'{obj.name}' is hidden on frame {frame}; go to a frame before it breaks, or show it")
        evaluated: Any = obj.evaluated_get(context.evaluated_depsgraph_get())
        mesh = evaluated.data
        if not len(mesh.polygons):
            raise InvalidMeshError(f"'{obj.name}' has no faces to draw on; add faces")
        local = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", local)
        points: Any = transformed(local.reshape(-1, 3), np.array(evaluated.matrix_world, float))
        self.object, self.size = obj, float(np.ptp(points, axis=0).max())
        self._tree = BVHTree.FromPolygons(points.tolist(), [tuple(face.vertices) for face in mesh.polygons])

    def nearest(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the points of the surface nearest to points (N, 3), and the inward unit normals there, (N, 3) each."""
        found: list[Any] = [self._tree.find_nearest(Vector(point)) for point in points.tolist()]
        on_surface = np.array([place[:] for place, *_ in found])
        return on_surface, -_smoothed(np.array([normal[:] for _, normal, *_ in found]))

    def depths(self, stroke: Stroke, whole: bool) -> np.ndarray:
        """Return how deep the body is below each point of a stroke, (N,): its first wall, or all of it."""
        rays = zip(stroke.points.tolist(), stroke.inward.tolist(), strict=True)
        return np.array([self._depth(Vector(point), Vector(inward), whole) for point, inward in rays])

    def _depth(self, point: Vector, inward: Vector, whole: bool) -> float:
        depth = 0.0
        for _ in range(MOST_WALLS):
            hit, normal, _, distance = self._tree.ray_cast(point + (depth + BEGIN * self.size) * inward, inward)
            if hit is None or normal is None or distance is None:
                break
            depth += BEGIN * self.size + distance
            if not whole and normal.dot(inward) > 0.0:
                return depth
        return depth or self.size


def add(context: Any, body: Body, strokes: Sequence[Stroke], whole: bool, strength: float, width: float) -> Any:
    """Add the sheets of strokes as one mesh object, and return it.

    Args:
        context: Blender context.
        body: The object.
        strokes: Lines on its surface.
        whole: Whether the sheets go through all walls of the body; else through the first.
        strength: Strength on the sheets over that beside them.
        width: Thickness of the sheets, scene units.

    Raises:
        SceneError: All strokes are shorter than the spacing of the points.
    """
    even = [_even(body, stroke) for stroke in strokes]
    sheets = [_sheet(body, stroke, whole) for stroke in even if stroke is not None]
    if not sheets:
        raise SceneError(f"The line on '{body.object.name}' is too short; draw a longer one")
    offsets = np.cumsum([0, *(len(points) for points, _ in sheets)])
    points = np.concatenate([points for points, _ in sheets])
    faces = np.concatenate([faces + offset for (_, faces), offset in zip(sheets, offsets, strict=False)])
    center = points.mean(axis=0)
    name = f"{body.object.name} Drawn Crack"
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata((points - center).tolist(), [], faces.tolist())
    sheet: Any = bpy.data.objects.new(name, mesh)
    sheet.display_type, sheet.show_in_front, sheet.hide_render = "WIRE", True, True
    sheet.fracture.place, sheet.fracture.place_strength, sheet.fracture.place_width = "SHEET", strength, width
    (body.object.fracture.places or context.collection).objects.link(sheet)
    sheet.parent, sheet.matrix_parent_inverse = body.object, body.object.matrix_world.inverted_safe()
    sheet.matrix_basis = Matrix.Translation(center.tolist())
    return sheet


def _even(body: Body, stroke: Stroke) -> Stroke | None:
    """Return a stroke with evenly spaced points; ``None`` for one that is shorter than the spacing."""
    points, inward = stroke.points, stroke.inward
    if stroke.is_closed:
        points, inward = np.concatenate([points, points[:1]]), np.concatenate([inward, inward[:1]])
    lengths = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    if not lengths[-1] > SPACING * body.size:
        return None
    at = np.linspace(0.0, lengths[-1], int(min(lengths[-1] / (SPACING * body.size), MOST_POINTS)) + 1)
    columns = np.concatenate([points, inward], axis=1).T
    even = np.stack([np.interp(at, lengths, column) for column in columns], axis=1)
    return Stroke(even[:, :3], unit(even[:, 3:]), stroke.is_closed)


def along_view(points: np.ndarray, eye: np.ndarray) -> np.ndarray:
    """Return the unit vectors (N, 3) from an eye (3,) to points (N, 3)."""
    return unit(points - eye)


def _sheet(body: Body, stroke: Stroke, whole: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the points (P, 3) and the quads (F, 4) of the sheet below an even stroke."""
    margin = MARGIN * body.size
    depths = body.depths(stroke, whole)
    rows = np.arange(len(depths))[:, None] + np.arange(-AROUND, AROUND + 1)
    depths = depths[np.clip(rows, 0, len(depths) - 1)].max(axis=1)
    points, inward = stroke.points, stroke.inward
    if not stroke.is_closed:
        ends = [unit((points[row] - points[other])[None])[0] for row, other in ((0, 1), (-1, -2))]
        points = np.concatenate([points[:1] + margin * ends[0], points, points[-1:] + margin * ends[1]])
        inward, depths = inward[[0, *range(len(inward)), -1]], depths[[0, *range(len(depths)), -1]]
    top, bottom = points - margin * inward, points + (depths[:, None] + margin) * inward
    first = np.arange(len(points) - 1)
    count = len(points)
    return np.concatenate([top, bottom]), np.stack([first, first + 1, first + 1 + count, first + count], axis=1)


def _smoothed(normals: np.ndarray) -> np.ndarray:
    """Return the median unit normals (N, 3) over the neighbours on a line.

    Where a line crosses or ends on an edge of the mesh, one point has the normal of the other face.
    """
    padded = np.pad(normals, ((AROUND, AROUND), (0, 0)), constant_values=np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * AROUND + 1, axis=0)
    medians = np.nanmedian(windows, axis=2)
    is_zero = (medians == 0.0).all(axis=1)
    return unit(np.where(is_zero[:, None], normals, medians))
