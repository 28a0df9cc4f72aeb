"""Onion skins: the paths of pieces from their keyframes."""

import bpy
import numpy as np
import pytest

from fracture_addon.blender.scene import result_lookup
from fracture_addon.blender.setup import onion_skins


@pytest.fixture
def result(struck, scene):
    """The result of a struck cube that was broken on frame 2 of 1 to 12."""
    scene.frame_end = 12
    assert bpy.ops.fracture.shatter() == {"FINISHED"}
    return result_lookup.collection_of(struck)


def test_lines_lead_from_frame_to_frame_where_the_pieces_are(result, scene):
    paths = onion_skins.paths_of([result])
    pieces = [piece for piece in result_lookup.pieces_of(result) if result_lookup.MASS in piece]
    assert len(pieces) > 1
    born = np.array([piece["fracture_birth_frame"] for piece in pieces])
    assert len(paths.ends) == (12 - born).sum()
    scene.frame_set(12)
    now = np.array([piece.location[:] for piece in pieces])
    last = paths.ends[paths.shares[:, 1] == 1.0, 1]
    assert last[np.lexsort(last.T)] == pytest.approx(now[np.lexsort(now.T)], rel=1e-5)


def test_dots_are_on_every_fifth_frame_from_the_first_break(result):
    paths = onion_skins.paths_of([result])
    first = min(piece["fracture_birth_frame"] for piece in result_lookup.pieces_of(result))
    assert set(np.round(paths.dot_shares * (12 - first)).astype(int)) == set(range(0, 13 - first, onion_skins.STEP))


def test_there_are_no_paths_without_keyframes(struck, scene):
    assert onion_skins.paths_of([]) is None
    assert bpy.ops.fracture.fracture_only() == {"FINISHED"}
    assert onion_skins.paths_of([result_lookup.collection_of(struck)]) is None
