"""Painted regions in one click."""

import bpy
import pytest

from fracture_addon.blender.operators import paint as paint_operator
from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from tests.blender.snapshot import snapshot


def paint(cube, kind):
    """Press the button, and give the upper half of the cube the full weight."""
    assert bpy.ops.fracture.paint(kind=kind) == {"FINISHED"}
    assert cube.mode == "WEIGHT_PAINT"
    bpy.ops.object.mode_set(mode="OBJECT")
    upper = [vertex.index for vertex in cube.data.vertices if vertex.co.z > 0.0]
    cube.vertex_groups.active.add(upper, 1.0, "REPLACE")
    (body,) = read_job(bpy.context, [cube], settings.frame_range(bpy.context.scene)).bodies
    return body


@pytest.mark.parametrize(("kind", "factor"), [("WEAK", 0.2), ("STRONG", 5.0)])
def test_a_painted_region_has_another_strength(cube, kind, factor):
    field = paint(cube, kind).settings.strength.painted_strength
    assert field.factor == pytest.approx(factor)
    assert sorted(field.weights.tolist()) == [0.0] * 4 + [1.0] * 4


def test_a_blender_without_brushes_gets_one(cube):
    bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
    paint_operator._add_brush()
    (brush,) = (brush for brush in bpy.data.brushes if brush.name == "Weight")
    assert bpy.context.tool_settings.weight_paint.brush == brush


def test_a_painted_region_has_finer_cells(cube):
    field = paint(cube, "FINE").settings.filling.painted_fineness
    assert field.factor == pytest.approx(3.0)
    assert field.weights.max() == 1.0


def test_a_painted_region_is_pinned(cube):
    paint(cube, "PINNED")
    assert cube.fracture.pin_group == "Pinned"


def test_pressing_again_goes_on_with_the_same_group_and_factor(cube):
    paint(cube, "WEAK")
    cube.fracture.strength_paint_factor = 0.5
    body = paint(cube, "WEAK")
    assert [group.name for group in cube.vertex_groups] == ["Weak"]
    assert body.settings.strength.painted_strength.factor == 0.5


@pytest.mark.parametrize("kinds", [("WEAK", "STRONG"), ("STRONG", "WEAK")])
def test_weak_and_strong_regions_are_side_by_side(cube, kinds):
    for kind in kinds:
        paint(cube, kind)
    strength = paint(cube, kinds[0]).settings.strength
    assert [group.name for group in cube.vertex_groups] == [kind.capitalize() for kind in kinds]
    factors = strength.painted_strength.factor, strength.painted_second_strength.factor
    assert factors == pytest.approx((0.2, 5.0) if kinds[0] == "WEAK" else (5.0, 0.2))


def test_a_third_factor_is_refused(cube):
    paint(cube, "WEAK")
    paint(cube, "STRONG")
    cube.fracture.second_strength_paint_factor = 0.5
    before = snapshot()
    with pytest.raises(RuntimeError, match=r"Second Strength Paint 'Strong' has the factor 0\.5; change the factor"):
        bpy.ops.fracture.paint(kind="STRONG")
    assert snapshot() == before


def test_a_colour_stays_the_artists(cube):
    cube.data.color_attributes.new("Tint", "BYTE_COLOR", "CORNER")
    cube.fracture.fineness_paint = "Tint"
    with pytest.raises(RuntimeError, match="'Tint', which is no vertex group; empty Fineness Paint"):
        bpy.ops.fracture.paint(kind="FINE")
    assert not cube.vertex_groups


def test_a_hidden_object_is_refused_and_keeps_its_groups(cube):
    cube.hide_viewport = True
    before = snapshot()
    with pytest.raises(RuntimeError, match=r"'Cube' is hidden on frame 1; go to a frame before it breaks, or show it"):
        bpy.ops.fracture.paint(kind="WEAK")
    assert snapshot() == before


def test_painted_dust_is_debris(cube):
    body = paint(cube, "DUST")
    assert sorted(body.settings.pieces.painted_dust.weights.tolist()) == [0.0] * 4 + [1.0] * 4
    assert cube.fracture.dust == "DEBRIS"


def test_painted_dust_may_vanish(cube):
    cube.fracture.dust = "DROP"
    paint(cube, "DUST")
    assert cube.fracture.dust == "DROP"
