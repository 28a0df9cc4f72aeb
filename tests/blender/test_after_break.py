"""Tools for a result: freeze, hide small pieces, hand over to Blender's rigid bodies, export."""

from collections import Counter
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from fracture_addon.blender.operators import CLASSES, break_again
from fracture_addon.blender.process import cached_run, run
from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.write import bake, exported
from fracture_addon.core.data.errors import SceneError
from fracture_addon.core.timeline.cache import Cache
from tests.blender import halves
from tests.blender.snapshot import snapshot

BREAK, FRAME, LAST = 5, 9, 24
# Three parts: two small ones at the corners of the lower face, and the rest.
SEEDS = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.5, 0.5, 0.9]])


@pytest.fixture
def broken(cube, scene):
    """A cube that falls, spins, and comes apart on frame 5."""
    scene.frame_start, scene.frame_end = 1, LAST
    cube.fracture.density = 1000.0
    job = read_job(bpy.context, [cube], settings.frame_range(scene))
    bake.bake(bpy.context, job, halves.recording(job, BREAK, SEEDS), [cube], {})
    return cube


def pieces_of(obj):
    return result_lookup.pieces_of(result_lookup.collection_of(obj))


def places(objects, frame):
    bpy.context.scene.frame_set(frame)
    return [np.array(obj.matrix_world) for obj in objects]


def drawn(frame):
    bpy.context.scene.frame_set(frame)
    return {obj.name for obj in bpy.context.scene.objects if not obj.hide_render and not obj.hide_viewport}


def test_frozen_pieces_move_until_the_frame_and_stay_then(broken, scene):
    pieces = pieces_of(broken)
    before = [places(pieces, frame) for frame in (6, FRAME)]
    assert bpy.ops.fracture.freeze_pieces() == {"FINISHED"}
    assert np.allclose([places(pieces, frame) for frame in (6, FRAME)], before, atol=1e-6)
    assert np.allclose(places(pieces, LAST), before[1], atol=1e-6)
    assert drawn(LAST) >= {piece.name for piece in pieces}


def test_one_selected_piece_freezes_alone(broken, scene):
    first, second, _ = pieces = pieces_of(broken)
    scene.frame_set(FRAME)
    here = places(pieces, FRAME)
    for obj in bpy.context.selected_objects:
        obj.select_set(False)
    first.select_set(True)
    bpy.context.view_layer.objects.active = first
    bpy.ops.fracture.freeze_pieces()
    later = places(pieces, LAST)
    assert np.allclose(later[0], here[0], atol=1e-6)
    assert not np.allclose(later[1], here[1], atol=0.1)
    assert first.name != second.name


def select(*objects):
    """Select objects; the last one is active."""
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)
    bpy.context.view_layer.objects.active = objects[-1]


def test_a_hidden_piece_is_gone_from_the_frame_on(broken, scene):
    first, second, third = pieces_of(broken)
    scene.frame_set(FRAME)
    select(first)
    assert bpy.ops.fracture.change_pieces(change="HIDE") == {"FINISHED"}
    assert first.name in drawn(FRAME - 1)
    assert drawn(FRAME) & {first.name, second.name, third.name} == {second.name, third.name}


def test_an_anchored_piece_stays_where_it_came_off(broken, scene):
    pieces = pieces_of(broken)
    before = places(pieces, BREAK)
    scene.frame_set(FRAME)
    select(pieces[0])
    assert bpy.ops.fracture.change_pieces(change="ANCHOR") == {"FINISHED"}
    after = places(pieces, LAST)
    assert np.allclose(after[0], before[0], atol=1e-6)
    assert not np.allclose(after[1], before[1], atol=0.1)
    assert pieces[0].name not in drawn(BREAK - 1)
    assert pieces[0].name in drawn(LAST)


def test_glued_pieces_move_with_the_active_one_as_one_body(broken, scene):
    pieces = pieces_of(broken)
    early, here, later = (places(pieces, frame) for frame in (FRAME - 1, FRAME, LAST))
    scene.frame_set(FRAME)
    select(pieces[1], pieces[0])
    assert bpy.ops.fracture.change_pieces(change="GLUE") == {"FINISHED"}
    assert np.allclose(places(pieces, FRAME - 1), early, atol=1e-5)
    after = places(pieces, LAST)
    assert np.allclose([after[0], after[2]], [later[0], later[2]], atol=1e-5)
    assert np.allclose(np.linalg.inv(after[0]) @ after[1], np.linalg.inv(here[0]) @ here[1], atol=1e-4)
    assert not np.allclose(np.linalg.inv(later[0]) @ later[1], np.linalg.inv(here[0]) @ here[1], atol=1e-2)


