"""What no repair can make a solid of is refused, with the remedy."""

import numpy as np
import pytest

from fracture_addon.core.data.errors import InvalidMeshError
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.meshing.repair import closing, rebuild, repair, voxels
from tests import shapes
from tests.core.repairing import assert_usable, prepared


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
        (random_triangles(2400, 0.1), r"'Thing' .*2,400 faces \(2,400 parts\) form no surface.*Merge > By Distance"),
        (tangle(2000), r"'Thing' .*faces \(1 part\) form no surface.*Remesh"),
        (Surface(np.zeros((0, 3)), np.zeros((0, 3))), r"'Thing' .*no faces; select"),
        (Surface([[np.nan, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), r"'Thing' .*1 of its 3 points.*delete"),
    ],
    ids=["soup", "tangle", "empty", "no numbers"],
)
def test_what_is_no_surface_is_refused_with_and_without_repair(surface, message, allow_repair):
    with pytest.raises(InvalidMeshError, match=message):
        prepared(surface, allow_repair)


@pytest.fixture
def counted(monkeypatch):
    """How often fTetWild is asked, and how many winding numbers are computed."""
    asked, points = [], []
    envelope, kernel = rebuild.envelope, voxels._winding_kernel
    monkeypatch.setattr(rebuild, "envelope", lambda surface: asked.append(1) or envelope(surface))
    monkeypatch.setattr(voxels, "_winding_kernel", lambda *inputs: points.append(len(inputs[4])) or kernel(*inputs))
    return asked, points


def test_a_bunch_of_leaves_that_is_to_be_filled_is_refused_with_little_work(counted):
    """Parts that bound no solid: fTetWild would take minutes of all steps, and a fine grid most of the rest."""
    asked, points = counted
    seen = []
    with pytest.raises(
        InvalidMeshError,
        match=r"'Vase' cannot be repaired.*(no enclosed volume was found|% of its size\) away); .*Solidify",
    ):
        repair.prepare(
            shapes.joined(shapes.cup(), shapes.leaves(200)), "Vase", True, seen.append, closing.Openings("filled")
        )
    assert not asked
    assert sum(points) < 2.5 * voxels.SCRAP_SAMPLES
    assert len(seen) > 8
    assert seen == sorted(seen)


def test_open_triangles_of_a_box_are_refused_before_any_search(counted, monkeypatch):
    asked, points = counted
    searched = []
    monkeypatch.setattr(repair, "inspect", searched.append)
    truck = shapes.joined(*(shapes.icosphere(size, 4) for size in (1.0, 0.7)), shapes.torus(2.0, 0.4, 64, 32))
    with pytest.raises(
        InvalidMeshError, match=r"'Thing' .*faces \(14,336 parts\) form no surface.*Merge > By Distance"
    ):
        prepared(shapes.shrunk_apart(truck, 0.9))
    assert (asked, points, searched) == ([], [], [])


def test_ftetwild_is_tried_on_tiles_around_a_solid(counted):
    asked, _ = counted
    result, report = prepared(shapes.tiled(shapes.torus(1.0, 0.2, 16, 8), 0.95))
    assert asked
    assert_usable(result)
    # Its result is random. One in about eight is not clean; voxels replace it.
    assert "remeshed" in report.sentence()


def test_a_new_mesh_far_from_the_old_one_is_refused():
    ball = shapes.icosphere(1.0, 2)
    points = ball.points.copy()
    points[np.argmax(points[:, 2])] = [0.0, 0.0, -6.0]
    with pytest.raises(InvalidMeshError, match=r"'Thing' cannot be repaired.*% of its size\) away"):
        prepared(Surface(points, ball.faces))
