"""Sounds: what the scene says of them, and what they do."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.panels import loads
from fracture_addon.blender.read import hits
from fracture_addon.blender.read.job import read_job, read_job_at_rest
from fracture_addon.blender.read.placed_loads import sounds
from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.setup import presets
from fracture_addon.core.data.errors import SettingsError


@pytest.fixture
def voice(cube, scene):
    """A sound beside a hollow cube, added from the panel."""
    scene.frame_start, scene.frame_end = 1, 12
    cube.modifiers.new("Wall", "SOLIDIFY").thickness = 0.1
    cube.fracture.resolution = 400
    scene.cursor.location = (-4.0, 0.0, 0.0)
    scene.frame_set(4)
    assert bpy.ops.fracture.add_place(kind="SOUND") == {"FINISHED"}
    (empty,) = [obj for obj in scene.objects if obj.fracture.place == "SOUND"]
    return empty


def test_a_sound_is_read_in_metres_at_its_place_on_its_frame(cube, voice, scene):
    scene.unit_settings.scale_length = 0.5
    group = voice.fracture
    assert group.place_relative
    group.place_relative, group.place_level, group.place_frequency, group.place_release = False, 111.0, 432.0, 9
    for frame, x in ((1, 0.0), (4, -2.0)):
        voice.location.x = x
        voice.keyframe_insert("location", frame=frame)
    (found,) = read_job(bpy.context, [cube], (1, 12)).sounds
    assert (found.name, found.frame, found.last_frame, found.load_factor) == (voice.name, 4, 9, 0.0)
    assert (found.level, found.frequency) == (111.0, 432.0)
    assert found.point == pytest.approx([-1.0, 0.0, 0.0])
    group.place_release, group.place_relative, group.place_load_factor = 0, True, 3.0
    (found,) = read_job(bpy.context, [cube], (1, 12)).sounds
    assert (found.last_frame, found.load_factor) == (12, 3.0)
    assert read_job_at_rest(bpy.context, [cube]).sounds == ()


def test_a_sound_that_ends_before_it_starts_or_starts_after_the_run_is_refused(voice):
    voice.fracture.place_release = 3
    with pytest.raises(SettingsError, match="'Cube Sound': the sound ends on frame 3, before its frame 4"):
        sounds(bpy.context, (1, 12))
    voice.fracture.place_frame = 30
    with pytest.raises(SettingsError, match="The sound 'Cube Sound' is on frame 30, outside the frames 1 to 12"):
        sounds(bpy.context, (1, 12))
    voice.hide_viewport = True
    assert sounds(bpy.context, (1, 12)) == ()


def test_the_panel_knows_that_a_sound_loads_an_object(cube, voice):
    assert hits.can_be_hit(bpy.context, [cube])
    assert loads.sentence(bpy.context, cube) == "Hit by: sound on frame 4"


def test_a_sound_breaks_a_hollow_cube_after_its_first_frame(cube, voice, scene):
    scene.use_gravity = False
    voice.fracture.place_load_factor = 5.0
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    collection = result_lookup.collection_of(cube)
    assert len(result_lookup.pieces_of(collection)) > 1
    assert 4 < collection["fracture_break_frame"] <= 12
    assert "Sound 'Cube Sound' breaks it on frame" in collection["fracture_report"]


@pytest.mark.once
def test_a_quiet_sound_leaves_the_object_whole_and_the_report_names_the_level_that_breaks_it(cube, voice, scene):
    scene.fracture.break_anyway = False
    voice.fracture.place_relative, voice.fracture.place_level = False, 60.0
    bpy.ops.fracture.shatter()
    report = result_lookup.collection_of(cube)["fracture_report"]
    assert "raise the level from 60 to" in report
    assert not result_lookup.pieces_of(result_lookup.collection_of(cube))


@pytest.mark.once
def test_the_glass_of_the_scene_loses_its_bowl_and_keeps_its_foot(scene):
    for obj in list(scene.objects):
        bpy.data.objects.remove(obj)
    presets.build(bpy.context, presets.find("sung_glass", presets.SCENES))
    glass = bpy.context.object
    glass.fracture.resolution, scene.frame_end = 2000, 20
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    collection = result_lookup.collection_of(glass)
    pieces = result_lookup.pieces_of(collection)
    assert len(pieces) > 10
    assert collection["fracture_break_frame"] > 5
    lowest = min(pieces, key=lambda piece: min((piece.matrix_world @ point.co).z for point in piece.data.vertices))
    places = []
    for frame in (1, 20):
        scene.frame_set(frame)
        places.append([np.array(piece.matrix_world.translation) for piece in pieces])
    moved = np.linalg.norm(np.array(places[1]) - np.array(places[0]), axis=1)
    assert moved[pieces.index(lowest)] < 1e-5
    assert np.median(moved) > 0.003
