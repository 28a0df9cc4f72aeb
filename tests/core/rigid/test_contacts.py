"""From touching balls to impacts."""

from __future__ import annotations

import numpy as np
import pytest

from fracture_addon.core.data.impact import hertz_duration
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.rigid.contacts import Side, effective_modulus, hertz_impacts, patches
from fracture_addon.core.rigid.rigid_properties import RigidProperties


def test_patches_of_a_point_and_of_a_flat_side():
    point = np.array([[0.0, 0, 0], [0.001, 0, 0], [1.0, 0, 0]])
    centers, shares = patches(point, np.array([0.0, 0.0, 0.5]), 0.01, 0.1)
    np.testing.assert_allclose(centers, [[0.0005, 0, 0]])
    np.testing.assert_allclose(shares, [1.0])
    side = np.array([[x, y, 0.0] for x in (0.0, 1.0) for y in (0.0, 1.0)])
    centers, shares = patches(side, np.zeros(4), 0.01, 0.1)
    assert len(centers) == 4
    np.testing.assert_allclose(shares, 0.25)


def test_a_contact_is_the_elastic_contact_of_two_masses():
    light = RigidProperties(0.1, np.zeros(3), np.eye(3) * 1e-4)
    fixed = RigidProperties(np.inf, np.zeros(3), np.full((3, 3), np.inf))
    pose = np.array([0.0, 0, 0, 1, 0, 0, 0])
    speed, (impact,) = hertz_impacts(
        Side(light, pose, PORCELAIN),
        Side(fixed, pose, None),
        np.array([[0.0, 0.0, -0.02]]),
        np.zeros(1),
        np.array([0.0, 0.0, 0.3]),
        size=0.005,
        diagonal=0.1,
    )
    np.testing.assert_allclose(speed, 3.0)
    np.testing.assert_allclose(impact.direction, [0, 0, 1])
    modulus = effective_modulus(PORCELAIN, None)
    np.testing.assert_allclose(impact.duration, hertz_duration(0.1, 0.015, modulus, 3.0))
    np.testing.assert_allclose(impact.peak_force, 0.6 / impact.duration)
    assert impact.radius >= 0.005
    assert impact.striker_radius == 0.0


def test_what_strikes_counts_for_a_ball_as_large_as_itself():
    ball, rod = (
        RigidProperties(2.0, np.zeros(3), 2.0 * np.diag(each)) for each in (3 * [0.4 * 0.09], [0.005, 1.0, 1.0])
    )
    assert ball.ball_radius == pytest.approx(0.3)
    # One 0.1 m thick.
    assert rod.ball_radius == pytest.approx(0.1, rel=0.2)
