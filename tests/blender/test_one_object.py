"""All pieces in one object: where they are, what they carry, out to other programs and gone again."""

import json
from functools import partial

import bpy
import numpy as np
import pytest

from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.write import bake, node_groups, one_object, results
from fracture_addon.core.data.recording import NEVER
from fracture_addon.core.numerics.rotations import matrices
from tests.blender import halves
from tests.blender.snapshot import snapshot

BREAK = 5
EXPORTS = {
    "abc": (
        lambda path: bpy.ops.wm.alembic_export(filepath=path, as_background_job=False),
        lambda path: bpy.ops.wm.alembic_import(filepath=path, as_background_job=False),
    ),
    "usd": (
        lambda path: bpy.ops.wm.usd_export(filepath=path, export_animation=True),
        lambda path: bpy.ops.wm.usd_import(filepath=path),
    ),
}
OPTIONS = {"abc": bpy.app.build_options.alembic, "usd": bpy.app.build_options.usd}
BUILT_IN = [
    pytest.param(kind, marks=pytest.mark.skipif(not there, reason="this Blender was built without it"))
    for kind, there in OPTIONS.items()
]


@pytest.fixture
def jar(cube, scene):
    """A smooth cube that falls and turns, on a short timeline."""
    scene.frame_start, scene.frame_end = 1, 12
    cube.data.materials.append(bpy.data.materials.new("Glaze"))
    cube.data.shade_smooth()
    return cube


def run(jar, one_object=True, break_frame=BREAK):
    jar.fracture.one_object = one_object
    job = read_job(bpy.context, [jar], settings.frame_range(bpy.context.scene))
    recording = halves.recording(job, break_frame)
    return recording, bake.bake(bpy.context, job, recording, [jar], {})[0]


def placed(fragment, row, unit=1.0):
    return (fragment.surface.points @ matrices(fragment.poses[row, 3:]).T + fragment.poses[row, :3]) / unit


def points_of(mesh):
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    return points.reshape(-1, 3)


