"""Curves, surfaces and open meshes as ropes, sheets and shells: how they are read, and how they come back."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.read.thin import structure_of
from fracture_addon.blender.scene import result_lookup
from fracture_addon.core.data.errors import InvalidMeshError, SceneError
from fracture_addon.core.data.surface import volume
from fracture_addon.core.fields.painting import weights_at
from fracture_addon.core.geometry.inspection import inspect
from tests.blender.snapshot import snapshot


def job_of(*objects, frames=(1, 5)):
    return read_job(bpy.context, objects, frames)


def lattice(obj, **properties):
    obj.fracture.method, obj.fracture.resolution = "LATTICE", 240
    for name, value in properties.items():
        setattr(obj.fracture, name, value)
    return obj


def line(points, name="Line", **data):
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(len(points) - 1)
    for point, place in zip(spline.points, points, strict=True):
        point.co = (*place, 1.0)
    for key, value in data.items():
        setattr(curve, key, value)
    obj = bpy.data.objects.new(name, curve)
    bpy.context.collection.objects.link(obj)
    bpy.context.view_layer.update()
    return obj


@pytest.fixture
def curve(scene):
    return lattice(line([(0, 0, 1), (1, 0, 1)]))


def test_a_curve_is_a_rope_that_hangs_from_its_start(curve):
    before = snapshot()
    body = job_of(curve).bodies[0]
    assert (body.thin.kind, len(body.thin.cells)) == ("rope", 40)
    assert body.settings.motion.dynamics == "deformable"
    assert body.thin.thickness == pytest.approx(0.01)
    assert weights_at(body.settings.motion.pinned, np.array([[0.0, 0, 1], [0.5, 0, 1], [1.0, 0, 1]])) == pytest.approx(
        [1, 0, 0]
    )
    assert snapshot() == before


def test_a_bevel_is_the_thickness_of_a_rope(scene):
    thick = lattice(line([(0, 0, 1), (1, 0, 1)], bevel_depth=0.02), structure="ROPE", pinned_ends="BOTH")
    thick.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    body = job_of(thick).bodies[0]
    assert body.thin.thickness == pytest.approx(0.08)
    assert np.ptp(body.thin.points[:, 0]) == pytest.approx(2.0)
    assert len(bpy.data.curves) == 1
    # Without being a rope it is a solid, as thick.
    thick.fracture.structure = "SOLID"
    assert structure_of(thick).name == "solid"


def test_lines_without_the_lattice_are_refused_with_the_way_out(curve):
    curve.fracture.method = "NETWORK"
    with pytest.raises(InvalidMeshError, match="Lattice"):
        job_of(curve)


def test_loose_edges_are_a_net(scene):
    mesh = bpy.data.meshes.new("Net")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], [])
    net = lattice(bpy.data.objects.new("Net", mesh), pinned_ends="NONE")
    bpy.context.collection.objects.link(net)
    body = job_of(net).bodies[0]
    assert body.thin.kind == "rope"
    assert body.settings.motion.pinned is None
    assert np.bincount(body.thin.cells.ravel()).max() == 3


@pytest.mark.parametrize("structure", ["SHEET", "SHELL"])
def test_a_plane_is_a_sheet_with_its_texture(scene, structure):
    bpy.ops.mesh.primitive_plane_add(size=1.0)
    plane = lattice(bpy.context.object, structure=structure, thickness=0.02, dynamics="DEFORMABLE")
    body = job_of(plane).bodies[0]
    assert (body.thin.kind, len(body.thin.cells)) == (structure.lower(), 64)
    assert np.ptp(body.surface.points, axis=0) == pytest.approx([1.0, 1.0, 0.02])
    assert body.surface.corner_attributes["uv/UVMap"] == pytest.approx(body.surface.corners[:, :, :2] + 0.5, abs=1e-6)


def test_nurbs_surfaces_and_texts_have_faces(scene):
    bpy.ops.surface.primitive_nurbs_surface_surface_add()
    body = job_of(lattice(bpy.context.object, structure="SHELL", thickness=0.05, dynamics="DEFORMABLE")).bodies[0]
    assert body.thin.kind == "shell"
    bpy.ops.object.text_add()
    bpy.context.object.data.extrude = 0.1
    assert len(job_of(bpy.context.object).bodies[0].surface.faces) > 100


def test_two_profiles_are_turned_about_the_axis(scene):
    outer = line([(0.5, 0, 0), (0.5, 0, 1.0)], "Outer")
    inner = line([(0.4, 0, 1.0), (0.4, 0, 0.0)], "Inner")
    inner.location = (3.0, 0.0, 0.0)
    lattice(outer, structure="TURNED", profile_object=inner, dynamics="DEFORMABLE").location = (3.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    body = job_of(outer).bodies[0]
    assert body.thin.thickness == pytest.approx(0.1)
    radii = np.hypot(body.surface.points[:, 0] - 3.0, body.surface.points[:, 1])
    assert radii.max() == pytest.approx(0.5)
    assert radii.min() == pytest.approx(0.4)


@pytest.mark.parametrize("structure", ["SHELL", "SHEET"])
def test_a_shell_may_be_rigid_until_it_breaks_and_a_sheet_may_not(scene, structure):
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=8)
    body = job_of(lattice(bpy.context.object, structure=structure, thickness=0.1, dynamics="RIGID")).bodies[0]
    assert (body.thin is None, body.settings.motion.dynamics) == (
        (True, "rigid") if structure == "SHELL" else (False, "deformable")
    )
    assert inspect(body.surface).open_edges == 0
    assert volume(body.surface) == pytest.approx(4.0 * np.pi * 0.1, rel=0.1)


def test_an_inner_profile_is_a_line(scene):
    outer = lattice(line([(0.5, 0, 0), (0.5, 0, 1.0)]), structure="TURNED")
    bpy.ops.object.empty_add()
    outer.fracture.profile_object = bpy.context.object
    with pytest.raises(SceneError, match="not a curve"):
        job_of(outer)


def test_pins_follow_keys(curve):
    for frame, place in ((1, 0.0), (5, 2.0)):
        curve.location = (0.0, place, 0.0)
        curve.keyframe_insert("location", frame=frame)
    body = job_of(curve).bodies[0]
    assert len(body.track) == 5
    assert body.track[-1, 1] - body.track[0, 1] == pytest.approx(2.0)
    curve.fracture.pinned_ends = "NONE"
    assert job_of(curve).bodies[0].track is None


def test_curves_are_chosen_and_shattered(curve, scene, tmp_path):
    scene.frame_start, scene.frame_end = 1, 4
    scene.fracture.cache_path = str(tmp_path)
    assert settings.chosen([curve]) == [curve]
    curve.select_set(True)
    bpy.context.view_layer.objects.active = curve
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    (shown,) = result_lookup.collection_of(curve).objects
    assert shown.type == "MESH"
    assert curve.hide_render
    scene.frame_set(4)
    evaluated = shown.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    places = np.array([vertex.co for vertex in evaluated.vertices])
    assert places[places[:, 0] < 0.01, 2].max() == pytest.approx(1.005, abs=2e-3)
    assert places[:, 2].min() < 0.95
    bpy.ops.fracture.clear()
    assert not curve.hide_render
