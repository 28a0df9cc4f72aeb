"""Fragments that break again, and cells that a method makes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import AuthoredImpact, Job
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.recording import NEVER
from fracture_addon.core.data.surface import joined, mass_properties, volume
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.rigid.rigid_properties import cell_properties
from fracture_addon.core.timeline import breaking, rigid_timeline
from fracture_addon.core.timeline.collisions import peak_force_bound
from fracture_addon.core.timeline.preparation import prepare
from fracture_addon.core.timeline.rigid_fragment import FEWEST_BALLS, RigidFragment, fragment_shape
from fracture_addon.core.timeline.rigid_timeline import Timeline
from tests import shapes
from tests.core import halving as halving_method
from tests.core.halving import Halving
from tests.core.timeline_scenes import DOWN, FLOOR, SETTINGS, block, run, tap, velocities

pytestmark = pytest.mark.usefixtures("halving")


def _depth(fragments, row):
    return 0 if fragments[row].parent < 0 else 1 + _depth(fragments, fragments[row].parent)


@pytest.mark.parametrize(("depth", "generations"), [(1, 1), (2, 2), (3, 3)])
def test_fragments_break_again_down_to_the_depth(depth, generations):
    """A block is halved in the air, and one half again; the fragments fall three metres."""
    impacts = (
        AuthoredImpact(2, np.array([0.0, 0.0, 3.08]), DOWN, 1.001),
        AuthoredImpact(3, np.array([-0.05, 0.0, 3.0]), np.array([1.0, 0.0, 0.0]), 1.001),
    )
    settings = SETTINGS.changed(break_depth=depth, cell_count=800)
    fall = block(3.0, settings=settings, impacts=impacts[: depth - 1])
    recording = run(fall, colliders=[FLOOR], frames=30, substeps=8)
    assert 1 + max(_depth(recording.fragments, row) for row in range(len(recording.fragments))) == generations
    for row, fragment in enumerate(recording.fragments):
        children = [item for item in recording.fragments if item.parent == row]
        assert bool(children) == (fragment.death_frame != NEVER)
        if children:
            assert {item.birth_frame for item in children} == {fragment.death_frame}
            total = sum(volume(item.surface) for item in children)
            np.testing.assert_allclose(total, volume(fragment.surface), rtol=1e-9)
    alive = [item for item in recording.fragments if item.death_frame == NEVER]
    np.testing.assert_allclose(sum(volume(item.surface) for item in alive), volume(fall.surface), rtol=1e-9)
    assert recording.report["bodies"][0]["fragments"] == len(alive)


def test_a_break_creates_no_energy(monkeypatch):
    """Even if the method gives one half 100 m/s."""
    original = halving_method.strike

    def fast(*args, **values):
        result = original(*args, **values)
        return replace(result, velocity=result.velocity + np.array([[0.0, 0.0, 100.0], [0.0, 0.0, 0.0]]))

    monkeypatch.setattr(Halving, "strike", staticmethod(fast))
    recording = run(block(1.0), colliders=[FLOOR], frames=16)
    born = recording.bodies[0].break_frame
    energy = sum(0.5 * item.mass * np.sum(velocities(item.poses)[born] ** 2) for item in recording.fragments)
    # The energy of a fall of one metre.
    assert energy < 9.81 * PORCELAIN.density * volume(block().surface)


def test_fragments_of_a_tempered_body_are_not_tempered_again(monkeypatch):
    found = []

    def spy(solid, material, settings):
        found.append(settings.strength.tempering)
        return halving_method.build(solid, material, settings)

    monkeypatch.setattr(Halving, "build", staticmethod(spy))
    impact = AuthoredImpact(2, np.array([0.0, 0.0, 3.08]), DOWN, 1.001)
    fall = block(3.0, settings=SETTINGS.changed(break_depth=2, tempering=1e8), impacts=(impact,))
    run(fall, colliders=[FLOOR], frames=22)
    assert found[0] == 1e8
    assert found[1:]
    assert set(found[1:]) == {0.0}


def test_impacts_that_are_not_checked_are_reported(monkeypatch):
    """Two halves land and break, unless no impact on a fragment may be checked."""
    impact = AuthoredImpact(2, np.array([0.0, 0.0, 3.08]), DOWN, 1.001)
    fall = block(3.0, settings=SETTINGS.changed(break_depth=2), impacts=(impact,))
    (body,) = run(fall, colliders=[FLOOR], frames=22).report["bodies"]
    assert body["breaks"] == 3
    assert not body["warnings"]
    monkeypatch.setattr(breaking, "CHECKS_A_RUN", 0)
    (body,) = run(fall, colliders=[FLOOR], frames=22).report["bodies"]
    assert body["breaks"] == 1
    assert "were not checked" in body["warnings"][0]


@pytest.mark.parametrize(("share", "checks"), [(0.9, 1), (1.1, 2)])
@pytest.mark.parametrize(("size", "least"), [(0.2, breaking.BUILD_SHARE), (1.0, breaking.LARGE_BUILD_SHARE)])
def test_only_impacts_above_a_share_of_the_critical_load_are_checked(monkeypatch, size, least, share, checks):
    """A little below and above the share of the whole body's critical load, for small and large fragments."""
    loads = []

    def critical_force(model, settings, impacts, progress=None, *, solver=None):
        loads.append(sum(impact.peak_force for impact in impacts))
        return 1000.0

    monkeypatch.setattr(Halving, "critical_force", staticmethod(critical_force))
    body = prepare(Job((block(3.0),), (FLOOR,), 1, 2), 0, lambda stage, share: None)
    breaker = breaking.Breaker([body])
    whole = RigidFragment(
        0, -1, 0, body.solid, np.arange(body.solid.cell_count), None, [body.surface], [0], np.zeros((2, 7))
    )
    fragment = replace(whole, parent=0, depth=1, cells=whole.cells[: round(size * len(whole.cells))])
    force = share * least * 1000.0
    assert not breaker.would_break(whole, [Impact([0, 0, 3], DOWN, 0.5e-4 * 10.0, 1e-4, 0.0)])
    assert not breaker.would_break(fragment, [Impact([0, 0, 3], DOWN, 0.5e-4 * force, 1e-4, 0.0)])
    assert len(loads) == checks


