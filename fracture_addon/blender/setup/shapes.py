"""Closed meshes from curves and surfaces: slabs, swept bodies and thickened patches (Norton et al. 1991).

Blender's own curves and modifiers make them. Copies of the curves are changed, never the curves.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bmesh
import bpy
import numpy as np
from mathutils import Matrix, Vector
from mathutils.geometry import delaunay_2d_cdt, interpolate_bezier

from ...core.data.errors import SceneError
from ...core.geometry.inspection import inspect
from ..read.mesh import read_surface, values_of

# Distance over the size at which points of caps and sides merge: above the rounding of Blender's coordinates (6e-8).
MERGED = 1e-6
# Largest distance of the points of a profile from its plane, over the size of the profile.
PROFILE_THICKNESS = 1e-3
# Radians between faces above which their edge is drawn sharp, as Blender's Shade Auto Smooth does by default.
SHARP = np.pi / 6.0


def size_of(obj: Any) -> float:
    """Return the largest extent of an object in scene units, and 1 for an object without extent."""
    return float(max(obj.dimensions)) or 1.0


def slab(context: Any, profile: Any, thickness: float) -> bpy.types.Object:
    """Extrude a flat closed curve by half the thickness to each side of its plane. Inner curves become holes.

    Raises:
        SceneError: The curve is open, not flat, or crosses itself.
    """
    with _copy_of(context, profile) as copy:
        to_plane = _plane_of(context, profile, copy)
        data = copy.data
        for point in _points_of(data):
            point.radius = 1.0
        _transform(data, to_plane)
        data.dimensions, data.fill_mode, data.extrude = "2D", "BOTH", 0.5 * thickness
        mesh = _mesh_of(context, copy)
    mesh.transform(to_plane.inverted())
    _clean(mesh)
    return _add(context, profile, "Slab", mesh, "draw the curve without crossings and narrow gaps")


def sweep(context: Any, path: Any, profile: Any, radius: float) -> bpy.types.Object:
    """Sweep a flat closed curve along another curve.

    Args:
        context: Context of the scene.
        path: Curve, open or closed.
        profile: Curve with a section in its own XY plane; ``None`` for a round section.
        radius: Radius of the round section, scene units.

    Raises:
        SceneError: The profile is open, not flat, or crosses itself; or the path bends too tightly for it.
    """
    with _copy_of(context, path) as copy:
        data = copy.data
        _bare(data)
        data.use_fill_caps, data.fill_mode = True, "FULL"
        if profile is None:
            data.bevel_depth = radius
            mesh = _mesh_of(context, copy)
        else:
            with _copy_of(context, profile) as section:
                _transform(section.data, _plane_of(context, profile, section, centered=False))
                data.bevel_mode, data.bevel_object = "OBJECT", section
                mesh = _mesh_of(context, copy)
                data.bevel_object = None
    _clean(mesh)
    return _add(context, path, "Sweep", mesh, "make the section smaller or the bends wider")


def patch(context: Any, source: Any, thickness: float) -> bpy.types.Object:
    """Thicken a surface, or the patch between the four sides of a closed Bezier curve, equally to both sides.

    Raises:
        SceneError: The curve has no four sides, or the surface bends too tightly for the thickness.
    """
    with _copy_of(context, source) as copy:
        if source.type == "CURVE":
            mesh = _filled(source, copy.data)
        else:
            mesh = _mesh_of(context, copy)
            _clean(mesh, outwards=False)
    return _add(context, source, "Patch", mesh, "reduce Thickness, or straighten the surface", thickness)


@contextmanager
def _copy_of(context: Any, obj: Any) -> Iterator[Any]:
    """Yield a temporary copy of a curve or surface, at the origin, with rotation and scale applied to its points."""
    copy = obj.copy()
    copy.data = data = obj.data.copy()
    for item in (copy, data):
        item.animation_data_clear()
    copy.constraints.clear()
    copy.parent, copy.hide_viewport = None, False
    copy.matrix_world = Matrix.Identity(4)
    _transform(data, obj.matrix_world.to_3x3().to_4x4())
    context.scene.collection.objects.link(copy)
    try:
        yield copy
    finally:
        bpy.data.objects.remove(copy)
        bpy.data.curves.remove(data)


def _points_of(data: Any) -> list[Any]:
    """Return the control points of all splines."""
    return [point for spline in data.splines for point in (*spline.bezier_points, *spline.points)]


def _transform(data: Any, matrix: Matrix) -> None:
    """Move the points of a curve. Their radius stays a factor of the thickness; Blender would scale it."""
    points = _points_of(data)
    radii = [point.radius for point in points]
    data.transform(matrix, shape_keys=True)
    for point, radius in zip(points, radii, strict=True):
        point.radius = radius


def _mesh_of(context: Any, obj: Any) -> Any:
    """Return the evaluated mesh of an object as new data."""
    depsgraph = context.evaluated_depsgraph_get()
    return bpy.data.meshes.new_from_object(obj.evaluated_get(depsgraph), depsgraph=depsgraph)


def _bare(data: Any) -> None:
    """Remove the thickness of a curve."""
    data.dimensions, data.bevel_mode, data.bevel_object, data.taper_object = "3D", "ROUND", None, None
    data.bevel_depth = data.extrude = data.offset = 0.0


def _plane_of(context: Any, obj: Any, copy: Any, *, centered: bool = True) -> Matrix:
    """Return the matrix that moves a closed profile to the XY plane.

    Args:
        context: Context of the scene.
        obj: The curve, for messages.
        copy: Its copy, which loses its thickness.
        centered: Move its middle to the origin, else only along the normal.

    Raises:
        SceneError: The curve is open, not flat, or crosses itself.
    """
    _bare(copy.data)
    if not copy.data.splines or not all(spline.use_cyclic_u for spline in copy.data.splines):
        raise SceneError(f"'{obj.name}' is not a closed curve; close it in Edit Mode (Alt C)")
    mesh = _mesh_of(context, copy)
    points = values_of(mesh.vertices, "co", 3, np.float32).astype(float)
    edges = values_of(mesh.edges, "vertices", 2, np.int32)
    bpy.data.meshes.remove(mesh)
    middle = points.mean(axis=0)
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    directions = np.linalg.svd(points - middle, full_matrices=False)[2]
    across = np.ptp((points - middle) @ directions.T, axis=0)
    if across[1] <= MERGED * size:
        raise SceneError(f"'{obj.name}' encloses no area; move its points apart")
    if across[2] > PROFILE_THICKNESS * size:
        raise SceneError(
            f"'{obj.name}' is not flat: its points are up to {across[2]:.3g} apart across its plane; "
            "flatten it in Edit Mode (S, the axis, 0)"
        )
    largest = directions[2][np.argmax(np.abs(directions[2]))]
    normal = Vector(directions[2] * np.sign(largest))
    turn = normal.rotation_difference(Vector((0.0, 0.0, 1.0))).to_matrix().to_4x4()
    shift = middle if centered else directions[2] * (directions[2] @ middle)
    to_plane = turn @ Matrix.Translation((-shift).tolist())
    flat = [(to_plane @ Vector(point)).xy / size for point in points]
    origins = delaunay_2d_cdt(flat, edges.tolist(), [], 0, MERGED)[3]
    crossings = sum(len(origin) != 1 for origin in origins)
    if crossings:
        raise SceneError(
            f"'{obj.name}' crosses or touches itself at {crossings} point{'s' if crossings > 1 else ''}; "
            "move these parts apart"
        )
    return to_plane


def _filled(source: Any, data: Any) -> Any:
    """Return the Coons patch between the four sides of a closed Bezier curve as a mesh of quads.

    Raises:
        SceneError: It is another curve.
    """
    splines = data.splines
    count = len(splines[0].bezier_points) if len(splines) == 1 else 0
    if count != 4 or not splines[0].use_cyclic_u:
        problem = f"has {count} points" if count not in (0, 4) else "is not one closed Bezier curve"
        raise SceneError(
            f"'{source.name}' {problem}; a patch needs a closed Bezier curve of four points, one for each corner. "
            "For a flat outline use Slab"
        )
    steps = data.resolution_u + 1
    corners = list(splines[0].bezier_points)
    sides = [
        np.array(interpolate_bezier(one.co, one.handle_right, other.handle_left, other.co, steps))
        for one, other in zip(corners, corners[1:] + corners[:1], strict=True)
    ]
    low, right, high, left = sides[0], sides[1], sides[2][::-1], sides[3][::-1]
    u, v = np.linspace(0.0, 1.0, steps)[:, None, None], np.linspace(0.0, 1.0, steps)[None, :, None]
    between = (1.0 - v) * low[:, None] + v * high[:, None] + (1.0 - u) * left[None] + u * right[None]
    bilinear = (1.0 - u) * ((1.0 - v) * low[0] + v * high[0]) + u * ((1.0 - v) * low[-1] + v * high[-1])
    rows = np.arange(steps * steps).reshape(steps, steps)
    quads = np.stack([rows[:-1, :-1], rows[1:, :-1], rows[1:, 1:], rows[:-1, 1:]], axis=-1).reshape(-1, 4)
    mesh: Any = bpy.data.meshes.new(source.name)
    mesh.from_pydata((between - bilinear).reshape(-1, 3).tolist(), [], quads.tolist())
    for material in data.materials:
        mesh.materials.append(material)
    return mesh


def _clean(mesh: Any, *, outwards: bool = True) -> None:
    """Merge points that coincide, and let the normals face outwards."""
    points = values_of(mesh.vertices, "co", 3, np.float32)
    edit: Any = bmesh.new()
    edit.from_mesh(mesh)
    bmesh.ops.remove_doubles(edit, verts=edit.verts, dist=MERGED * float(np.linalg.norm(np.ptp(points, axis=0))))
    if outwards:
        bmesh.ops.recalc_face_normals(edit, faces=edit.faces)
    edit.to_mesh(mesh)
    edit.free()


def _add(context: Any, source: Any, what: str, mesh: Any, remedy: str, thickness: float = 0.0) -> bpy.types.Object:
    """Add a mesh as an object in the place of its source, select it, and return it.

    Args:
        context: Context of the scene.
        source: Curve or surface.
        what: Name of the shape.
        mesh: Its mesh, with the source's origin.
        remedy: What to do if it is not solid.
        thickness: Thickness that a mesh without one gets, scene units.

    Raises:
        SceneError: The mesh is not closed or crosses itself; it is removed.
    """
    obj: Any = bpy.data.objects.new(f"{source.name} {what}", mesh)
    mesh.name = obj.name
    obj.location = source.matrix_world.translation
    (source.users_collection or [context.collection])[0].objects.link(obj)
    if thickness:
        modifier = obj.modifiers.new("Thickness", "SOLIDIFY")
        modifier.thickness, modifier.offset, modifier.use_quality_normals = thickness, 0.0, True
        obj.data = _mesh_of(context, obj)
        obj.data.name = obj.name
        obj.modifiers.clear()
        bpy.data.meshes.remove(mesh)
        mesh = obj.data
    defects = inspect(read_surface(obj, context.evaluated_depsgraph_get(), np.eye(4))) if len(mesh.polygons) else None
    if defects is None or not defects.clean:
        bpy.data.objects.remove(obj)
        bpy.data.meshes.remove(mesh)
        reason = "it has no faces" if defects is None else defects.sentence()
        raise SceneError(f"'{source.name}' gives no solid {what.lower()}: {reason}; {remedy}")
    mesh.set_sharp_from_angle(angle=SHARP)
    for other in context.view_layer.objects:
        other.select_set(other == obj)
    context.view_layer.objects.active = obj
    return obj
