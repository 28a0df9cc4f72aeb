"""The fuzz tests draw settings from the limits that the panel has."""

from __future__ import annotations

from dataclasses import fields

import pytest

from fracture_addon.blender.read.settings import RENAMED
from fracture_addon.core.data.job import Settings
from tests.fuzz import ranges

# A hard limit above this is none: the soft limit counts.
UNBOUNDED = 1e9
# Settings that are drawn up to less than the panel's limit; ``tests/fuzz/ranges.py`` states why.
NARROWER = {"face_budget"}


@pytest.fixture
def properties(cube):
    return cube.fracture.bl_rna.properties


def limits(found):
    # A wanted number of pieces beyond the soft limit is more than a draw has cells.
    is_hard = found.hard_max < UNBOUNDED and found.identifier != "piece_count"
    return found.hard_min, found.hard_max if is_hard else found.soft_max


@pytest.mark.parametrize("name", ranges.NUMBERS)
def test_numbers_have_the_limits_of_the_panel(properties, name):
    drawn = ranges.NUMBERS[name]
    low, high = limits(properties[name])
    assert drawn.low == pytest.approx(low)
    assert drawn.high < high if name in NARROWER else drawn.high == pytest.approx(high)


@pytest.mark.parametrize("name", ranges.CHOICES)
def test_choices_are_those_of_the_panel(properties, name):
    found = properties[name]
    known = (False, True) if found.type == "BOOLEAN" else [item.identifier.lower() for item in found.enum_items]
    assert set(ranges.CHOICES[name]) == set(known)


@pytest.mark.parametrize(
    ("drawn", "name"), [(ranges.FACTOR, "place_strength"), (ranges.IMPACT_STRENGTH, "impact_strength")]
)
def test_places_and_impacts_have_the_limits_of_the_panel(properties, drawn, name):
    assert (drawn.low, drawn.high) == pytest.approx(limits(properties[name]))


def test_every_setting_with_a_property_is_drawn(properties):
    shown = {item.name for item in fields(Settings) if RENAMED.get(item.name, item.name) in properties}
    assert shown - {"cell_count", "seed", "grain"} == set(ranges.NUMBERS) | set(ranges.CHOICES)
