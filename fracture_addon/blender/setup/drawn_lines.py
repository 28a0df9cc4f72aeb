"""Lines that the artist drew or marked in Blender: seams, sharp edges, curves, grease pencil and annotations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import bpy
import numpy as np

from ...core.data.errors import SceneError
from ...core.numerics.rotations import transformed

# A line: its points (N, 3), world space, scene units, and whether the last one continues with the first.
Line = tuple[np.ndarray, bool]
# Blender's types of grease pencil objects, before and since 4.3.
GREASE_PENCILS = ("GPENCIL", "GREASEPENCIL")


def chains(edges: np.ndarray) -> Iterator[tuple[list[int], bool]]:
    """Yield the chains of edges (E, 2), as rows of points, and whether each is closed.

    A chain ends where other than two edges meet.
    """
    neighbors: dict[int, list[int]] = {}
    for first, second in edges.tolist():
        neighbors.setdefault(first, []).append(second)
        neighbors.setdefault(second, []).append(first)
    used: set[tuple[int, int]] = set()

    def walk(start: int, following: int) -> list[int]:
        chain = [start, following]
        used.update([(start, following), (following, start)])
        while len(neighbors[chain[-1]]) == 2 and chain[-1] != start:
            (ahead,) = [row for row in neighbors[chain[-1]] if row != chain[-2]] or [chain[-2]]
            if (chain[-1], ahead) in used:
                break
            used.update([(chain[-1], ahead), (ahead, chain[-1])])
            chain.append(ahead)
        return chain

    ends = [point for point, around in neighbors.items() if len(around) != 2]
    for point in [*ends, *neighbors]:
        for following in neighbors[point]:
            if (point, following) not in used:
                chain = walk(point, following)
                is_closed = chain[0] == chain[-1] and len(chain) > 2
                yield chain[:-1] if is_closed else chain, is_closed


def _marked(mark: str, name: str) -> Callable[[Any, Any], Iterable[Line]]:
    def read(_context: Any, obj: Any) -> Iterable[Line]:
        mesh = obj.data
        marked = np.empty(len(mesh.edges), bool)
        mesh.edges.foreach_get(mark, marked)
        if not marked.any():
            raise SceneError(f"'{obj.name}' has no edges marked as {name}; mark some in Edit Mode, in the menu Edge")
        return _edges_of(mesh, np.array(obj.matrix_world, float), marked)

    return read


def _edges_of(mesh: Any, matrix: np.ndarray, chosen: np.ndarray | None = None) -> list[Line]:
    points, edges = np.empty(3 * len(mesh.vertices), np.float32), np.empty(2 * len(mesh.edges), np.int32)
    mesh.vertices.foreach_get("co", points)
    mesh.edges.foreach_get("vertices", edges)
    placed = transformed(points.reshape(-1, 3), matrix)
    pairs: Any = edges.reshape(-1, 2)
    return [(placed[rows], is_closed) for rows, is_closed in chains(pairs if chosen is None else pairs[chosen])]


def _curves(context: Any, obj: Any) -> Iterable[Line]:
    depsgraph = context.evaluated_depsgraph_get()
    lines: list[Line] = []
    for other in context.selected_objects:
        matrix = np.array(other.evaluated_get(depsgraph).matrix_world, float)
        if other.type in GREASE_PENCILS:
            lines += [(transformed(points, matrix), False) for points in _pencil_strokes(other)]
        elif other.type == "CURVE":
            evaluated = other.evaluated_get(depsgraph)
            mesh = evaluated.to_mesh()
            try:
                if len(mesh.polygons):
                    raise SceneError(f"'{other.name}' has a bevel or an extrusion; set both to 0 to use it as a line")
                lines += _edges_of(mesh, matrix)
            finally:
                evaluated.to_mesh_clear()
    if not lines:
        raise SceneError(f"No curve is selected beside '{obj.name}'; select curves or grease pencils, then the mesh")
    return lines


def _pencil_strokes(pencil: Any) -> Iterator[np.ndarray]:
    """Yield the points (N, 3) of the strokes of a grease pencil on the current frame, in its own space."""
    for layer in pencil.data.layers:
        if layer.hide:
            continue
        if pencil.type == "GPENCIL":
            if layer.active_frame is not None:
                yield from (np.array([point.co[:] for point in item.points]) for item in layer.active_frame.strokes)
        elif (frame := layer.current_frame()) is not None:
            yield from (np.array([point.position[:] for point in item.points]) for item in frame.drawing.strokes)


def _annotations(context: Any, obj: Any) -> Iterable[Line]:
    scene = context.scene
    # Blender 5 renamed it.
    owner = scene.annotation if hasattr(scene, "annotation") else scene.grease_pencil
    layers = [] if owner is None else [layer for layer in owner.layers if not layer.annotation_hide]
    strokes = [item for layer in layers if layer.active_frame is not None for item in layer.active_frame.strokes]
    # Since Blender 4.3 all are in 3D.
    placed = [item for item in strokes if getattr(item, "display_mode", "3DSPACE") == "3DSPACE"]
    if not placed:
        raise SceneError(
            f"No annotation is drawn on '{obj.name}'; set Placement to Surface in the header of the tool Annotate"
        )
    return [(np.array([point.co[:] for point in item.points]), False) for item in placed]


# Sources of lines: identifier, name and tooltip for Blender, and the function that reads them.
SOURCES = (
    ("SEAM", "Seams", "Edges of the mesh that are marked as seam"),
    ("SHARP", "Sharp Edges", "Edges of the mesh that are marked as sharp"),
    ("CURVES", "Curves, Grease Pencil", "Selected curves and grease pencils, put onto the nearest surface"),
    ("ANNOTATIONS", "Annotations", "Annotations of the scene, drawn with Placement: Surface"),
)
READERS: dict[str, Callable[[Any, bpy.types.Object], Iterable[Line]]] = {
    "SEAM": _marked("use_seam", "seam"),
    "SHARP": _marked("use_edge_sharp", "sharp"),
    "CURVES": _curves,
    "ANNOTATIONS": _annotations,
}
