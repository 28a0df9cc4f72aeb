"""Adjust Last Operation (F9): after an undo, an operator with other values does what it would have done first."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.operators import CLASSES
from fracture_addon.blender.setup import presets
from tests.blender.snapshot import snapshot

TRAY = str(presets.find("obrien_tray", presets.SCENES))


@pytest.mark.parametrize(
    ("name", "first", "then"),
    [
        ("drop", {}, {"height": 0.8, "seed": 3}),
        ("throw_ball", {}, {"speed": 3.0, "direction": (0.0, 1.0, 0.0)}),
        ("add_impact", {}, {"strength": 9.0, "radius": 0.01, "frame": 5, "location": (1.0, 0.0, 0.5)}),
        ("add_scene", {"filepath": TRAY}, {"filepath": TRAY, "set_frames": True}),
        ("add_place", {"kind": "PLANE"}, {"kind": "GRIP"}),
        ("use_look", {}, {"replace": True}),
    ],
)
def test_other_values_act_as_if_they_were_the_first(cube, scene, name, first, then):
    operator = getattr(bpy.ops.fracture, name)
    made = []
    for earlier in (then, first):
        bpy.ops.ed.undo_push(message="Before")
        assert operator(**earlier) == {"FINISHED"}
        made.append((snapshot(), bpy.context.scene.frame_end))
        bpy.ops.ed.undo_push(message="Operator")
        bpy.ops.ed.undo()
    assert operator(**then) == {"FINISHED"}
    assert (snapshot(), bpy.context.scene.frame_end) == made[0]
    assert made[1] != made[0] or name == "use_look"  # without a material there is nothing to replace


def test_an_impact_on_a_broken_object_stays_in_its_place(struck, scene):
    """A constraint gives a broken object its pose, which Blender evaluates only after the undo."""
    struck.location.z += 1.0
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    scene.frame_set(4)
    places = []
    bpy.ops.ed.undo_push(message="Before")
    for strength in (4.0, 9.0):
        assert bpy.ops.fracture.add_impact(location=(0.05, 0.0, 2.0), strength=strength) == {"FINISHED"}
        places.append(np.array(bpy.context.object.matrix_world))
        bpy.ops.ed.undo_push(message="Operator")
        bpy.ops.ed.undo()
    np.testing.assert_allclose(*places, atol=1e-6)


def test_an_export_is_no_step_of_undo():
    (export,) = [operator for operator in CLASSES if operator.bl_idname == "fracture.write_events"]
    assert "UNDO" not in export.bl_options


@pytest.mark.parametrize("operator", CLASSES, ids=lambda operator: operator.bl_idname)
def test_each_value_in_the_panel_has_a_name_and_a_tooltip(registered, operator):
    shown = [item for item in operator.bl_rna.properties if item.identifier != "rna_type" and not item.is_hidden]
    own = [item for item in shown if item.identifier in getattr(operator, "__annotations__", {})]
    assert all(item.name and item.description for item in own)
