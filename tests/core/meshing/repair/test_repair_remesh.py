"""Remeshing where smaller repairs fail, and voxels where remeshing fails too."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fracture_addon.core.data.surface import Surface, volume
from fracture_addon.core.geometry.inspection import inspect
from fracture_addon.core.meshing.repair import rebuild, repair, voxels
from tests import shapes
from tests.core.repairing import assert_usable, prepared


def self_crossing(depth=1.6):
    """A ball with a dent pushed out through its far side."""
    ball = shapes.icosphere(1.0, 2)
    points = ball.points.copy()
    points[np.argmax(points[:, 2]), 2] = -depth
    attributes = {"uv/UVMap": points[ball.faces][..., :2], "int/point": ball.faces[..., None].astype(float)}
    return Surface(points, ball.faces, corner_attributes=attributes)


def test_a_part_that_crosses_itself_is_remeshed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    surface = self_crossing(1.2)
    seen = []
    result, report = repair.prepare(surface, "Ball", True, seen.append)
    assert_usable(result)
    assert "fTetWild" in report.sentence()
    # The spike beyond the far side is inside out, and goes.
    assert report.moved == pytest.approx(0.2, abs=3.0 * rebuild.ENVELOPE * surface.diagonal)
    assert (result.face_source >= 0).all()
    assert not list(tmp_path.iterdir())
    assert seen == sorted(seen)
    error = result.corner_attributes["uv/UVMap"] - result.corners[..., :2]
    assert np.abs(error).max() < 0.05
    numbers = result.corner_attributes["int/point"]
    assert len(np.unique(numbers)) > 50
    assert np.isin(numbers, surface.corner_attributes["int/point"]).all()


def test_a_lining_that_crosses_itself_stays_a_hollow():
    """As a thick wall's does that goes inwards from a bent surface."""
    lining = self_crossing(1.2)
    around = shapes.box((3.0, 3.0, 3.0))
    result, report = prepared(shapes.joined(around, shapes.flipped(Surface(lining.points, lining.faces))))
    assert_usable(result)
    assert "turned" not in report.sentence()
    assert volume(result) == pytest.approx(volume(around) - volume(shapes.icosphere(1.0, 2)), rel=0.03)


def test_the_voxel_remesh_is_the_last_resort(monkeypatch):
    monkeypatch.setattr(voxels, "SAMPLES", 8000)
    monkeypatch.setattr(repair.rebuild, "MOST_FACES", 0)
    result, report = prepared(self_crossing())
    assert_usable(result)
    assert "voxels" in report.sentence()


def test_the_voxel_remesh_of_a_ball_has_its_volume():
    ball = shapes.icosphere(1.0, 3)
    points, faces = voxels.voxel_remesh(shapes.without_faces(ball, [7, 80]), sample_count=20_000)
    assert_usable(Surface(points, faces))
    assert volume(Surface(points, faces)) == pytest.approx(volume(ball), rel=0.02)


@pytest.mark.parametrize(
    ("surface", "error"),
    [(shapes.without_faces(shapes.icosphere(1.0, 3), range(0, 1280, 3)), 0.02), (shapes.leaves(60), 0.1)],
    ids=["holes", "leaves"],
)
def test_winding_numbers_are_those_of_all_triangles(surface, error):
    random = np.random.default_rng(0)
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    points = low + random.random((200, 3)) * (high - low)
    seen = []
    found = voxels.generalised_winding_numbers(surface, points, seen.append)
    assert seen[-1] == 1.0
    a, b, c = (surface.corners[:, corner] - points[:, None] for corner in range(3))
    sizes = [np.linalg.norm(side, axis=2) for side in (a, b, c)]
    angles = np.arctan2(
        np.einsum("nfi,nfi->nf", a, np.cross(b, c)),
        np.prod(sizes, axis=0)
        + np.einsum("nfi,nfi->nf", a, b) * sizes[2]
        + np.einsum("nfi,nfi->nf", b, c) * sizes[0]
        + np.einsum("nfi,nfi->nf", c, a) * sizes[1],
    )
    exact = angles.sum(axis=1) / (2.0 * np.pi)
    assert np.abs(found - exact).max() < error


def test_progress_goes_on_during_the_voxel_remesh():
    seen = []
    voxels.voxel_remesh(shapes.leaves(30), seen.append)
    assert len(seen) > 10
    assert seen == sorted(seen)


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
