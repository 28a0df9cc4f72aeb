"""Pressure of an explosion on a surface."""

import numpy as np
import pytest

from fracture_addon.core.fields.blast_pressure import AIR_PRESSURE, on_surface, side_on

DISTANCES = np.geomspace(0.1, 100.0, 40)


def test_eight_times_the_charge_has_the_same_pressure_and_twice_the_impulse_at_twice_the_distance():
    pressure, impulse = side_on(0.3, DISTANCES)
    farther_pressure, farther_impulse = side_on(2.4, 2.0 * DISTANCES)
    assert farther_pressure == pytest.approx(pressure)
    assert farther_impulse == pytest.approx(2.0 * impulse)


def test_pressure_and_impulse_fall_with_the_distance():
    pressure, impulse = side_on(1.0, DISTANCES)
    assert (np.diff(pressure) < 0.0).all()
    assert (np.diff(impulse) < 0.0).all()


@pytest.mark.parametrize("distance", [1.0, 2.0, 5.0, 20.0])
def test_pressure_is_within_a_third_of_brodes_formula(distance):
    """Brode 1955, for a sphere of 1 kg: 0.975/Z + 1.455/Z^2 + 5.85/Z^3 - 0.019 bar."""
    brode = 0.975 / distance + 1.455 / distance**2 + 5.85 / distance**3 - 0.019
    assert float(side_on(1.0, np.array([distance]))[0][0]) / 1e5 == pytest.approx(brode, rel=0.34)


def test_reflection_doubles_a_weak_wave_and_multiplies_a_strong_one_by_up_to_eight():
    pressure, _ = side_on(1.0, np.array([500.0, 0.01]))
    reflected, _ = on_surface(1.0, np.array([500.0, 0.01]), np.ones(2))
    assert pressure[0] < 0.01 * AIR_PRESSURE
    assert reflected[0] / pressure[0] == pytest.approx(2.0, abs=0.01)
    assert 7.5 < reflected[1] / pressure[1] < 8.0


def test_a_wave_along_a_face_has_its_side_on_pressure():
    pressure, impulse = side_on(1.0, DISTANCES)
    along_pressure, along_impulse = on_surface(1.0, DISTANCES, np.zeros(len(DISTANCES)))
    assert along_pressure == pytest.approx(pressure)
    assert along_impulse == pytest.approx(impulse)


@pytest.mark.parametrize("distance", [0.0, 1e-9, 0.01])
def test_the_charge_itself_is_the_nearest_point(distance):
    pressure, impulse = side_on(1.0, np.array([distance]))
    assert np.isfinite([pressure, impulse]).all()
    assert (pressure, impulse) == side_on(1.0, np.array([0.0]))
