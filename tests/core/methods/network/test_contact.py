"""The spring between impactor and body."""

import math
from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods import table
from fracture_addon.core.methods.method import RigidMotion
from fracture_addon.core.methods.network import advance, impact_window
from fracture_addon.core.methods.network.contact import Contact
from fracture_addon.core.methods.network.model import build
from tests import shapes

NEW = Contact(0.0, 3.0, 2.0, 1e-7)


def energy(contact):
    """J, of the speed and of the springs."""
    return 0.5 * contact.speed**2 / contact.mobility + 0.5 * contact.compression**2 / contact.compliance


def test_it_keeps_energy_and_gives_the_momentum_it_takes():
    seconds = np.linspace(0.0, NEW.time_to_peak, 2001)
    contacts = [NEW.after(time) for time in seconds]
    np.testing.assert_allclose([energy(contact) for contact in contacts], energy(NEW), rtol=1e-9)
    forces = np.array([contact.force for contact in contacts])
    impulse = (0.5 * (forces[1:] + forces[:-1]) * np.diff(seconds)).sum()
    assert impulse == pytest.approx(NEW.speed / NEW.mobility, rel=1e-5)
    assert forces[-1] == pytest.approx(NEW.peak)
    assert contacts[-1].speed == 0.0


def test_a_force_is_reached_when_it_says():
    for share in (0.1, 0.7, 1.0):
        later = NEW.after(0.2 * NEW.time_to_peak)
        force = later.force + share * (later.peak - later.force)
        assert later.after(later.time_to(force)).force == pytest.approx(force)


def test_the_force_falls_after_its_peak_until_they_part():
    later = NEW.after(1.5 * NEW.time_to_peak)
    assert later.force == pytest.approx(math.sqrt(0.5) * NEW.peak)
    assert later.peak == later.force
    assert energy(later) == pytest.approx(energy(NEW))
    end = NEW.after(5.0 * NEW.time_to_peak)
    assert end.force == pytest.approx(0.0, abs=1e-9 * NEW.peak)
    assert end.speed == pytest.approx(-NEW.speed)


@pytest.mark.parametrize("factor", [0.2, 1.0, 5.0])
def test_cracks_never_add_energy(factor):
    later = NEW.after(0.5 * NEW.time_to_peak)
    assert energy(later.changed(later.mobility, factor * later.compliance)) <= energy(later) * (1.0 + 1e-12)


def test_a_falling_beam_is_stopped_as_beam_theory_says():
    """A free beam, hit in its middle and on its end by a stiff contact: peak force and time to the peak.

    Against its own mean motion the compliance of a free beam of length l is l^3 / (320 E I) under a force in its
    middle, and l / (3 E A) on its end. With its mass m the peak is v sqrt(m / C), reached after pi / 2 sqrt(m C).
    Measured: 1.25 and 1.24 times the compliance, as the dent at the contact adds to it, so peaks are 0.89 and 0.90 of
    beam theory, and times 1.12 and 1.11.
    """
    length, width, speed = 0.6, 0.03, 2.0
    even = replace(PORCELAIN, strength_variation=0.0, poisson_ratio=0.0)
    model = build(tetrahedralize(shapes.box((length, width, width)), 1500, 0), even, Settings())
    bending = length**3 / (320.0 * even.young_modulus * width**4 / 12.0)
    stretching = length / (3.0 * even.young_modulus * width**2)
    mass = model.cells.masses.sum()
    times = []
    for point, direction, compliance in (
        ([0.0, 0.0, 0.5 * width], [0.0, 0.0, -1.0], bending),
        ([0.5 * length, 0.0, 0.0], [-1.0, 0.0, 0.0], stretching),
    ):
        impulse = speed * mass
        impact = Impact(point, direction, impulse, 2e-7, 0.0, speed)
        load, state = advance.initial_state(model, [impact], Settings())
        contact = advance.initial_contact(model, state, load)
        assert contact.peak == pytest.approx(speed * math.sqrt(mass / compliance), rel=0.3)
        assert contact.time_to_peak == pytest.approx(0.5 * math.pi * math.sqrt(mass * compliance), rel=0.3)
        times.append(contact.time_to_peak)
        # At the peak the body has the speed of the impactor: the whole impulse is delivered.
        for _ in impact_window.follow(model, state, replace(load, load_factor=1e-3), Settings()):
            pass
        assert state.delivered == pytest.approx(impulse, rel=0.01)
    assert times[0] > 5.0 * times[1]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("strength", [1e2, 1e5])
def test_an_impact_may_tear_the_cell_under_it_from_all_others(seed, strength):
    """A loose cell has no compliance."""
    settings = Settings.of(cell_count=60, seed=seed)
    model = build(tetrahedralize(shapes.cube(), 60, seed), PORCELAIN, settings)

    def tap(force):
        return Impact([0.5, 0.5, 1.0], [0.0, 0.0, -1.0], 0.5e-4 * force, 1e-4, 0.01)

    force = strength * table.critical_force(model, settings, [tap(1.0)])
    result = table.strike(model, settings, RigidMotion(np.zeros(3), np.zeros(3)), [tap(force)])
    assert result.broken
    assert np.isfinite(result.velocity).all()
    assert np.isfinite(result.angular_velocity).all()
