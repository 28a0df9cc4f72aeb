"""Regions of tetrahedra, their crack faces, and their intersection with a closed surface."""

import numpy as np
import pytest

from fracture_addon.core.cutting import crack_face_shape, crack_faces, cut, fragment_regions
from fracture_addon.core.cutting.cell_complex import cell_size, complex_faces, normals_of
from fracture_addon.core.cutting.relief import Relief
from fracture_addon.core.data.errors import InvalidMeshError
from fracture_addon.core.data.solid import cell_centers, cell_volumes, from_cells
from fracture_addon.core.data.surface import Surface, volume
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from tests import shapes


def grid_solid(shape, labels):
    """A block of unit cubes, five tetrahedra each, and the labels of the cubes carried to them; no padding."""
    even = np.array([[0, 3, 5, 6], [1, 0, 5, 3], [2, 0, 3, 6], [4, 0, 6, 5], [7, 3, 6, 5]])
    counts = np.array(shape) + 1
    points = np.stack(np.meshgrid(*(np.arange(count) for count in counts), indexing="ij"), axis=-1).reshape(-1, 3)
    cells, of_cell = [], []
    for cube in np.ndindex(*shape):
        corners = np.array(list(np.ndindex(2, 2, 2)))
        if sum(cube) % 2:
            corners[:, 0] = 1 - corners[:, 0]
        rows = np.ravel_multi_index((corners + cube).T, counts)
        cells.append(rows[even])
        of_cell += [labels[cube]] * 5
    return from_cells(points, np.concatenate(cells), []), np.array(of_cell)


def edge_counts(faces):
    edges = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    return np.unique(edges, axis=0, return_counts=True)[1]


def fan_counts(faces):
    """How many separate fans of faces each vertex has."""
    result = []
    for vertex in np.unique(faces):
        around = faces[(faces == vertex).any(axis=1)]
        fans = [set(face) - {vertex} for face in around]
        merged = []
        while fans:
            fan = fans.pop()
            touching = [other for other in fans if other & fan]
            if touching:
                fans = [other for other in fans if not other & fan]
                fans.append(fan.union(*touching))
            else:
                merged.append(fan)
        result.append(len(merged))
    return np.array(result)


# Cubes of label 0 that meet label 0 in an edge only (four faces), in a corner only, and around a closed ring.
DIAGONAL = np.array([[[0], [1]], [[1], [0]]])
CORNER = np.ones((2, 2, 2), int)
CORNER[0, 0, 0] = CORNER[1, 1, 1] = 0
RING = np.zeros((3, 3, 2), int)
RING[1, 1, 0] = RING[0, 1, 1] = RING[2, 1, 1] = 1


@pytest.mark.parametrize("labels", [DIAGONAL, CORNER, RING], ids=["edge", "vertex", "ring"])
def test_sheets_that_touch_are_told_apart(labels):
    solid, region_of_cell = grid_solid(labels.shape, labels)
    built = fragment_regions.build_crack_faces(solid, region_of_cell, Relief())
    total = 0.0
    bodies = cut.Bodies(*cut._closed_regions(built, [0, 1]))
    for body in (bodies.between(0, 1), bodies.between(1, 2)):
        points, faces, rows = body.points, body.faces, body.rows
        assert (edge_counts(faces) == 2).all()
        assert (fan_counts(faces) == 1).all()
        assert len(rows) == len(faces)
        imported = cut._import(points, faces, rows, original_id=1)
        assert imported.volume() == pytest.approx(cut._volume(points, faces), rel=1e-12)
        total += imported.volume()
    assert total == pytest.approx(cell_volumes(solid.points, solid.cells).sum())


