"""Pieces that break again, and cells that a method makes."""

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
from fracture_addon.core.timeline import breaking, timeline
from fracture_addon.core.timeline.collisions import most_force
from fracture_addon.core.timeline.piece import FEWEST_BALLS, Piece, balls_of
from fracture_addon.core.timeline.preparation import prepare
from fracture_addon.core.timeline.timeline import Timeline
from tests import shapes
from tests.core import halving as halving_method
from tests.core.timeline_scenes import DOWN, FLOOR, SETTINGS, block, run, tap, velocities

pytestmark = pytest.mark.usefixtures("halving")


def _depth(fragments, row):
    return 0 if fragments[row].parent < 0 else 1 + _depth(fragments, fragments[row].parent)


@pytest.mark.parametrize(("depth", "generations"), [(1, 1), (2, 2), (3, 3)])
def test_fragments_break_again_down_to_the_depth(depth, generations):
    """Halved in the air, and one half across, so that parts of them fall three metres."""
    blows = (
        AuthoredImpact(2, np.array([0.0, 0.0, 3.08]), DOWN, 1.001),
        AuthoredImpact(3, np.array([-0.05, 0.0, 3.0]), np.array([1.0, 0.0, 0.0]), 1.001),
    )
    settings = replace(SETTINGS, break_depth=depth, cell_count=800)
    fall = block(3.0, settings=settings, impacts=blows[: depth - 1])
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


def test_a_break_gives_no_more_energy_than_there_was(monkeypatch):
    """Even when the method lets one half fly off at 100 m/s."""
    calm = halving_method.strike

    def wild(*args, **values):
        result = calm(*args, **values)
        return replace(result, velocity=result.velocity + np.array([[0.0, 0.0, 100.0], [0.0, 0.0, 0.0]]))

    monkeypatch.setattr(halving_method, "strike", wild)
    recording = run(block(1.0), colliders=[FLOOR], frames=16)
    born = recording.bodies[0].break_frame
    energy = sum(0.5 * item.mass * np.sum(velocities(item.poses)[born] ** 2) for item in recording.fragments)
    # What a fall of one metre gives it.
    assert energy < 9.81 * PORCELAIN.density * volume(block().surface)


def test_blows_that_are_passed_over_are_told(monkeypatch):
    """Two halves land, and break, unless nothing but whole bodies may be looked into."""
    blow = AuthoredImpact(2, np.array([0.0, 0.0, 3.08]), DOWN, 1.001)
    fall = block(3.0, settings=replace(SETTINGS, break_depth=2), impacts=(blow,))
    (body,) = run(fall, colliders=[FLOOR], frames=22).report["bodies"]
    assert body["breaks"] == 3
    assert not body["warnings"]
    monkeypatch.setattr(breaking, "CHECKS_A_RUN", 0)
    (body,) = run(fall, colliders=[FLOOR], frames=22).report["bodies"]
    assert body["breaks"] == 1
    assert "passed over" in body["warnings"][0]


@pytest.mark.parametrize(("share", "asked"), [(0.9, 1), (1.1, 2)])
@pytest.mark.parametrize(("size", "worth"), [(0.2, breaking.WORTH_A_BUILD), (1.0, breaking.WORTH_A_LARGE_BUILD)])
def test_a_fragment_is_looked_into_only_for_a_blow_that_may_matter(monkeypatch, size, worth, share, asked):
    """A little below and above the share of what the whole body bears, for fragments of some of it and nearly all."""
    loads = []

    def critical_force(model, settings, impact, progress=None):
        loads.append(impact.peak_force)
        return 1000.0

    monkeypatch.setattr(halving_method, "critical_force", critical_force)
    body = prepare(Job((block(3.0),), (FLOOR,), 1, 2), 0, lambda stage, share: None)
    breaker = breaking.Breaker([body])
    whole = Piece(0, -1, 0, body.solid, np.arange(body.solid.cell_count), None, [body.surface], 0, np.zeros((2, 7)))
    fragment = replace(whole, parent=0, depth=1, cells=whole.cells[: round(size * len(whole.cells))])
    force = share * worth * 1000.0
    assert not breaker.is_enough(whole, [Impact([0, 0, 3], DOWN, 0.5e-4 * 10.0, 1e-4, 0.0)])
    assert not breaker.is_enough(fragment, [Impact([0, 0, 3], DOWN, 0.5e-4 * force, 1e-4, 0.0)])
    assert len(loads) == asked


