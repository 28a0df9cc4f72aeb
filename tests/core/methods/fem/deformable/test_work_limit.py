"""Finite elements that deform for the whole shot: their work has a limit, and what goes beyond it stays finite."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Body, Collider, Job, Settings
from fracture_addon.core.data.material import PORCELAIN, Material
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.fem import method as fem
from fracture_addon.core.methods.fem.advance import Leapfrog
from fracture_addon.core.methods.fem.deformable import work_limit
from fracture_addon.core.methods.fem.deformable.shot import Shot
from fracture_addon.core.methods.fem.deformable.together import Together
from fracture_addon.core.methods.fem.elements import law_of
from fracture_addon.core.methods.fem.impact_window import MAX_SPEED
from fracture_addon.core.methods.fem.implicit import Implicit
from fracture_addon.core.timeline.preparation import check
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes
from tests.core.meshes import cubes, mesh_of

SETTINGS = Settings.of(method="fem", dynamics="deformable", cell_count=100)
RUBBER = Material("Rubber", 1000.0, 1e6, 0.3, 1e6, 1e7, 1e5, strength_variation=0.0)
FLOOR = Collider("floor", shapes.box((4.0, 4.0, 0.4), (0.0, 0.0, -0.2)), "box")
BOARD = shapes.box((0.3, 0.1, 0.02))


def boards(**settings):
    """Two boards through each other, that fly into each other."""
    made = SETTINGS.changed(**settings)
    speed = np.array([0.0, 0.0, 20.0])
    upper = Body("upper", shapes.moved(BOARD, offset=(0.05, 0.0, 0.11)), PORCELAIN, made, velocity=-speed)
    return Body("lower", shapes.moved(BOARD, offset=(0.0, 0.0, 0.1)), PORCELAIN, made, velocity=speed), upper


def run(bodies, frames, **values):
    return simulate(Job(tuple(bodies), (FLOOR,), 1, frames, **values), lambda stage, share: None)


def test_work_within_the_limit_gives_no_warning():
    lower, upper = boards(softening=1e5)
    apart = replace(upper, surface=shapes.moved(BOARD, offset=(0.0, 0.0, 0.3)), velocity=np.zeros(3))
    recording = run((replace(lower, velocity=np.zeros(3)), apart), 4)
    assert recording.report["warnings"] == []


@pytest.mark.parametrize("looks", [0.5, 5.0])
def test_beyond_the_limit_a_run_takes_long_steps_and_a_warning_says_so(monkeypatch, looks):
    monkeypatch.setattr(work_limit, "CHECKS_A_FRAME", looks)
    recording = run(boards(), 8)
    (warning,) = recording.report["warnings"]
    assert "'lower', 'upper': frame" in warning
    assert "raise the softening" in warning
    for item in recording.deformed:
        assert np.isfinite(item.points).all()
        # The boards meet at 40 m/s for a third of a second. They start inside one another, so that some fragments
        # are pressed out faster: 7 to 25 m were measured. An unstable run exceeds any bound.
        assert np.abs(item.points).max() < 100.0


def test_long_steps_are_as_many_as_the_caller_asks_for(monkeypatch):
    """Stiff porcelain takes 100,000 small steps a frame while it is struck."""
    monkeypatch.setattr(work_limit, "CHECKS_A_FRAME", 1.0)
    body = Body("bar", shapes.moved(BOARD, offset=(0.0, 0.0, 0.2)), PORCELAIN, SETTINGS.changed(softening=1.0))
    shared = work_limit.WorkLimit(3, 100, 100)
    solid = tetrahedralize(body.surface, 100, 0)
    shot = Shot(fem.build(solid, PORCELAIN, body.settings), body, (), np.zeros((0, 3)), shared)
    shot.strike(Impact([0.0, 0.0, 0.21], [0.0, 0.0, -1.0], 0.5, 0.1, 0.05))
    for _ in range(20):
        Together({0: shot}).advance(0.005, np.zeros(3), (), {})
    assert shared.is_spent
    assert shot._cracking.result.check_count < 30
    assert np.isfinite(shot.mesh.position).all()


@pytest.mark.parametrize(
    ("asked", "element_count", "counted"), [(200, 1400, 600), (1000, 1400, 1000), (2000, 1400, 1400), (200, 300, 300)]
)
def test_a_thin_body_works_no_longer_than_the_cells_that_were_asked_for(asked, element_count, counted):
    limit = work_limit.WorkLimit(1, asked, element_count)
    checks = round(work_limit.CHECKS_A_FRAME * counted / element_count)
    for _ in range(checks - 1):
        limit.spend(element_count)
    assert not limit.is_spent
    limit.spend(element_count)
    limit.spend(element_count)
    assert limit.is_spent


def test_a_soft_body_flies_as_fast_as_it_is_thrown():
    """Faster than its nodes may move against one another, and struck, so that small steps follow it."""
    surface = shapes.box((0.2, 0.2, 0.1))
    settings = SETTINGS.changed(softening=1.0)
    model = fem.build(tetrahedralize(surface, 100, 0), RUBBER, settings)
    thrown = 2.0 * MAX_SPEED * model.law.wave_speed
    body = Body("box", surface, RUBBER, settings, velocity=np.array([thrown, 0.0, 0.0]))
    shot = Shot(model, body, (), np.zeros((0, 3)))
    shot.strike(Impact([0.0, 0.0, 0.05], [0.0, 0.0, -1.0], 1e-6, 0.01, 0.1))
    Together({0: shot}).advance(0.01, np.zeros(3), (), {})
    free = shot.mesh.mass > 0.0
    assert shot.mesh.velocity[free, 0].mean() == pytest.approx(thrown, rel=1e-3)


def test_a_semi_implicit_step_stays_finite_where_elements_are_inside_out():
    mesh = mesh_of(cubes((2, 2, 2), 0.1))
    motion = Leapfrog(mesh, law_of(RUBBER), max_speed=5.0)
    implicit = Implicit(motion, np.zeros(mesh.node_count, bool))
    nothing = np.zeros(mesh.node_count, bool)
    mesh.velocity[:] = np.random.default_rng(0).normal(0.0, 300.0, mesh.velocity.shape)
    for _ in range(20):
        implicit.advance(mesh.mass, np.zeros(3), np.zeros((1, 3)), 0.01, nothing, np.zeros_like(mesh.rest))
    assert np.abs(mesh.position).max() < 20.0 * 0.01 * 1000.0


def test_a_body_that_is_crushed_throughout_goes_on():
    """No element bears anything any more: long steps have no stiffness."""
    mesh = mesh_of(cubes((1, 1, 1), 0.1))
    motion = Leapfrog(mesh, law_of(RUBBER))
    motion.refresh(np.ones(mesh.element_count, bool))
    implicit = Implicit(motion, np.zeros(mesh.node_count, bool))
    nothing = np.zeros(mesh.node_count, bool)
    implicit.advance(mesh.mass, np.array([0.0, 0.0, -9.81]), np.zeros((1, 3)), 0.01, nothing, np.zeros_like(mesh.rest))
    assert np.isfinite(mesh.position).all()


@pytest.mark.parametrize(("dynamics", "most"), [("rigid", 3.5e4), ("deformable", 350.0)])
def test_more_tempering_than_finite_elements_bear_is_refused_with_the_most(dynamics, most):
    clay = replace(RUBBER, young_modulus=5e4, poisson_ratio=0.286)
    settings = SETTINGS.changed(dynamics=dynamics, softening=1e4)
    body = Body("pot", BOARD, clay, settings.changed(tempering=1.01 * most))
    remedy = re.escape(f"set Tempering to {most:.2g} Pa")
    with pytest.raises(SettingsError, match=f"'pot' cannot be tempered.*{remedy}"):
        run((body,), 4)
    check(Job((replace(body, settings=settings.changed(tempering=0.99 * most)),), (FLOOR,), 1, 4))