def test_four_faces_at_an_edge_would_be_lost_without_the_separation():
    """The trap this guards against: manifold3d drops two of the four faces and says nothing."""
    solid, region_of_cell = grid_solid(DIAGONAL.shape, DIAGONAL)
    faces, owners = complex_faces(solid.cells, len(solid.points))
    label = np.where(owners >= 0, region_of_cell[owners], -1)
    outward, inward = (label[:, 0] == 0) & (label[:, 1] != 0), (label[:, 1] == 0) & (label[:, 0] != 0)
    faces = np.concatenate([faces[outward], faces[inward][:, ::-1]])
    assert edge_counts(faces).max() == 4
    separated = cut.separate_fans(solid.points, faces, np.zeros(len(faces), int))
    assert (edge_counts(separated) == 2).all()
    points = cut._points_of_corners(solid.points, faces, separated)
    assert cut._volume(points, separated) == pytest.approx(2.0)


@pytest.mark.parametrize("labels", [DIAGONAL, CORNER, RING], ids=["edge", "vertex", "ring"])
def test_a_surface_that_touches_itself_can_be_cut(labels):
    solid, region_of_cell = grid_solid(labels.shape, labels)
    faces, owners = complex_faces(solid.cells[region_of_cell == 0], len(solid.points))
    source = Surface(solid.points, faces[owners[:, 1] < 0])
    filled = tetrahedralize(source, 300, seed=1)
    region_of_cell = (cell_centers(filled.points, filled.cells)[:, 0] > 0.7).astype(int)
    cuts = cut.intersect(
        source.points,
        source.faces,
        fragment_regions.build_crack_faces(filled, region_of_cell, Relief(amplitude=0.2, seed=1)),
        [0, 1],
    )
    assert cut._volume(cuts.points, cuts.faces) == pytest.approx((labels == 0).sum(), rel=1e-9)


def test_an_open_or_wrongly_wound_surface_is_refused():
    cube = shapes.cube()
    solid = tetrahedralize(cube, 200, seed=0)
    built = fragment_regions.build_crack_faces(solid, np.zeros(solid.cell_count, int), Relief())
    turned = np.array(cube.faces)
    turned[3] = turned[3, ::-1]
    for faces in (cube.faces[1:], turned):
        with pytest.raises(InvalidMeshError, match="not closed"):
            cut.intersect(cube.points, faces, built, [0])


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_provenance_and_volume_at_any_scale(scale):
    source = shapes.moved(shapes.torus(), scale, offset=(5.0 * scale, -3.0 * scale, scale))
    solid = tetrahedralize(source, 800, seed=2)
    region_of_cell = (cell_centers(solid.points, solid.cells)[:, 1] > -3.0 * scale).astype(int)
    built = fragment_regions.build_crack_faces(solid, region_of_cell, Relief(amplitude=0.35, seed=2))
    cuts = cut.intersect(source.points, source.faces, built, [0, 1])
    centered = cuts.points - source.points.mean(axis=0)
    assert cut._volume(centered, cuts.faces) == pytest.approx(volume(source), rel=1e-9)
    assert ((cuts.source_row >= 0) ^ (cuts.crack_row >= 0)).all()
    assert set(cuts.source_row[cuts.source_row >= 0]) == set(range(len(source.faces)))
    sides = built.labels[cuts.crack_row[cuts.crack_row >= 0]]
    assert (sides == cuts.region[cuts.crack_row >= 0, None]).any(axis=1).all()


def test_labels_spread_to_all_padding_and_stay_in_cells():
    solid = tetrahedralize(shapes.cup(), 1500, seed=0)
    region_of_cell = (cell_centers(solid.points, solid.cells)[:, 0] > 0.0).astype(int)
    tets = np.concatenate([solid.cells, solid.padding_cells])
    faces, owners = complex_faces(tets, len(solid.points))
    inner = owners[:, 1] >= 0
    labels = fragment_regions.spread_labels(cell_centers(solid.points, tets), region_of_cell, owners[inner])
    assert (labels[: solid.cell_count] == region_of_cell).all()
    # Far out the nearest cells decide.
    far = np.abs(cell_centers(solid.points, tets)[:, 0]) > 0.055
    assert far.any()
    agree = labels[far] == (cell_centers(solid.points, tets)[far, 0] > 0.0)
    assert agree.mean() > 0.9
    assert len(faces) == len(owners)
    assert 2 * inner.sum() + (~inner).sum() == 4 * len(tets)


