"""Cracks as lines: those along which a simulation at the same detail breaks the body."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import cKDTree

from fracture_addon.core.cutting.crack_lines import crack_lines
from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.job import AuthoredImpact, Job, Settings
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.timeline.crack_preview import preview_cracks
from fracture_addon.core.timeline.fracture_only import fracture_only
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes
from tests.core.timeline_scenes import DOWN, FLOOR, block, run

SETTINGS = Settings.of(cell_count=400, seed=3, break_depth=1)
ABOVE = np.array([0.02, 0.0, 0.08])


def previewed(*bodies, frames=(1, 1), colliders=()):
    return preview_cracks(Job(tuple(bodies), tuple(colliders), *frames), lambda stage, share: None).bodies


def lines_of(recording):
    """Lines between the body's surface and the cracks in a recording."""
    surfaces = [replace(item.surface, points=item.surface.points + item.center) for item in recording.fragments]
    points, lines = crack_lines(surfaces)
    return {tuple(sorted(map(tuple, np.round(points[line], 7).tolist()))) for line in lines}


def drawn(cracks):
    return {tuple(sorted(map(tuple, np.round(cracks.points[line], 7).tolist()))) for line in cracks.lines}


def test_two_halves_meet_along_one_loop():
    lower = shapes.box((1.0, 1.0, 1.0), (0.0, 0.0, 0.5))
    upper = shapes.box((1.0, 1.0, 1.0), (0.0, 0.0, 1.5))
    halves = [
        replace(
            half,
            face_source=np.where(
                np.ptp(half.corners[:, :, 2] - 1.0, axis=1) + abs(half.corners[:, 0, 2] - 1.0) < 1e-9, -1, 0
            ),
        )
        for half in (lower, upper)
    ]
    points, lines = crack_lines(halves)
    assert len(points) == len(lines) == 4
    assert (points[:, 2] == 1.0).all()
    assert np.linalg.norm(points[lines[:, 0]] - points[lines[:, 1]], axis=1) == pytest.approx(np.ones(4))


def test_a_whole_surface_has_no_lines():
    whole = shapes.box()
    points, lines = crack_lines([Surface(whole.points, whole.faces, face_source=np.zeros(len(whole.faces)))])
    assert len(points) == len(lines) == 0


@pytest.mark.parametrize("strength", [3.0, 8.0])
def test_a_simulation_breaks_what_was_drawn(strength):
    body = block(settings=SETTINGS, impacts=(AuthoredImpact(1, ABOVE, DOWN, strength),))
    (cracks,) = previewed(body)
    recording = run(body, gravity=np.zeros(3), frames=3)
    assert cracks.piece_count == len(recording.fragments) > 1
    assert drawn(cracks) == lines_of(recording)
    assert cracks.load_factor == pytest.approx(strength, rel=1e-6)
    assert cracks.critical_force > 0.0


def test_a_weak_impact_draws_nothing_but_tells_the_critical_force():
    body = block(settings=SETTINGS, impacts=(AuthoredImpact(1, ABOVE, DOWN, 0.5),))
    strong = replace(body, impacts=(AuthoredImpact(1, ABOVE, DOWN, 8.0),))
    (weak,), (cracks,) = previewed(body), previewed(strong)
    assert weak.piece_count == 1
    assert len(weak.lines) == 0
    assert weak.critical_force == pytest.approx(cracks.critical_force)


def test_without_an_impact_it_draws_what_fracture_only_breaks():
    body = block(settings=SETTINGS)
    recording = fracture_only(Job((body,), (), 1, 1), lambda stage, share: None)
    (cracks,) = previewed(body)
    assert drawn(cracks) == lines_of(recording)


def test_a_drop_draws_the_cracks_of_the_first_impact():
    body = block(1.5, settings=SETTINGS.changed(violence=30.0))
    (cracks,) = previewed(body, frames=(1, 20), colliders=(FLOOR,))
    recording = run(body, colliders=(FLOOR,), frames=20)
    assert cracks.piece_count == len(recording.fragments) > 1
    assert drawn(cracks) == lines_of(recording)


def test_a_weak_drop_draws_the_break_of_break_anyway():
    job = Job((block(1.5, settings=SETTINGS),), (FLOOR,), 1, 20, break_anyway=True)
    (cracks,) = preview_cracks(job, lambda stage, share: None).bodies
    recording = simulate(job, lambda stage, share: None)
    assert cracks.piece_count == len(recording.fragments) > 1
    assert drawn(cracks) == lines_of(recording)


def test_the_detail_is_low(monkeypatch):
    monkeypatch.setattr("fracture_addon.core.data.job.LOW_DETAIL", 300)
    body = block(settings=SETTINGS.changed(cell_count=1500))
    coarse = replace(body, settings=SETTINGS.changed(cell_count=300))
    (first,), (second,) = previewed(body), previewed(coarse)
    assert drawn(first) == drawn(second)


def test_deformable_bodies_are_refused():
    body = block(settings=SETTINGS.changed(method="lattice", dynamics="deformable"))
    with pytest.raises(SettingsError, match="'block' is deformable"):
        previewed(body, frames=(1, 20), colliders=(FLOOR,))


@pytest.mark.parametrize(("method", "cells"), [("network", 400), ("lattice", 400), ("fem", 80)])
def test_cracks_show_while_they_run_and_change_nothing(method, cells):
    settings = SETTINGS.changed(method=method, cell_count=cells)
    body = block(settings=settings, impacts=(AuthoredImpact(1, ABOVE, DOWN, 4.0),))
    shown = []
    job = Job((body,), (), 1, 1)
    watched = preview_cracks(job, lambda stage, share: None, show=lambda result: shown.append(result())).bodies[0]
    (alone,) = previewed(body)
    assert drawn(watched) == drawn(alone)
    early = [item.bodies[0] for item in shown if item is not None]
    assert 0 < len(early[0].lines) < len(early[-1].lines)
    assert {item.piece_count for item in early} == {0}
    # Cells are not cut along the surface: the lines are near those of the fragments.
    away = cKDTree(along(early[-1])).query(along(alone))[0]
    assert np.median(away) < 0.5 * alone.cell_size


def test_an_impact_that_breaks_nothing_shows_no_lines():
    body, shown = block(settings=SETTINGS, impacts=(AuthoredImpact(1, ABOVE, DOWN, 0.5),)), []
    job = Job((body,), (), 1, 1)
    preview_cracks(job, lambda stage, share: None, show=lambda result: shown.append(result()))
    assert set(shown) <= {None}


def along(cracks):
    """Points along the lines."""
    ends = cracks.points[cracks.lines]
    return np.concatenate([ends[:, 0] + share * (ends[:, 1] - ends[:, 0]) for share in np.linspace(0.0, 1.0, 5)])
