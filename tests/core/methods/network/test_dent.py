"""Dents of a network: plastic flow of its bonds."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.settings.settings import StrikeSettings
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods import table
from tests import shapes
from tests.core.timeline.test_ductile import ALUMINIUM

SETTINGS = Settings.of(cell_count=500)
SHEET = tetrahedralize(shapes.box((0.2, 0.2, 0.004)), 500, 0)
PREPARED = table.prepare(SHEET, ALUMINIUM, SETTINGS)


def dent(speed, most=1.0, material=ALUMINIUM, settings=SETTINGS, prepared=PREPARED):
    """Displacement of the points of a sheet that hits something with its middle."""
    impact = Impact([0.0, 0.0, -0.002], [0.0, 0.0, 1.0], 0.2 * speed, 1e-3, 0.01, speed)
    own = settings.part(StrikeSettings)
    return table.method(settings).dent(prepared.model, SHEET, material, own, [impact], most, prepared.solver)


def depth(displacement):
    """Rise of the middle of the sheet over its border."""
    outside = np.abs(SHEET.points[:, :2]).max(axis=1)
    used = np.isin(np.arange(len(SHEET.points)), SHEET.cells)
    return displacement[used & (outside < 0.03), 2].mean() - displacement[used & (outside > 0.09), 2].mean()


def test_a_sheet_bends_at_the_impact_and_more_at_higher_speed():
    slow, fast = depth(dent(4.0)), depth(dent(8.0))
    assert 0.0 < 2.0 * slow < fast


def test_a_slow_impact_leaves_no_dent():
    assert not dent(1e-3).any()


def test_a_strong_material_is_dented_less():
    assert depth(dent(6.0, material=replace(ALUMINIUM, yield_strength=90e6))) < 0.7 * depth(dent(6.0))


def test_the_dent_ends_at_the_greatest_depth():
    assert depth(dent(30.0, most=1e-3)) < 3e-3 < depth(dent(30.0))


def test_the_momentum_of_a_dent_is_zero():
    """The displacement contains no rigid motion: its mean over the mass is zero."""
    displacement = dent(6.0)
    mean = displacement[SHEET.cells].mean(axis=(0, 1))
    assert np.linalg.norm(mean) < 0.2 * np.abs(displacement).max()


def test_rigid_bonds_do_not_bend():
    settings = Settings.of(cell_count=500, bonds="point")
    assert dent(6.0, settings=settings, prepared=table.prepare(SHEET, ALUMINIUM, settings)) is None


@pytest.mark.parametrize("method", ["lattice", "fem"])
def test_only_the_network_dents(method):
    assert not table.METHODS[method].capabilities.dents
    assert table.METHODS["network"].capabilities.dents
