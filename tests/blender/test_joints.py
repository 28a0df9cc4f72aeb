"""Join and Unjoin, and breaks of joined objects."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.read.joints import joints_of
from fracture_addon.blender.scene.result_lookup import collection_of, pieces_of
from fracture_addon.core.timeline.timeline import simulate

# m, size of a brick and the gap between bricks.
SIZE, GAP = (0.2, 0.1, 0.06), 0.01


def brick(column, row=0):
    place = (column * (SIZE[0] + GAP), 0.0, 0.5 + row * (SIZE[2] + GAP))
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=place, scale=SIZE)
    obj = bpy.context.object
    obj.name = f"Brick {column} {row}"
    group = obj.fracture
    group.material_name, group.density, group.young_modulus, group.poisson_ratio = "Brick", 1800.0, 10e9, 0.2
    group.tensile_strength, group.compressive_strength, group.toughness = 3e6, 25e6, 0.5e6
    group.resolution, group.break_depth = 100, 1
    return obj


def select(*objects):
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[0]


def wall(columns, rows=1):
    bricks = [brick(column, row) for row in range(rows) for column in range(columns)]
    select(*bricks)
    return bricks


def struck(obj, x, strength=3.0):
    """Add an impact from above on the second frame, at a place along X."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 6
    scene.cursor.location = (x, 0.0, 2.0)
    select(obj)
    bpy.ops.fracture.add_impact()
    obj.fracture.impact_frame, obj.fracture.impact_strength = 2, strength


def pieces(obj):
    """The pieces of an object that are visible at the end."""
    bpy.context.scene.frame_set(bpy.context.scene.frame_end)
    return [piece for piece in pieces_of(collection_of(obj)) if not piece.hide_viewport]


def motion_of(obj):
    """World matrices of a piece on the last two frames, as one rigid motion."""
    matrices = []
    for frame in (1, bpy.context.scene.frame_end):
        bpy.context.scene.frame_set(frame)
        matrices.append(np.array(obj.matrix_world))
    return matrices[1] @ np.linalg.inv(matrices[0])


def names(obj):
    found = joints_of(bpy.context, [obj])
    return sorted(joint.other.name if owner == obj else owner.name for owner, _, joint in found)


def test_joining_nine_bricks_joins_those_that_face_each_other(scene):
    bricks = wall(3, 3)
    assert bpy.ops.fracture.join(distance=0.012) == {"FINISHED"}
    assert sum(len(obj.fracture.joints) for obj in bricks) == 12
    assert names(bricks[4]) == ["Brick 0 1", "Brick 1 0", "Brick 1 2", "Brick 2 1"]
    job = read_job(bpy.context, bricks, (1, 2))
    assert len(job.bonds) == 12
    assert {(bond.material.name, bond.material.tensile_strength) for bond in job.bonds} == {("Mortar", 0.2e6)}


def test_joining_again_changes_the_joints(scene):
    first, second = wall(2)
    bpy.ops.fracture.join()
    assert bpy.ops.fracture.join(kind="WELD", thickness=0.002, scatter=0.0) == {"FINISHED"}
    (bond,) = read_job(bpy.context, [second, first], (1, 2)).bonds
    assert (bond.first, bond.second) == (1, 0)
    assert (bond.material.name, bond.material.tensile_strength, bond.material.strength_variation) == ("Weld", 5e8, 0.0)
    assert (bond.thickness, bond.distance) == (pytest.approx(0.002), pytest.approx(0.012))


def test_a_kind_sets_its_values_in_the_panel(scene):
    wall(2)
    bpy.ops.fracture.join()
    joint = bpy.data.objects["Brick 0 0"].fracture.joints[0]
    joint.kind = "NAILS"
    assert (joint.strength, joint.thickness) == (pytest.approx(0.09), pytest.approx(0.03))


