"""New objects that start from the pieces of a result."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.write import bake
from fracture_addon.core.data.surface import mass_properties
from tests.blender import halves
from tests.blender.snapshot import snapshot
from tests.blender.test_deforming import baked, height, jelly  # noqa: F401

FRAME, BREAK = 8, 5


@pytest.fixture
def broken(cube, scene):
    """A glazed cube of half a tonne per cubic metre that falls, spins, and comes apart on frame 5."""
    scene.frame_start, scene.frame_end = 1, 20
    cube.fracture.density, cube.fracture.seed, cube.fracture.violence = 500.0, 7, 1.5
    cube.fracture.pinned = "Top"
    cube.data.materials.append(bpy.data.materials.new("Glaze"))
    job = read_job(bpy.context, [cube], settings.frame_range(scene))
    bake.bake(bpy.context, job, halves.recording(job, BREAK), [cube], {})
    return cube


def pieces_of(obj):
    return result_lookup.pieces_of(result_lookup.collection_of(obj))


def drawn_on(frame):
    bpy.context.scene.frame_set(frame)
    return sorted(obj.name for obj in bpy.context.scene.objects if obj.type == "MESH" and not obj.hide_render)


def started(scene, frame=FRAME):
    scene.frame_set(frame)
    assert bpy.ops.fracture.start_from_frame() == {"FINISHED"}
    return list(bpy.context.selected_objects)


def test_each_piece_becomes_an_object_where_it_is(broken, scene):
    pieces = pieces_of(broken)
    scene.frame_set(FRAME)
    places = [np.array(piece.matrix_world) for piece in pieces]
    made = started(scene)
    assert [obj.name for obj in made] == [f"{piece.name} Continued" for piece in pieces]
    for obj, piece, place in zip(made, pieces, places, strict=True):
        assert np.allclose(obj.matrix_world, place, atol=1e-6)
        assert len(obj.data.vertices) == len(piece.data.vertices)
        assert obj.data != piece.data
        assert [slot.material for slot in obj.material_slots] == [slot.material for slot in piece.material_slots]
        assert result_lookup.subject_of(obj) == obj
        assert (obj.fracture.density, obj.fracture.seed, obj.fracture.violence) == (500.0, 7, 1.5)
        assert not obj.fracture.impact_enabled
    assert {collection.name for obj in made for collection in obj.users_collection} == {"Cube Continued"}


def test_pieces_give_way_to_the_objects_without_a_gap(broken, scene):
    pieces = pieces_of(broken)
    # The objects stand in for the pieces one frame earlier, from which Shatter reads their velocity.
    scene.frame_set(FRAME - 1)
    before = [np.array(piece.matrix_world) for piece in pieces]
    made = started(scene)
    names = sorted(obj.name for obj in made)
    assert drawn_on(BREAK - 1) == ["Cube"]
    assert drawn_on(FRAME - 2) == sorted(piece.name for piece in pieces)
    assert drawn_on(FRAME - 1) == names
    for obj, place in zip(made, before, strict=True):
        assert np.allclose(obj.matrix_world, place, atol=1e-5)
    assert drawn_on(FRAME) == drawn_on(20) == names


def test_a_run_starts_with_the_motion_of_the_pieces(broken, scene):
    masses = [piece["fracture_mass"] for piece in pieces_of(broken)]
    made = started(scene)
    assert settings.frame_range(scene) == (FRAME, 20)
    job = read_job(bpy.context, made, settings.frame_range(scene))
    momentum, total = np.zeros(3), 0.0
    for body, mass in zip(job.bodies, masses, strict=True):
        own = body.material.density * mass_properties(body.surface)[0]
        assert own == pytest.approx(0.5 * mass, rel=0.01)  # the recording has 1,000 kg/m3
        assert np.linalg.norm(body.angular_velocity) == pytest.approx(16.0, rel=1e-3)
        momentum, total = momentum + own * body.velocity, total + own
    # The halves fall by 4.9 t2; the velocity is that in the middle of the frame before.
    seconds = (FRAME - 1 - 0.5) / job.frame_rate
    assert momentum[2] / total == pytest.approx(-9.8 * seconds, rel=0.02)
    assert abs(momentum[:2]).max() < 0.02 * abs(momentum[2])


def test_new_objects_share_the_cells_of_their_source(broken, scene):
    pieces = pieces_of(broken)
    broken.fracture.resolution = 5000
    shares = np.array([piece["fracture_mass"] for piece in pieces])
    cells = [obj.fracture.resolution for obj in started(scene)]
    assert np.allclose(cells, 5000 * shares / shares.sum(), rtol=0.01)
    assert broken.fracture.resolution == 5000


def test_only_the_selected_pieces_start(broken, scene):
    first, second = pieces_of(broken)
    scene.frame_set(FRAME)
    broken.select_set(False)
    first.select_set(True)
    bpy.context.view_layer.objects.active = first
    (made,) = started(scene)
    assert made.name == f"{first.name} Continued"
    assert drawn_on(FRAME) == sorted([made.name, second.name])


def test_objects_break_by_another_method_and_clear_leaves_them(broken, scene):
    first, _ = started(scene)
    bpy.ops.object.select_all(action="DESELECT")
    first.select_set(True)
    bpy.context.view_layer.objects.active = first
    first.fracture.method, first.fracture.resolution = "LATTICE", 200
    scene.cursor.location = first.matrix_world.translation
    bpy.ops.fracture.add_impact()
    first.fracture.impact_frame, first.fracture.impact_strength = FRAME + 1, 20.0
    scene.fracture.frame_end = FRAME + 3
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    assert result_lookup.collection_of(first) is not None
    assert result_lookup.collection_of(broken) is not None
    names = {obj.name for obj in bpy.data.objects}
    bpy.ops.object.select_all(action="DESELECT")
    broken.select_set(True)
    bpy.context.view_layer.objects.active = broken
    bpy.ops.fracture.clear()
    left = {obj.name for obj in bpy.data.objects}
    assert first.name in left
    assert result_lookup.collection_of(first) is not None
    assert len(names) - len(left) >= 2


@pytest.mark.parametrize("frame", [1, BREAK - 1])
def test_before_the_break_nothing_changes(broken, scene, frame):
    scene.frame_set(frame)
    before = snapshot()
    with pytest.raises(RuntimeError, match=f"'Cube': no piece is visible on frame {frame}; go to a frame after"):
        bpy.ops.fracture.start_from_frame()
    assert snapshot() == before


def test_an_object_without_a_result_has_no_button(cube, scene):
    assert not bpy.ops.fracture.start_from_frame.poll()


def test_a_deformed_body_starts_in_its_shape(jelly, scene, tmp_path):  # noqa: F811
    shown = baked(jelly, tmp_path)
    scene.frame_set(4)
    tall = height(shown)
    (made,) = started(scene, 4)
    assert height(made) == pytest.approx(tall, rel=1e-6)
    assert tall > 1.5 * height(jelly)
    assert not made.modifiers
    assert drawn_on(4) == [made.name]
