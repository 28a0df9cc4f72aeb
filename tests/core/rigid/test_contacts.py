"""From touching balls to impacts."""

from __future__ import annotations

import numpy as np
import pytest

from fracture_addon.core.data.impact import hertz_duration
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.rigid.contacts import Side, effective_modulus, hertz_impacts, load_shares, patches
from fracture_addon.core.rigid.rigid_properties import RigidProperties


def test_patches_of_a_point_and_of_a_flat_side():
    point = np.array([[0.0, 0, 0], [0.001, 0, 0], [1.0, 0, 0]])
    np.testing.assert_allclose(patches(point, np.array([0.0, 0.0, 0.5]), 0.01, 0.1), [[0.0005, 0, 0]])
    side = np.array([[x, y, 0.0] for x in (0.0, 1.0) for y in (0.0, 1.0)])
    assert sorted(patches(side, np.zeros(4), 0.01, 0.1).tolist()) == side.tolist()


def test_patches_of_a_wide_side_do_not_depend_on_the_order_of_its_points():
    random = np.random.default_rng(0)
    side = np.column_stack((random.uniform(-1.0, 1.0, (200, 2)), np.zeros(200)))
    found = [patches(side[order], np.zeros(200), 0.01, 0.1) for order in (np.arange(200), random.permutation(200))]
    assert sorted(found[0].tolist()) == sorted(found[1].tolist())


@pytest.mark.parametrize("other_mass", [0.5, np.inf])
def test_the_loads_of_patches_stop_all_of_them(other_mass):
    """An uneven set of patches under a brick that falls flat: the impulses do not turn it."""
    falling = RigidProperties(2.0, np.zeros(3), np.diag([0.02, 0.03, 0.04]))
    other = RigidProperties(other_mass, np.zeros(3), np.eye(3))
    points = np.array([[-0.1, 0.05, -0.03], [0.1, 0.05, -0.03], [0.09, 0.05, -0.03], [0.0, -0.05, -0.03]])
    up, identity = np.array([0.0, 0.0, 1.0]), np.eye(3)
    shares = load_shares(points, up, [(falling, identity, np.zeros(3)), (other, identity, np.array([0.0, 0.0, -0.1]))])
    assert shares.sum() == pytest.approx(1.0)
    assert (shares > 0.0).all()
    np.testing.assert_allclose(shares @ points[:, :2], 0.0, atol=1e-3)


def test_a_patch_that_the_others_lift_bears_no_load():
    """Two patches carry the end that falls on them; a third one beyond the centre would have to pull."""
    falling = RigidProperties(2.0, np.zeros(3), np.diag([0.02, 0.03, 0.04]))
    points = np.array([[0.1, -0.05, 0.0], [0.1, 0.05, 0.0], [0.5, 0.0, 0.0]])
    shares = load_shares(points, np.array([0.0, 0.0, 1.0]), [(falling, np.eye(3), np.zeros(3))])
    np.testing.assert_allclose(shares, [0.5, 0.5, 0.0], atol=1e-9)


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
    assert impact.impactor_radius == 0.0


def test_what_strikes_counts_for_a_ball_as_large_as_itself():
    ball, rod = (
        RigidProperties(2.0, np.zeros(3), 2.0 * np.diag(each)) for each in (3 * [0.4 * 0.09], [0.005, 1.0, 1.0])
    )
    assert ball.ball_radius == pytest.approx(0.3)
    # One 0.1 m thick.
    assert rod.ball_radius == pytest.approx(0.1, rel=0.2)
