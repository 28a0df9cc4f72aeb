"""Stress preview of a body during an impact: stress against an exact case, cracks where fragments come apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import AuthoredImpact, Body, Collider, Job, Settings
from fracture_addon.core.data.material import Material
from fracture_addon.core.data.stress_window import MOST_MOMENTS, NO_CRACK
from fracture_addon.core.methods import table
from fracture_addon.core.methods.fem.elements import law_of
from fracture_addon.core.methods.fem.state import from_solid
from fracture_addon.core.methods.fem.stress import principal_stress
from fracture_addon.core.methods.method import RigidMotion
from fracture_addon.core.timeline.stress_preview import preview_stress
from tests import shapes
from tests.core.grid import block

GLASS = Material("Glass", 2500.0, 71e9, 0.23, 40e6, 330e6, 0.75e6, strength_variation=0.0)
PLANK = shapes.box((0.3, 0.06, 0.02))
STILL = RigidMotion(np.zeros(3), np.zeros(3))


@pytest.mark.parametrize("strain", [1e-6, 0.02])
def test_uniaxial_tension_is_the_largest_principal_stress_at_every_node(strain):
    """sigma = (1 + e) / (1 - nu e')^2 E E_xx, with Green strain E_xx and the contraction that frees the sides."""
    mesh = from_solid(block((3, 2, 2), (1.0, 0.5, 0.5)), GLASS.density)
    green = strain + 0.5 * strain**2
    across = np.sqrt(1.0 - 2.0 * GLASS.poisson_ratio * green)
    direction = np.array([[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    mesh.position[:] = (mesh.rest * [1.0 + strain, across, across]) @ direction
    expected = GLASS.young_modulus * green * (1.0 + strain) / across**2
    assert principal_stress(mesh, law_of(GLASS)) == pytest.approx(expected, rel=1e-9)


def test_pressure_alone_is_no_tension():
    mesh = from_solid(block((2, 2, 2), (1.0, 1.0, 1.0)), GLASS.density)
    mesh.position[:] = 0.99 * mesh.rest
    assert (principal_stress(mesh, law_of(GLASS)) < 0.0).all()


def struck(name, strength, cells=300):
    """A window of a plank under an impact so many times the critical one, and what the same impact makes of it."""
    settings = Settings.of(method=name, cell_count=cells, noise=0.0, dust_volume=0.0)
    solid = table.discretise(PLANK, settings)
    model = table.build(solid, GLASS, settings)
    duration = 3e-4
    unit = Impact([0.0, 0.0, 0.01], [0.0, 0.0, -1.0], 0.5 * duration, duration, 0.0)
    impact = replace(unit, impulse=0.5 * strength * table.critical_force(model, settings, [unit]) * duration)
    return table.stress_window(model, solid, settings, [impact]), table.strike(model, settings, STILL, [impact])


@pytest.mark.parametrize("name", table.METHODS)
def test_cracks_are_seen_where_the_body_breaks_and_not_below_its_load(name):
    window, result = struck(name, 4.0)
    assert result.broken
    assert 0 < len(window.times) <= MOST_MOMENTS
    assert (np.diff(window.times) >= 0.0).all()
    cracks = window.crack != NO_CRACK
    assert cracks.any()
    corners = window.rest[window.faces]
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    outside = 2.0 * (0.3 * 0.06 + 0.3 * 0.02 + 0.06 * 0.02)
    assert areas[~cracks].sum() == pytest.approx(outside, rel=0.03)
    assert np.isfinite(window.stress).all()
    assert np.isfinite(window.points).all()
    whole, _ = struck(name, 0.5)
    assert (whole.crack == NO_CRACK).all()


def test_stress_rises_to_about_half_the_strength_at_half_the_load():
    window, _ = struck("fem", 0.5)
    assert 0.3 * GLASS.tensile_strength < window.stress.max() < 0.8 * GLASS.tensile_strength
    assert window.stress[0].max() < 0.05 * GLASS.tensile_strength


def test_two_sides_of_a_crack_lie_on_one_another_until_it_opens():
    window, _ = struck("fem", 4.0)
    cracks = np.flatnonzero(window.crack != NO_CRACK)
    middles = window.rest[window.faces[cracks]].mean(axis=1)
    order = np.lexsort(middles.round(9).T)
    one, other = cracks[order].reshape(-1, 2).T
    np.testing.assert_array_equal(window.crack[one], window.crack[other])
    for moment in range(len(window.times)):
        apart = window.points[moment][window.faces].mean(axis=1)
        gap = np.linalg.norm(apart[one] - apart[other], axis=1)
        assert (gap[window.crack[one] > moment] < 5e-8).all()  # single precision
    assert gap.max() > 1e-5


PLACED = (AuthoredImpact(3, np.array([0.0, 0.0, 0.01]), np.array([0.0, 0.0, -1.0]), 4.0),)
FALLING = shapes.moved(PLANK, offset=(0.0, 0.0, 0.2))
FLOOR = Collider("floor", shapes.box((2.0, 2.0, 0.2), (0.0, 0.0, -0.1)), shape="box")


def body(surface, **changes):
    return Body("plank", surface, GLASS, Settings.of(method="network", cell_count=200), **changes)


def test_a_job_is_followed_to_the_first_impact_on_each_body():
    bodies = (body(PLANK, impacts=PLACED), body(shapes.moved(PLANK, offset=(1.0, 0.0, 0.0))))
    stages = []
    found = preview_stress(Job(bodies, frame_end=6), lambda stage, _share: stages.append(stage))
    assert found.bodies[0].frame == 3
    assert found.bodies[0].strength == GLASS.tensile_strength
    assert (found.bodies[0].window.crack != NO_CRACK).any()
    assert found.bodies[1] is None
    assert stages[-1] == "Computing stress in 'plank'"


def test_where_a_separation_force_replaces_the_strength_stress_is_shown_against_that():
    """Over the square of an element's edge: what is pulled has just not cracked at a little less than that."""
    sizes, found = [], []
    for force in (0.0, 2e3, 4e3):
        settings = Settings.of(method="fem", cell_count=300, noise=0.0, separation_force=force)
        below = (replace(PLACED[0], strength=0.9),)
        job = Job((replace(body(PLANK, impacts=below), settings=settings),), frame_end=6)
        found.append(preview_stress(job, lambda *_: None).bodies[0])
        solid = table.discretise(PLANK, settings)
        sizes.append(float(np.median(from_solid(solid, GLASS.density).size[: solid.cell_count])))
    plain, *printed = found
    assert plain.strength == GLASS.tensile_strength
    assert [item.strength for item in printed] == pytest.approx([force / sizes[1] ** 2 for force in (2e3, 4e3)])
    shares = [item.window.stress.max() / item.strength for item in found]
    assert shares == pytest.approx([shares[0]] * 3, rel=0.05)
    assert (printed[0].window.crack == NO_CRACK).all()


@pytest.mark.parametrize(("speed", "breaks"), [(16.0, True), (0.2, False)])
def test_an_impact_that_breaks_nothing_is_shown_too(speed, breaks):
    falling = body(FALLING, velocity=np.array([0.0, 0.0, -speed]))
    found = preview_stress(Job((falling,), (FLOOR,), frame_end=14), lambda *_: None).bodies[0]
    assert found.frame > 1
    assert (found.window.crack != NO_CRACK).any() == breaks


def test_what_deforms_for_the_whole_shot_has_no_window():
    soft = replace(body(PLANK), settings=Settings.of(method="lattice", dynamics="deformable"))
    with pytest.raises(SettingsError, match="Rigid"):
        preview_stress(Job((soft,), (FLOOR,)), lambda *_: None)