def test_labels_spread_from_the_nearest_neighbour_a_layer_at_a_time():
    solid = tetrahedralize(shapes.cup(), 300, seed=0)
    tets = np.concatenate([solid.cells, solid.padding_cells])
    owners = complex_faces(tets, len(solid.points))[1]
    pairs = owners[owners[:, 1] >= 0]
    own = np.arange(solid.cell_count) % 7
    centers, labels = cell_centers(solid.points, tets), np.full(len(tets), -1)
    labels[: len(own)] = own
    ways = np.concatenate([pairs, pairs[:, ::-1]])
    ways = ways[np.argsort(np.linalg.norm(centers[ways[:, 0]] - centers[ways[:, 1]], axis=1), kind="stable")]
    while len(front := ways[(labels[ways[:, 0]] >= 0) & (labels[ways[:, 1]] < 0)]):
        target, nearest = np.unique(front[:, 1], return_index=True)
        labels[target] = labels[front[nearest, 0]]
    np.testing.assert_array_equal(fragment_regions.spread_labels(centers, own, pairs), np.maximum(labels, 0))


def test_no_wall_lies_on_the_surface():
    """Where tetrahedra end on a flat face, no crack face of theirs runs along it."""
    source = shapes.cube()
    solid = tetrahedralize(source, 3000, seed=4)
    centers = cell_centers(solid.points, solid.cells)
    seeds = np.random.default_rng(0).uniform(-0.5, 0.5, (40, 3))
    region_of_cell = np.argmin(np.linalg.norm(centers[:, None] - seeds, axis=2), axis=1)
    built = fragment_regions.build_crack_faces(solid, region_of_cell, Relief())
    centers = built.points[built.faces].mean(axis=1)
    normals = np.cross(*(built.points[built.faces[:, corner]] - built.points[built.faces[:, 0]] for corner in (1, 2)))
    areas = np.linalg.norm(normals, axis=1)
    axis = np.argmax(np.abs(centers), axis=1)
    rows = np.arange(len(centers))
    near = np.abs(np.abs(centers[rows, axis]) - 0.5) < 0.1 * cell_size(solid)
    along = np.abs(normals[rows, axis]) > 0.95 * areas
    inside = (np.abs(centers) < 0.5).all(axis=1)
    assert areas[near & along].sum() < 0.02 * areas[inside].sum()


def test_divided_walls_keep_their_area_and_fit():
    solid = tetrahedralize(shapes.cube(), 300, seed=0)
    region_of_cell = (cell_centers(solid.points, solid.cells)[:, 2] > 0.0).astype(int)
    coarse = fragment_regions.build_crack_faces(solid, region_of_cell, Relief())
    fine = crack_faces.refine(coarse, solid.cells, 0.5 * cell_size(solid), 10_000)
    assert len(fine.faces) > 2 * len(coarse.faces)
    a, b = ([np.linalg.norm(normals_of(w.points, w.faces), axis=1).sum()] for w in (coarse, fine))
    assert a == pytest.approx(b, rel=1e-12)
    # Each region is still closed: no edge was halved on one side only.
    for label in (0, 1):
        assert (edge_counts(fine.faces[(fine.labels == label).any(axis=1)]) % 2 == 0).all()


def test_compiled_volumes_agree_with_the_readable_ones():
    random = np.random.default_rng(0)
    points, tets = random.normal(size=(50, 3)), random.integers(0, 50, (200, 4))
    np.testing.assert_allclose(crack_face_shape.tet_volumes(points, tets), cell_volumes(points, tets), atol=1e-14)
    edges = np.linalg.norm(points[tets[:, [0, 0, 0, 1, 1, 2]]] - points[tets[:, [1, 2, 3, 2, 3, 3]]], axis=2)
    regular = edges.mean(axis=1) ** 3 / (6.0 * np.sqrt(2.0))
    assert (
        crack_face_shape.is_flat(points, tets) == (cell_volumes(points, tets) < crack_face_shape.FLATNESS * regular)
    ).all()
