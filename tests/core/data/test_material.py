"""A material refuses nonsense by name."""

import dataclasses
import math

import numpy as np
import pytest

from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.material import FIELD_NAMES, PORCELAIN, Material
from fracture_addon.core.data.settings.setting import table


@pytest.mark.parametrize("name", table(Material))
def test_a_value_outside_its_limits_is_refused(name):
    row, _ = table(Material)[name]
    low, high = row.low, row.high
    assert getattr(dataclasses.replace(PORCELAIN, **{name: low}), name) == low
    assert getattr(dataclasses.replace(PORCELAIN, **{name: high}), name) == high
    for value in (low - 1.0, high * 2.0 + 1.0, float("nan"), float("inf")):
        with pytest.raises(SettingsError, match=rf"'Porcelain': {row.name} \({name}\) is .*; set it between"):
            dataclasses.replace(PORCELAIN, **{name: value})


def test_every_number_has_a_limit():
    rows = table(Material)
    assert set(rows) == set(FIELD_NAMES) - {"name"}
    assert all(math.isfinite(row.low) and math.isfinite(row.high) for row, _ in rows.values())


def test_derived_values():
    glass = dataclasses.replace(PORCELAIN, young_modulus=70e9, poisson_ratio=0.25, toughness=1e6, tensile_strength=1e8)
    assert glass.shear_modulus == pytest.approx(28e9)
    assert glass.material_length == pytest.approx(1e-4)
    assert glass.damping_time == 0.0
    viscous = dataclasses.replace(glass, dilation_damping=3e-6 * glass.first_lame, rigidity_damping=3e-6 * 28e9)
    assert viscous.damping_time == pytest.approx(3e-6)


def test_an_elastic_computation_gives_a_ductile_material_the_energy_of_its_flow():
    soft = dataclasses.replace(
        PORCELAIN, tensile_strength=100e6, yield_strength=35e6, hardening=190e6, plastic_limit=0.3, young_modulus=69e9
    )
    strain = np.linspace(0.0, 0.3, 1001)
    flow = (35e6 + 190e6 * strain).mean() * 0.3
    elastic = soft.without_flow()
    assert elastic.tensile_strength**2 / (2.0 * 69e9) == pytest.approx(35e6**2 / (2.0 * 69e9) + flow)
    assert elastic.compressive_strength / soft.compressive_strength == pytest.approx(elastic.tensile_strength / 100e6)
    assert not elastic.is_ductile
    assert PORCELAIN.without_flow() is PORCELAIN


def test_a_material_that_breaks_before_it_yields_is_brittle():
    brittle = dataclasses.replace(PORCELAIN, yield_strength=2.0 * PORCELAIN.tensile_strength)
    assert not brittle.is_ductile
    assert brittle.without_flow().tensile_strength == PORCELAIN.tensile_strength
