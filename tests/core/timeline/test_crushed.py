"""The report of a lattice that is crushed."""

import numpy as np
import pytest

from fracture_addon.core.data.job import AuthoredImpact, Body, Job
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.settings.settings import Settings
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes
from tests.core.timeline_scenes import DOWN, WEIGHTLESS


@pytest.mark.parametrize("cells", [1000, 2000])
def test_a_compact_body_that_is_crushed_is_named_with_the_remedy_and_a_plate_is_not(cells):
    """Measured with three seeds: 99 to 100 % of the cube, and 14 to 28 % of the plate."""
    found = {}
    for name, size, load in (("Cube", (0.08, 0.08, 0.08), 8.0), ("Plate", (0.2, 0.2, 0.02), 1.5)):
        impact = AuthoredImpact(1, np.array([0.005, 0.003, 0.5 * size[2]]), DOWN, load)
        settings = Settings.of(method="lattice", cell_count=cells, seed=2, break_depth=1)
        body = Body(name, shapes.box(size), PORCELAIN, settings, impacts=(impact,))
        report = simulate(Job((body,), (), 1, 2, gravity=WEIGHTLESS), lambda *_: None).report["bodies"][0]
        assert report["fragments"] > 1
        found[name] = report["warnings"]
    (warning,) = found["Cube"]
    assert "'Cube' is crushed" in warning
    assert "Network" in warning
    assert not found["Plate"]
