"""The material inside: of the outside's colour, with grains or fibres by the kind of relief."""

import bpy
import pytest

from fracture_addon.blender.write import materials


def kinds_of_nodes(material):
    return [node.type for node in material.node_tree.nodes]


@pytest.mark.parametrize("relief", materials.BUMPS)
def test_the_inside_has_bumps_at_real_scale(cube, relief):
    bpy.context.scene.unit_settings.scale_length = 0.01
    cube.fracture.relief = relief
    inside = materials.interior(cube)
    nodes = {node.type: node for node in inside.node_tree.nodes}
    _, width, height, _ = materials.BUMPS[relief]
    assert nodes["TEX_NOISE"].inputs["Scale"].default_value == pytest.approx(0.01 / width, rel=1e-5)
    assert nodes["BUMP"].inputs["Distance"].default_value == pytest.approx(height / 0.01, rel=1e-5)
    assert nodes["BSDF_PRINCIPLED"].inputs["Normal"].is_linked
    assert kinds_of_nodes(inside).count("MAPPING") == (2 if relief == "SPLINTERED" else 1)


def test_glass_and_its_like_are_smooth_inside(cube):
    cube.fracture.relief = "CONCHOIDAL"
    assert "BUMP" not in kinds_of_nodes(materials.interior(cube))