def test_joints_survive_renaming_saving_and_loading(scene, tmp_path):
    _, second = wall(2)
    bpy.ops.fracture.join(kind="GLUE", strength=7.0)
    second.name = "Other"
    path = str(tmp_path / "joined.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    obj = bpy.data.objects["Brick 0 0"]
    assert names(obj) == ["Other"]
    assert obj.fracture.joints[0].strength == pytest.approx(7.0)


def test_undo_removes_joints(scene):
    wall(2)
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.fracture.join()
    bpy.ops.ed.undo_push(message="Join")
    bpy.ops.ed.undo()
    assert names(bpy.data.objects["Brick 0 0"]) == []
    bpy.ops.ed.redo()
    assert names(bpy.data.objects["Brick 0 0"]) == ["Brick 1 0"]


def test_a_joint_with_a_deleted_object_has_no_effect(scene):
    first, second, third = wall(3)
    bpy.ops.fracture.join()
    select(second)
    bpy.ops.object.delete()
    assert names(first) == names(third) == []
    assert read_job(bpy.context, [first, third], (1, 2)).bonds == ()
    select(first)
    assert bpy.ops.fracture.unjoin() == {"FINISHED"}
    assert not first.fracture.joints


def test_unjoin_removes_the_joints_of_the_selected(scene):
    first, second, third = wall(3)
    bpy.ops.fracture.join()
    select(second)
    bpy.ops.fracture.unjoin(other="Brick 2 0")
    assert names(second) == ["Brick 0 0"]
    bpy.ops.fracture.unjoin()
    assert not any(obj.fracture.joints for obj in (first, second, third))
    assert not bpy.ops.fracture.unjoin.poll()


def test_copies_are_joined_to_each_other(scene):
    wall(2)
    bpy.ops.fracture.join()
    bpy.ops.object.duplicate()
    assert names(bpy.data.objects["Brick 0 0.001"]) == ["Brick 1 0.001"]
    assert names(bpy.data.objects["Brick 0 0"]) == ["Brick 1 0"]


def test_objects_apart_are_refused_with_their_distance(scene):
    first, second = brick(0), brick(3)
    select(first, second)
    with pytest.raises(RuntimeError, match=r"'Brick 0 0' and 'Brick 3 0' are 0\.43 m apart, .*set Distance to 0\.434"):
        bpy.ops.fracture.join(distance=0.012)
    select(first)
    assert not bpy.ops.fracture.join.poll()
    assert not any(obj.fracture.joints for obj in (first, second))


def test_objects_that_meet_at_an_edge_are_refused(scene):
    first, second = brick(0), brick(1)
    second.location = (SIZE[0], 0.0, 0.5 + SIZE[2])
    select(first, second)
    with pytest.raises(RuntimeError, match="meet only at an edge or a corner"):
        bpy.ops.fracture.join()


@pytest.mark.once
def test_objects_moved_apart_after_joining_are_refused(scene):
    first, second = wall(2)
    bpy.ops.fracture.join()
    second.location.x += 1.0
    struck(first, 0.0)
    with pytest.raises(RuntimeError, match=r"'Brick 0 0' and 'Brick 1 0' are joined, but 1\.01 m apart"):
        bpy.ops.fracture.shatter()
    assert collection_of(first) is None


@pytest.mark.once
def test_an_object_joined_to_itself_is_refused(scene):
    (first,) = wall(1)
    first.fracture.joints.add().other = first
    struck(first, 0.0)
    with pytest.raises(RuntimeError, match="'Brick 0 0' is joined to itself"):
        bpy.ops.fracture.shatter()
    bpy.ops.fracture.unjoin()
    assert not first.fracture.joints


@pytest.mark.once
def test_a_crack_runs_through_weak_joints_and_leaves_the_bricks_whole(scene):
    """Only one brick is selected: Shatter breaks what is joined to it too."""
    bricks = wall(3, 3)
    bpy.ops.fracture.join()
    struck(bricks[7], SIZE[0] + GAP)
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    assert [len(pieces(obj)) for obj in bricks] == [1] * 9
    motions = [motion_of(*pieces(obj)) for obj in bricks]
    together = np.abs(np.array(motions)[:, None] - np.array(motions)).max(axis=(2, 3)) < 1e-4
    # Some bricks moved apart, and some are still one rigid body.
    assert 9 < together.sum() < 81


@pytest.mark.once
def test_beside_strong_joints_a_crack_runs_through_the_bricks(scene):
    first, second = wall(2)
    bpy.ops.fracture.join(kind="WELD")
    struck(first, 0.03, 8.0)
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    found = [pieces(obj) for obj in (first, second)]
    assert sum(map(len, found)) > 2
    # A fragment consists of a piece of each brick: both have the same motion.
    motions = [[motion_of(piece) for piece in own] for own in found]
    assert min(np.abs(one - other).max() for one in motions[0] for other in motions[1]) < 1e-5
    select(first)
    bpy.ops.fracture.clear()
    assert [collection_of(obj) for obj in (first, second)] == [None, None]


@pytest.mark.parametrize(("kind", "is_red"), [("MORTAR", True), ("WELD", False)])
def test_the_areas_of_joints_are_shown_with_their_strength(scene, kind, is_red):
    first, second = wall(2)
    assert not bpy.ops.fracture.show_joints.poll()
    bpy.ops.fracture.join(kind=kind)
    assert bpy.ops.fracture.show_joints() == {"FINISHED"}
    (shown,) = first.children
    points = np.array([shown.matrix_world @ vertex.co for vertex in shown.data.vertices])
    area = sum(face.area for face in shown.data.polygons)
    assert area == pytest.approx(SIZE[1] * SIZE[2], rel=0.02)
    np.testing.assert_allclose(points[:, 0], 0.5 * (SIZE[0] + GAP), atol=1e-6)
    red, _, blue, _ = shown.data.color_attributes.active_color.data[0].color
    assert (red > blue) == is_red
    assert shown.hide_render
    select(second)
    bpy.ops.fracture.show_joints()
    assert len(first.children) == 1
    select(first)
    bpy.ops.fracture.remove_preview()
    assert not first.children


def test_joints_of_objects_that_were_moved_apart_are_not_shown(scene):
    first, second = wall(2)
    bpy.ops.fracture.join()
    second.location.x += 1.0
    with pytest.raises(RuntimeError, match="'Brick 0 0' and 'Brick 1 0' are joined, but do not face each other"):
        bpy.ops.fracture.show_joints()
    assert not first.children


def test_a_flag_is_joined_to_a_pole(scene):
    """The area of the joint is that of the rim of the sheet's skin. Without the joint the flag falls by 9 cm."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(-0.1, 0.0, 1.0), scale=(0.1, 0.1, 0.6))
    pole = bpy.context.object
    pole.name = "Pole"
    pole.vertex_groups.new(name="Held").add(range(8), 1.0, "REPLACE")
    pole.fracture.pin_group, pole.fracture.resolution = "Held", 60
    bpy.ops.mesh.primitive_plane_add(size=1.0, location=(0.2, 0.0, 1.0), rotation=(np.pi / 2, 0.0, 0.0))
    flag = bpy.context.object
    flag.name, flag.scale = "Flag", (0.48, 0.3, 1.0)
    group = flag.fracture
    group.method, group.structure, group.thickness, group.resolution = "LATTICE", "SHEET", 0.005, 120
    group.density, group.young_modulus, group.tensile_strength, group.softening = 400.0, 1e6, 1e6, 1.0
    scene.frame_start, scene.frame_end = 1, 5
    select(flag, pole)
    assert bpy.ops.fracture.join(distance=0.02) == {"FINISHED"}
    assert names(flag) == ["Pole"]
    falls = []
    for strength in (10.0, 1e-6):
        (joint,) = (joint for _, _, joint in joints_of(bpy.context, [flag]))
        joint.strength = strength
        recording = simulate(read_job(bpy.context, [flag, pole], (1, 5)), lambda *_: None)
        points = recording.deformed[0].points
        rim = points[0, :, 0] < -0.03
        falls.append((points[0] - points[-1])[rim, 2].mean())
    assert abs(falls[0]) < 0.002 < 0.08 < falls[1]
