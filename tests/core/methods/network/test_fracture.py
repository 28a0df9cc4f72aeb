"""A network under a rising load."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.contact_patch import patch_forces
from fracture_addon.core.methods.network import advance, critical_load, fracture, impact_window, load_steps
from fracture_addon.core.methods.network.model import build
from fracture_addon.core.methods.rigid_components import components_by_label, find_components
from tests import shapes

IMPACT = Impact([0.0, 0.0, 0.01], [0.0, 0.0, -1.0], 0.5, 1e-4, 0.0)


@pytest.fixture(scope="module", params=["full", "point"])
def settings(request):
    return Settings.of(bonds=request.param, load_steps=10)


@pytest.fixture(scope="module")
def model(settings):
    return build(tetrahedralize(shapes.plank(0.3, 0.1, 0.02), 500, 0), PORCELAIN, settings)


def test_patch_shares_the_load_by_peak_force(model):
    parts = find_components(model.cells, model.pairs)
    other = Impact([0.1, 0.0, 0.01], [1.0, 0.0, 0.0], 1.5, 1e-4, 0.03)
    forces = patch_forces(model.cells, parts, [IMPACT, other], model.cell_size)
    np.testing.assert_allclose(forces.sum(axis=0), [0.75, 0.0, -0.25], atol=1e-12)
    near = np.linalg.norm(model.cells.centers - other.point, axis=1) < 0.03
    assert forces[near, 0].sum() > 0.5 * 0.75


def test_a_wider_contact_spreads_the_load(model):
    parts, shares = find_components(model.cells, model.pairs), []
    near = np.linalg.norm(model.cells.centers - IMPACT.point, axis=1) < 0.03
    for radius in (0.0, 0.03, 0.06):
        forces = patch_forces(model.cells, parts, [replace(IMPACT, radius=radius)], model.cell_size)
        shares.append(-forces[near, 2].sum())
    assert shares[0] > shares[1] + 0.05
    assert shares[1] > shares[2] + 0.05


def test_load_passes_by_what_came_off(model):
    """The cells under the impact come off: the load is on what lies behind them."""
    under = np.linalg.norm(model.cells.centers - IMPACT.point, axis=1) < 0.015
    assert 0 < under.sum() < 0.08 * len(under)
    parts = components_by_label(model.cells, under.astype(int), 2)
    forces = patch_forces(model.cells, parts, [IMPACT], model.cell_size)
    assert (forces[under] == 0.0).all()
    np.testing.assert_allclose(forces.sum(axis=0), IMPACT.direction, atol=1e-12)


def test_critical_load_is_where_the_worst_bond_bears_its_strength(model, settings):
    _, state = advance.initial_state(model, [IMPACT], settings)
    critical = critical_load.next_failure(state)
    state.glue.scale(critical)
    np.testing.assert_allclose((state.burden() / state.strengths).max(), 1.0, rtol=1e-9)
    assert state.solve_count == 1


def loads(model, settings, critical_share, **changes):
    """The loads of an impact whose critical load is that share of its peak, while nothing breaks."""
    impact_load, state = advance.initial_state(model, [IMPACT], settings)
    impact_load = replace(impact_load, **changes)
    return impact_load, np.array(
        [load for load, _ in load_steps.loads(state, impact_load, critical_share * impact_load.peak, settings)]
    )


def test_prescribed_loads_rise_from_the_critical_load_to_the_peak(model, settings):
    impact_load, found = loads(model, settings, 0.25)
    assert (np.diff(found) > 0.0).all()
    assert found[0] >= impact_load.peak / 4.0
    np.testing.assert_allclose(found[-1], impact_load.peak)
    assert len(loads(model, settings, 1.01)[1]) == 0
    # However narrowly the peak passes what the body bears, there is a level to break at.
    assert len(loads(model, settings, 0.999)[1]) > 0
    impact_load, found = loads(model, settings, 1.0, load_factor=3.0)
    np.testing.assert_allclose(found[-1], 3.0 * impact_load.peak)


@pytest.mark.parametrize("points", [((0, 0), (0.1, 5), (1, 0)), ((0, 1), (1, 1)), ((0, 0), (0.3, 1), (0.6, 0), (1, 2))])
def test_a_users_schedule_changes_the_peak_but_not_the_impulse(model, settings, points):
    settings = settings.changed(impact_schedule=points)
    impact_load, state = advance.initial_state(model, [IMPACT], settings)
    assert impact_load.peak == pytest.approx(IMPACT.peak_force * impact_load.schedule.peak)
    for load in np.linspace(0.0, impact_load.peak, 7)[1:]:
        state = advance.advance(model, state, impact_load, load)
    assert 0.0 <= state.delivered <= IMPACT.impulse
    state = advance.finish(model, state, impact_load)
    np.testing.assert_allclose(state.delivered, IMPACT.impulse, rtol=1e-9)


def struck(model, settings, times, impact=IMPACT):
    """State that an impact of ``times`` the critical load leaves, and the number of its steps."""
    impact_load, state = advance.initial_state(model, [impact], settings)
    impact_load = replace(impact_load, load_factor=times * critical_load.next_failure(state) / impact_load.peak)
    return state, len(list(impact_window.follow(model, state, impact_load, settings)))


def in_common(first, second):
    """Share of the bonds that two states broke, either of them, that both broke."""
    broken = np.stack([~first.alive, ~second.alive])
    return broken.all(axis=0).sum() / broken.any(axis=0).sum()


def test_events_break_what_a_ramp_of_many_steps_breaks():
    """Section 3.3 with point bonds, taken to its limit in far fewer loads: forces are linear in the load.

    The ramp breaks once per step, while the load goes on rising; events break at one load until it is borne. Measured:
    all bonds alike.
    """
    settings = Settings.of(bonds="point", load_steps=4_000)
    model = build(tetrahedralize(shapes.plank(0.3, 0.1, 0.02), 500, 0), PORCELAIN, settings)
    fine, many = struck(model, settings, 6.0)
    events, few = struck(model, settings.changed(loading="events"), 6.0)
    assert (~events.alive).sum() > 3
    assert in_common(events, fine) > 0.9
    labels = [find_components(model.cells, model.pairs[state.alive]).part_of_cell for state in (events, fine)]
    assert np.mean(labels[0] == labels[1]) > 0.99
    # A solve where something breaks; with one in each step, as published, the ramp would take a hundred times as many.
    assert events.solve_count <= fine.solve_count
    assert events.solve_count < 0.01 * many
    assert few < 0.01 * many


def test_no_time_passes_while_cracks_advance_by_events():
    """With full bonds: the first bond fails at the same time either way, and then events wait for the next failure."""
    model = build(tetrahedralize(shapes.plank(0.3, 0.1, 0.02), 500, 0), PORCELAIN, Settings())
    times = {}
    for name in ("ramp", "events"):
        settings = Settings.of(loading=name)
        impact_load, state = advance.initial_state(model, [IMPACT], settings)
        impact_load = replace(impact_load, load_factor=4.0 * critical_load.next_failure(state) / impact_load.peak)
        times[name] = []
        for _ in impact_window.follow(model, state, impact_load, settings):
            times[name].append(state.time)
    assert times["ramp"][0] == times["events"][0] == times["events"][1]
    assert times["ramp"][1] > times["ramp"][0]


def rod(length, width, cells=1500):
    """A rod along X, and a model of it with one strength."""
    even = replace(PORCELAIN, strength_variation=0.0, poisson_ratio=0.0)
    return even, build(tetrahedralize(shapes.box((length, width, width)), cells, 0), even, Settings())


def test_compliance_is_that_of_beam_theory():
    """A rod without supports, pressed in its middle and on its end: inertia balances the load.

    In bending a free beam of length l under a central force F deflects, against its own mean motion, so that twice its
    strain energy is F^2 l^3 / (320 E I) (integral of M^2 / E I with M = F x^2 / 2 l for each half); on its end,
    F^2 l / (3 E A). Measured: 1.25 and 1.24 times these, as the contact's own dent adds to both.
    """
    length, width, speed = 0.6, 0.03, 2.0
    even, model = rod(length, width)
    inertia = width**4 / 12.0
    bending = length**3 / (320.0 * even.young_modulus * inertia)
    stretching = length / (3.0 * even.young_modulus * width**2)
    cases = (
        (Impact([0.0, 0.0, 0.5 * width], [0.0, 0.0, -1.0], 1.0, 1e-5, 0.0, speed), bending),
        (Impact([0.5 * length, 0.0, 0.0], [-1.0, 0.0, 0.0], 1.0, 1e-5, 0.0, speed), stretching),
    )
    for impact, compliance in cases:
        _, state = advance.initial_state(model, [impact], Settings())
        assert state.compliance == pytest.approx(compliance, rel=0.3)


def test_contact_and_body_are_springs_in_series(model, settings):
    """F = (F_h^-2 + F_c^-2)^(-1/2) with Hertz's F_h and F_c = v sqrt(m / C); a stiff contact leaves the body's own."""
    mass = 0.5
    for peak in (1e2, 1e4, 1e9):
        impact = replace(IMPACT, impulse=mass * 3.0, duration=2.0 * mass * 3.0 / peak, speed=3.0)
        impact_load, state = advance.initial_state(model, [impact], settings)
        if settings.network.bonds == "point":
            assert impact_load.peak == pytest.approx(peak)
            continue
        mobility = impact_load.speed_change / impact_load.impulse
        of_body = 3.0 * np.sqrt(1.0 / (mobility + impact_load.partner_mobility) / state.compliance)
        assert impact_load.peak == pytest.approx((peak**-2 + of_body**-2) ** -0.5, rel=1e-6)


def test_an_impact_without_a_speed_keeps_its_peak(model, settings):
    impact_load, _ = advance.initial_state(model, [IMPACT], settings)
    assert impact_load.peak == pytest.approx(IMPACT.peak_force)


def test_the_load_of_a_contact_ends_when_what_is_left_bears_it():
    """Breaks take away stiffness and mass under the contact; a dead load would go on crushing."""
    model = build(tetrahedralize(shapes.plank(0.3, 0.1, 0.02), 500, 0), PORCELAIN, Settings())
    state, _ = struck(model, Settings(), 8.0)
    assert (~state.alive).sum() > 10
    assert state.demand(1.0) < 1.0


def test_impulse_does_not_depend_on_the_steps(model, settings):
    """A body that does not break gets the whole impulse, however many steps it is given in."""
    for count in (1, 7):
        impact_load, state = advance.initial_state(model, [IMPACT], settings)
        for load in np.linspace(0.0, impact_load.peak, count + 1)[1:]:
            state = advance.advance(model, state, impact_load, load)
        np.testing.assert_allclose(state.delivered, 0.5 * IMPACT.impulse, rtol=1e-9)
        state = advance.finish(model, state, impact_load)
        np.testing.assert_allclose(state.delivered, IMPACT.impulse, rtol=1e-9)
        np.testing.assert_allclose(state.impulses.sum(axis=0), IMPACT.impulse * IMPACT.direction, atol=1e-9)
        assert advance.is_spent(model, state, impact_load)


def test_forces_scale_with_the_load(model, settings):
    impact_load, state = advance.initial_state(model, [IMPACT], settings)
    unit = state.burden()
    state = advance.advance(model, state, impact_load, 123.0)
    np.testing.assert_allclose(state.burden(), 123.0 * unit, rtol=1e-8)


def test_the_burden_under_the_present_load_is_computed_once():
    """A round of breaks asks for it twice. Another load, another solve and breaks give a new one."""
    model = build(tetrahedralize(shapes.plank(), 120, 0), PORCELAIN, Settings())
    impact_load, state = advance.initial_state(model, [IMPACT], Settings())
    unit = state.burden()
    assert state.burden() is unit
    with pytest.raises(ValueError, match="read-only"):
        unit[0] = 0.0
    state = advance.advance(model, state, impact_load, 2.0)
    doubled = state.burden()
    np.testing.assert_allclose(doubled, 2.0 * unit, rtol=1e-12)
    worst = int(doubled.argmax())
    state.glue.remove(np.array([worst]))
    assert state.burden()[worst] == 0.0
    copied = state.glue.copy()
    copied.remove(np.array([0]))
    assert copied.burden()[0] == 0.0
    assert state.burden()[0] > 0.0


def test_fracture_breaks_only_what_is_overloaded(model, settings):
    impact_load, state = advance.initial_state(model, [IMPACT], settings)
    critical = critical_load.next_failure(state)
    state = advance.advance(model, state, impact_load, 0.99 * critical)
    state, broken = fracture.fracture(model, state, impact_load, settings)
    assert len(broken) == 0
    assert state.alive.all()
    assert state.solve_count == 1
    state = advance.advance(model, state, impact_load, 1.5 * critical)
    state, broken = fracture.fracture(model, state, impact_load, settings)
    assert len(broken) > 0
    assert (~state.alive).sum() == len(broken)
    assert (state.strengths <= model.strengths).all()
    assert (state.strengths < model.strengths).any()
    # Forces are found when they are asked for, once.
    assert state.solve_count == 1
    assert (state.burden()[broken] == 0.0).all()
    assert (state.burden(2.0) >= state.burden()).all()
    assert state.solve_count == 2


def test_nobody_asks_for_the_forces_after_the_last_break(model, settings):
    impact_load, state = advance.initial_state(model, [IMPACT], settings)
    state = advance.advance(model, state, impact_load, 1.5 * critical_load.next_failure(state))
    state, broken = fracture.fracture(model, state, impact_load, settings)
    state = advance.finish(model, state, impact_load)
    assert len(broken) > 0
    assert state.solve_count == 1


def test_a_pushed_part_gets_no_more_than_its_speed(model, settings):
    """A small part broken free under the impact is brought to the impactor's speed, not shot away."""
    impact_load, state = advance.initial_state(model, [IMPACT], settings)
    near = np.linalg.norm(model.cells.centers - IMPACT.point, axis=1) < 0.05
    state.parts = components_by_label(model.cells, near.astype(int), 2)
    state.pressure = patch_forces(model.cells, state.parts, [IMPACT], model.cell_size, advance.PATCH_WALLS * model.wall)
    state = advance.finish(model, state, impact_load)
    assert state.delivered < IMPACT.impulse
    speeds = np.linalg.norm(state.impulses, axis=1) / model.cells.masses
    assert speeds.max() < 4.0 * impact_load.speed_change
