"""Clean surfaces pass through, broken ones are refused by name or repaired with the least change."""

import numpy as np
import pytest

from fracture_addon.core.data.errors import InvalidMeshError
from fracture_addon.core.data.surface import Surface, area_vectors, volume
from fracture_addon.core.geometry import thin_triangles
from fracture_addon.core.geometry.inspection import inspect
from fracture_addon.core.meshing.repair import closing, rebuild, repair
from tests import shapes
from tests.core.repairing import assert_usable, prepared


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
def test_a_broken_mesh_from_the_wild_is_repaired_without_moving(name, solid_volume):
    surface = shapes.shipped(name)
    with pytest.raises(InvalidMeshError, match=rf"'{name}' .*self-intersecting faces.*--repair"):
        repair.prepare(surface, name, allow_repair=False)
    result, report = repair.prepare(surface, name, True, None, closing.Openings("filled"))
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
    assert "all faces flipped outwards" in report.sentence()


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
    assert report.done == ("1 face flipped",)
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
    points, faces, _ = rebuild.united(closing.closed(surface, closing.Openings())[0])
    least = repair.NEEDLE * surface.diagonal
    assert (thin_triangles.heights(points, faces) < least).any()
    result, report = prepared(surface)
    assert (thin_triangles.heights(result.points, result.faces) >= least).all()
    assert report.moved < 1e-6 * surface.diagonal


def test_needles_go_without_a_new_point():
    """A corner split in two, and a point on an edge: short edges collapse, the long sides of caps turn."""
    cube = shapes.cube()
    a, b = cube.faces[0, :2]
    points = np.concatenate([cube.points, [cube.points[[a, b]].mean(axis=0) + 1e-9]])
    split = [row for face in cube.faces.tolist() for row in halved(face, a, b, len(cube.points))]
    faces, rows = thin_triangles.without_thin_triangles(points, np.array(split), 1e-6)
    assert len(faces) == len(rows) == len(split)
    assert volume(Surface(points, faces)) == pytest.approx(1.0)
    near = np.concatenate([points, [points[8] + 1e-9]])
    again = [row for face in split for row in halved(face, 8, b, 9)]
    assert (thin_triangles.heights(near, np.array(again)) < 1e-6).any()
    faces, _ = thin_triangles.without_thin_triangles(near, np.array(again), 1e-6)
    assert (thin_triangles.heights(near, faces) >= 1e-6).all()
    assert inspect(Surface(near, faces)).clean
    assert volume(Surface(near, faces)) == pytest.approx(1.0)


@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_a_triangle_on_a_line_goes_and_no_point_moves(turn, opened):
    """As in the faces of a text. Before, the cube was remeshed: 1,102 faces, another surface in each run."""
    cube = shapes.cube()
    a, b = cube.faces[0, :2]
    cosine, sine = np.cos(turn), np.sin(turn)
    points = np.concatenate([cube.points, [cube.points[[a, b]].mean(axis=0)]])
    points = points @ np.array([[cosine, sine, 0.0], [-sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    others = [row for face in cube.faces[1:].tolist() for row in halved(face, a, b, 8)]
    faces = [cube.faces[0].tolist(), [b, a, 8], *others]
    found, report = prepared(Surface(points, np.array(faces[: len(faces) - opened])))
    assert len(found.faces) == 14
    assert np.array_equal(found.points, points)
    assert report.done[-1] == "1 face without height removed"
    assert report.moved == 0.0
    assert volume(found) == pytest.approx(1.0)


def test_overlapping_parts_with_a_triangle_on_a_line_are_united_exactly():
    """Before, they were remeshed from voxels, up to 1.2 % of their size away."""
    cube = shapes.cube()
    a, b = cube.faces[0, :2]
    points = np.concatenate([cube.points, [cube.points[[a, b]].mean(axis=0)]])
    others = [row for face in cube.faces[1:].tolist() for row in halved(face, a, b, 8)]
    faces = np.array([cube.faces[0].tolist(), [b, a, 8], *others])
    found, report = prepared(Surface(np.concatenate([points, points + 0.3]), np.concatenate([faces, faces + 9])))
    assert report.done[0] == "2 faces without height removed"
    assert "united" in report.done[1]
    assert volume(found) == pytest.approx(2.0 - 0.7**3)


def halved(face, one, other, middle):
    """A face with a point on its edge between two others, if it has that edge."""
    for k in range(3):
        a, b, c = (face[(k + i) % 3] for i in range(3))
        if {a, b} == {one, other}:
            return [[a, middle, c], [middle, b, c]]
    return [face]
