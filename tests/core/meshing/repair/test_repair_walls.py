"""Sheets, fins and fans get walls, which carry what the sheet carries."""

import numpy as np
import pytest

from fracture_addon.core.data.errors import InvalidMeshError
from fracture_addon.core.data.surface import Surface, area, area_vectors, volume
from fracture_addon.core.geometry.nearest import distance
from fracture_addon.core.meshing.repair import closing, repair, vessels
from tests import shapes
from tests.core.repairing import assert_usable, prepared

GRID = Surface([[x, y, 0.0] for x in range(3) for y in range(3)], [[0, 3, 1], [1, 3, 4], [1, 4, 2], [2, 4, 5]])
DOME = shapes.without_faces(
    shapes.icosphere(1.0, 3), np.flatnonzero(shapes.icosphere(1.0, 3).corners.mean(axis=1)[:, 2] > 0.0)
)
SHEETS = {
    "grid": (GRID, "flat.*Solidify"),
    "flattened cube": (Surface(shapes.cube().points * [1.0, 0.0, 1.0], shapes.cube().faces), "flat.*Solidify"),
    "double sheet": (shapes.joined(DOME, shapes.flipped(DOME)), "Solidify"),
    "dome": (DOME, "open sheet.*Solidify"),
}


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_is_refused_or_given_a_wall(name):
    surface, words = SHEETS[name]
    with pytest.raises(InvalidMeshError, match=f"'Thing' cannot be .*--repair.*{words.split('.*')[-1]}"):
        prepared(surface, allow_repair=False)
    result, report = prepared(surface)
    assert_usable(result)
    assert "1 open sheet given a wall of" in report.sentence()
    assert report.moved < 1e-9
    wall = (vessels.WALL if name in ("double sheet", "dome") else closing.WALL) * surface.diagonal
    assert volume(result) == pytest.approx(0.5 * wall * area(result), rel=0.35)


def test_the_artist_chooses_a_wall_instead_of_caps():
    teapot = shapes.shipped("teapot_newell")
    solid, _ = repair.prepare(teapot, "Teapot", True, None, closing.Openings("filled"))
    hollow, report = repair.prepare(teapot, "Teapot", True, None, closing.Openings(thickness=0.004))
    assert_usable(hollow)
    assert "4 open sheets given a wall of 4\xa0mm" in report.sentence()
    assert volume(hollow) < 0.2 * volume(solid)
    assert report.moved < 1e-6 * teapot.diagonal


def test_a_wall_carries_what_its_sheet_carries():
    corners = DOME.corners
    normals = corners / np.linalg.norm(corners, axis=2, keepdims=True)
    material = (corners[:, 0, 0] > 0.0).astype(np.int32)
    dome = Surface(
        DOME.points,
        DOME.faces,
        face_attributes={"material_index": material},
        corner_attributes={"uv/UVMap": corners[..., :2], "normal": normals},
    )
    result, _ = prepared(dome)
    count = len(dome.faces)
    assert (result.face_source >= 0).all()
    assert (result.face_attributes["material_index"] == material[result.face_source]).all()
    assert np.abs(result.corner_attributes["uv/UVMap"] - result.corners[..., :2]).max() < 0.1
    vectors = area_vectors(result)
    facing = np.einsum("fi,fci->fc", vectors, result.corner_attributes["normal"])
    assert (facing > 0.5 * np.linalg.norm(vectors, axis=1)[:, None]).all()
    assert np.array_equal(result.corners[:count], dome.corners)


def with_fin():
    """A ball with a quad that stands on one of its edges."""
    ball = shapes.icosphere(1.0, 2)
    a, b = ball.faces[0, :2]
    points = np.concatenate([ball.points, 1.6 * ball.points[[a, b]]])
    count = len(ball.points)
    return Surface(points, [*ball.faces, [a, b, count], [b, count + 1, count]])


def fan():
    """Three sheets that share one edge."""
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1], [0, -1, 0.3], [1, -1, 0.3]]
    return Surface(points, [[0, 1, 2], [1, 3, 2], [0, 1, 4], [1, 5, 4], [0, 1, 6], [1, 7, 6]])


@pytest.mark.parametrize(("surface", "walls"), [(with_fin(), 1), (fan(), 3)], ids=["fin", "fan"])
def test_faces_fanned_around_an_edge_are_taken_apart(surface, walls):
    result, report = prepared(surface)
    assert_usable(result)
    assert "separated" in report.sentence()
    assert f"{walls} open sheet" in report.sentence()
    assert distance(result, surface) < 1e-9


def letters(count):
    """Rings in a plane."""
    angles = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    ring = np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], axis=1)
    one, other = np.arange(12), np.roll(np.arange(12), -1)
    faces = np.concatenate([np.stack([one, other, 12 + other], 1), np.stack([one, 12 + other, 12 + one], 1)])
    letter = Surface(np.concatenate([ring, 0.6 * ring]), faces)
    return shapes.joined(*(shapes.moved(letter, offset=(2.5 * row, 0.0, 0.0)) for row in range(count)))


def test_flat_letters_are_refused_or_get_a_wall_each():
    text = letters(101)
    with pytest.raises(InvalidMeshError, match=r"'Thing' .*flat.*Solidify"):
        prepared(text, allow_repair=False)
    result, report = prepared(text)
    assert_usable(result)
    assert "101 open sheets given a wall" in report.sentence()