def instances(obj):
    """World matrices and meshes of the instances that the viewport shows."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return [
        (np.array(item.matrix_world), points_of(item.object.data))
        for item in depsgraph.object_instances
        if item.is_instance and item.parent.original == obj
    ]


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_pieces_stand_where_the_poses_say(jar, scene, unit):
    scene.unit_settings.scale_length = unit
    recording, collection = run(jar)
    (pieces,) = collection.objects
    for frame in (BREAK, 9, 12, 40):
        scene.frame_set(frame)
        shown = instances(pieces)
        assert len(shown) == len(recording.fragments)
        for (matrix, points), fragment in zip(shown, recording.fragments, strict=True):
            wanted = placed(fragment, min(frame, 12) - 1, unit)
            assert np.allclose(points @ matrix[:3, :3].T + matrix[:3, 3], wanted, atol=1e-6 / unit)


def test_between_frames_pieces_are_between_their_poses(jar, scene):
    recording, collection = run(jar)
    scene.frame_set(8, subframe=0.5)
    for (matrix, _), fragment in zip(instances(collection.objects[0]), recording.fragments, strict=True):
        assert np.allclose(matrix[:3, 3], fragment.poses[7:9, :3].mean(axis=0), atol=1e-6)
        assert np.linalg.det(matrix[:3, :3]) == pytest.approx(1.0, abs=1e-5)


def test_pieces_have_no_size_before_they_break_off(jar, scene):
    _, collection = run(jar)
    for frame, size in ((1, 0.0), (BREAK - 1, 0.0), (BREAK, 1.0)):
        scene.frame_set(frame)
        assert jar.hide_viewport == bool(size)
        for matrix, _ in instances(collection.objects[0]):
            assert np.linalg.det(matrix[:3, :3]) == pytest.approx(size, abs=1e-5)
    scene.frame_set(BREAK - 1, subframe=0.9)
    assert all(not matrix[:3, :3].any() for matrix, _ in instances(collection.objects[0]))


def test_the_object_carries_what_pieces_carry(jar, scene):
    recording, collection = run(jar)
    assert json.loads(collection["fracture_report"])["fragments"] == 2
    (pieces,) = collection.objects
    assert (pieces.name, pieces["fracture_source"]) == ("Cube Pieces", "Cube")
    parts, poses = node_groups.helpers_of(pieces)[:2]
    assert not parts.users_collection
    assert not poses.users_collection
    mesh = parts.data
    assert [material.name for material in mesh.materials] == ["Glaze", "Fracture Interior"]
    interior = np.array([item.value for item in mesh.attributes["fracture_interior"].data])
    assert interior.tolist() == [value for fragment in recording.fragments for value in fragment.interior]
    births = [item.value for item in pieces.data.attributes["fracture_birth_frame"].data]
    assert births == [BREAK, BREAK]
    rest = np.array([np.array(item.value) for item in pieces.data.attributes["fracture_rest"].data])
    for matrix, fragment in zip(rest, recording.fragments, strict=True):
        points = fragment.surface.points @ matrix[:3, :3].T + matrix[:3, 3]
        assert np.abs(points).max() == pytest.approx(0.1, abs=1e-6)


def test_the_same_pieces_as_objects_of_their_own(jar, scene):
    _, together = run(jar)
    scene.frame_set(9)
    shown = [matrix for matrix, _ in instances(together.objects[0])]
    _, apart = run(jar, one_object=False)
    scene.frame_set(9)
    assert len(apart.objects) == len(shown) == 2
    for obj, matrix in zip(apart.objects, shown, strict=True):
        assert np.allclose(np.array(obj.matrix_world), matrix, atol=1e-6)


def test_clear_removes_it_all(jar, scene):
    before = snapshot()
    groups = len(bpy.data.node_groups)
    _, collection = run(jar)
    copy = collection.objects[0].copy()
    results.clear(bpy.context, [jar])
    # The artist's own copy still shows the pieces.
    assert len(node_groups.helpers_of(copy)) >= 2
    bpy.data.objects.remove(copy)
    run(jar)
    assert len(bpy.data.node_groups) == groups + 2
    results.clear(bpy.context, [jar])
    bpy.ops.outliner.orphans_purge(do_recursive=True)
    assert len(bpy.data.node_groups) == groups
    jar.fracture.one_object = False
    assert snapshot() == before


def data_blocks():
    return {
        kind: len(getattr(bpy.data, kind)) for kind in ("objects", "meshes", "node_groups", "collections", "actions")
    }


def test_a_run_can_be_undone_and_done_again(jar, scene):
    jar.fracture.one_object = True
    bpy.ops.ed.undo_push(message="Before")
    before = data_blocks()
    run(jar)
    after = data_blocks()
    bpy.ops.ed.undo_push(message="Shatter")
    bpy.ops.ed.undo()
    assert data_blocks() == before
    bpy.ops.ed.redo()
    assert data_blocks() == after
    # What was there may have moved in memory.
    _, collection = run(bpy.data.objects["Cube"])
    assert data_blocks() == after
    assert len(instances(collection.objects[0])) == 2


def test_a_break_that_never_comes_leaves_no_object(jar, scene):
    _, collection = run(jar, break_frame=NEVER)
    assert not collection.objects


@pytest.mark.parametrize("kind", BUILT_IN)
def test_other_programs_get_the_pieces(jar, scene, tmp_path, kind):
    recording, _ = run(jar)
    send, fetch = EXPORTS[kind]
    path = str(tmp_path / f"pieces.{kind}")
    assert send(path) == {"FINISHED"}
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert fetch(path) == {"FINISHED"}
    scene = bpy.context.scene
    count = sum(len(fragment.surface.points) for fragment in recording.fragments)
    (pieces,) = [obj for obj in bpy.data.objects if obj.type == "MESH" and len(obj.data.vertices) == count]
    for frame in (BREAK, 9, 12):
        scene.frame_set(frame)
        shown = pieces.evaluated_get(bpy.context.evaluated_depsgraph_get())
        matrix = np.array(shown.matrix_world)
        points = points_of(shown.data) @ matrix[:3, :3].T + matrix[:3, 3]
        wanted = np.concatenate([placed(fragment, frame - 1) for fragment in recording.fragments])
        assert np.allclose(points, wanted, atol=1e-5)


@pytest.mark.parametrize("encoded", [False, True])
def test_a_render_gets_normals_that_turn_with_the_pieces(jar, scene, tmp_path, monkeypatch, encoded):
    if encoded:
        # As in versions that know no other normals, and lose them where a mesh is split.
        monkeypatch.setattr(one_object, "write_mesh", partial(one_object.write_mesh, deforms=True))
        monkeypatch.setattr(one_object, "keeps_normals", lambda mesh: False)
    recording, collection = run(jar)
    (pieces,) = collection.objects
    assert len(node_groups.helpers_of(pieces)) == 3 or not encoded
    scene.frame_set(9)
    bpy.ops.object.select_all(action="DESELECT")
    pieces.select_set(True)
    path = tmp_path / "pieces.obj"
    # By material it would sort the faces.
    options = {"export_eval_mode": "DAG_EVAL_RENDER", "forward_axis": "Y", "up_axis": "Z", "export_materials": False}
    assert bpy.ops.wm.obj_export(filepath=str(path), export_selected_objects=True, **options) == {"FINISHED"}
    lines = [line.split() for line in path.read_text().splitlines()]
    points, normals = (np.array([line[1:] for line in lines if line[:1] == [key]], float) for key in ("v", "vn"))
    corners = [corner.split("/") for line in lines if line[:1] == ["f"] for corner in line[1:]]
    assert np.allclose(points, np.concatenate([placed(fragment, 8) for fragment in recording.fragments]), atol=1e-5)
    turns = [matrices(fragment.poses[8, 3:]) for fragment in recording.fragments]
    wanted = [
        fragment.surface.corner_attributes["normal"].reshape(-1, 3) @ turn.T
        for fragment, turn in zip(recording.fragments, turns, strict=True)
    ]
    assert np.allclose(normals[[int(corner[2]) - 1 for corner in corners]], np.concatenate(wanted), atol=5e-3)
    assert np.abs(turns[0] - np.eye(3)).max() > 0.01


@pytest.mark.parametrize("kind", BUILT_IN)
def test_other_programs_get_objects_of_their_own(jar, scene, tmp_path, kind):
    recording, _ = run(jar, one_object=False)
    send, fetch = EXPORTS[kind]
    path = str(tmp_path / f"pieces.{kind}")
    assert send(path) == {"FINISHED"}
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert fetch(path) == {"FINISHED"}
    for frame in (BREAK, 9, 12):
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        shown = [obj.evaluated_get(depsgraph) for obj in bpy.data.objects if obj.type == "MESH"]
        middles = []
        for obj in shown:
            matrix = np.array(obj.matrix_world)
            middles.append((points_of(obj.data) @ matrix[:3, :3].T + matrix[:3, 3]).mean(axis=0))
        for fragment in recording.fragments:
            wanted = placed(fragment, frame - 1).mean(axis=0)
            assert np.linalg.norm(np.array(middles) - wanted, axis=1).min() < 1e-5
