"""Read curves, surfaces and open meshes as ropes, sheets and shells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import bpy
import numpy as np

from ...core.data.errors import InvalidMeshError, SceneError
from ...core.data.placed_fields import PaintedField
from ...core.data.surface import Surface
from ...core.data.thin import Thin, evenly_along
from ...core.meshing.thin import ropes, sheets
from ...core.methods.table import METHODS
from ...core.numerics.rotations import transformed
from . import motion, settings
from .mesh import read_surface, values_of

# Points along the profile of a revolved shell, per square root of the number of cells. It sets the shape of the cells:
# they are square where the circumference is 1 / ALONG**2, that is 4, times the length of the profile.
ALONG = 0.5


@dataclass(frozen=True)
class Structure:
    """Structure of an object: a solid, a shell, a sheet, a rope or a revolved shell.

    Attributes:
        name: Name in messages.
        read: Reads a thin object from the object, the dependency graph, the matrix (4, 4) from its space to the world
            (m), the thickness (m) and the number of cells; ``None`` for a solid.
        always_deforms: Whether it cannot be rigid.
        is_line: Whether it consists of lines.
        has_profile: Whether it may have an inner profile.
    """

    name: str
    read: Callable[[Any, bpy.types.Depsgraph, np.ndarray, float, int], tuple[Surface, Thin]] | None = None
    always_deforms: bool = False
    is_line: bool = False
    has_profile: bool = False


def structure_of(obj: bpy.types.Object) -> Structure:
    """Return the structure of an object. An object with edges but no faces is a rope."""
    group = obj.fracture
    if not METHODS[group.method.lower()].capabilities.thin:
        return STRUCTURES["SOLID"]
    return STRUCTURES["ROPE" if group.structure == "SOLID" and _is_bare(obj) else group.structure]


def read_thin(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, matrix: np.ndarray, unit: float
) -> tuple[Surface, Thin] | None:
    """Read a rope, a sheet or a shell: its closed skin, and the points and cells of its lattice; ``None`` for a solid.

    Args:
        obj: The object.
        depsgraph: Dependency graph, evaluated on the first frame.
        matrix: (4, 4) from the object's space to the world, metres.
        unit: Metres per scene unit.

    Raises:
        InvalidMeshError: The object has no lines or faces for this structure.
        SceneError: The inner profile is not a curve.
    """
    structure = structure_of(obj)
    if structure.read is None:
        return None
    try:
        return structure.read(obj, depsgraph, matrix, unit * obj.fracture.thickness, obj.fracture.resolution)
    except InvalidMeshError as error:
        raise InvalidMeshError(f"'{obj.name}' cannot become a {structure.name}: {error}") from error


def pinned_ends(obj: bpy.types.Object, surface: Surface, thin: Thin) -> PaintedField | None:
    """Return the pinned ends of a rope as a field with values 0 to 1; ``None`` without any."""
    which = obj.fracture.pinned_ends
    if not thin.is_line or which == "NONE":
        return None
    meeting = np.bincount(thin.cells.ravel(), minlength=len(thin.points))
    held = np.zeros(len(thin.points), bool)
    for chain in ropes.chains(thin.cells):
        for end, names in ((chain[0], {"START", "BOTH"}), (chain[-1], {"END", "BOTH"})):
            held[end] |= which in names and meeting[end] == 1
    distances = np.linalg.norm(surface.points[:, None] - thin.points[held][None], axis=2)
    near = 0.51 * thin.thickness.max()
    weights = (distances.min(axis=1, initial=np.inf) < near).astype(float)
    return PaintedField(surface.points, surface.faces, weights)


def _rope(
    obj: Any, depsgraph: bpy.types.Depsgraph, matrix: np.ndarray, thickness: float, count: int
) -> tuple[Surface, Thin]:
    points, edges = _lines(obj, depsgraph)
    if _bevel(obj) > 0.0:
        thickness = 2.0 * float(np.cbrt(abs(np.linalg.det(matrix[:3, :3])))) * _bevel(obj)
    thin = ropes.rope(transformed(points, matrix), edges, thickness, count)
    return ropes.skin(thin), thin


def _flat(
    obj: Any, depsgraph: bpy.types.Depsgraph, matrix: np.ndarray, thickness: float, count: int, *, kind: str
) -> tuple[Surface, Thin]:
    return sheets.sheet(read_surface(obj, depsgraph, matrix), thickness, count, kind)


def _revolved(
    obj: Any, depsgraph: bpy.types.Depsgraph, matrix: np.ndarray, thickness: float, count: int
) -> tuple[Surface, Thin]:
    """Revolve an object's line about its own Z axis to a shell with a thickness."""
    inner_object = obj.fracture.profile_object
    to_own = np.linalg.pinv(motion.world_matrix(obj, depsgraph))
    steps = max(round(ALONG * np.sqrt(count)), 4)
    outer = _profile(obj, depsgraph, np.eye(4), steps)
    scale = float(np.cbrt(abs(np.linalg.det(matrix[:3, :3]))))
    if inner_object is None:
        along = np.gradient(outer, axis=0)
        inward = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.linalg.norm(along, axis=1, keepdims=True)
        inner = outer + thickness / max(scale, 1e-300) * inward
        inner[:, 0] = np.maximum(inner[:, 0], 0.0)
    elif inner_object.type not in settings.BREAKABLE:
        raise SceneError(f"'{inner_object.name}' is not a curve; choose a curve as the inner profile of '{obj.name}'")
    else:
        inner = _profile(inner_object, depsgraph, to_own @ motion.world_matrix(inner_object, depsgraph), steps)
        # Let both profiles start at the same end.
        ends = np.linalg.norm(inner[[0, -1]] - outer[[0, -1]], axis=1).sum()
        if np.linalg.norm(inner[[-1, 0]] - outer[[0, -1]], axis=1).sum() < ends:
            inner = inner[::-1]
    surface, thin = sheets.revolved(outer, inner, count)
    skin = replace(surface, points=transformed(surface.points, matrix))
    return skin, replace(thin, points=transformed(thin.points, matrix), thickness=scale * thin.thickness)


