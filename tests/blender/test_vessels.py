"""A cup without thickness in Blender: its wall, what the panel says, and the other choice."""

import bpy
import pytest

from fracture_addon.blender.panels import last_report, main

# A run of what does not depend on the version of Blender or Python.
pytestmark = pytest.mark.once


@pytest.fixture
def cup(scene):
    """A cylinder without its upper end."""
    scene.frame_start, scene.frame_end = 1, 30
    bpy.ops.mesh.primitive_cylinder_add(vertices=16, radius=0.04, depth=0.1)
    obj = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    max(obj.data.polygons, key=lambda face: face.center.z).select = True
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.delete(type="ONLY_FACE")
    bpy.ops.object.mode_set(mode="OBJECT")
    obj.fracture.resolution = 400
    return obj


def test_the_panel_says_that_a_cup_stays_hollow_and_offers_the_other_choice(cup):
    assert last_report.openings(cup) == ""
    bpy.ops.fracture.drop_it()
    assert last_report.openings(cup) == "hollow" in main.OPENINGS
    assert any("given a wall" in line.text for line in last_report.lines(cup))
    cup.fracture.openings = "FILLED"
    bpy.ops.fracture.shatter()
    assert last_report.openings(cup) == "filled" in main.OPENINGS
    assert any("capped" in line.text for line in last_report.lines(cup))
