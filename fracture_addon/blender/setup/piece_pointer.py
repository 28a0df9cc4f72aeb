"""The piece under the pointer of the tool Pull a Piece, and its highlight in the 3D viewports.

Nothing is added to the file, and the selection stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import blf
import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader
from mathutils import Vector

from ...core.numerics.rotations import transformed
from ..scene.result_lookup import MASS, subject_of
from .impact_drawing import Drawing, draw_lines, ray, redraw, ui_scale

# Name of the tool in the toolbar.
TOOL = "fracture.pull_piece"
# Colours of the outline and of the visible faces of a piece, and of one that another is glued to; width of the outline,
# pixels at an interface scale of 1.
OUTLINE, FILL = (1.0, 0.75, 0.1, 1.0), (1.0, 0.6, 0.1, 0.3)
GOAL_OUTLINE, GOAL_FILL = (0.3, 0.85, 1.0, 1.0), (0.2, 0.7, 1.0, 0.3)
WIDTH = 2.5
# The faces are drawn this share of their distance nearer to the viewer, so that they cover those of the piece.
NEARER = 2e-3
# Place of the text beside the pointer and its size, pixels at an interface scale of 1.
TEXT_OFFSET, TEXT_SIZE = (16.0, -22.0), 12.0


@dataclass
class Outline:
    """The shape of a piece.

    Attributes:
        points: (P, 3) in its own space.
        faces: (F, 3) triangles.
        edges: (E, 2) points of the edges with two triangles.
        sides: (E, 2) their triangles.
    """

    points: np.ndarray
    faces: np.ndarray
    edges: np.ndarray
    sides: np.ndarray

    @classmethod
    def of(cls, mesh: Any) -> Outline:
        """Read a mesh."""
        mesh.calc_loop_triangles()
        points = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", points)
        corners = np.empty(3 * len(mesh.loop_triangles), np.int32)
        mesh.loop_triangles.foreach_get("vertices", corners)
        faces: np.ndarray = corners.reshape(-1, 3)
        edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        order = np.lexsort(edges.T)
        # Neighbours in this order are the two sides of an edge.
        same = np.flatnonzero((edges[order[1:]] == edges[order[:-1]]).all(axis=1))
        sides = np.stack([order[same], order[same + 1]], axis=1) // 3
        return cls(points.reshape(-1, 3), faces, edges[order[same]], sides)

    def seen(self, matrix: np.ndarray, eye: np.ndarray, is_point: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return the corners (K, 3, 3) of the faces towards the viewer, and the ends (L, 2, 3) of the outline.

        Args:
            matrix: (4, 4) from the piece to the world.
            eye: (3,) place of the viewer, or the direction to a viewer far away.
            is_point: Whether it is a place.
        """
        points = transformed(self.points, matrix)
        corners = points[self.faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        towards = eye - corners[:, 0] if is_point else np.broadcast_to(eye, normals.shape)
        front = np.einsum("fi,fi->f", normals, towards) > 0.0
        rim = front[self.sides[:, 0]] != front[self.sides[:, 1]]
        return corners[front], points[self.edges[rim]]


class _Pointer:
    """What the pointer shows.

    Attributes:
        piece: Name of the piece under the pointer, or of the one that is pulled; empty without one.
        goal: Name of the piece that it would be glued to; empty without one.
        point: Where the pointer met the piece, world space.
        chosen: Name of the piece whose menu was opened last.
        is_held: Whether that menu is open: the highlight then stays.
    """

    def __init__(self) -> None:
        self.piece, self.goal, self.point, self.chosen = "", "", Vector(), ""
        self.is_held = False
        self.outlines: dict[str, Outline] = {}

    def show(self, piece: Any, goal: Any = None) -> None:
        """Highlight a piece, and another one that it would be glued to; ``None`` for none."""
        names = piece.name if piece else "", goal.name if goal else ""
        if names == (self.piece, self.goal):
            return
        self.piece, self.goal = names
        self.outlines = {obj.name: Outline.of(obj.data) for obj in (piece, goal) if obj}
        redraw()


pointer = _Pointer()


def under(context: Any, x: float, y: float) -> tuple[Any, Vector]:
    """Return the piece at a pixel of the 3D viewport and the point on it, world space; ``None`` if another is nearer.

    Args:
        context: Context of the viewport.
        x: Pixels from the left edge of its region.
        y: Pixels from the lower edge.
    """
    return cast(context, *ray(context, x, y))


def cast(context: Any, origin: Vector, direction: Vector) -> tuple[Any, Vector]:
    """Return the piece that a ray meets first and the point there; ``None`` if it meets nothing or another object."""
    depsgraph = context.evaluated_depsgraph_get()
    hit, point, _normal, _face, found, _matrix = context.scene.ray_cast(depsgraph, origin, direction)
    piece = found.original if hit else None
    return (piece, point) if piece is not None and is_piece(piece) else (None, point)


def is_piece(obj: Any) -> bool:
    """Return whether an object is a piece of a result that is a separate object."""
    return MASS in obj and subject_of(obj) != obj


def show_at(context: Any, xy: tuple[int, int]) -> None:
    """Highlight the piece at a place of the window, and write its name and mass beside the pointer.

    Args:
        context: Context of the viewport.
        xy: Pixels from the lower left corner of the window.
    """
    if context.mode != "OBJECT" or context.region_data is None:
        return
    x, y = xy[0] - context.region.x, xy[1] - context.region.y
    if not pointer.goal and not pointer.is_held:
        piece, point = under(context, x, y)
        pointer.show(piece)
        if piece is not None:
            pointer.point = point
    if pointer.piece and not pointer.is_held:
        _write(context, x, y)


def text(context: Any) -> str:
    """Return what is written beside the pointer."""
    piece: Any = bpy.data.objects.get(pointer.piece)
    if piece is None:
        return ""
    if pointer.goal:
        return f"Glue to {pointer.goal}"
    mass = bpy.utils.units.to_string(context.scene.unit_settings.system, "MASS", piece[MASS], precision=3)
    return f"{piece.name}, {mass}"


def text_start(x: float, width: float, right: float, scale: float) -> float:
    """Return where the text beside the pointer starts: right of it, or left of it where the sidebar would cover it.

    Args:
        x: Place of the pointer, pixels of the window.
        width: Width of the text, pixels.
        right: Left edge of the sidebar, or right edge of the viewport without one, pixels of the window.
        scale: Scale of the interface.
    """
    offset = scale * TEXT_OFFSET[0]
    return x + offset if x + offset + width <= right else x - offset - width


def _right_edge(context: Any) -> float:
    sidebars = [region.x for region in context.area.regions if region.type == "UI" and region.width > 1]
    return min([context.region.x + context.region.width, *sidebars])


def _write(context: Any, x: float, y: float) -> None:
    scale = ui_scale()
    blf.size(0, TEXT_SIZE * scale)
    blf.enable(0, blf.SHADOW)
    blf.shadow(0, 5, 0.0, 0.0, 0.0, 1.0)
    blf.color(0, 1.0, 1.0, 1.0, 1.0)
    shown = text(context)
    start = text_start(x + context.region.x, blf.dimensions(0, shown)[0], _right_edge(context), scale)
    blf.position(0, start, y + context.region.y + scale * TEXT_OFFSET[1], 0.0)
    blf.draw(0, shown)
    blf.disable(0, blf.SHADOW)


def is_active(context: Any) -> bool:
    """Return whether the tool is the active one."""
    tool = context.workspace.tools.from_space_view3d_mode(context.mode)
    return tool is not None and tool.idname == TOOL


def _draw() -> None:
    context: Any = bpy.context
    if not pointer.piece or not is_active(context):
        return
    view = context.region_data.view_matrix.inverted()
    is_point = context.region_data.is_perspective
    eye = np.array(view.translation if is_point else view.to_3x3().col[2])
    for name, outline, fill in ((pointer.piece, OUTLINE, FILL), (pointer.goal, GOAL_OUTLINE, GOAL_FILL)):
        piece: Any = bpy.data.objects.get(name)
        if piece is None or name not in pointer.outlines or not piece.visible_get():
            continue
        faces, lines = pointer.outlines[name].seen(np.array(piece.matrix_world), eye, is_point)
        _fill(faces + NEARER * (eye - faces if is_point else max(piece.dimensions) * eye), fill)
        draw_lines(lines, outline, WIDTH)


def _fill(corners: np.ndarray, color: tuple[float, ...]) -> None:
    """Draw triangles (K, 3, 3) where nothing is in front of them."""
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    batch = batch_for_shader(shader, "TRIS", {"pos": corners.reshape(-1, 3).astype(np.float32).tolist()})
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("LESS_EQUAL")
    shader.uniform_float("color", color)
    batch.draw(shader)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


_drawing = Drawing(_draw)
register = _drawing.register


def unregister() -> None:
    """End the drawing, and forget the piece."""
    _drawing.unregister()
    pointer.show(None)
