"""Wind on the surfaces of lattices."""

from dataclasses import replace

import numpy as np

from fracture_addon.core.data.wind import Wind
from tests.core.soft_bricks import FLOOR, RUBBER, brick, middles, run


def test_wind_moves_a_light_body_and_not_a_heavy_one():
    impact = (Wind("uniform", direction=np.array([1.0, 0.0, 0.0]), speed=8.0),)
    moved = []
    for density in (50.0, 5000.0):
        leaf = brick((0.0, 0.0, 0.5), replace(RUBBER, density=density), (0.01, 0.1, 0.1), cell_count=300)
        middle = middles(run([leaf], 8, colliders=(FLOOR,), winds=impact).deformed[0])
        moved.append(middle[-1, 0] - middle[0, 0])
    assert moved[0] > 0.3
    assert 0.0 < moved[1] < 0.1 * moved[0]
