"""Self-collision of one deformable body of finite elements."""

import numpy as np
import pytest

from fracture_addon.core.data.job import Body, Job, Settings
from fracture_addon.core.data.placed_fields import PaintedField
from fracture_addon.core.data.surface import volume
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes
from tests.core.soft_bricks import BELOW, RUBBER

SETTINGS = Settings.of(method="fem", dynamics="deformable", softening=1.0, noise=0.0)
LENGTH, PRONG, GAP = 0.2, 0.02, 0.02


def lowest_gap(cells, self_collision, steps="auto"):
    """Return the smallest height of the tip of the upper prong over the lower one, m, and that on the last frame."""
    surface = shapes.divided(shapes.fork(LENGTH, 0.04, PRONG, GAP))
    points = surface.points
    pins = PaintedField(points, surface.faces, ((points[:, 2] < PRONG + 1e-6) | (points[:, 0] < 0.0)).astype(float))
    settings = SETTINGS.changed(cell_count=cells, pinned=pins, self_collision=self_collision, time_steps=steps)
    body = Body("fork", surface, RUBBER, settings)
    shown = simulate(Job((body,), (BELOW,), frame_end=14), lambda *_: None).deformed[0].points
    tip = (shown[0, :, 0] > LENGTH - 1e-6) & (np.abs(shown[0, :, 2] - PRONG - GAP) < 1e-6)
    heights = shown[:, tip, 2].mean(axis=1) - PRONG
    return float(heights.min()), float(heights[-1])


def test_the_fork_is_closed():
    expected = 0.04 * (2.0 * PRONG * (LENGTH + PRONG) + GAP * PRONG)
    assert volume(shapes.fork(LENGTH, 0.04, PRONG, GAP)) == pytest.approx(expected)


@pytest.mark.parametrize("cells", [200, 500])
def test_a_prong_comes_to_rest_on_the_other_one_of_the_same_body(cells):
    """Measured: it comes to rest 3 mm deep, at most a sixth of an element; without self-collision it passes through."""
    through, _ = lowest_gap(cells, self_collision=False)
    lowest, last = lowest_gap(cells, self_collision=True)
    assert through < -PRONG
    assert lowest > -0.4 * PRONG
    assert -0.25 * PRONG < last < 0.25 * PRONG
