"""Stress and cracks of a struck object, shown and taken away again."""

import re

import bpy
import numpy as np
import pytest

from fracture_addon.blender.command_line import command
from fracture_addon.blender.process import run
from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.setup import snapping
from fracture_addon.blender.write import stress_preview
from fracture_addon.core.data.stress_window import MOST_MOMENTS, BodyStress, Stresses, StressWindow
from tests.blender.snapshot import snapshot

STRENGTH = 40e6
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


@pytest.fixture
def window(cube):
    """Two moments of a tetrahedron in a cube at a height of 0.5 m, half of its strength and then all of it."""
    rest = np.array([[0.0, 0.0, 0.5], [0.1, 0.0, 0.5], [0.0, 0.1, 0.5], [0.0, 0.0, 0.6]])
    moved = np.stack([rest, rest])
    moved[1, 3, 2] += 0.004
    stress = np.array([np.full(4, 0.5 * STRENGTH), np.full(4, STRENGTH)])
    return StressWindow([0.0, 1e-4], FACES, [-1, 0, 1, -1], rest, moved, stress)


@pytest.fixture
def shown(cube, window):
    """The cube's preview of that."""
    stress_preview.show(bpy.context, [cube], Stresses((BodyStress(3, STRENGTH, np.ones(4), window),)))
    return result_lookup.preview_of(cube)


def evaluated(obj, frame):
    """The mesh that an object shows on a frame, as attribute values by name."""
    bpy.context.scene.frame_set(frame)
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    result = {}
    for name, key, width in (
        ("position", "vector", 3),
        (stress_preview.STRESS, "value", 1),
        (stress_preview.CRACK, "value", 1),
        (stress_preview.COLOR, "color", 4),
    ):
        data = mesh.attributes[name].data
        values = np.empty(width * len(data), bool if name == stress_preview.CRACK else np.float32)
        data.foreach_get(key, values)
        result[name] = values.reshape(-1, width).squeeze()
    return result


def test_each_frame_shows_a_moment(shown, window):
    domains = {item.name: (item.domain, item.data_type) for item in shown.data.attributes}
    assert domains[stress_preview.STRESS] == ("POINT", "FLOAT")
    assert domains[stress_preview.CRACK] == ("FACE", "BOOLEAN")
    assert domains[stress_preview.COLOR] == ("CORNER", "FLOAT_COLOR")
    assert shown.data.color_attributes.active_color.name == stress_preview.COLOR
    assert shown.hide_render
    for frame, row in ((1, 0), (3, 0), (4, 1), (9, 1)):
        found = evaluated(shown, frame)
        assert found[stress_preview.STRESS] == pytest.approx(window.stress[row])
        assert found[stress_preview.CRACK].tolist() == [False, True, row == 1, False]
    between = evaluated(shown, 3)
    bpy.context.scene.frame_set(3, subframe=0.5)
    mesh = shown.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    assert mesh.attributes[stress_preview.STRESS].data[0].value == pytest.approx(0.75 * STRENGTH)
    middle, strong = between[stress_preview.COLOR], evaluated(shown, 4)[stress_preview.COLOR]
    levels = dict(stress_preview.LEVELS)
    assert middle[0] == pytest.approx(levels[0.5], abs=1e-3)
    assert strong[0] == pytest.approx(levels[1.0], abs=1e-3)
    # Faces of a crack, by their corners.
    assert middle[3] == pytest.approx(stress_preview.CRACK_COLOR, abs=1e-3)


def test_it_stands_where_the_object_stood_and_moves_as_much_larger_as_it_says(shown, cube, window):
    larger = stress_preview.exaggeration(BodyStress(3, STRENGTH, np.ones(4), window))
    assert larger > 1.0
    points = evaluated(shown, 4)["position"]
    world = np.array(shown.matrix_world)
    expected = window.rest + larger * (window.points[1] - window.rest)
    assert points @ world[:3, :3].T + world[:3, 3] == pytest.approx(expected, abs=1e-6)


def test_what_does_not_move_is_shown_as_it_is(cube, window):
    """The points are rounded to 32 bits. Enlarged, that would be spikes."""
    rest = window.rest + 0.1234567890123
    still = StressWindow(window.times, FACES, window.crack, rest, np.stack([rest, rest]), window.stress)
    assert np.abs(still.points - rest).max() > 0.0
    assert stress_preview.exaggeration(BodyStress(3, STRENGTH, np.ones(4), still)) == 1.0


@pytest.mark.parametrize("remove", ["clear", "remove_preview"])
def test_nothing_is_left_of_it(cube, window, remove):
    before = snapshot()
    stress_preview.show(bpy.context, [cube], Stresses((BodyStress(3, STRENGTH, np.ones(4), window),)))
    assert len(bpy.data.objects) == 3
    stress_preview.show(bpy.context, [cube], Stresses((BodyStress(3, STRENGTH, np.ones(4), window),)))
    assert len(bpy.data.objects) == 3
    assert getattr(bpy.ops.fracture, remove)() == {"FINISHED"}
    assert snapshot() == before