def test_fragments_are_made_of_the_cells_that_the_method_made():
    blow = AuthoredImpact(2, np.array([0.0, 0.0, 3.08]), DOWN, 1.001)
    settings = replace(SETTINGS, method="refining", break_depth=2, cell_count=300)
    job = Job((block(3.0, settings=settings, impacts=(blow,)),), (FLOOR,), 1, 26)
    body = prepare(job, 0, lambda stage, share: None)
    outcome = Timeline(job, [body], lambda stage, share: None).run()
    parents = [row for row, piece in enumerate(outcome.pieces) if any(item.parent == row for item in outcome.pieces)]
    assert len(parents) == 3
    for row in parents:
        parent = outcome.pieces[row]
        children = [item for item in outcome.pieces if item.parent == row]
        for child in children:
            assert child.solid.cell_count == 4 * len(parent.cells)
            assert child.cell_size < 0.8 * parent.cell_size
        np.testing.assert_array_equal(
            np.sort(np.concatenate([item.cells for item in children])), np.arange(4 * len(parent.cells))
        )
        np.testing.assert_allclose(sum(item.properties.mass for item in children), parent.properties.mass)
        drawn = sum(volume(surface) for item in children for surface in item.surfaces)
        np.testing.assert_allclose(drawn, sum(volume(surface) for surface in parent.surfaces), rtol=1e-9)
        # What is drawn of the larger child lies where its cells are.
        larger = max(children, key=lambda item: item.properties.mass)
        _, center, _ = mass_properties(joined(larger.surfaces))
        np.testing.assert_allclose(center, larger.properties.center, atol=2e-3)


def test_fragments_of_a_small_fragment_have_few_balls():
    """Else each of hundreds of them would be as costly in the rigid world as a half of the whole body."""
    breakable = prepare(Job((block(),), (FLOOR,), 1, 2), 0, lambda stage, share: None)
    solid, cells = breakable.solid, np.arange(10)
    properties = cell_properties(solid.points, solid.cells[cells], PORCELAIN.density)
    drawn = [shapes.icosphere(0.01, 4)]
    counts = [len(balls_of(breakable, solid, cells, drawn, properties, share, 4).radii) for share in (1.0, 0.1)]
    assert counts[1] <= FEWEST_BALLS < 0.5 * counts[0]


def test_a_striker_is_as_fast_as_it_came_and_no_faster(monkeypatch):
    """A side that comes down flat is stopped all over: the same push at one corner would be of a faster striker."""
    seen = []

    def note(_, piece, impacts):
        seen.extend(impact.speed for impact in impacts)
        return False

    monkeypatch.setattr(breaking.Breaker, "is_enough", note)
    run(block(0.5), colliders=[FLOOR], frames=12, substeps=8)
    fall = np.sqrt(2.0 * 9.81 * 0.5)
    assert 0.8 * fall < max(seen) < 1.1 * fall


def test_a_method_may_fill_a_body_with_cells_of_its_own(monkeypatch):
    own = tetrahedralize(block().surface, 200, 3)
    monkeypatch.setattr(halving_method, "discretise", lambda surface, settings: own, raising=False)
    recording = run(block(impacts=(tap(2.0),)), frames=4)
    assert recording.report["bodies"][0]["cells"] == own.cell_count


def test_no_blow_on_a_fragment_is_harder_than_its_bound(monkeypatch):
    """So that a blow which is told by the bound to be slight would have been so in any case."""
    shares, find = [], timeline.blow_of

    def compared(scene, row, contact, push, before, diagonal):
        blow, most = find(scene, row, contact, push, before, diagonal), most_force(scene, row, contact, push, diagonal)
        shares.extend(impact.peak_force / most for impact in (blow.impacts if blow else ()))
        return blow

    monkeypatch.setattr(timeline, "blow_of", compared)
    monkeypatch.setattr(breaking.Breaker, "is_slight", lambda *_: False)
    blow = AuthoredImpact(2, np.array([0.0, 0.0, 1.08]), DOWN, 1.001)
    fall = block(1.0, settings=replace(SETTINGS, break_depth=3, cell_count=800), impacts=(blow,))
    run(fall, colliders=[FLOOR], frames=24)
    assert len(shares) > 10
    assert 0.3 < max(shares) <= 1.0