@pytest.mark.parametrize(("count", "breaks"), [(1, False), (2, True)])
def test_impacts_too_weak_alone_break_a_body_together(count, breaks):
    body = prepare(Job((block(3.0),), (FLOOR,), 1, 2), 0, lambda stage, share: None)
    breaker = breaking.Breaker([body])
    whole = RigidFragment(
        0, -1, 0, body.solid, np.arange(body.solid.cell_count), None, [body.surface], [0], np.zeros((2, 7))
    )
    critical = breaker.critical_force(whole, [Impact([0, 0, 3], DOWN, 1.0, 1e-4, 0.0)])
    impacts = [Impact([x, 0, 3], DOWN, 0.5e-4 * 0.6 * critical, 1e-4, 0.0) for x in (-0.03, 0.03)]
    assert breaker.would_break(whole, impacts[:count]) == breaks
    assert breaker.statistics[0].greatest_load == pytest.approx(0.6 * count)


def test_a_body_that_its_own_stress_overloads_breaks_at_the_first_contact(monkeypatch):
    """A prior stress above the strength leaves nothing for an impact to add: the critical load is 0."""
    monkeypatch.setattr(Halving, "critical_force", staticmethod(lambda *_arguments, **_options: 0.0))
    recording = run(block(0.2), colliders=[FLOOR], frames=14)
    assert len(recording.fragments) == 2
    (body,) = recording.report["bodies"]
    assert "lower Tempering" in body["warnings"][0]
    assert np.isfinite(body["load_factor"])


