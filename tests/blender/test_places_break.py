"""A scene's cleaving planes are obeyed all the way: from the file, by the command line, to the pieces."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.command_line import command

# Long runs of what does not depend on the version of Blender or Python.
pytestmark = pytest.mark.once


def plank(path, strength):
    """A plank of 0.3 m with planes across it at both sides of its middle, and an impact on that, as a file."""
    scene = bpy.context.scene
    bpy.ops.mesh.primitive_cube_add(size=1.0)
    obj = bpy.context.object
    obj.scale = (0.3, 0.1, 0.02)
    bpy.ops.object.transform_apply()
    group = obj.fracture
    group.resolution, group.break_depth, group.roughness = 800, 1, 0.0
    scene.frame_start, scene.frame_end, scene.use_gravity = 1, 4, False
    scene.cursor.location = (0.0, 0.0, 1.0)
    bpy.ops.fracture.add_impact()
    group.impact_strength = 8.0
    for x in (-0.06, 0.06):
        scene.cursor.location = (x, 0.0, 0.0)
        bpy.ops.fracture.add_place(kind="PLANE")
    for place in bpy.data.objects:
        if place.fracture.place == "PLANE":
            place.rotation_euler.y = np.pi / 2
            place.fracture.place_strength = strength
    bpy.ops.wm.save_as_mainfile(filepath=str(path))


def crack_faces(path):
    """Where the inner faces of all pieces lie along the plank, and their areas; how many pieces there are."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    pieces = [obj for obj in bpy.data.objects if "fracture_rest" in obj]
    found = []
    for piece in pieces:
        offset = np.array(piece["fracture_rest"]).reshape(4, 4)[0, 3]
        inside = piece.data.attributes["fracture_interior"].data
        found += [(face.center.x + offset, face.area) for face in piece.data.polygons if inside[face.index].value]
    return *np.array(found).T, len(pieces)


def test_a_plank_breaks_where_the_planes_are(scene, tmp_path):
    """Into three, in the planes alone; without them less than half of the cracks' area is that near to their places."""
    plank(tmp_path / "plank.blend", 0.05)
    result = tmp_path / "broken.blend"
    assert command.main([str(tmp_path / "plank.blend"), "--output", str(result)]) == 0
    places, areas, count = crack_faces(result)
    assert count == 3
    assert areas[np.abs(np.abs(places) - 0.06) < 0.015].sum() > 0.99 * areas.sum()
