"""A material refuses nonsense by name."""

import dataclasses

import pytest

from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.material import _LIMITS, FIELD_NAMES, PORCELAIN


@pytest.mark.parametrize(("name", "low", "high"), _LIMITS)
def test_a_value_outside_its_limits_is_refused(name, low, high):
    assert getattr(dataclasses.replace(PORCELAIN, **{name: low}), name) == low
    assert getattr(dataclasses.replace(PORCELAIN, **{name: high}), name) == high
    for value in (low - 1.0, high * 2.0 + 1.0, float("nan"), float("inf")):
        with pytest.raises(SettingsError, match=f"'Porcelain': {name} is .*; set it between"):
            dataclasses.replace(PORCELAIN, **{name: value})


def test_every_number_has_a_limit():
    assert {name for name, _, _ in _LIMITS} == set(FIELD_NAMES) - {"name"}


def test_derived_values():
    glass = dataclasses.replace(PORCELAIN, young_modulus=70e9, poisson_ratio=0.25, toughness=1e6, tensile_strength=1e8)
    assert glass.shear_modulus == pytest.approx(28e9)
    assert glass.material_length == pytest.approx(1e-4)