def test_glue_needs_a_piece_to_follow(broken, scene):
    before = snapshot()
    select(pieces_of(broken)[0])
    with pytest.raises(RuntimeError, match="at last the piece that they follow"):
        bpy.ops.fracture.change_pieces(change="GLUE")
    bpy.ops.object.select_all(action="DESELECT")
    select(broken)
    assert snapshot()[0] == before[0]


def test_restore_gives_a_piece_the_motion_of_its_run(cube, scene, monkeypatch, tmp_path):
    monkeypatch.setattr(cached_run, "_of_user", lambda: Cache(tmp_path))
    scene.frame_start, scene.frame_end = 1, LAST
    job = read_job(bpy.context, [cube], settings.frame_range(scene))
    recording = halves.recording(job, BREAK, SEEDS)
    bake.bake(bpy.context, job, recording, [cube], {})
    cached_run.store(scene, [cube], job, recording)
    pieces, actions = pieces_of(cube), [action.name for action in bpy.data.actions]
    frames = (BREAK, FRAME, LAST)
    before = [places(pieces, frame) for frame in frames]
    scene.frame_set(FRAME)
    select(pieces[0])
    bpy.ops.fracture.change_pieces(change="ANCHOR")
    select(pieces[2])
    bpy.ops.fracture.change_pieces(change="HIDE")
    scene.frame_set(FRAME - 1)  # a hidden piece cannot be selected
    select(pieces[0], pieces[2])
    assert bpy.ops.fracture.change_pieces(change="RESTORE") == {"FINISHED"}
    assert np.allclose([places(pieces, frame) for frame in frames], before, atol=1e-6)
    assert {piece.name for piece in pieces} <= drawn(LAST)
    assert not {piece.name for piece in pieces} & drawn(BREAK - 1)
    assert {action.name for action in bpy.data.actions} >= set(actions), "an action may be the artist's"


def test_pieces_frozen_before_the_break_never_appear(broken, scene):
    scene.frame_set(BREAK - 2)
    bpy.ops.fracture.freeze_pieces()
    assert not drawn(LAST) & {piece.name for piece in pieces_of(broken)}


def test_small_pieces_disappear_from_the_frame_on(broken, scene):
    pieces = pieces_of(broken)
    masses = np.array([piece["fracture_mass"] for piece in pieces])
    limit = 100.0 * np.sort(masses / masses.sum())[1] + 0.1  # two of the three
    scene.frame_set(FRAME)
    bpy.ops.fracture.hide_small_pieces(percent=limit)
    largest = pieces[int(masses.argmax())].name
    assert drawn(FRAME - 1) >= {piece.name for piece in pieces}
    for frame in (FRAME, LAST):
        assert drawn(frame) & {piece.name for piece in pieces} == {largest}


def test_a_limit_of_zero_hides_nothing(broken, scene):
    scene.frame_set(FRAME)
    before = snapshot()
    bpy.ops.fracture.hide_small_pieces(percent=0.0)
    assert snapshot() == before


def test_rigid_bodies_go_on_where_the_keyframes_end(broken, scene):
    pieces = pieces_of(broken)
    keyed = [places(pieces, frame) for frame in range(1, LAST + 1)]
    scene.frame_set(FRAME)
    assert bpy.ops.fracture.hand_over_pieces() == {"FINISHED"}
    assert all(piece.rigid_body.mass == pytest.approx(piece["fracture_mass"]) for piece in pieces)
    found = [places(pieces, frame) for frame in range(1, LAST + 1)]
    assert np.allclose(found[:FRAME], keyed[:FRAME], atol=1e-5)
    heights = np.array(found)[:, :, 2, 3]
    speed = np.diff(heights, axis=0)[FRAME - 3]
    later = np.diff(heights, axis=0)[FRAME + 2]
    assert (speed < 0.0).all()
    assert (later < speed).all()  # faster and faster, without a stop
    assert not np.allclose(found[-1], keyed[-1], atol=1e-4)  # by Blender's own simulation


def test_rigid_bodies_from_the_frame_of_the_break_on_have_the_velocities_after_it(broken, scene):
    pieces = pieces_of(broken)
    scene.frame_set(BREAK)
    bpy.ops.fracture.hand_over_pieces()
    here, after, later = np.array([places(pieces, frame) for frame in range(1, LAST + 1)])[
        BREAK - 1 : BREAK + 2, 2, 0, 3
    ]
    assert after - here < -0.005  # the largest piece leaves the others
    assert later - after == pytest.approx(after - here, rel=0.3)


