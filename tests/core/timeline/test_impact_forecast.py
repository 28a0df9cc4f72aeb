"""Finer cells at forecast impact points."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.job import AuthoredImpact, Body, Collider, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.solid import cell_centers, cell_volumes
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.timeline.impact_forecast import refine_at_impacts
from fracture_addon.core.timeline.preparation import fill
from tests import shapes

FLOOR = Collider("floor", Surface([[-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0]], [[0, 1, 2], [0, 2, 3]]))
SETTINGS = Settings.of(cell_count=1500, impact_fineness=3.0, impact_reach=0.3)
DOWN = np.array([0.0, 0.0, -1.0])


def bar(height=0.05, **values):
    """A bar of 0.4 m, on the floor or above it."""
    surface = shapes.box((0.1, 0.1, 0.4), (0.0, 0.0, height + 0.2))
    return Body("bar", surface, PORCELAIN, **{"settings": SETTINGS, **values})


def job(*bodies, colliders=(), frames=12, **values):
    return Job(tuple(bodies), tuple(colliders), 1, frames, **values)


def refined(job):
    return refine_at_impacts(job, lambda _stage, _share: None)


def added(found, row=0):
    return found.bodies[row].settings.filling.fineness_regions


def test_an_authored_impact_is_found_at_the_pose_of_its_frame():
    """The bar flies along X at one metre a frame: the impact at x = 2 m on frame 3 is at x = 0 in rest space."""
    impact = AuthoredImpact(3, np.array([2.0, 0.0, 0.45]), DOWN, 4.0)
    body = bar(velocity=np.array([24.0, 0.0, 0.0]), impacts=(impact,))
    (region,) = added(refined(job(body, gravity=np.zeros(3))))
    assert region.center == pytest.approx([0.0, 0.0, 0.45], abs=1e-3)
    assert region.fineness == 3.0
    assert region.radius == pytest.approx(0.3 * body.surface.diagonal)


def test_the_impact_of_a_ball_is_forecast():
    ball = Collider(
        "ball", shapes.moved(shapes.icosphere(0.03), offset=(-0.4, 0.0, 0.35)), "sphere", 0.5, velocity=[5.0, 0.0, 0.0]
    )
    (region,) = added(refined(job(bar(0.0), colliders=(FLOOR, ball))))
    assert region.center == pytest.approx([-0.05, 0.0, 0.34], abs=0.03)


def test_the_impact_of_a_fall_is_forecast():
    (region,) = added(refined(job(bar(0.5), colliders=(FLOOR,))))
    assert region.center[2] == pytest.approx(0.5, abs=0.01)


def test_a_body_without_an_impact_or_without_the_setting_stays_as_it_is():
    still = bar()
    assert added(refined(job(still, gravity=np.zeros(3), frames=3))) == ()
    plain = job(bar(settings=Settings()), colliders=(FLOOR,))
    assert refined(plain) is plain
    impact = AuthoredImpact(1, np.array([0.0, 0.0, 0.45]), DOWN, 4.0)
    quiet = replace(bar(impacts=(impact,)), settings=Settings())
    struck = shapes.moved(bar().surface, offset=(1.0, 0.0, 0.0))
    other = replace(bar(impacts=(replace(impact, point=np.array([1.0, 0.0, 0.45])),)), surface=struck)
    found = refined(job(quiet, other, gravity=np.zeros(3), frames=2))
    assert (len(added(found)), len(added(found, 1))) == (0, 1)


def test_cells_are_finer_at_the_impact():
    impact = AuthoredImpact(1, np.array([0.0, 0.0, 0.45]), DOWN, 4.0)
    ready = refined(job(bar(impacts=(impact,)), gravity=np.zeros(3), frames=2))
    _, solid, _ = fill(ready, 0, lambda stage, share: None)
    height, volumes = cell_centers(solid.points, solid.cells)[:, 2], cell_volumes(solid.points, solid.cells)
    assert volumes[height < 0.25].mean() > 5.0 * volumes[height > 0.42].mean()
    assert abs(solid.cell_count / 1500 - 1.0) < 0.2