def test_the_colour_is_the_stress_over_the_local_strength(cube, window):
    factor = np.array([0.5, 1.0, 2.0, 1.0])
    stress_preview.show(bpy.context, [cube], Stresses((BodyStress(3, STRENGTH, factor, window),)))
    color = evaluated(result_lookup.preview_of(cube), 3)[stress_preview.COLOR].reshape(4, 3, 4)[0]
    levels = dict(stress_preview.LEVELS)
    for corner, share in zip(color, (1.0, 0.25, 0.5), strict=True):  # corners 0, 2, 1 of the first face
        assert corner == pytest.approx(levels[share], abs=1e-3)


def reddest(obj):
    """Mean place of the points of an object's preview with the largest stress over the local strength."""
    preview = result_lookup.preview_of(obj)
    mesh = preview.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    count = len(mesh.vertices)
    stress, strength, points = np.empty(count, np.float32), np.empty(count, np.float32), np.empty(3 * count, np.float32)
    mesh.attributes[stress_preview.STRESS].data.foreach_get("value", stress)
    mesh.attributes[stress_preview.LOCAL_STRENGTH].data.foreach_get("value", strength)
    mesh.vertices.foreach_get("co", points)
    share = stress / strength
    return points.reshape(-1, 3)[share > 0.7 * share.max()].mean(axis=0)


@pytest.mark.once
def test_one_button_shows_that_a_bar_will_break_where_it_is_painted_weak(cube, scene):
    scene.frame_start, scene.frame_end = 1, 6
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 0.1))
    bar = bpy.context.object
    bar.scale = (1.0, 0.1, 0.1)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.subdivide(number_cuts=9)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.data.objects.remove(cube)
    bar.fracture.resolution = 1000
    snapping.snap(bpy.context, [bar], "PULL")
    bpy.ops.fracture.paint(kind="WEAK")
    group = bar.vertex_groups.active
    group.add([point.index for point in bar.data.vertices if 0.1 < point.co.x < 0.3], 1.0, "REPLACE")
    assert bpy.context.mode == "PAINT_WEIGHT"
    assert bpy.ops.fracture.expected_stress() == {"FINISHED"}
    assert bpy.context.mode == "OBJECT"
    assert scene.frame_current >= result_lookup.preview_of(bar)[result_lookup.START]
    assert 0.05 < reddest(bar)[0] < 0.35


def test_an_impact_that_breaks_nothing_is_said_to_break_nothing(struck):
    """With a tenth of the load that breaks something, the stress is about a tenth of the strength."""
    struck.fracture.impact_strength = 0.1
    assert bpy.ops.fracture.expected_stress() == {"FINISHED"}
    share = re.search(r"breaks nothing: the stress is at most ([\d.]+) % of the strength", run.message.text)
    assert 3.0 < float(share[1]) < 30.0
    struck.fracture.impact_strength = 3.0
    assert bpy.ops.fracture.expected_stress() == {"FINISHED"}
    assert "the reddest place breaks first" in run.message.text


@pytest.mark.once
def test_the_stress_preview_leaves_the_pieces(struck):
    struck.fracture.method = "FEM"
    struck.fracture.impact_strength = 2.0
    bpy.ops.fracture.shatter()
    pieces = len(bpy.data.objects)
    assert bpy.ops.fracture.stress_preview() == {"FINISHED"}
    preview = result_lookup.preview_of(struck)
    assert preview[result_lookup.START] == 2
    assert 1 < len(preview[result_lookup.TIMES]) <= MOST_MOMENTS
    first, last = evaluated(preview, 2), evaluated(preview, 2 + MOST_MOMENTS)
    assert not first[stress_preview.CRACK].any()
    assert last[stress_preview.CRACK].any()
    assert "MPa" in run.message.text
    assert bpy.ops.fracture.remove_preview() == {"FINISHED"}
    assert len(bpy.data.objects) == pieces


def test_an_object_that_nothing_strikes_has_nothing_to_show(cube, scene):
    bpy.ops.mesh.primitive_cube_add(size=0.1, location=(3.0, 0.0, 0.5))
    bpy.context.object.fracture.resolution = cube.fracture.resolution = 100
    cube.select_set(True)
    scene.frame_end = 3
    with pytest.raises(RuntimeError, match="has no impact in these frames"):
        bpy.ops.fracture.stress_preview()
    assert result_lookup.preview_of(cube) is None


def test_the_command_line_adds_it(struck, tmp_path):
    path, out = tmp_path / "in.blend", tmp_path / "out.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    assert command.main([str(path), "--stress", "--output", str(out)]) == 0
    bpy.ops.wm.open_mainfile(filepath=str(out))
    preview = result_lookup.preview_of(bpy.data.objects["Cube"])
    assert preview.name == "Cube Stress"
    assert evaluated(preview, 30)[stress_preview.CRACK].any()
