"""Blasts: which faces they reach, what they break, and the momentum that they give."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.blast import Blast
from fracture_addon.core.data.errors import SceneError, SettingsError
from fracture_addon.core.data.job import Body, Collider, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.surface import volume
from fracture_addon.core.fields.blast_pressure import on_surface
from fracture_addon.core.timeline import crack_preview, timeline
from fracture_addon.core.timeline.blasts import blast_loads, faces_in_sight
from fracture_addon.core.timeline.cache import NO_CACHE
from fracture_addon.core.timeline.face_loads import MOST_PATCHES
from fracture_addon.core.timeline.preparation import prepare
from fracture_addon.core.timeline.rigid_scene import RigidScene
from tests import shapes
from tests.core.timeline_scenes import WEIGHTLESS

PANE = shapes.moved(shapes.box((0.5, 0.01, 0.5)), offset=(0.0, 0.0, 0.25))
CUBE = shapes.box((0.1, 0.1, 0.1))
METHODS = ("network", "lattice", "fem")


def body(surface, method="network", cells=600, name="body", **values):
    return Body(name, surface, PORCELAIN, Settings.of(method=method, cell_count=cells, break_depth=1), **values)


def job_of(*bodies, colliders=(), blasts=(), frames=8):
    return Job(bodies, colliders, 1, frames, gravity=WEIGHTLESS, blasts=blasts)


def loads_of(job):
    breakables = [prepare(job, row, lambda stage, share: None, NO_CACHE) for row in range(len(job.bodies))]
    scene, blast = RigidScene(job, breakables), job.blasts[0]
    return blast_loads(scene, faces_in_sight(scene, job.colliders, blast.point), blast.charge)


def simulated(job):
    return timeline.simulate(job, lambda stage, share: None)


def momentum(mass, poses):
    """Return the mass times the velocity between the fifth and the sixth frame, kg m/s."""
    return mass * (poses[5, :3] - poses[4, :3]) * 24.0


def test_the_load_on_a_cube_is_that_of_its_near_face():
    distance = 1.0
    job = job_of(body(CUBE), blasts=(Blast(1, [0.0, 0.0, 0.05 + distance], 0.01),))
    load = loads_of(job)[0]
    assert (load.points[:, 2] > 0.03).all()
    pressure, impulse = on_surface(0.01, np.array([distance]), np.ones(1))
    total = 0.01 * impulse[0]
    assert load.impulses.sum(axis=0) == pytest.approx([0.0, 0.0, -total], abs=0.05 * total)
    assert sum(impact.peak_force for impact in load.impacts) == pytest.approx(0.01 * pressure[0], rel=0.05)
    assert sum(impact.impulse for impact in load.impacts) == pytest.approx(total, rel=0.05)
    assert len(load.impacts) <= MOST_PATCHES


def test_what_stands_between_takes_the_load():
    blast = Blast(1, [0.0, 0.0, 1.0], 0.01)
    shield = Collider("shield", shapes.box((1.0, 1.0, 0.02), (0.0, 0.0, 0.5)))
    assert list(loads_of(job_of(body(CUBE), blasts=(blast,)))) == [0]
    assert not loads_of(job_of(body(CUBE), colliders=(shield,), blasts=(blast,)))
    roof = body(shapes.box((1.0, 1.0, 0.02), (0.0, 0.0, 0.5)), name="roof")
    assert list(loads_of(job_of(body(CUBE), roof, blasts=(blast,)))) == [1]


def test_a_sheet_without_a_volume_shades_from_both_sides():
    blast = Blast(1, [0.0, 0.0, 1.0], 0.01)
    sheet = shapes.moved(shapes.without_faces(shapes.box((1.0, 1.0, 0.02)), np.arange(2, 12)), offset=(0.0, 0.0, 0.5))
    for surface in (sheet, shapes.flipped(sheet)):
        assert not loads_of(job_of(body(CUBE), colliders=(Collider("sheet", surface),), blasts=(blast,)))


def test_a_charge_in_a_closed_box_presses_on_all_walls():
    box = shapes.joined(shapes.box((0.2, 0.2, 0.2)), shapes.flipped(shapes.box((0.16, 0.16, 0.16))))
    load = loads_of(job_of(body(box, cells=1500), blasts=(Blast(1, np.zeros(3), 1e-4),)))[0]
    assert np.abs(load.points).max() < 0.099
    for axis in range(3):
        for side in (-1.0, 1.0):
            assert (side * load.impulses[:, axis] > 0.0).any()
    total = np.linalg.norm(load.impulses, axis=1).sum()
    assert np.linalg.norm(load.impulses.sum(axis=0)) < 0.05 * total


def test_a_body_that_does_not_break_gets_the_whole_impulse():
    job = job_of(body(CUBE), blasts=(Blast(2, [0.3, 0.1, 0.8], 0.001),))
    expected = loads_of(job)[0].impulses.sum(axis=0)
    recording = simulated(job)
    assert not recording.fragments
    found = momentum(PORCELAIN.density * volume(CUBE), recording.bodies[0].poses)
    assert found == pytest.approx(expected, abs=0.01 * np.linalg.norm(expected))


@pytest.mark.parametrize("method", METHODS)
def test_the_pieces_of_a_broken_pane_get_the_whole_impulse(method):
    """The wave goes on pushing a wall that it has broken."""
    job = job_of(body(PANE, method), blasts=(Blast(2, [0.0, -0.5, 0.25], 1.0),))
    expected = loads_of(job)[0].impulses.sum(axis=0)
    recording = simulated(job)
    assert len(recording.fragments) > 1
    found = sum(momentum(PORCELAIN.density * volume(item.surface), item.poses) for item in recording.fragments)
    assert found == pytest.approx(expected, abs=0.03 * np.linalg.norm(expected))


def test_a_pane_held_by_its_track_breaks_and_a_stronger_blast_breaks_it_more():
    held = body(PANE, "network", track=np.array([[0.0, 0.0, 0.25, 1.0, 0.0, 0.0, 0.0]]))
    counts = [
        len(simulated(job_of(held, blasts=(Blast(2, [0.0, -1.0, 0.25], charge),))).fragments)
        for charge in (0.001, 0.3, 3.0)
    ]
    assert counts[0] == 0
    assert 1 < counts[1] < counts[2]


@pytest.mark.parametrize("charge", [1e-3, 10.0])
def test_a_relative_blast_has_the_charge_that_loads_a_pane_so_many_times_above_its_critical_load(charge):
    reports = [
        simulated(job_of(body(PANE), blasts=(Blast(2, [0.0, -0.5, 0.25], charge, times),))).report["bodies"][0]
        for times in (0.9, 3.0)
    ]
    assert [report["load_factor"] for report in reports] == pytest.approx([0.9, 3.0], rel=0.02)
    assert [report["breaks"] for report in reports] == [0, 1]
    found = float(reports[1]["loads"][0].split()[-2])
    absolute = simulated(job_of(body(PANE), blasts=(Blast(2, [0.0, -0.5, 0.25], found),)))
    assert absolute.report["bodies"][0]["load_factor"] == pytest.approx(3.0, rel=0.02)
    assert "loads" not in absolute.report["bodies"][0]


def test_a_relative_blast_of_two_panes_loads_the_nearer_one_so_much():
    farther = body(shapes.moved(PANE, offset=(2.0, 0.0, 0.0)), name="farther")
    job = job_of(body(PANE), farther, blasts=(Blast(2, [0.0, -0.5, 0.25], 1.0, 2.0),))
    near, far = (report["load_factor"] for report in simulated(job).report["bodies"])
    assert near == pytest.approx(2.0, rel=0.02)
    assert far < near


def test_a_blast_alone_is_enough_to_break_something():
    job = job_of(body(CUBE))
    with pytest.raises(
        SceneError, match=r"nothing can hit 'body'; .* a blast, a pressure, a thermal shock, grips or a sound"
    ):
        simulated(job)
    simulated(replace(job, blasts=(Blast(2, [0.0, 0.0, 1.0], 0.001),)))


def test_a_fragment_at_the_break_depth_is_thrown_and_does_not_break():
    blasts = tuple(Blast(frame, [0.0, -0.5, 0.25], 1.0) for frame in (2, 3))
    once, twice = (simulated(job_of(body(PANE), blasts=blasts[:count])).fragments for count in (1, 2))
    assert len(once) == len(twice) > 1
    slow, fast = (np.array([item.poses[6, :3] - item.poses[5, :3] for item in found]) for found in (once, twice))
    assert np.median(np.linalg.norm(fast, axis=1)) > 1.05 * np.median(np.linalg.norm(slow, axis=1))


def test_a_blast_has_no_effect_on_a_deformable_body_and_the_report_says_so():
    soft = body(CUBE, "lattice", 100)
    soft = replace(soft, settings=soft.settings.changed(dynamics="deformable"))
    recording = simulated(job_of(soft, blasts=(Blast(2, [0.0, 0.0, 1.0], 0.001),), frames=3))
    assert recording.report["warnings"] == ["blasts have no effect on deformable objects; set Dynamics to Rigid"]


def test_the_preview_of_cracks_shows_those_of_a_blast():
    job = job_of(body(PANE), blasts=(Blast(2, [0.0, -0.5, 0.25], 1.0),))
    (cracks,) = crack_preview.preview_cracks(job, lambda stage, share: None).bodies
    assert cracks.piece_count == len(simulated(job).fragments) > 1


@pytest.mark.parametrize("factor", [-1.0, np.nan, np.inf])
def test_a_load_factor_that_makes_no_sense_is_refused(factor):
    with pytest.raises(
        SettingsError, match=r"the load is .* times the critical load; set it to a finite value above zero"
    ):
        Blast(1, np.zeros(3), 1.0, factor)


@pytest.mark.parametrize("charge", [0.0, -1.0, np.nan, np.inf])
def test_a_charge_that_makes_no_sense_is_refused(charge):
    with pytest.raises(SettingsError, match=r"the charge of a blast is .* kg; set it to a finite value above zero"):
        Blast(1, np.zeros(3), charge)
