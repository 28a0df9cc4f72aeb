"""Crack faces: compiled loops against NumPy, on a body in many regions."""

import numpy as np
import pytest

from fracture_addon.core.cutting import crack_face_detail, crack_face_shape, crack_faces
from fracture_addon.core.cutting.cell_complex import CellComplex, complex_faces
from fracture_addon.core.cutting.crack_faces import OUTSIDE, CrackFaceEdges
from fracture_addon.core.cutting.fragment_regions import build_crack_faces
from fracture_addon.core.cutting.relief import Relief
from fracture_addon.core.data.solid import CELL_FACES, cell_centers, cell_volumes
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from tests import shapes


@pytest.fixture(scope="module")
def solid():
    return tetrahedralize(shapes.cup(), 400, seed=0)


@pytest.fixture(scope="module")
def labels(solid):
    seeds = np.random.default_rng(1).uniform(-0.05, 0.05, (12, 3))
    return np.argmin(np.linalg.norm(cell_centers(solid.points, solid.cells)[:, None] - seeds, axis=2), axis=1)


@pytest.fixture(scope="module")
def built(solid, labels):
    return build_crack_faces(solid, labels, Relief())


def regions_one_by_one(items, sides, count):
    met = [[] for _ in range(count)]
    for face, side in zip(items, sides, strict=True):
        for item in face:
            met[item].extend(side.tolist())
    most = [max((around.count(label) for label in set(around) - {OUTSIDE}), default=0) for around in met]
    return [len(set(around)) for around in met], most


def test_edges_are_those_that_a_sort_finds(built):
    edges = CrackFaceEdges.of(built)
    ends = np.sort(built.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    wanted, of_face = np.unique(ends, axis=0, return_inverse=True)
    np.testing.assert_array_equal(edges.ends, wanted)
    np.testing.assert_array_equal(edges.of_face, of_face.reshape(-1, 3))


def test_regions_that_meet_at_edges_and_points(built):
    edges = CrackFaceEdges.of(built)
    for items, count in ((edges.of_face, len(edges.ends)), (built.faces, len(built.points))):
        found = crack_faces.regions_at(items, built.labels, count)
        wanted = regions_one_by_one(items, built.labels, count)
        np.testing.assert_array_equal(found, wanted)
    assert wanted[0].count(3) > 10


def test_faces_of_the_complex_are_those_that_a_sort_finds(solid):
    tets = np.concatenate([solid.cells, solid.padding_cells])
    faces, owners = complex_faces(tets, len(solid.points))
    sides = tets[:, CELL_FACES].reshape(-1, 3)
    _, first, number, count = np.unique(
        np.sort(sides, axis=1), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    np.testing.assert_array_equal(faces, sides[first])
    np.testing.assert_array_equal(owners[:, 0], first // 4)
    assert ((owners[:, 1] >= 0) == (count == 2)).all()
    second = np.setdiff1d(np.arange(len(sides)), first)
    np.testing.assert_array_equal(owners[number.ravel()[second], 1], second // 4)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_divided_triangles_cover_the_undivided_with_their_edges_halved(built, share):
    edges = CrackFaceEdges.of(built)
    chosen = np.random.default_rng(0).random(len(edges.ends)) < share
    divided = edges.split(built, chosen)
    halved = chosen[edges.of_face]
    assert len(divided.faces) == len(built.faces) + halved.sum()
    # A part has the labels of its parent, and as many parts as edges are halved, and one, have a parent's area.
    parent = np.repeat(np.arange(len(built.faces)), 1 + halved.sum(axis=1))
    np.testing.assert_array_equal(divided.labels, built.labels[parent])
    vectors = [np.cross(b - a, c - a) for a, b, c in (np.moveaxis(w.points[w.faces], 1, 0) for w in (divided, built))]
    sums = np.stack([np.bincount(parent, vectors[0][:, axis]) for axis in range(3)], axis=1)
    np.testing.assert_allclose(sums, vectors[1], atol=1e-15)
    # Each half of an edge has as many faces as the edge.
    fine = CrackFaceEdges.of(divided)
    whole = np.sort(np.bincount(edges.of_face.ravel())[~chosen]), np.bincount(edges.of_face.ravel())[chosen]
    rest = (fine.ends < len(built.points)).all(axis=1)
    np.testing.assert_array_equal(np.sort(np.bincount(fine.of_face.ravel())[rest]), whole[0])
    assert len(divided.points) == len(built.points) + chosen.sum()
    # As many edges are new within a triangle as are halved around it.
    on_edge = np.bincount(fine.of_face.ravel())[(fine.ends >= len(built.points)).any(axis=1)]
    assert on_edge.sum() == 2 * whole[1].sum() + 2 * halved.sum()


def test_a_round_of_averaging(built):
    averaged = crack_face_detail.averaging(built)(built.points)
    edges, counts = CrackFaceEdges.of(built), crack_face_detail.region_counts(built)
    here = edges.region_counts(built)
    moved = 0
    for point in np.unique(built.faces):
        among = (edges.ends == point).any(axis=1) & (here <= 3)
        among &= (here[:, None] == counts[edges.ends]).any(axis=1)
        neighbours = edges.ends[among].sum(axis=1) - point
        wanted = built.points[point]
        if counts[point] in (2, 3) and len(neighbours) > 1 and not built.on_hull[point]:
            wanted, moved = 0.5 * (wanted + built.points[neighbours].mean(axis=0)), moved + 1
        np.testing.assert_allclose(averaged[point], wanted, atol=1e-15)
    assert moved > 100


def test_corners_of_what_has_too_little_volume():
    random = np.random.default_rng(0)
    points, tets = random.normal(size=(200, 3)), random.integers(0, 200, (60, 4))
    least, asked = random.normal(size=60), random.random(200) < 0.2
    low = (cell_volumes(points, tets) < least) & asked[tets].any(axis=1)
    wanted = np.isin(np.arange(200), tets[low])
    assert 0 < low.sum() < asked[tets].any(axis=1).sum()
    np.testing.assert_array_equal(crack_face_shape._corners_below(points, asked, tets, least), wanted)


def test_a_complex_that_was_cut_before_gives_the_same_walls(solid, labels):
    known = CellComplex(solid)
    build_crack_faces(solid, np.zeros_like(labels), Relief(amplitude=0.3), known=known)
    first, again = (build_crack_faces(solid, labels, Relief(amplitude=0.3), known=item) for item in (None, known))
    for name in ("points", "faces", "labels", "tets"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