def test_fragments_are_made_of_the_cells_that_the_method_made():
    impact = AuthoredImpact(2, np.array([0.0, 0.0, 3.08]), DOWN, 1.001)
    settings = SETTINGS.changed(method="refining", break_depth=2, cell_count=300)
    job = Job((block(3.0, settings=settings, impacts=(impact,)),), (FLOOR,), 1, 26)
    body = prepare(job, 0, lambda stage, share: None)
    result = Timeline(job, [body], lambda stage, share: None).run()
    fragments = result.fragments
    parents = [row for row in range(len(fragments)) if any(item.parent == row for item in fragments)]
    assert len(parents) == 3
    for row in parents:
        parent = fragments[row]
        children = [item for item in fragments if item.parent == row]
        for child in children:
            assert child.solid.cell_count == 4 * len(parent.cells)
            assert child.cell_size < 0.8 * parent.cell_size
        np.testing.assert_array_equal(
            np.sort(np.concatenate([item.cells for item in children])), np.arange(4 * len(parent.cells))
        )
        np.testing.assert_allclose(sum(item.properties.mass for item in children), parent.properties.mass)
        drawn = sum(volume(surface) for item in children for surface in item.surfaces)
        np.testing.assert_allclose(drawn, sum(volume(surface) for surface in parent.surfaces), rtol=1e-9)
        # The surface of the larger child lies where its cells are.
        larger = max(children, key=lambda item: item.properties.mass)
        _, center, _ = mass_properties(joined(larger.surfaces))
        np.testing.assert_allclose(center, larger.properties.center, atol=2e-3)


def test_fragments_of_a_small_fragment_have_few_balls():
    """With as many balls as a half, hundreds of them would cost too much in the rigid world."""
    breakable = prepare(Job((block(),), (FLOOR,), 1, 2), 0, lambda stage, share: None)
    solid, cells = breakable.solid, np.arange(10)
    properties = cell_properties(solid.points, solid.cells[cells], PORCELAIN.density)
    drawn = [shapes.icosphere(0.01, 4)]
    counts = [len(fragment_shape(breakable, solid, cells, drawn, properties, share, 4).radii) for share in (1.0, 0.1)]
    assert counts[1] <= FEWEST_BALLS < 0.5 * counts[0]


def test_the_speed_of_an_impact_is_that_of_the_fall(monkeypatch):
    """A face that lands flat is stopped everywhere; the same push at one corner would mean a faster impactor."""
    seen = []

    def note(_, fragment, impacts):
        seen.extend(impact.speed for impact in impacts)
        return False

    monkeypatch.setattr(breaking.Breaker, "would_break", note)
    run(block(0.5), colliders=[FLOOR], frames=12, substeps=8)
    fall = np.sqrt(2.0 * 9.81 * 0.5)
    assert 0.8 * fall < max(seen) < 1.1 * fall


def test_a_method_may_fill_a_body_with_cells_of_its_own(monkeypatch):
    own = tetrahedralize(block().surface, 200, 3)
    monkeypatch.setattr(Halving, "discretise", staticmethod(lambda surface, settings: own))
    recording = run(block(impacts=(tap(2.0),)), frames=4)
    assert recording.report["bodies"][0]["cells"] == own.cell_count


def test_no_impact_on_a_fragment_exceeds_its_bound(monkeypatch):
    """An impact that is negligible by its bound is therefore negligible by its force."""
    shares, original = [], rigid_timeline.impact_of_contact

    def compared(scene, row, contact, push, before, diagonal):
        found = original(scene, row, contact, push, before, diagonal)
        bound = peak_force_bound(scene, row, contact, push, diagonal)
        shares.extend(impact.peak_force / bound for impact in (found.impacts if found else ()))
        return found

    monkeypatch.setattr(rigid_timeline, "impact_of_contact", compared)
    monkeypatch.setattr(breaking.Breaker, "is_negligible", lambda *_: False)
    impact = AuthoredImpact(2, np.array([0.0, 0.0, 2.08]), DOWN, 1.001)
    fall = block(2.0, settings=SETTINGS.changed(break_depth=3, cell_count=800), impacts=(impact,))
    run(fall, colliders=[FLOOR], frames=24)
    assert len(shares) > 5
    assert 0.3 < max(shares) <= 1.0