def test_settled_pieces_are_static_and_clear_removes_all(broken, scene):
    pieces = pieces_of(broken)
    scene.frame_set(FRAME)
    bpy.ops.fracture.freeze_pieces()
    bpy.ops.fracture.hand_over_pieces()
    here = places(pieces, FRAME)
    assert {piece.rigid_body.type for piece in pieces} == {"PASSIVE"}
    for frame in range(1, LAST + 1):
        scene.frame_set(frame)
    assert np.allclose(places(pieces, LAST), here, atol=1e-5)
    bpy.ops.fracture.clear()
    assert [obj.name for obj in bpy.data.objects] == ["Cube"]


def test_a_frame_before_the_break_is_refused(broken, scene):
    scene.frame_set(2)
    before = snapshot()
    with pytest.raises(RuntimeError, match=r"'Cube': no piece .* frame 2; go to a frame after the break"):
        bpy.ops.fracture.hand_over_pieces()
    assert snapshot() == before


@pytest.mark.parametrize("kind", ["ABC", "USD", "GLTF"])
def test_an_exported_file_has_the_pieces_and_their_motion(broken, scene, tmp_path, kind):
    pieces = pieces_of(broken)
    names = [piece.name for piece in pieces]
    outside = bpy.data.materials.new("Outside")
    for mesh in {piece.data for piece in pieces}:
        mesh.materials[0] = outside
    scene.frame_set(FRAME)
    before = snapshot()
    if not exported.can_write(kind):
        with pytest.raises(RuntimeError, match="choose another format"):
            bpy.ops.fracture.export_pieces(filepath=str(tmp_path / "out"), kind=kind)
        assert snapshot() == before
        return
    assert bpy.ops.fracture.export_pieces(filepath=str(tmp_path / "out"), kind=kind) == {"FINISHED"}
    after = snapshot()
    for _, objects, *_ in (before, after):
        objects.pop("Cube Motion")  # hidden, so Blender does not keep its place up to date
    assert after == before
    (path,) = tmp_path.iterdir()
    expected = places(pieces, LAST - 1)
    materials = [faces_of_materials(piece) for piece in pieces]
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST
    readers = {"ABC": bpy.ops.wm.alembic_import, "USD": bpy.ops.wm.usd_import, "GLTF": bpy.ops.import_scene.gltf}
    readers[kind](filepath=str(path))
    scene.frame_set(LAST - 1)
    bpy.context.view_layer.update()
    found = {obj.name.replace("_", " "): obj for obj in bpy.data.objects if obj.type == "MESH"}
    assert set(names) <= set(found)
    assert ("Cube" in found) == (kind != "GLTF")
    for name, place in zip(names, expected, strict=True):
        assert np.allclose(np.array(found[name].matrix_world)[:3, 3], place[:3, 3], atol=1e-3)
    assert [faces_of_materials(found[name]) for name in names] == materials


def faces_of_materials(obj):
    names = [material.name.replace("_", " ") for material in obj.data.materials]
    return Counter(names[face.material_index] for face in obj.data.polygons)


@pytest.mark.parametrize("kind", ["ABC", "USD"])
def test_a_blender_without_a_format_says_so(broken, scene, tmp_path, monkeypatch, kind):
    monkeypatch.setattr(exported, "can_write", lambda kind: False)
    before = snapshot()
    with pytest.raises(RuntimeError, match=r"was built without .*; choose another format, or use a Blender from"):
        bpy.ops.fracture.export_pieces(filepath=str(tmp_path / "out"), kind=kind)
    assert snapshot() == before
    assert not list(tmp_path.iterdir())


def test_an_export_keeps_its_name_and_replaces_only_as_a_whole(broken, scene, tmp_path, monkeypatch):
    path = tmp_path / "take.v2.glb"
    path.write_bytes(b"older")
    other = tmp_path / "take.glb"
    other.write_bytes(b"other")

    def fail(_context, part, *_):
        part.write_bytes(b"half")
        raise RuntimeError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(exported, "write", fail)
        with pytest.raises(RuntimeError, match=r"the disk is full.*choose another folder"):
            bpy.ops.fracture.export_pieces(filepath=str(tmp_path / "take.v2"), kind="GLTF")
    assert path.read_bytes() == b"older"
    assert bpy.ops.fracture.export_pieces(filepath=str(tmp_path / "take.v2"), kind="GLTF") == {"FINISHED"}
    assert path.read_bytes()[:4] == b"glTF"
    assert other.read_bytes() == b"other"
    assert sorted(tmp_path.iterdir()) == [other, path]


