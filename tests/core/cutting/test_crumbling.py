"""Painted dust comes off a break, moves as its fragment did, and leaves connected fragments."""

import numpy as np
import pytest

from fracture_addon.core.cutting.crumbling import crumbled
from fracture_addon.core.data.job import AuthoredImpact, Body, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.placed_fields import PaintedField
from fracture_addon.core.data.solid import cell_centers, cell_volumes
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.method import Break
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes

BAR = shapes.box((0.2, 0.04, 0.04))


@pytest.fixture(scope="module")
def halves():
    """A bar in two fragments, and the cells around a third of its length, which lie within the left one."""
    solid = tetrahedralize(BAR, 900, seed=1)
    along = cell_centers(solid.points, solid.cells)[:, 0]
    velocity, turning = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]]), np.array([[0.0, 0.0, 4.0], [1.0, 0.0, 0.0]])
    result = Break((along > 0.01).astype(np.int32), velocity, turning, 2.0, 3, 0, 0.0, np.ones(2, bool))
    return solid, result, np.abs(along + 0.04) < 0.015


def test_dust_divides_its_fragment(halves):
    solid, result, is_dust = halves
    found = crumbled(result, solid, is_dust)
    large = np.bincount(found.fragment_of_cell) > 20
    assert np.count_nonzero(found.kept & large) == 3
    assert not found.kept[found.fragment_of_cell[is_dust]].any()
    assert found.kept[found.fragment_of_cell[~is_dust]].all()
    volumes = cell_volumes(solid.points, solid.cells)
    assert found.dust_volume == pytest.approx(volumes[is_dust].sum() / volumes.sum())
    assert found.dust_count == np.count_nonzero(~found.kept)


def test_dust_keeps_the_momentum(halves):
    solid, result, is_dust = halves
    volumes = cell_volumes(solid.points, solid.cells)
    momenta = [
        np.bincount(item.fragment_of_cell, volumes) @ item.velocity
        for item in (result, crumbled(result, solid, is_dust))
    ]
    np.testing.assert_allclose(*momenta, rtol=1e-9)


def test_no_paint_and_full_paint_change_nothing(halves):
    solid, result, is_dust = halves
    assert crumbled(result, solid, 0 * is_dust > 0) is result
    assert crumbled(result, solid, 0 * is_dust == 0) is result


def recording(dust, painted):
    """A bar that an impact in the middle breaks, with its right end painted."""
    settings = Settings.of(cell_count=400, seed=1, break_depth=1, dust=dust, painted_dust=painted)
    impact = AuthoredImpact(1, np.array([0.0, 0.0, 0.02]), np.array([0.0, 0.0, -1.0]), 2.0)
    body = Body("Bar", surface=BAR, velocity=np.zeros(3), material=PORCELAIN, settings=settings, impacts=(impact,))
    return simulate(Job((body,), (), 1, 4), lambda *_: None)


@pytest.mark.parametrize("dust", ["drop", "debris"])
def test_the_painted_end_of_a_bar_turns_to_dust(dust):
    surface = shapes.divided(shapes.divided(BAR))
    painted = PaintedField(surface.points, surface.faces, (surface.points[:, 0] > 0.06).astype(float))
    whole, found = (recording(dust, paint) for paint in (None, painted))
    masses = [sum(item.mass for item in run.fragments) for run in (whole, found)]
    assert masses[1] == pytest.approx(0.8 * masses[0], rel=0.06)
    assert max(item.surface.points[:, 0].max() + item.center[0] for item in found.fragments) < 0.08


def test_merged_dust_stays():
    painted = PaintedField(BAR.points, BAR.faces, (BAR.points[:, 0] > 0.0).astype(float))
    runs = [recording("merge", paint) for paint in (None, painted)]
    assert len(runs[0].fragments) == len(runs[1].fragments)
