"""Each defect is provoked on a solid that is clean without it."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from fracture_addon.core.data.surface import Surface, volume
from fracture_addon.core.geometry import intersections
from fracture_addon.core.geometry.inspection import inspect
from fracture_addon.core.geometry.intersections import crossing_faces
from tests import shapes

CLEAN_SHAPES = {
    "box": shapes.box((1.0, 2.0, 3.0)),
    "tetrahedron": shapes.tetrahedron(),
    "icosphere": shapes.icosphere(),
    "torus": shapes.torus(),
    "cup": shapes.cup(),
    "bowl": shapes.bowl(),
    "plank": shapes.plank(),
    "apart": shapes.joined(shapes.cube(), shapes.box(center=(3.0, 0.0, 0.0))),
    "cavity": shapes.joined(shapes.cube(), shapes.flipped(shapes.cube(0.5))),
    "solid in a cavity": shapes.joined(shapes.cube(), shapes.flipped(shapes.cube(0.5)), shapes.cube(0.2)),
}


@pytest.mark.parametrize("name", CLEAN_SHAPES)
def test_a_modelled_solid_is_clean(name):
    defects = inspect(CLEAN_SHAPES[name])
    assert defects.clean
    assert defects.sentence() == "no defects"
    assert defects.volume == pytest.approx(volume(CLEAN_SHAPES[name]))


@pytest.mark.parametrize("name", [*shapes.CLEAN, "pottery"])
def test_a_clean_mesh_from_the_wild_is_clean(name):
    defects = inspect(shapes.shipped(name))
    assert defects.clean, defects.sentence()
    assert defects.shell_count == (2 if name == "pottery" else 1)


@pytest.mark.parametrize(
    ("name", "shell_count", "open_edges", "crossing"),
    [("coffee-mug", 2, 32, 98), ("porch-column-01", 3, 64, 132), ("crate", 72, 0, 558), ("teapot_newell", 4, 64, 51)],
)
def test_a_broken_mesh_from_the_wild_is_counted(name, shell_count, open_edges, crossing):
    defects = inspect(shapes.shipped(name))
    assert (defects.shell_count, defects.open_edges, defects.crossing_faces) == (shell_count, open_edges, crossing)
    assert not defects.clean


def changed(points=None, faces=None, base=None):
    base = shapes.cube() if base is None else base
    return Surface(base.points if points is None else points, base.faces if faces is None else faces)


def with_nan():
    points = shapes.cube().points.copy()
    points[3, 1] = np.nan
    return changed(points)


def with_one_turned():
    faces = shapes.cube().faces.copy()
    faces[0] = faces[0, ::-1]
    return changed(faces=faces)


CUBE = shapes.cube()
DEFECTIVE = {
    "invalid_points": (with_nan(), 1),
    "degenerate_faces": (changed(faces=[*CUBE.faces, [0, 0, 1]]), 1),
    "open_edges": (shapes.without_faces(CUBE, [0]), 3),
    "non_manifold_edges": (changed([*CUBE.points, [0.0, 0.0, 2.0]], [*CUBE.faces, [*CUBE.faces[0, :2], 8]]), 1),
    "inconsistent_edges": (with_one_turned(), 3),
    "crossing_faces": (shapes.joined(CUBE, shapes.box(center=(0.5, 0.3, 0.2))), 12),
    "inverted_shells": (shapes.joined(shapes.flipped(CUBE), shapes.box(center=(3.0, 0.0, 0.0))), 1),
    "nested_shells": (shapes.joined(CUBE, shapes.cube(0.5)), 1),
    "flat": (changed(CUBE.points * [1.0, 1.0, 0.0]), True),
    "hollow": (Surface(CUBE.points, np.concatenate([CUBE.faces[:6], CUBE.faces[:6, ::-1]])), True),
}


@pytest.mark.parametrize("defect", DEFECTIVE)
def test_a_defect_is_found_and_counted(defect):
    surface, count = DEFECTIVE[defect]
    defects = inspect(surface)
    assert getattr(defects, defect) == count
    assert not defects.clean
    assert defects.sentence().startswith("it has ")


def test_an_empty_mesh_is_told():
    assert inspect(Surface(np.empty((0, 3)), np.empty((0, 3)))).sentence() == "it has no faces"


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    exponent=st.floats(-4.0, 4.0),
    name=st.sampled_from(
        ["cup", "torus", "cavity", "crossing_faces", "nested_shells", "inverted_shells", "open_edges"]
    ),
)
def test_the_verdict_does_not_depend_on_place_turn_or_size(seed, exponent, name):
    surface = CLEAN_SHAPES[name] if name in CLEAN_SHAPES else DEFECTIVE[name][0]
    random = np.random.default_rng(seed)
    turned = shapes.moved(
        surface, 10.0**exponent, Rotation.random(random_state=seed).as_matrix(), 10.0**exponent * random.normal(size=3)
    )
    before, after = inspect(surface), inspect(turned)
    for field in ("open_edges", "crossing_faces", "shell_count", "inverted_shells", "nested_shells", "flat", "hollow"):
        assert getattr(before, field) == getattr(after, field)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**16))
def test_two_triangles_cross_where_an_edge_of_one_pierces_the_other(seed):
    points = np.random.default_rng(seed).uniform(-1.0, 1.0, (6, 3))
    faces = np.array([[0, 1, 2], [3, 4, 5]])

    def pierced(start, end, triangle):
        a, b, c = triangle
        share, u, v = np.linalg.solve(np.stack([start - end, b - a, c - a], axis=1), start - a)
        return 0.0 <= share <= 1.0 and u >= 0.0 and v >= 0.0 and u + v <= 1.0

    expected = any(
        pierced(one[i], one[(i + 1) % 3], other)
        for one, other in ((points[:3], points[3:]), (points[3:], points[:3]))
        for i in range(3)
    )
    assert crossing_faces(points, faces).all() == expected


@pytest.mark.parametrize(
    ("apex", "crossing"), [((0.5, -1.0, 0.0), False), ((0.5, 0.4, 0.0), True), ((0.5, 0.4, 0.3), False)]
)
def test_neighbours_over_an_edge_cross_only_when_one_lies_on_the_other(apex, crossing):
    points = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 1.0, 0.0], apex])
    assert crossing_faces(points, np.array([[0, 1, 2], [1, 0, 3]])).any() == crossing


@pytest.mark.parametrize(("height", "lift", "crossing"), [(0.5, 0.0, True), (0.0, 0.0, True), (0.0, 0.6, False)])
def test_a_stick_through_a_face_is_seen_even_where_its_edges_lie_in_the_plane(height, lift, crossing):
    board = shapes.box((4.0, 4.0, 1.0), (0.0, 0.0, -0.5))
    stick = shapes.revolved([(0.0, -0.5), (0.2, -0.5), (0.2, height), (0.2, 2.0), (0.0, 2.0)], 7)
    both = shapes.joined(board, shapes.moved(stick, offset=(0.0, 0.0, lift)))
    assert crossing_faces(both.points, both.faces).any() == crossing


def test_crossing_faces_do_not_depend_on_the_number_of_threads(monkeypatch):
    """Two balls of 320 faces that overlap: in one part, and in seven parts one after the other."""
    ball = shapes.icosphere(1.0, 2)
    both = shapes.joined(ball, shapes.moved(ball, offset=(0.7, 0.2, 0.1)))
    found = []
    for parts in (1, 7):
        ends = np.arange(parts + 1) * len(both.faces) // parts

        def in_parts(call, count, ends=ends):
            for start, end in pairwise(ends):
                call(int(start), int(end))

        monkeypatch.setattr(intersections, "in_parts", in_parts)
        found.append(crossing_faces(both.points, both.faces))
    np.testing.assert_array_equal(*found)
    assert 20 < found[0].sum() < len(both.faces)