def _profile(obj: Any, depsgraph: bpy.types.Depsgraph, matrix: np.ndarray, steps: int) -> np.ndarray:
    """Return radius and height (steps, 2) of points at even distances along an object's line.

    Args:
        obj: An object with a line.
        depsgraph: Dependency graph.
        matrix: (4, 4) from its space to that of the revolved object.
        steps: Number of points.
    """
    points, edges = _lines(obj, depsgraph)
    lines = ropes.chains(np.unique(np.sort(edges, axis=1), axis=0))
    line = max(lines, key=len)
    points = transformed(points[line], matrix)
    flat = np.stack([np.hypot(points[:, 0], points[:, 1]), points[:, 2]], axis=1)
    return evenly_along(flat, steps)


def _lines(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> tuple[np.ndarray, np.ndarray]:
    """Return points (P, 3) in the object's space and edges (E, 2): a curve's centre line, a mesh's edges without faces.

    Raises:
        InvalidMeshError: The object has no edges.
    """
    with _bare(obj, depsgraph) as mesh:
        points = values_of(mesh.vertices, "co", 3, np.float32).astype(float)
        edges = values_of(mesh.edges, "vertices", 2, np.int32)
        used = np.zeros(len(edges), bool)
        used[values_of(mesh.loops, "edge_index", 1, np.int32)[:, 0]] = True
    if not used.all():
        edges = edges[~used]
    if not len(edges):
        raise InvalidMeshError("it has no edges; draw a line")
    return points, edges


@contextmanager
def _bare(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Iterator[bpy.types.Mesh]:
    """Yield the evaluated mesh of an object; for a curve with a bevel, its centre line without modifiers."""
    if not _bevel(obj):
        evaluated: Any = obj.evaluated_get(depsgraph)
        yield evaluated.to_mesh()
        evaluated.to_mesh_clear()
        return
    copy: Any = obj.copy()
    copy.data = data = copy.data.copy()
    data.bevel_depth, data.extrude, data.bevel_object = 0.0, 0.0, None
    try:
        yield copy.to_mesh()
        copy.to_mesh_clear()
    finally:
        bpy.data.objects.remove(copy)
        bpy.data.curves.remove(data)


def _bevel(obj: Any) -> float:
    """Return the radius of a curve's bevel in its own space; 0 without a bevel."""
    return max(obj.data.bevel_depth, obj.data.extrude) if obj.type == "CURVE" else 0.0


def _is_bare(obj: Any) -> bool:
    """Return whether an object has lines but no faces."""
    if obj.type == "CURVE":
        filled = obj.data.dimensions == "2D" and any(spline.use_cyclic_u for spline in obj.data.splines)
        return not (_bevel(obj) or obj.data.bevel_object or filled or len(obj.modifiers))
    return obj.type == "MESH" and not obj.data.polygons and len(obj.data.edges) > 0 and not len(obj.modifiers)


# By the values of the setting Structure.
STRUCTURES = {
    "SOLID": Structure("solid"),
    "SHELL": Structure("shell", partial(_flat, kind="shell")),
    "SHEET": Structure("sheet", partial(_flat, kind="sheet"), always_deforms=True),
    "ROPE": Structure("rope", _rope, always_deforms=True, is_line=True),
    "TURNED": Structure("revolved shell", _revolved, has_profile=True),
}
