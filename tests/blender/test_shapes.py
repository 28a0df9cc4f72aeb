"""Slabs, swept bodies and thickened patches from curves."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from fracture_addon.blender.read.mesh import read_surface
from fracture_addon.blender.scene.result_lookup import collection_of, pieces_of
from fracture_addon.core.data.surface import volume
from fracture_addon.core.geometry.inspection import inspect

SQUARE = [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)]
HALF = [(0.5 * x, 0.5 * y, z) for x, y, z in SQUARE]
ARCH = [(0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.5, 0.0, 1.5), (1.0, 0.0, 1.0), (1.0, 0.0, 0.0)]
EIGHT = [(-1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (1.0, -1.0, 0.0), (-1.0, 1.0, 0.0)]
SADDLE = [(-1.0, -1.0, 0.3), (1.0, -1.0, -0.3), (1.0, 1.0, 0.3), (-1.0, 1.0, -0.3)]


def curve(*lines, name="Outline", closed=True, kind="POLY", matrix=None):
    """Add a curve of these lines, active and the only selected object."""
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    for points in lines:
        spline = data.splines.new(kind)
        if kind == "BEZIER":
            spline.bezier_points.add(len(points) - 1)
            for point, place in zip(spline.bezier_points, points, strict=True):
                point.co, point.handle_left_type, point.handle_right_type = place, "VECTOR", "VECTOR"
        else:
            spline.points.add(len(points) - 1)
            spline.points.foreach_set("co", np.column_stack([points, np.ones(len(points))]).ravel())
        spline.use_cyclic_u = closed
    obj = bpy.data.objects.new(name, data)
    obj.matrix_world = matrix or Matrix.Identity(4)
    bpy.context.scene.collection.objects.link(obj)
    select(obj)
    return obj


def surface():
    """Add Blender's NURBS surface, two units wide, active and the only selected object."""
    bpy.ops.surface.primitive_nurbs_surface_surface_add()
    bpy.context.object.name = "Sail"
    return bpy.context.object


def select(*objects):
    bpy.context.view_layer.update()
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[0]


def made():
    """The active object, its surface in the world, and its size there."""
    obj = bpy.context.object
    bpy.context.view_layer.update()
    found = read_surface(obj, bpy.context.evaluated_depsgraph_get(), np.array(obj.matrix_world))
    assert inspect(found).clean
    return obj, found, np.ptp(found.points, axis=0)


def counts():
    return [len(getattr(bpy.data, name)) for name in ("objects", "meshes", "curves")]


def test_a_slab_has_the_outline_the_holes_and_the_thickness(scene):
    outline = curve(SQUARE, HALF)
    assert bpy.ops.fracture.add_slab(thickness=0.25) == {"FINISHED"}
    obj, found, size = made()
    assert obj.name == "Outline Slab"
    assert obj.select_get()
    assert not outline.select_get()
    assert volume(found) == pytest.approx((4.0 - 1.0) * 0.25, rel=1e-5)
    assert size == pytest.approx([2.0, 2.0, 0.25], rel=1e-5)


def test_a_slab_stands_where_its_curve_stands_with_its_size(scene):
    matrix = Matrix.Translation((5.0, 1.0, 2.0)) @ Matrix.Rotation(np.pi / 2, 4, "X") @ Matrix.Scale(3.0, 4)
    curve(SQUARE, matrix=matrix)
    bpy.ops.fracture.add_slab(thickness=0.5)
    obj, found, size = made()
    assert size == pytest.approx([6.0, 0.5, 6.0], rel=1e-5)
    assert found.points.mean(axis=0) == pytest.approx([5.0, 1.0, 2.0], abs=1e-5)
    assert tuple(obj.location) == (5.0, 1.0, 2.0)


def test_without_a_thickness_it_is_a_tenth_of_the_size(scene):
    curve(SQUARE)
    bpy.ops.fracture.add_slab()
    assert made()[2] == pytest.approx([2.0, 2.0, 0.2], rel=1e-5)


@pytest.mark.parametrize(("closed", "caps"), [(True, 0), (False, 1)])
def test_a_sweep_follows_its_path(scene, closed, caps):
    angles = np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)
    ring = np.stack([np.cos(angles), np.sin(angles), np.zeros(64)], axis=1).tolist()
    curve(ring, name="Ring", closed=closed)
    bpy.ops.fracture.add_sweep(radius=0.1)
    obj, found, size = made()
    assert obj.name == "Ring Sweep"
    # Its round section is a polygon, and the open ring lacks one of its segments.
    assert volume(found) == pytest.approx(2.0 * np.pi * (np.pi * 0.1**2) * (1.0 - caps / 64), rel=0.05)
    assert size[2] == pytest.approx(0.2, rel=0.02)