def test_without_a_file_nothing_is_written(broken, scene):
    with pytest.raises(RuntimeError, match="No file is chosen; choose a file"):
        bpy.ops.fracture.export_pieces(filepath="", kind="USD")


@pytest.mark.parametrize(
    ("given", "kind", "name"),
    [("jar.glb", "ABC", "jar.abc"), ("jar.v2", "USD", "jar.v2.usdc"), ("jar.abc", "ABC", "jar.abc")],
)
def test_another_format_in_the_file_browser_changes_the_suffix(given, kind, name):
    (export,) = [operator for operator in CLASSES if operator.bl_idname == "fracture.export_pieces"]
    chosen = SimpleNamespace(filepath=given, kind=kind)
    assert export.check(chosen, None) == (given != name)
    assert chosen.filepath == name


def test_an_export_is_no_step_of_undo():
    (export,) = [operator for operator in CLASSES if operator.bl_idname == "fracture.export_pieces"]
    assert "UNDO" not in export.bl_options


@pytest.fixture
def stored(cube, scene, monkeypatch, tmp_path):
    """The same cube, whose run is in the cache; a floor is below it."""
    monkeypatch.setattr(cached_run, "_of_user", lambda: Cache(tmp_path))
    bpy.ops.mesh.primitive_plane_add(size=20.0, location=(0.0, 0.0, -3.0))
    bpy.context.object.name = "Floor"
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    scene.frame_start, scene.frame_end = 1, LAST
    job = read_job(bpy.context, [cube], settings.frame_range(scene))
    recording = halves.recording(job, BREAK, SEEDS)
    bake.bake(bpy.context, job, recording, [cube], {})
    cached_run.store(scene, [cube], job, recording)
    select(cube)
    return cube


def dust_points(obj, frame):
    """Points of the dust that is drawn on a frame, in the world."""
    bpy.context.scene.frame_set(frame)
    found = [
        np.array(item.matrix_world.translation)
        for item in bpy.context.evaluated_depsgraph_get().object_instances
        if item.is_instance and item.parent.name == obj.name and max(np.linalg.norm(item.matrix_world, axis=0)[:3]) > 0
    ]
    return np.array(found).reshape(-1, 3)


def test_a_piece_turns_into_dust_that_falls_onto_the_floor(stored, scene):
    first, second, third = pieces = pieces_of(stored)
    others = places([second, third], LAST)
    here = places(pieces, FRAME)[0]
    scene.frame_set(FRAME)
    select(stored)
    assert bpy.ops.fracture.change_pieces(change="DUST", piece=first.name, grains=200, scatter=0.0) == {"FINISHED"}
    *_, dust = pieces_of(stored)
    assert bpy.context.object == stored
    assert drawn(FRAME) & {piece.name for piece in pieces} == {second.name, third.name}
    assert first.name in drawn(FRAME - 1)
    sizes = np.array([item.value for item in dust.data.attributes["fracture_size"].data])
    volume = first["fracture_mass"] / 1000.0  # the recording has 1,000 kg/m3
    assert (sizes**3).sum() == pytest.approx(volume, rel=1e-3)
    assert len(dust_points(dust, FRAME - 1)) == 0
    assert np.allclose(dust_points(dust, FRAME).mean(axis=0), here[:3, 3], atol=0.05)
    falling = [dust_points(dust, frame)[:, 2].mean() for frame in (FRAME, FRAME + 2, FRAME + 4)]
    assert falling[0] > falling[1] > falling[2]
    scene.frame_end = LAST
    assert (dust_points(dust, LAST)[:, 2] > -3.0).all()
    assert np.allclose(places([second, third], LAST), others, atol=1e-6)


