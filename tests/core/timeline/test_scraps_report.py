"""The report warns of a mesh whose faces bound no solid."""

from types import SimpleNamespace

import pytest

from fracture_addon.core.meshing.repair.repair import SCRAPS
from fracture_addon.core.timeline.assembly import _repair_warnings


@pytest.mark.parametrize(("openings", "count"), [(SCRAPS, 1), ("hollow", 0), ("", 0)])
def test_only_scraps_are_warned_of(openings, count):
    warnings = _repair_warnings(SimpleNamespace(repair={"openings": openings}))
    assert len(warnings) == count
    assert all("bound no solid" in text for text in warnings)
