"""Prior stress of regions and paint."""

import numpy as np
import pytest

from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.placed_fields import PaintedField, Region
from fracture_addon.core.fields.prior_stress import has_prior_stress, prior_stress, without_prior_stress
from tests import shapes

BOX = shapes.box((0.2, 0.2, 0.2))
RIGHT = PaintedField(BOX.points, BOX.faces, (BOX.points[:, 0] > 0.0).astype(float))
PULLED = Region(np.zeros(3), 0.05, stress=2e6, softness=0.0)


def test_places_and_paint_add_up():
    settings = Settings.of(regions=(PULLED, Region(np.zeros(3), 0.03)), painted_stress=RIGHT, prior_stress=-5e6)
    points = np.array([[0.0, 0.0, 0.06], [0.09, 0.0, 0.0], [-0.09, 0.0, 0.0], [-0.04, 0.0, 0.0]])
    assert prior_stress(points, settings)[1:] == pytest.approx([-5e6, 0.0, 2e6])
    assert has_prior_stress(settings)


@pytest.mark.parametrize(
    "values", [{}, {"regions": (Region(np.zeros(3), 1.0, 2.0),)}, {"prior_stress": 1e6}, {"painted_stress": RIGHT}]
)
def test_bodies_without_one(values):
    assert not has_prior_stress(Settings.of(**values))


def test_a_break_releases_it():
    settings = Settings.of(regions=(PULLED,), painted_stress=RIGHT, prior_stress=1e6, tempering=1e7)
    freed = without_prior_stress(settings)
    assert not has_prior_stress(freed)
    assert freed.strength.tempering == 0.0
    assert freed.strength.regions[0].radius == PULLED.radius


def test_a_stress_out_of_range_is_refused():
    with pytest.raises(SettingsError, match="prior stress is -2e\\+09 Pa; set it between -1e\\+09 and 1e\\+09 Pa"):
        Region(np.zeros(3), 0.1, stress=-2e9)
