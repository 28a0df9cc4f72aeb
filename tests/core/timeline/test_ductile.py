"""Ductile bodies stay whole with methods that do not compute flow, and the report says that they would be dented."""

import dataclasses

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from fracture_addon.core.data.job import Body, Settings
from fracture_addon.core.data.material import PORCELAIN
from tests import shapes
from tests.core.timeline_scenes import FLOOR, run

ALUMINIUM = dataclasses.replace(
    PORCELAIN,
    name="Aluminium",
    density=2700.0,
    young_modulus=69e9,
    poisson_ratio=0.33,
    tensile_strength=100e6,
    compressive_strength=300e6,
    toughness=35e6,
    strength_variation=0.05,
    yield_strength=35e6,
    hardening=190e6,
    plastic_limit=0.35,
)


def dropped(material, violence: float):
    """The report of a plate that falls on a floor at 4.4 m/s."""
    turn = Rotation.from_rotvec([0.3, 0.1, 0.0]).as_matrix()
    surface = shapes.moved(shapes.box((0.2, 0.2, 0.01)), rotation=turn, offset=(0.0, 0.0, 0.1))
    settings = Settings.of(cell_count=600, break_depth=1, violence=violence)
    body = Body("plate", surface, material=material, settings=settings, velocity=np.array([0.0, 0.0, -4.4]))
    return run(body, colliders=(FLOOR,)).report["bodies"][0]


@pytest.mark.parametrize("violence", [1.0, 5.0])
def test_a_dropped_aluminium_plate_stays_whole(violence):
    report = dropped(ALUMINIUM, violence)
    assert not report["breaks"]
    assert any("would be dented" in warning and "Finite Elements" in warning for warning in report["warnings"])


def test_a_plate_of_the_same_strength_that_does_not_flow_breaks():
    report = dropped(dataclasses.replace(ALUMINIUM, yield_strength=0.0, toughness=1e6), 5.0)
    assert report["breaks"]
    assert not any("dented" in warning for warning in report["warnings"])
