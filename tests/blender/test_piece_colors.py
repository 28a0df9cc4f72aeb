"""Pieces that can be told apart by their colours."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from fracture_addon.blender.read import settings
from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.write import bake, piece_colors
from tests.blender import halves


def pieces(cube, colors, **values):
    """Both halves of the cube, and what they look like."""
    bpy.context.scene.frame_end = 8
    cube.color = (0.1, 0.2, 0.3, 1.0)
    cube.fracture.piece_colors = colors
    for name, value in values.items():
        setattr(cube.fracture, name, value)
    job = read_job(bpy.context, [cube], settings.frame_range(bpy.context.scene))
    (collection,) = bake.bake(bpy.context, job, halves.recording(job, 4), [cube], {"total": 1.0})
    return list(collection.objects)


def attribute_of(mesh):
    values = np.empty(4 * len(mesh.loops), np.float32)
    mesh.attributes[piece_colors.ATTRIBUTE].data.foreach_get("color", values)
    return values.reshape(-1, 4)


def test_pieces_have_the_objects_colour_as_a_rule(cube, scene):
    for piece in pieces(cube, "OBJECT"):
        assert list(piece.color) == pytest.approx([0.1, 0.2, 0.3, 1.0])
        assert piece_colors.ATTRIBUTE not in piece.data.attributes


def test_each_piece_has_a_colour_of_its_own(cube, scene):
    first, second = (np.array(piece.color) for piece in pieces(cube, "RANDOM", seed=3))
    assert np.abs(first - second).max() > 0.2
    assert (first[3], second[3]) == (1.0, 1.0)
    again = [np.array(piece.color) for piece in pieces(cube, "RANDOM", seed=3)]
    assert np.array_equal(again, [first, second])
    assert not np.allclose(pieces(cube, "RANDOM", seed=4)[0].color, first)


def test_the_colour_may_be_an_attribute_too(cube, scene):
    cube.data.color_attributes.new("Tint", "BYTE_COLOR", "CORNER")
    for piece in pieces(cube, "ATTRIBUTE"):
        found = attribute_of(piece.data)
        assert found == pytest.approx(np.tile(piece.color, (len(found), 1)))
        assert piece.data.color_attributes.active_color_name == piece_colors.ATTRIBUTE
        assert "Tint" in piece.data.color_attributes


def test_pieces_in_one_object_keep_their_colours(cube, scene):
    pieces(cube, "ATTRIBUTE", one_object=True)
    found = attribute_of(bpy.data.objects["Cube Pieces Parts"].data)
    assert len(np.unique(found.round(5), axis=0)) == 2


def test_many_colours_are_unlike_one_another():
    colors = piece_colors.random_colors(200, 0)
    assert ((colors >= 0.0) & (colors <= 1.0)).all()
    assert np.linalg.norm(np.diff(colors[:, :3], axis=0), axis=1).min() > 0.2


def test_colours_by_size_and_depth_run_from_blue_to_red():
    one, two = (SimpleNamespace(mass=mass, parent=parent, birth_frame=3) for mass, parent in ((5.0, -1), (2.0, 0)))
    blue, red = piece_colors.RAMP[0], piece_colors.RAMP[-1]
    assert piece_colors.colors("SIZE", [one, two], piece_colors.depths_of([one, two]), 0) == pytest.approx(
        np.array([red, blue])
    )
    assert piece_colors.colors("DEPTH", [one, two], piece_colors.depths_of([one, two]), 0) == pytest.approx(
        np.array([blue, red])
    )
    assert piece_colors.colors("BIRTH", [one, two], piece_colors.depths_of([one, two]), 0) == pytest.approx(
        np.array([blue, blue])
    )


def test_pieces_are_coloured_by_size(cube, scene):
    found = pieces(cube, "SIZE")
    assert sorted(tuple(np.round(piece.color, 5)) for piece in found)
    assert all(min(np.abs(piece_colors.RAMP - np.array(piece.color)).max(axis=1)) < 1e-6 for piece in found)
