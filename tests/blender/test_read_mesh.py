"""Meshes as the simulation sees them: where they stand, closed, facing outwards, with all they carry."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from fracture_addon.blender.read.mesh import read_surface, values_of, welded
from fracture_addon.core.data import surface as surfaces
from fracture_addon.core.data.errors import InvalidMeshError
from fracture_addon.core.geometry import inspection


def read(obj, matrix=None):
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return read_surface(obj, depsgraph, np.array(obj.matrix_world if matrix is None else matrix))


def test_a_cube_is_closed_and_as_large_as_it_is(cube):
    surface = read(cube)
    assert len(surface.points) == 8
    assert len(surface.faces) == 12
    assert surfaces.volume(surface) == pytest.approx(0.2**3)
    assert inspection.inspect(surface).clean


def test_modifiers_count(cube):
    cube.modifiers.new("More", "SUBSURF").levels = 2
    bpy.context.view_layer.update()
    assert len(read(cube).points) == 98


def test_parents_scales_and_shear_count(cube, scene):
    holder = bpy.data.objects.new("Holder", None)
    scene.collection.objects.link(holder)
    holder.scale = (1.0, 3.0, 1.0)
    cube.parent = holder
    cube.rotation_euler = (0.4, 0.5, 0.6)
    cube.scale = (2.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    surface = read(cube)
    wanted = [cube.matrix_world @ vertex.co for vertex in cube.data.vertices]
    assert np.allclose(surface.points, wanted)
    assert surfaces.volume(surface) == pytest.approx(6.0 * 0.2**3)


@pytest.mark.parametrize("scale", [(-1, 1, 1), (1, -2, 1), (-1, -1, -1), (-1, -1, 1)])
def test_a_mirrored_object_still_faces_outwards(cube, scale):
    cube.data.shade_smooth()
    surface = read(cube, Matrix.Diagonal((*scale, 1.0)))
    assert surfaces.volume(surface) == pytest.approx(0.2**3 * abs(np.prod(scale)))
    normals = surface.corner_attributes["normal"]
    assert (np.einsum("fki,fi->fk", normals, surfaces.area_vectors(surface)) > 0.0).all()
    assert np.allclose(np.linalg.norm(normals, axis=2), 1.0)


def test_normals_stay_upright_on_a_squashed_object(scene):
    bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16)
    sphere = bpy.context.object
    sphere.data.shade_smooth()
    surface = read(sphere, Matrix.Diagonal((1.0, 1.0, 0.2, 1.0)))
    wanted = surface.corners * [1.0, 1.0, 25.0]
    wanted /= np.linalg.norm(wanted, axis=2, keepdims=True)
    assert np.einsum("fki,fki->fk", surface.corner_attributes["normal"], wanted).min() > 0.99


def test_split_edges_are_welded_but_their_corners_stay_apart(cube):
    cube.modifiers.new("Split", "EDGE_SPLIT").split_angle = 0.1
    bpy.context.view_layer.update()
    surface = read(cube)
    assert len(surface.points) == 8
    assert inspection.inspect(surface).closed
    corners = surface.corner_attributes["uv/UVMap"].reshape(-1, 2)
    assert len(np.unique(corners.round(6), axis=0)) > 8


def test_welding_keeps_order_and_drops_what_is_unused():
    points = np.array([[9.0, 9.0, 9.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1e-9]])
    kept, faces = welded(points, np.array([[1, 2, 3], [4, 3, 1]]), 1e-8)
    assert np.array_equal(kept, points[1:4])
    assert faces.tolist() == [[0, 1, 2], [1, 2, 0]]


def test_triangles_that_welding_collapses_are_dropped(scene):
    mesh = bpy.data.meshes.new("Sliver")
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 1 + 1e-8)]
    mesh.from_pydata(points, [], [(0, 2, 1), (0, 1, 3), (0, 4, 2), (1, 2, 3), (0, 3, 4), (2, 4, 3)])
    obj = bpy.data.objects.new("Sliver", mesh)
    scene.collection.objects.link(obj)
    bpy.context.view_layer.update()
    surface = read(obj)
    assert len(surface.faces) == 4
    assert surface.face_source.tolist() == [0, 1, 2, 3]
    assert inspection.inspect(surface).clean


def test_a_flat_shaded_mesh_has_no_normals_to_keep(cube):
    assert "normal" not in read(cube).corner_attributes


def test_everything_that_faces_and_corners_carry(cube):
    mesh = cube.data
    mesh.color_attributes.new("Paint", "FLOAT_COLOR", "POINT")
    mesh.color_attributes.new("Bytes", "BYTE_COLOR", "CORNER")
    mesh.attributes.new("wet", "FLOAT", "POINT")
    mesh.attributes.new("wind", "FLOAT_VECTOR", "CORNER")
    mesh.attributes.new("part", "INT", "FACE")
    mesh.uv_layers.new(name="Second")
    cube.vertex_groups.new(name="Rim").add([0, 1], 0.5, "REPLACE")
    cube.vertex_groups.new(name="Unused")
    surface = read(cube)
    widths = {name: values.shape[2] for name, values in surface.corner_attributes.items()}
    assert widths == {
        "uv/UVMap": 2,
        "uv/Second": 2,
        "color/Paint": 4,
        "bytecolor/Bytes": 4,
        "value/wet": 1,
        "value/wind": 3,
        "weight/Rim": 1,
    }
    assert set(surface.face_attributes) == {"material_index", "smooth", "face/part"}
    weights = surface.corner_attributes["weight/Rim"][..., 0]
    assert np.array_equal(weights, np.where(surface.faces < 2, 0.5, 0.0))


def test_an_empty_mesh_is_refused(scene):
    obj = bpy.data.objects.new("Nothing", bpy.data.meshes.new("Nothing"))
    scene.collection.objects.link(obj)
    with pytest.raises(InvalidMeshError, match=r"'Nothing' .* no faces; select"):
        read(obj)


def test_points_that_are_not_numbers_are_counted(cube):
    points = values_of(cube.data.vertices, "co", 3, np.float32)
    points[3, 0], points[5, 1] = np.nan, np.inf
    cube.data.vertices.foreach_set("co", points.ravel())
    with pytest.raises(InvalidMeshError, match=r"'Cube' .* 2 of its 8 points have invalid coordinates; delete"):
        read(cube)
