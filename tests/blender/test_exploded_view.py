"""The exploded view moves pieces apart, and puts them back exactly."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.scene import result_lookup
from tests.blender import baking
from tests.blender.snapshot import snapshot


@pytest.fixture
def pieces(cube, scene):
    """Two halves of a cube, with keyframes."""
    scene.frame_start, scene.frame_end = 1, 12
    _, _, (collection,) = baking.run(bpy.context, [cube])
    return result_lookup.pieces_of(collection)


def places(pieces):
    bpy.context.view_layer.update()
    return np.array([baking.place(piece)[:3, 3] for piece in pieces])


def test_the_distance_between_pieces_grows(pieces, scene):
    scene.frame_set(8)
    before = places(pieces)
    scene.fracture_exploded = 1.0
    assert scene.fracture_exploded == 1.0
    after = places(pieces)
    assert after[0] - after[1] == pytest.approx(2.0 * (before[0] - before[1]), rel=1e-4)
    scene.fracture_exploded = 0.5
    assert places(pieces)[0] - places(pieces)[1] == pytest.approx(1.5 * (before[0] - before[1]), rel=1e-4)


def test_zero_restores_everything_exactly(pieces, scene):
    pieces[0].delta_location = (0.1, 0.2, 0.3)
    scene.fracture_exploded = 0.0
    before = snapshot()
    keys = [list(piece.delta_location) for piece in pieces]
    for distance in (0.37, 1.9, 0.0):
        scene.fracture_exploded = distance
    assert [list(piece.delta_location) for piece in pieces] == keys
    assert snapshot() == before


def test_what_the_artist_moves_meanwhile_stays_moved(pieces, scene):
    scene.fracture_exploded = 0.8
    pieces[0].delta_location.x += 0.25
    scene.fracture_exploded = 0.0
    assert list(pieces[0].delta_location) == pytest.approx([0.25, 0.0, 0.0], abs=1e-6)
    assert list(pieces[1].delta_location) == [0.0, 0.0, 0.0]
