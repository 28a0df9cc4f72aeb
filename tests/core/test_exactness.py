"""Every clean mesh, broken by every method: the pieces are exactly the artist's surface, and no sliver is left."""

import numpy as np
import pytest

from fracture_addon.core import fragments, method
from fracture_addon.core.impact import Impact
from fracture_addon.core.job import Settings
from fracture_addon.core.material import PORCELAIN
from fracture_addon.core.method import RigidMotion
from fracture_addon.core.nearest import nearest
from fracture_addon.core.surface import Surface, area_vectors, volume
from tests import exactness, shapes

AT_REST = RigidMotion(np.zeros(3), np.zeros(3))


def dressed(surface: Surface) -> Surface:
    """With a material, colours and texture coordinates that jump from face to face, and smooth normals."""
    random = np.random.default_rng(0)
    vectors = area_vectors(surface)
    normals = np.stack(
        [np.bincount(surface.faces.ravel(), np.repeat(vectors[:, k], 3), len(surface.points)) for k in range(3)], axis=1
    )
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    count = len(surface.faces)
    return Surface(
        surface.points,
        surface.faces,
        face_attributes={"material_index": np.arange(count, dtype=np.int32) % 3, "smooth": np.ones(count, bool)},
        corner_attributes={
            "normal": normals[surface.faces],
            "uv/UVMap": random.random((count, 3, 2)),
            "color/Glaze": random.random((count, 3, 4)),
        },
    )


def struck(surface: Surface, settings: Settings, times: float = 8.0):
    """The pieces that a blow from the side, some times what the body bears, makes of it."""
    solid = method.discretise(surface, settings)
    model = method.build(solid, PORCELAIN, settings)
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    rows, weights, _ = nearest(surface, (low + (high - low) * [1.0, 0.5, 0.6])[None])
    normal = area_vectors(surface)[rows[0]]
    blow = Impact(weights[0] @ surface.corners[rows[0]], -normal, 1.0, 1e-4, 0.03 * surface.diagonal)
    force = times * method.critical_force(model, settings, blow)
    blow = Impact(blow.point, blow.direction, 0.5 * force * blow.duration, blow.duration, blow.radius)
    result = method.strike(model, settings, AT_REST, [blow])
    return fragments.cut(surface, result.solid or solid, result.fragment_of_cell, settings)


CASES = [(name, "network") for name in ("old_jar", "glass_12oz", "stoneLantern", "bread-plate")]
CASES += [("rock3", "lattice"), ("rock3", "fem")]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_the_pieces_are_the_surface(name, kind):
    surface = dressed(shapes.shipped(name))
    settings = Settings(method=kind, cell_count=600, seed=1, dust_volume=0.002)
    pieces = struck(surface, settings)
    assert len(pieces) > 1
    found = exactness.measure(surface, pieces, settings.dust_volume * volume(surface))
    assert not found.faults, found


@pytest.mark.parametrize("fault", ["moved", "recoloured", "opened", "turned"])
def test_the_measure_sees_a_fault(fault):
    surface = dressed(shapes.shipped("rock3"))
    piece = fragments.Piece(0, surface, np.zeros(len(surface.faces), bool))
    points, faces = surface.points.copy(), surface.faces
    corner = {name: values.copy() for name, values in surface.corner_attributes.items()}
    if fault == "moved":
        points[0] += 1e-5 * surface.diagonal
    elif fault == "recoloured":
        corner["color/Glaze"][3] += 1e-4
    elif fault == "opened":
        faces = np.concatenate([faces[:-1], faces[:1]])
    else:
        corner["normal"][::20] *= -1.0
    other = Surface(points, faces, surface.face_source, surface.face_attributes, corner)
    assert not exactness.measure(surface, [piece]).faults
    expected = {"moved": "distance", "recoloured": "corner_values", "opened": "open_pieces", "turned": "normal_angle"}
    assert expected[fault] in exactness.measure(surface, [fragments.Piece(0, other, piece.interior)]).faults
