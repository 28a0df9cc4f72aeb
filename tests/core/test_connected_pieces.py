"""Fragments of a deformable body have one colour in the gallery until they come apart."""

from __future__ import annotations

import numpy as np

from docs.gallery.connected import connected_pieces
from fracture_addon.core.data.recording import Deformed
from fracture_addon.core.data.surface import joined
from tests import shapes


def test_pieces_are_connected_until_their_crack_opens():
    """Three cubes in a row; the last one leaves on the third frame, and touches the middle one again on the fourth."""
    cubes = [shapes.box((1.0, 1.0, 1.0), (float(row), 0.0, 0.0)) for row in range(3)]
    surface = joined(cubes)
    piece = np.repeat(np.arange(3, dtype=np.int32), [len(cube.faces) for cube in cubes])
    points = np.repeat(surface.points[None].astype(np.float32), 4, axis=0)
    points[2, -len(cubes[2].points) :, 0] += 0.5
    item = Deformed(0, surface, np.zeros(len(surface.faces), bool), piece, points)
    assert [connected_pieces(item, row).tolist() for row in range(4)] == [[0, 0, 0], [0, 0, 0], [0, 0, 2], [0, 0, 2]]
