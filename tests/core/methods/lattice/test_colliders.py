"""How far nodes lie outside of a body's surface."""

from __future__ import annotations

import numpy as np

from fracture_addon.core.data.surface import Surface
from fracture_addon.core.methods.lattice.colliders import distances_outside
from tests import shapes


def test_a_face_without_area_does_not_matter():
    """The nearest point of such a face may have no weights."""
    box = shapes.box((1.0, 1.0, 1.0))
    points = np.concatenate([box.points, [[0.0, 0.0, 2.0], [0.0, 0.0, 2.0], [0.0, 0.0, 2.0]]])
    surface = Surface(points, np.concatenate([box.faces, [[8, 9, 10]]]))
    places = np.array([[0.1, 0.2, 0.7], [0.0, 0.1, 2.1], [0.0, 0.0, 0.0], [0.7, 0.1, 0.1]])
    found = distances_outside(surface, places)
    np.testing.assert_allclose(found[[0, 2, 3]], [0.2, 0.0, 0.2])
    assert np.isfinite(found).all()
