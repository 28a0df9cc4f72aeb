"""The fuzz tests draw settings from the limits that the panel has."""

from __future__ import annotations

import pytest

from fracture_addon.core.data.settings.settings import all_rows
from tests.fuzz import ranges


@pytest.fixture
def properties(cube):
    return cube.fracture.bl_rna.properties


@pytest.mark.parametrize("name", ranges.NUMBERS)
def test_numbers_lie_within_the_limits_of_the_panel(properties, name):
    drawn, found = ranges.NUMBERS[name], properties[name]
    assert drawn.low == pytest.approx(found.hard_min)
    assert drawn.low < drawn.high <= found.hard_max * (1.0 + 1e-6)
    assert drawn.high in (ranges.HIGHEST.get(name), pytest.approx(found.hard_max), pytest.approx(found.soft_max))


@pytest.mark.parametrize("name", ranges.CHOICES)
def test_choices_are_those_of_the_panel(properties, name):
    found = properties[name]
    known = (False, True) if found.type == "BOOLEAN" else [item.identifier.lower() for item in found.enum_items]
    assert set(ranges.CHOICES[name].values) == set(known)


@pytest.mark.parametrize(
    ("drawn", "name"), [(ranges.FACTOR, "place_strength"), (ranges.IMPACT_STRENGTH, "impact_strength")]
)
def test_places_and_impacts_have_the_limits_of_the_panel(properties, drawn, name):
    found = properties[name]
    high = found.hard_max if found.hard_max < 1e9 else found.soft_max
    assert (drawn.low, drawn.high) == pytest.approx((found.hard_min, high))


def test_every_setting_is_drawn():
    assert {*all_rows(), "method"} - {"cell_count", "seed"} == set(ranges.NUMBERS) | set(ranges.CHOICES)
