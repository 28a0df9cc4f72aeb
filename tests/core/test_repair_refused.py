"""What no repair can make a solid of is refused, with the remedy."""

import numpy as np
import pytest

from fracture_addon.core.errors import InvalidMeshError
from fracture_addon.core.surface import Surface
from tests import shapes
from tests.core.repairing import prepared


def with_nan():
    points = shapes.cube().points.copy()
    points[0] = np.nan
    return Surface(points, shapes.cube().faces)


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


def test_a_new_mesh_far_from_the_old_one_is_refused():
    ball = shapes.icosphere(1.0, 2)
    points = ball.points.copy()
    points[np.argmax(points[:, 2])] = [0.0, 0.0, -6.0]
    with pytest.raises(InvalidMeshError, match=r"'Thing' cannot be repaired.*% of its size\) off"):
        prepared(Surface(points, ball.faces))
