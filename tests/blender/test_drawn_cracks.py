"""Drawn cracks: strokes, seams, curves and annotations become sheets that the settings of an object contain."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.setup import drawn_lines, sheet_drawing
from fracture_addon.core.data.errors import SceneError
from fracture_addon.core.fields.sheets import SheetField


def sheets(obj):
    return read_job(bpy.context, [obj], (1, 5)).bodies[0].settings.strength.sheets


def drawn(scene):
    return [obj for obj in scene.objects if obj.fracture.place == "SHEET"]


def draw(points, **options):
    """Draw with the pointer: what the tool passes to the operator."""
    stroke = [{"name": "", "location": point} for point in points]
    return bpy.ops.fracture.draw_cracks(stroke=stroke, along="NORMAL", **options)


def over_the_top(count=9):
    """A line across the top of the cube, which is at a height of 0.6 m."""
    return [(x, 0.0, 0.6) for x in np.linspace(-0.1, 0.1, count)]


def crossed(sheet, start, end):
    pairs = np.array([[start, end]], float)
    return SheetField(sheet).strength(pairs.mean(axis=1), pairs)[0] < 1.0


def test_a_line_becomes_a_sheet_through_the_body(cube, scene):
    assert draw(over_the_top(), strength=0.2, width=0.01) == {"FINISHED"}
    (sheet,) = sheets(cube)
    assert (sheet.factor, sheet.width) == (pytest.approx(0.2), pytest.approx(0.01))
    for x in (-0.095, 0.0, 0.095):
        for z in (0.405, 0.5, 0.595):
            assert crossed(sheet, (x, -0.01, z), (x, 0.013, z))
    assert not crossed(sheet, (0.0, 0.01, 0.5), (0.0, 0.09, 0.5))
    (obj,) = drawn(scene)
    assert (obj.parent, obj.hide_render, bpy.context.object) == (cube, True, cube)


def test_the_viewport_shows_the_rim_of_a_sheet(cube, scene):
    draw(over_the_top())
    cube.location.x += 1.0
    bpy.context.view_layer.update()
    (obj,) = drawn(scene)
    ends = sheet_drawing.rim(obj)
    line = (ends[:, :, 2] > 0.595).all(axis=1)  # the sheet begins a little above the surface
    assert np.linalg.norm(np.diff(ends[line], axis=1), axis=2).sum() == pytest.approx(0.2, abs=0.02)
    assert ends[line][:, :, 0].min() == pytest.approx(0.9, abs=0.01)
    assert np.abs(ends[:, :, 1]).max() < 1e-3
    assert ends[:, :, 2].min() < 0.41
    assert sheet_drawing.is_shown(obj)
    cube.hide_set(True)  # as a broken object is
    assert not sheet_drawing.is_shown(obj)


def test_the_sheet_moves_with_the_object_and_with_the_artist(cube, scene):
    draw(over_the_top())
    cube.location.x += 1.0
    (obj,) = drawn(scene)
    obj.location.y += 0.05
    bpy.context.view_layer.update()
    (sheet,) = sheets(cube)
    assert sheet.points[:, 0].mean() == pytest.approx(1.0, abs=1e-3)
    assert sheet.points[:, 1].mean() == pytest.approx(0.05, abs=1e-3)


def test_a_crack_goes_through_one_wall_or_all(cube, scene):
    """Two boxes, one behind the other, in one mesh."""
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(0.0, 0.0, 0.1))
    lower = bpy.context.object
    cube.select_set(True)
    bpy.context.view_layer.objects.active = cube
    bpy.ops.object.join()
    assert draw(over_the_top()) == {"FINISHED"}
    assert draw(over_the_top(), whole=True) == {"FINISHED"}
    first, whole = sheets(cube)
    assert crossed(first, (0.0, -0.01, 0.5), (0.0, 0.013, 0.5))
    assert not crossed(first, (0.0, -0.01, 0.1), (0.0, 0.013, 0.1))
    assert crossed(whole, (0.0, -0.01, 0.1), (0.0, 0.013, 0.1))
    del lower


def test_a_short_line_and_a_line_elsewhere_are_refused(cube, scene):
    for points, message in (
        ([(0.0, 0.0, 0.6)], "too short"),
        ([(0.0, 0.0, 0.6), (0.0001, 0.0, 0.6)], "too short"),
        ([(x, 5.0, 0.6) for x in (0.0, 1.0)], "No line is on 'Cube'"),
    ):
        with pytest.raises(RuntimeError, match=message):
            draw(points)
    assert not drawn(scene)


@pytest.mark.parametrize(("source", "mark"), [("SEAM", "use_seam"), ("SHARP", "use_edge_sharp")])
def test_marked_edges_become_one_sheet(cube, scene, source, mark):
    """The four edges of the top are a closed line; perpendicular to the surface they go inwards."""
    with pytest.raises(RuntimeError, match="'Cube' has no edges marked as"):
        bpy.ops.fracture.cracks_from(source=source)
    for edge in cube.data.edges:
        setattr(edge, mark, all(cube.data.vertices[row].co.z > 0.0 for row in edge.vertices))
    assert bpy.ops.fracture.cracks_from(source=source) == {"FINISHED"}
    assert len(drawn(scene)) == 1
    assert len(sheets(cube)) == 1


def test_curves_become_sheets_on_the_nearest_surface(cube, scene):
    curve = bpy.data.curves.new("Line", "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(8)
    for point, place in zip(spline.points, over_the_top(), strict=True):
        point.co = (place[0], place[1], 0.63, 1.0)
    line = bpy.data.objects.new("Line", curve)
    scene.collection.objects.link(line)
    with pytest.raises(RuntimeError, match="No curve is selected beside 'Cube'"):
        bpy.ops.fracture.cracks_from(source="CURVES")
    line.select_set(True)
    assert bpy.ops.fracture.cracks_from(source="CURVES") == {"FINISHED"}
    (sheet,) = sheets(cube)
    assert crossed(sheet, (0.03, -0.01, 0.5), (0.03, 0.013, 0.5))


def test_annotations_are_needed(cube):
    with pytest.raises(RuntimeError, match="No annotation is drawn on 'Cube'"):
        bpy.ops.fracture.cracks_from(source="ANNOTATIONS")


def test_an_empty_is_no_drawn_crack(cube, scene):
    place = bpy.data.objects.new("Place", None)
    scene.collection.objects.link(place)
    place.fracture.place = "SHEET"
    with pytest.raises(SceneError, match="'Place' acts as a drawn crack, but is no mesh"):
        sheets(cube)


def test_chains_end_where_lines_meet():
    """A closed triangle, and a line of two edges with a third that meets its middle."""
    edges = np.array([[0, 1], [1, 2], [2, 0], [10, 11], [11, 12], [11, 13]])
    found = sorted((sorted(rows), is_closed) for rows, is_closed in drawn_lines.chains(edges))
    assert found == [([0, 1, 2], True), ([10, 11], False), ([11, 12], False), ([11, 13], False)]
    (long,) = drawn_lines.chains(np.array([[3, 2], [0, 1], [1, 2]]))
    assert long in (([0, 1, 2, 3], False), ([3, 2, 1, 0], False))
