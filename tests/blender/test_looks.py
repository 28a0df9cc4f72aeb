"""Looks of the presets: each has one, artists' materials stay, the inside matches, the pattern stays at the break."""

from math import radians

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from fracture_addon.blender.setup import presets
from fracture_addon.blender.write import looks, materials

ENGINES = ("EEVEE", "CYCLES")
PRESETS = sorted(path.stem for path in presets.shipped_folder().glob("*.py"))


def shader(material):
    return next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")


def choose(obj, name):
    presets.apply(bpy.context, obj, presets.find(name))


@pytest.mark.parametrize("name", PRESETS)
def test_each_preset_has_a_look_and_the_inside_matches(cube, name):
    choose(cube, name)
    assert bpy.ops.fracture.use_look() == {"FINISHED"}
    (slot,) = cube.material_slots
    look = looks.look_of(cube)
    inside = materials.interior(cube)
    assert materials.is_glass(inside) == materials.is_glass(slot.material) == (look.transmission > 0.0)
    color = shader(slot.material).inputs["Base Color"].default_value[:]
    assert all(
        min(low, high) - 1e-6 <= value <= max(low, high) + 1e-6
        for value, low, high in zip(color[:3], *look.colors, strict=True)
    )
    assert shader(inside).inputs["Base Color"].default_value[:] == pytest.approx(color)
    assert bool(shader(slot.material).inputs["Base Color"].is_linked) == bool(look.width)
    kinds = {node.type for node in slot.material.node_tree.nodes}
    assert ("LIGHT_PATH" in kinds) == (look.transmission > 0.0)  # glass lets light through to what is behind it
    shown = {output: slot.material.node_tree.get_output_node(output).inputs[0].links[0].from_node for output in ENGINES}
    # In EEVEE glass shows what is behind it: bent light would come from the world alone.
    assert (shown["EEVEE"] != shown["CYCLES"]) == (look.transmission > 0.0)
    if look.transmission:
        assert {link.from_node.type for link in shown["EEVEE"].inputs[1].links} == {"BSDF_TRANSPARENT"}


def test_a_material_of_the_artist_stays_unless_the_artist_asks(cube):
    mine = bpy.data.materials.new("Mine")
    cube.data.materials.append(mine)
    choose(cube, "brick")
    with pytest.raises(RuntimeError, match="the objects have materials"):
        bpy.ops.fracture.use_look()
    assert cube.active_material == mine
    assert bpy.ops.fracture.use_look(replace=True) == {"FINISHED"}
    assert cube.active_material != mine
    assert mine.name in bpy.data.materials


def test_a_look_stays_unless_the_artist_asks_because_it_may_be_changed(cube):
    choose(cube, "brick")
    bpy.ops.fracture.use_look()
    first = cube.active_material
    choose(cube, "marble")
    with pytest.raises(RuntimeError, match="the objects have materials"):
        bpy.ops.fracture.use_look()
    assert bpy.ops.fracture.use_look(replace=True) == {"FINISHED"}
    assert cube.active_material[looks.LOOK] == "Marble"
    assert first.name in bpy.data.materials


def test_a_material_without_a_look_has_no_button(cube):
    cube.fracture.material_name = "Moon cheese"
    assert not bpy.ops.fracture.use_look.poll()


def test_pieces_have_the_pattern_at_the_place_where_the_object_has_it(cube):
    """What the Mapping node of type Texture computes from a rest position is the position in the object's space."""
    choose(cube, "wood_pine")
    material = looks.give(cube)
    place = Matrix.LocRotScale(
        Vector((1.0, 2.0, 3.0)), Matrix.Rotation(radians(40.0), 3, "Z").to_quaternion(), Vector((0.5, 2.0, 1.0))
    )
    looks.follow(cube, place)
    inputs = material.node_tree.nodes[looks.PLACE].inputs
    read = Matrix.LocRotScale(
        inputs["Location"].default_value, inputs["Rotation"].default_value, inputs["Scale"].default_value
    )
    own = Vector((0.1, -0.1, 0.05))
    np.testing.assert_allclose(read.inverted() @ (place @ own), own, atol=1e-6)
    assert material.node_tree.nodes[looks.PLACE].vector_type == "TEXTURE"
    np.testing.assert_allclose(material.node_tree.nodes[looks.SIZE].inputs["Scale"].default_value, [0.5, 2.0, 1.0])
