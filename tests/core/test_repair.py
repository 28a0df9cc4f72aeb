"""Clean surfaces pass through, broken ones are refused by name or mended with the least change."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from manifold3d import Error, Manifold, Mesh64

from fracture_addon.core import repair
from fracture_addon.core.errors import InvalidMeshError
from fracture_addon.core.geometry.inspection import inspect
from fracture_addon.core.geometry.nearest import carried, distance, nearest
from fracture_addon.core.mending import closing, needles, remesh, voxels
from fracture_addon.core.surface import Surface, area, area_vectors, volume
from tests import shapes


def prepared(surface, allow_repair=True):
    return repair.prepare(surface, "Thing", allow_repair)


def assert_usable(surface):
    """Clean by our own inspection, and whole to the boolean library that will cut it."""
    assert inspect(surface).clean, inspect(surface).sentence()
    solid = Manifold(Mesh64(surface.points.copy(), surface.faces.astype(np.uint64)))
    assert solid.status() == Error.NoError
    assert solid.volume() == pytest.approx(volume(surface), rel=1e-6)


@pytest.mark.parametrize("name", ["old_jar", "cocktailGlass", "stoneLantern", "pottery"])
def test_a_clean_mesh_is_the_same_object_afterwards(name):
    surface = shapes.shipped(name)
    result, report = prepared(surface, allow_repair=False)
    assert result is surface
    assert not report.changed
    assert report.done == ()
    assert report.sentence() == "closed and clean, left as it is"


@pytest.mark.parametrize(
    ("name", "solid_volume"),
    [("coffee-mug", 1.57e-4), ("porch-column-01", 0.0916), ("teapot_newell", 3.287e-3), ("crate", 0.0292)],
)
def test_a_broken_mesh_from_the_wild_is_mended_without_moving(name, solid_volume):
    surface = shapes.shipped(name)
    with pytest.raises(InvalidMeshError, match=rf"'{name}' .*self-intersecting faces.*--repair"):
        repair.prepare(surface, name, allow_repair=False)
    result, report = repair.prepare(surface, name, allow_repair=True)
    assert_usable(result)
    assert report.changed
    assert report.moved < 1e-6 * surface.diagonal
    assert "united" in report.sentence()
    assert volume(result) == pytest.approx(solid_volume, rel=2e-3)


def test_uvs_materials_and_sources_survive_a_union():
    surface = shapes.shipped("crate")
    result, _ = prepared(surface)
    kept = np.flatnonzero(result.face_source >= 0)
    assert len(kept) == len(result.faces)
    random = np.random.default_rng(0)
    rows = random.choice(kept, 200)
    # The UV at a corner is the affine map of its source triangle, wherever the cut put the corner.
    for row in rows:
        triangle = surface.corners[result.face_source[row]]
        system = np.concatenate([triangle.T, np.ones((1, 3))])
        for corner, uv in zip(result.corners[row], result.corner_attributes["uv/UVMap"][row], strict=True):
            weights = np.linalg.lstsq(system, np.append(corner, 1.0), rcond=None)[0]
            expected = weights @ surface.corner_attributes["uv/UVMap"][result.face_source[row]]
            assert uv == pytest.approx(expected, abs=1e-4)


def test_a_cap_leaves_the_artists_faces_as_they_are():
    jar = shapes.shipped("old_jar")
    hole = shapes.without_faces(jar, [100])
    result, report = prepared(hole)
    assert_usable(result)
    assert report.done == ("1 hole capped",)
    assert report.moved == 0.0
    assert (result.face_source >= 0).sum() == len(hole.faces)
    assert np.array_equal(result.faces[: len(hole.faces)], hole.faces)
    assert np.array_equal(result.corner_attributes["uv/UVMap"][:-1], hole.corner_attributes["uv/UVMap"])
    assert volume(result) == pytest.approx(volume(jar), rel=1e-3)


def test_a_hollow_end_is_capped_as_a_ring():
    cup = shapes.cup()
    above = cup.corners.mean(axis=1)[:, 2] > 0.05
    result, _ = prepared(shapes.without_faces(cup, np.flatnonzero(above)))
    assert_usable(result)
    assert volume(result) < volume(cup)


@pytest.mark.parametrize("allow_repair", [False, True])
def test_inside_out_is_turned_without_asking(allow_repair):
    inside_out = shapes.flipped(shapes.torus())
    result, report = prepared(inside_out, allow_repair)
    assert volume(result) == pytest.approx(volume(shapes.torus()))
    assert report.changed
    assert report.moved == 0.0
    assert "turned the right side out" in report.sentence()


def test_turning_a_face_takes_its_corner_values_along():
    cube = shapes.cube()
    normals = np.repeat(area_vectors(cube)[:, None], 3, axis=1)
    places = cube.corners[..., :2].copy()
    turned = np.arange(12) == 4
    faces = np.where(turned[:, None], cube.faces[:, ::-1], cube.faces)
    wrong = Surface(
        cube.points,
        faces,
        corner_attributes={
            "uv/UVMap": np.where(turned[:, None, None], places[:, ::-1], places),
            "normal": np.where(turned[:, None, None], -normals, normals),
        },
    )
    result, report = prepared(wrong, allow_repair=False)
    assert_usable(result)
    assert report.done == ("1 face turned round",)
    assert np.array_equal(result.corner_attributes["uv/UVMap"], result.corners[..., :2])
    assert np.array_equal(result.corner_attributes["normal"], normals)


@pytest.mark.parametrize(
    ("surface", "expected"),
    [
        (shapes.joined(shapes.cube(), shapes.box(center=(0.5, 0.3, 0.2))), 2.0 - 0.5 * 0.7 * 0.8),
        (shapes.joined(shapes.cube(), shapes.cube(0.5)), 1.0),
        (shapes.joined(shapes.cube(), shapes.flipped(shapes.box(center=(0.5, 0.3, 0.2)))), 2.0 - 0.5 * 0.7 * 0.8),
        (shapes.joined(shapes.cube(), shapes.box(center=(1.0, 0.0, 0.0))), 2.0),
        (
            shapes.joined(
                shapes.cube(), shapes.flipped(shapes.cube(0.25)), shapes.box((0.4, 0.4, 3.0), (0.4, 0.4, 0.0))
            ),
            1.0 - 0.25**3 + 0.4 * 0.4 * 3.0 - 0.3 * 0.3,
        ),
    ],
    ids=["overlapping", "nested", "one inside out", "face to face", "with a cavity"],
)
def test_closed_parts_are_united_exactly(surface, expected):
    with pytest.raises(InvalidMeshError):
        prepared(surface, allow_repair=False)
    result, report = prepared(surface)
    assert_usable(result)
    assert volume(result) == pytest.approx(expected, rel=1e-9)
    assert report.moved < 1e-9


def test_split_points_are_welded():
    cube = shapes.cube()
    split = Surface(cube.corners.reshape(-1, 3), np.arange(36).reshape(-1, 3))
    result, report = prepared(split)
    assert_usable(result)
    assert "welded" in report.sentence()
    assert report.moved == 0.0
    assert volume(result) == pytest.approx(1.0)


def test_a_wall_between_two_welded_parts_is_dropped():
    left = shapes.cube()
    right = shapes.box(center=(1.0, 0.0, 0.0))
    right = Surface(right.points * [-1.0, 1.0, 1.0] + [2.0, 0.0, 0.0], right.faces[:, ::-1])
    both = shapes.joined(left, right)
    points, rows = np.unique(both.points, axis=0, return_inverse=True)
    welded = Surface(points, rows.reshape(-1)[both.faces])
    assert len(points) == 12
    result, report = prepared(welded)
    assert_usable(result)
    assert len(result.faces) == 20
    assert report.done == ("4 empty or doubled faces dropped",)
    assert volume(result) == pytest.approx(2.0)


def with_nan():
    points = shapes.cube().points.copy()
    points[0] = np.nan
    return Surface(points, shapes.cube().faces)


GRID = Surface([[x, y, 0.0] for x in range(3) for y in range(3)], [[0, 3, 1], [1, 3, 4], [1, 4, 2], [2, 4, 5]])
DOME = shapes.without_faces(
    shapes.icosphere(1.0, 3), np.flatnonzero(shapes.icosphere(1.0, 3).corners.mean(axis=1)[:, 2] > 0.0)
)


NOTHING = Surface(shapes.cube().points * [1.0, 0.0, 0.0], shapes.cube().faces)


@pytest.mark.parametrize("allow_repair", [False, True])
@pytest.mark.parametrize(
    ("surface", "words"),
    [
        (Surface(np.empty((0, 3)), np.empty((0, 3))), "no faces.*select"),
        (Surface(shapes.cube().points, np.empty((0, 3))), "no faces.*select"),
        (with_nan(), "1 of its 8 points are not numbers"),
        (NOTHING, "none of its 12 faces has an area"),
    ],
    ids=["empty", "points only", "nan", "pressed to a line"],
)
def test_what_cannot_be_is_refused_with_the_remedy(surface, words, allow_repair):
    with pytest.raises(InvalidMeshError, match=f"'Thing' cannot be .*{words}") as caught:
        prepared(surface, allow_repair)
    assert "\n" not in str(caught.value)


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
    wall = closing.WALL * surface.diagonal
    assert volume(result) == pytest.approx(0.5 * wall * area(result), rel=0.35)


def test_the_artist_chooses_a_wall_instead_of_caps():
    teapot = shapes.shipped("teapot_newell")
    solid, _ = prepared(teapot)
    hollow, report = repair.prepare(teapot, "Teapot", True, None, 0.004)
    assert_usable(hollow)
    assert "4 open sheets given a wall of 0.004 m" in report.sentence()
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
    assert np.abs(result.corner_attributes["uv/UVMap"] - result.corners[..., :2]).max() < 0.05
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
    assert "taken apart" in report.sentence()
    assert f"{walls} open sheet" in report.sentence()
    assert distance(result, surface) < 1e-9


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("step", [1, 7])
def test_faces_that_are_there_twice_go(jar, turned, step):
    again = jar.faces[::step, ::-1] if turned else jar.faces[::step]
    result, report = prepared(Surface(jar.points, [*jar.faces, *again]))
    assert_usable(result)
    assert f"{len(again)} empty or doubled faces dropped" in report.sentence()
    assert volume(result) == pytest.approx(volume(jar))


def test_corners_that_nearly_meet_are_welded(jar):
    shift = 1e-5 * np.random.default_rng(0).normal(size=(3 * len(jar.faces), 3))
    soup = Surface(jar.corners.reshape(-1, 3) + shift, np.arange(3 * len(jar.faces)).reshape(-1, 3))
    result, report = prepared(soup)
    assert_usable(result)
    assert len(result.faces) == len(jar.faces)
    assert 0.0 < report.moved < 1e-4
    assert volume(result) == pytest.approx(volume(jar), rel=1e-3)


def test_a_union_leaves_no_needles():
    surface = shapes.shipped("porch-column-01")
    points, faces, _ = remesh.united(closing.closed(surface, 0.0)[0])
    least = repair.NEEDLE * surface.diagonal
    assert (needles.heights(points, faces) < least).any()
    result, report = prepared(surface)
    assert (needles.heights(result.points, result.faces) >= least).all()
    assert report.moved < 1e-6 * surface.diagonal


def test_needles_go_without_a_new_point():
    """A corner split in two, and a point on an edge: short edges collapse, the long sides of caps turn."""
    cube = shapes.cube()
    a, b = cube.faces[0, :2]
    points = np.concatenate([cube.points, [cube.points[[a, b]].mean(axis=0) + 1e-9]])
    split = [row for face in cube.faces.tolist() for row in halved(face, a, b, len(cube.points))]
    faces, rows = needles.without_needles(points, np.array(split), 1e-6)
    assert len(faces) == len(rows) == len(split)
    assert volume(Surface(points, faces)) == pytest.approx(1.0)
    near = np.concatenate([points, [points[8] + 1e-9]])
    again = [row for face in split for row in halved(face, 8, b, 9)]
    assert (needles.heights(near, np.array(again)) < 1e-6).any()
    faces, _ = needles.without_needles(near, np.array(again), 1e-6)
    assert (needles.heights(near, faces) >= 1e-6).all()
    assert inspect(Surface(near, faces)).clean
    assert volume(Surface(near, faces)) == pytest.approx(1.0)


def halved(face, one, other, middle):
    """A face with a point on its edge between two others, if it has that edge."""
    for k in range(3):
        a, b, c = (face[(k + i) % 3] for i in range(3))
        if {a, b} == {one, other}:
            return [[a, middle, c], [middle, b, c]]
    return [face]


def self_crossing(depth=1.6):
    """A ball with a dent pushed out through its far side."""
    ball = shapes.icosphere(1.0, 2)
    points = ball.points.copy()
    points[np.argmax(points[:, 2]), 2] = -depth
    attributes = {"uv/UVMap": points[ball.faces][..., :2], "int/point": ball.faces[..., None].astype(float)}
    return Surface(points, ball.faces, corner_attributes=attributes)


def test_a_part_that_crosses_itself_is_meshed_anew(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    surface = self_crossing(1.2)
    seen = []
    result, report = repair.prepare(surface, "Ball", True, seen.append)
    assert_usable(result)
    assert "fTetWild" in report.sentence()
    # The spike beyond the far side is inside out, and goes.
    assert report.moved == pytest.approx(0.2, abs=3.0 * remesh.ENVELOPE * surface.diagonal)
    assert (result.face_source >= 0).all()
    assert not list(tmp_path.iterdir())
    assert seen == sorted(seen)
    error = result.corner_attributes["uv/UVMap"] - result.corners[..., :2]
    assert np.abs(error).max() < 0.05
    numbers = result.corner_attributes["int/point"]
    assert len(np.unique(numbers)) > 50
    assert np.isin(numbers, surface.corner_attributes["int/point"]).all()


def test_the_voxel_remesh_is_the_last_resort(monkeypatch):
    monkeypatch.setattr(voxels, "SAMPLES", 8000)
    monkeypatch.setattr(repair, "_REMESHES", repair._REMESHES[1:])
    result, report = prepared(self_crossing())
    assert_usable(result)
    assert "voxels" in report.sentence()


def test_the_voxel_remesh_of_a_ball_has_its_volume(monkeypatch):
    monkeypatch.setattr(voxels, "SAMPLES", 20000)
    ball = shapes.icosphere(1.0, 3)
    points, faces = voxels.voxel_remesh(shapes.without_faces(ball, [7, 80]))
    assert_usable(Surface(points, faces))
    assert volume(Surface(points, faces)) == pytest.approx(volume(ball), rel=0.02)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**16))
def test_marching_tetrahedra_close_any_samples(seed):
    values = np.full((7, 6, 8), -1.0)
    values[1:-1, 1:-1, 1:-1] = np.random.default_rng(seed).normal(size=(5, 4, 6))
    values[3, 3, 3] = 1.0
    points, faces = voxels.level_set(values)
    surface = Surface(points, faces)
    defects = inspect(surface)
    assert defects.closed
    assert not defects.crossing_faces
    assert volume(surface) > 0.0


def test_the_nearest_place_is_the_nearest_of_all_faces():
    torus = shapes.torus()
    points = np.random.default_rng(0).normal(size=(50, 3))
    rows, weights, distances = nearest(torus, points)
    places = np.einsum("ni,nik->nk", weights, torus.corners[rows])
    assert np.linalg.norm(places - points, axis=1) == pytest.approx(distances)
    grid = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 25)] * 2), axis=-1).reshape(-1, 2)
    grid = grid[grid.sum(axis=1) <= 1.0]
    samples = np.concatenate([1.0 - grid.sum(axis=1, keepdims=True), grid], axis=1) @ torus.corners
    brute = np.linalg.norm(samples.reshape(-1, 1, 3) - points, axis=2).min(axis=0)
    assert (distances <= brute + 1e-12).all()
    assert (brute - distances < 0.02).all()


def test_distance_is_measured_between_surfaces():
    assert distance(shapes.icosphere(), shapes.icosphere()) < 1e-12
    assert distance(shapes.cube(1.0), shapes.cube(1.2)) == pytest.approx(0.1 * 3**0.5)


def test_made_faces_keep_to_one_uv_island():
    board = shapes.plank(1.0, 1.0, 0.1)
    upper = area_vectors(board)[:, 2] > 0.0
    uv = board.corners[..., :2] + np.where(upper, 10.0, 0.0)[:, None, None]
    board = Surface(
        board.points,
        board.faces,
        face_attributes={"material_index": upper.astype(np.int32)},
        corner_attributes={"uv/UVMap": uv},
    )
    center = np.array([[[-0.3, -0.3, 0.05], [0.5, -0.5, 0.05], [0.0, 0.2, 0.05]]])
    result = carried(board, center.reshape(-1, 3), [[0, 1, 2]], np.array([-1]))
    assert result.face_attributes["material_index"].tolist() == [1]
    assert result.corner_attributes["uv/UVMap"] == pytest.approx(center[..., :2] + 10.0, abs=0.03)


def letters(count):
    """Rings in a plane."""
    angles = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    ring = np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], axis=1)
    one, other = np.arange(12), np.roll(np.arange(12), -1)
    faces = np.concatenate([np.stack([one, other, 12 + other], 1), np.stack([one, 12 + other, 12 + one], 1)])
    letter = Surface(np.concatenate([ring, 0.6 * ring]), faces)
    return shapes.joined(*(shapes.moved(letter, offset=(2.5 * row, 0.0, 0.0)) for row in range(count)))


def random_triangles(count, size):
    random = np.random.default_rng(0)
    points = random.random((count, 1, 3)) + size * random.random((count, 3, 3))
    return Surface(points.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))


def tangle(count):
    random = np.random.default_rng(0)
    faces = random.integers(0, 40, (count, 3))
    return Surface(random.random((40, 3)), faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)])


@pytest.mark.parametrize("allow_repair", [False, True])
@pytest.mark.parametrize(
    ("surface", "message"),
    [
        (random_triangles(400, 0.1), r"'Thing' .*400 faces make no surface.*400 scraps.*Merge > By Distance"),
        (random_triangles(400, 1.0), r"'Thing' .*make no surface.*Remesh"),
        (tangle(2000), r"'Thing' .*make no surface.*a tangle.*Remesh"),
        (Surface(np.zeros((0, 3)), np.zeros((0, 3))), r"'Thing' .*no faces; select"),
        (Surface([[np.nan, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), r"'Thing' .*1 of its 3 points.*delete"),
    ],
    ids=["soup", "crossing soup", "tangle", "empty", "no numbers"],
)
def test_what_is_no_surface_is_refused_with_and_without_repair(surface, message, allow_repair):
    with pytest.raises(InvalidMeshError, match=message):
        prepared(surface, allow_repair)


def test_flat_letters_are_refused_or_get_a_wall_each():
    text = letters(101)
    with pytest.raises(InvalidMeshError, match=r"'Thing' .*flat.*Solidify"):
        prepared(text, allow_repair=False)
    result, report = prepared(text)
    assert_usable(result)
    assert "101 open sheets given a wall" in report.sentence()


def test_a_new_mesh_far_from_the_old_one_is_refused():
    ball = shapes.icosphere(1.0, 2)
    points = ball.points.copy()
    points[np.argmax(points[:, 2])] = [0.0, 0.0, -6.0]
    with pytest.raises(InvalidMeshError, match=r"'Thing' cannot be repaired.*% of its size\) off"):
        prepared(Surface(points, ball.faces))