def test_a_sweep_takes_the_section_from_the_other_curve(scene):
    section = curve([(0.1 * x, 0.05 * y, z) for x, y, z in SQUARE], name="Section")
    path = curve([(0.0, 0.0, 0.0), (0.0, 0.0, 2.0)], name="Path", closed=False)
    select(path, section)
    bpy.ops.fracture.add_sweep()
    assert volume(made()[1]) == pytest.approx(0.2 * 0.1 * 2.0, rel=1e-5)


def test_the_radius_of_a_sweep_does_not_depend_on_the_scale_of_its_path(scene):
    curve([(0.0, 0.0, 0.0), (0.0, 0.0, 1.0)], closed=False, matrix=Matrix.Scale(4.0, 4))
    bpy.ops.fracture.add_sweep(radius=0.1)
    assert made()[2] == pytest.approx([0.2, 0.2, 4.0], rel=0.02)


def test_a_surface_becomes_a_plate(scene):
    surface()
    bpy.ops.fracture.add_patch(thickness=0.02)
    obj, found, _ = made()
    assert obj.name == "Sail Patch"
    area = sum(face.area for face in obj.data.polygons)
    assert volume(found) == pytest.approx(0.02 * 0.5 * area, rel=0.1)


def test_four_sides_become_a_plate_between_them(scene):
    curve(SADDLE, kind="BEZIER")
    bpy.ops.fracture.add_patch(thickness=0.05)
    _, found, size = made()
    # The hyperbolic paraboloid z = 0.3 x y has an area of 4.115.
    assert volume(found) == pytest.approx(0.05 * 4.115, rel=0.02)
    assert size == pytest.approx([2.0, 2.0, 0.65], abs=0.05)


MAKERS = {
    "slab": lambda: (curve(SQUARE), bpy.ops.fracture.add_slab()),
    "sweep": lambda: (curve(ARCH, closed=False), bpy.ops.fracture.add_sweep(radius=0.1)),
    "patch": lambda: (curve(SADDLE, kind="BEZIER"), bpy.ops.fracture.add_patch(thickness=0.2)),
}


@pytest.mark.once
@pytest.mark.parametrize("shape", MAKERS)
def test_shapes_shatter(scene, shape):
    MAKERS[shape]()
    obj, found, _ = made()
    scene.frame_start, scene.frame_end = 1, 4
    scene.cursor.location = found.points.mean(axis=0) + np.array([0.0, 0.0, 3.0])
    bpy.ops.fracture.add_impact()
    obj.fracture.resolution, obj.fracture.impact_frame, obj.fracture.impact_strength = 300, 2, 8.0
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    assert len(pieces_of(collection_of(obj))) > 1


def bad_section():
    section = curve(ARCH, name="Section", closed=False)
    select(curve(ARCH, name="Path", closed=False), section)


@pytest.mark.parametrize(
    ("add", "operator", "values", "message"),
    [
        (lambda: curve(SQUARE, closed=False), "slab", {}, r"'Outline' is not a closed curve; close it .* \(Alt C\)"),
        (lambda: curve(SADDLE), "slab", {}, r"'Outline' is not flat: its points are up to 0.6 apart .*; flatten it"),
        (lambda: curve(EIGHT), "slab", {}, r"'Outline' crosses or touches itself at 1 point; move these parts apart"),
        (lambda: curve(SQUARE[:2]), "slab", {}, r"'Outline' encloses no area; move its points apart"),
        (bad_section, "sweep", {}, r"'Section' is not a closed curve; close it"),
        (
            lambda: curve(ARCH, closed=False),
            "sweep",
            {"radius": 2.0},
            r"'Outline' gives no solid sweep: it has [\d,]+ self-intersecting faces; make the section smaller",
        ),
        (
            surface,
            "patch",
            {"thickness": 20.0},
            r"'Sail' gives no solid patch: it has .* self-intersecting faces; reduce Thickness",
        ),
        (
            lambda: curve(ARCH, kind="BEZIER"),
            "patch",
            {},
            r"'Outline' has 5 points; a patch needs a closed Bezier curve of four points",
        ),
        (lambda: curve(SQUARE), "patch", {}, r"'Outline' is not one closed Bezier curve; a patch needs"),
    ],
)
def test_what_makes_no_solid_is_refused_and_nothing_changes(scene, add, operator, values, message):
    add()
    before, active = counts(), bpy.context.object
    with pytest.raises(RuntimeError, match=message):
        getattr(bpy.ops.fracture, f"add_{operator}")(**values)
    assert counts() == before
    assert bpy.context.object == active
    assert active.select_get()


@pytest.mark.parametrize("operator", ["add_slab", "add_sweep", "add_patch"])
def test_without_a_curve_the_menu_says_what_to_do(cube, operator):
    assert not getattr(bpy.ops.fracture, operator).poll()
    with pytest.raises(RuntimeError, match="curve active"):
        getattr(bpy.ops.fracture, operator)()