def test_restored_dust_is_a_piece_again_and_clear_removes_dust(stored, scene):
    first, *_ = pieces_of(stored)
    before = {obj.name for obj in bpy.data.objects}
    scene.frame_set(FRAME)
    bpy.ops.fracture.change_pieces(change="DUST", piece=first.name)
    scene.frame_set(FRAME - 1)
    bpy.ops.fracture.change_pieces(change="DUST", piece=first.name)  # replaces the dust
    assert len(pieces_of(stored)) == 4
    bpy.ops.fracture.change_pieces(change="RESTORE", piece=first.name)
    assert {obj.name for obj in bpy.data.objects} == before
    assert first.name in drawn(LAST)
    scene.frame_set(FRAME)
    bpy.ops.fracture.change_pieces(change="DUST", piece=first.name)
    select(stored)
    bpy.ops.fracture.clear()
    assert {obj.name for obj in bpy.data.objects} == {"Cube", "Floor"}
    assert not [mesh.name for mesh in bpy.data.meshes if "Dust" in mesh.name]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"change": "DUST", "piece": "Cube Fragment 001"}, "is not visible on frame 2; go to a frame after the break"),
        ({"change": "HIDE", "piece": "Floor"}, "'Floor' is no piece of a result; press Shatter"),
        ({"change": "GLUE", "piece": "Cube Fragment 001", "onto": "Floor"}, "at last the piece that they follow"),
    ],
)
def test_a_wrong_piece_changes_nothing(stored, scene, values, message):
    scene.frame_set(2)
    before = snapshot()
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.fracture.change_pieces(**values)
    assert snapshot() == before


def test_a_piece_breaks_again_where_the_artist_points(stored, scene):
    first, second, third = pieces_of(stored)
    stored.fracture.resolution = third.fracture.resolution = 300
    others = places([first, second], LAST)
    here = places([third], FRAME)[0]
    scene.frame_set(FRAME)
    select(stored)
    top = here[:3, 3] + [0.0, 0.0, 2.0]
    assert bpy.ops.fracture.break_again(piece=third.name, point=top, strength=6.0) == {"FINISHED"}
    made = bpy.data.objects[f"{third.name} Continued"]
    assert len(pieces_of(made)) > 1
    assert made.fracture.impact_object.location.z > here[2, 3]
    assert np.allclose(places([first, second], LAST), others, atol=1e-6)
    assert third.name not in drawn(FRAME)


def test_the_scene_does_not_change_before_the_piece_has_broken(stored, scene):
    """So that Cancel has nothing to restore, and one step of undo removes the new object with its pieces."""
    third = pieces_of(stored)[2]
    scene.frame_set(FRAME)
    select(stored)

    def state():
        datablocks, objects, *others = snapshot()
        del objects["Cube Motion"]  # hidden: Blender gives it the place of the frame whenever it evaluates it
        return datablocks, objects, others, bpy.context.selected_objects[:], bpy.context.object

    before = state()
    started = run.begin(
        bpy.context, [third], "recording", partial(break_again.PieceRun, add_impact=lambda context, obj: None)
    )
    assert state() == before
    assert [body.name for body in started.job.bodies] == [f"{third.name} Continued"]
    run.stop()


def test_a_piece_that_was_removed_during_the_run_is_named(stored, scene):
    third = pieces_of(stored)[2]
    scene.frame_set(FRAME)
    started = run.begin(
        bpy.context, [third], "recording", partial(break_again.PieceRun, add_impact=lambda context, obj: None)
    )
    bpy.data.objects.remove(third)
    with pytest.raises(SceneError, match="was removed during the run; choose a piece"):
        started.make_object(bpy.context)
    run.stop()


def test_pieces_that_a_hidden_piece_breaks_into_are_hidden_too(cube, scene):
    scene.frame_start, scene.frame_end = 1, LAST
    job = read_job(bpy.context, [cube], settings.frame_range(scene))
    recording = halves.recording(job, BREAK, SEEDS)
    first, second, third = recording.fragments
    # The second piece breaks off the first one on a later frame, and the third one off the second.
    fragments = (
        replace(first, death_frame=FRAME + 2),
        replace(second, parent=0, birth_frame=FRAME + 2, death_frame=FRAME + 5),
        replace(third, parent=1, birth_frame=FRAME + 5),
    )
    bake.bake(bpy.context, job, replace(recording, fragments=fragments), [cube], {})
    pieces = pieces_of(cube)
    assert [result_lookup.with_broken_off([piece]) for piece in pieces] == [pieces, pieces[1:], pieces[2:]]
    scene.frame_set(FRAME)
    bpy.ops.fracture.change_pieces(change="HIDE", piece=pieces[0].name)
    assert pieces[0].name in drawn(FRAME - 1)
    for frame in (FRAME, FRAME + 2, FRAME + 5, LAST):
        assert not drawn(frame) & {piece.name for piece in pieces}
