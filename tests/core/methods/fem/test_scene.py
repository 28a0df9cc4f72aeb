"""Deformable finite-element bodies in a scene: contact between bodies, wind, and placed impacts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.job import AuthoredImpact, Body, Job, Settings
from fracture_addon.core.data.material import Material
from fracture_addon.core.data.placed_fields import PaintedField
from fracture_addon.core.data.wind import Wind
from fracture_addon.core.fields.airflow import AIR_DENSITY, DRAG
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.fem import method as fem
from fracture_addon.core.methods.fem.deformable.body_contacts import BodyContacts
from fracture_addon.core.methods.fem.deformable.shot import Shot
from fracture_addon.core.methods.fem.deformable.together import Together
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes

RUBBER = Material("Rubber", 1000.0, 1e7, 0.3, 1e7, 1e8, 1e6, strength_variation=0.0)
SETTINGS = Settings.of(method="fem", dynamics="deformable", softening=1.0, noise=0.0, cell_count=80)
NOTHING = np.zeros(3)


def shot_of(center, speed, settings=SETTINGS):
    surface = shapes.box((0.1, 0.1, 0.1), center)
    body = Body("box", surface, RUBBER, settings, velocity=np.array([speed, 0.0, 0.0]))
    return Shot(fem.build(tetrahedralize(surface, 80, 0), RUBBER, settings), body, (), np.zeros((0, 3)))


def momentum(shot):
    return shot.mesh.mass @ shot.mesh.velocity


def meeting(contact):
    """Two colliding blocks."""
    settings = SETTINGS.changed(contact=contact)
    return [shot_of((0.0, 0.0, 0.0), 1.0, settings), shot_of((0.12, 0.02, 0.01), -1.0, settings)]


@pytest.mark.parametrize("contact", ["volume", "node"])
def test_colliding_bodies_push_each_other_apart(contact):
    """Momentum is constant to rounding, the overlap stays below an element, and the bodies separate."""
    shots = meeting(contact)
    between = BodyContacts(shots)
    depths = []
    for _ in range(40):
        parts = between.push_count(1e-3)
        for _ in range(max(parts, 1)):
            for shot in shots:
                Together({0: shot}).advance(1e-3 / max(parts, 1), NOTHING, (), {})
            if parts:
                before = sum(momentum(shot) for shot in shots)
                between.push(1e-3 / parts)
                np.testing.assert_allclose(sum(momentum(shot) for shot in shots), before, atol=1e-12)
        solid = [shot.mesh.mass > 0.0 for shot in shots]
        ends = [shot.mesh.position[rows, 0] for shot, rows in zip(shots, solid, strict=True)]
        depths.append(ends[0].max() - ends[1].min())
    assert 0.0 < max(depths) < 0.5 * shots[0].size
    assert depths[-1] < 0.0
    assert momentum(shots[0])[0] < 0.0 < momentum(shots[1])[0]


def test_the_contact_criterion_changes_the_pushes():
    """The criteria "volume" and "node" give different pushes on the same two blocks."""
    pushed = {}
    for contact in ("volume", "node"):
        settings = SETTINGS.changed(contact=contact)
        shots = [shot_of((0.0, 0.0, 0.0), 0.0, settings), shot_of((0.0, 0.0, 0.0), 0.0, settings)]
        turned = shots[1].mesh.position @ np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
        shots[1].mesh.position[:] = turned + np.array([0.097, 0.0, 0.0])
        BodyContacts(shots).push(1e-4)
        pushed[contact] = np.abs(shots[1].mesh.velocity[:, 0]).max()
    assert pushed["volume"] > 0.0
    assert pushed["volume"] != pushed["node"]


def test_bodies_that_are_far_apart_need_no_pushes():
    between = BodyContacts([shot_of((0.0, 0.0, 0.0), 1.0), shot_of((1.0, 0.0, 0.0), -1.0)])
    assert between.push_count(1e-3) == 0
    assert between.push_count(1.0) > 0


def test_wind_force_is_the_drag_of_a_plate():
    board = Body("board", shapes.box((0.3, 0.02, 0.3)), replace(RUBBER, density=100.0), SETTINGS)
    job = Job((board,), gravity=NOTHING, frame_end=4, winds=(Wind("uniform", NOTHING, [0.0, 1.0, 0.0], 10.0),))
    recording = simulate(job, lambda *_: None)
    assert recording.report["warnings"] == []
    moved = recording.deformed[0].points.mean(axis=1)[-1] - recording.deformed[0].points.mean(axis=1)[0]
    # The board takes on the speed v of the air: dv/dt = k (10 - v)^2.
    seconds, k = 3.0 / job.frame_rate, 0.5 * AIR_DENSITY * DRAG / (100.0 * 0.02)
    expected = 10.0 * seconds - np.log1p(10.0 * k * seconds) / k
    assert moved[1] == pytest.approx(expected, rel=0.02)
    assert np.abs(moved[[0, 2]]).max() < 0.02 * moved[1]


def test_a_placed_impact_breaks_a_body_above_its_critical_load_only():
    counts = {}
    for strength in (0.5, 4.0):
        impact = AuthoredImpact(2, np.array([0.0, 0.0, 0.02]), np.array([0.0, 0.0, -1.0]), strength)
        brittle = replace(RUBBER, tensile_strength=1e5, compressive_strength=1e6, toughness=1e3)
        plank = Body(
            "plank", shapes.box((0.4, 0.08, 0.04)), brittle, SETTINGS.changed(cell_count=50), impacts=(impact,)
        )
        report = simulate(Job((plank,), gravity=NOTHING, frame_end=3), lambda *_: None).report
        counts[strength] = report["bodies"][0]["fragments"]
    assert counts[0.5] == 1 < counts[4.0]


@pytest.mark.parametrize("method", ["fem", "lattice"])
def test_an_impact_bends_a_body_pinned_at_one_end(method):
    surface = shapes.box((0.4, 0.08, 0.04))
    root = PaintedField(surface.points, surface.faces, (surface.points[:, 0] < 0.0).astype(float), 1.0)
    # At the free end, and beside what is held.
    impacts = [AuthoredImpact(2, np.array([x, 0.0, 0.02]), np.array([0.0, 0.0, -1.0]), 0.5) for x in (0.2, 0.01)]
    settings = SETTINGS.changed(method=method, pinned=root, cell_count=100)
    job = Job((Body("plank", surface, RUBBER, settings, impacts=tuple(impacts)),), gravity=NOTHING, frame_end=4)
    recording = simulate(job, lambda *_: None)
    moved = recording.deformed[0].points - recording.deformed[0].points[0]
    ends = (moved[:, recording.deformed[0].points[0, :, 0] * side > 0.199, 2] for side in (-1.0, 1.0))
    held, free = (rows.mean(axis=1) for rows in ends)
    assert not held.any()
    assert not free[:2].any()
    assert -0.3 < free[-1] < -0.01
