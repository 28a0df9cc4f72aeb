"""Pressures in hollow bodies: when they burst, and how their pieces are thrown."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.errors import SceneError, SettingsError
from fracture_addon.core.data.job import Body, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.pressure import InternalPressure
from fracture_addon.core.data.surface import volume
from fracture_addon.core.timeline import timeline
from fracture_addon.core.timeline.breaking import Breaker
from fracture_addon.core.timeline.cache import NO_CACHE
from fracture_addon.core.timeline.face_loads_on_frame import FaceLoads
from fracture_addon.core.timeline.preparation import prepare
from fracture_addon.core.timeline.rigid_scene import RigidScene
from tests import shapes
from tests.core.timeline_scenes import WEIGHTLESS

EVEN = replace(PORCELAIN, strength_variation=0.0)
RADIUS, WALL, LENGTH = 0.1, 0.01, 0.3
SPHERE = shapes.joined(
    shapes.icosphere(RADIUS + 0.5 * WALL, 3), shapes.flipped(shapes.icosphere(RADIUS - 0.5 * WALL, 3))
)


PIPE = shapes.tube(RADIUS, WALL, LENGTH, segments=48, rings=16)


def job_of(surface, cells=2000, material=EVEN, method="network", frames=6, track=None, **pressure):
    body = Body(
        "vessel", surface, material, Settings.of(method=method, cell_count=cells, noise=0.0, break_depth=1), track=track
    )
    given = {"name": "Gas", "frame": 2, "point": np.zeros(3), "pressure": 1e6} | pressure
    return Job((body,), (), 1, frames, gravity=WEIGHTLESS, pressures=(InternalPressure(**given),))


def burst_pressure(surface, cells, method="network"):
    """Pressure that first breaks something, Pa."""
    job = job_of(surface, cells, method=method, frame=1, load_factor=1.0)
    breakables = [prepare(job, 0, lambda stage, share: None, NO_CACHE)]
    breaker = Breaker(breakables, NO_CACHE)
    list(FaceLoads(job, breakables).on_frame(1, RigidScene(job, breakables), breaker))
    (line,) = breaker.statistics[0].loads
    return float(line.removeprefix("Pressure 'Gas': ").removesuffix(" Pa"))


def simulated(job):
    return timeline.simulate(job, lambda stage, share: None)


def velocities(recording):
    return np.array([item.poses[4, :3] - item.poses[3, :3] for item in recording.fragments]) * 24.0


@pytest.mark.parametrize("cells", [4000, 8000])
@pytest.mark.parametrize(("surface", "hoops"), [(PIPE, 1.0), (SPHERE, 2.0)])
def test_a_thin_vessel_bursts_at_the_pressure_of_the_formula(surface, hoops, cells):
    """p = sigma t / r for a pipe, and twice that for a sphere, within 25 %.

    Measured on 2,000, 4,000 and 8,000 cells: a pipe at 71, 93 and 87 % of it, a sphere at 88, 92 and 92 %. Cells of the
    pipe of 2,000 are twice as wide as the wall.
    """
    formula = hoops * EVEN.tensile_strength * WALL / RADIUS
    assert burst_pressure(surface, cells) == pytest.approx(formula, rel=0.25)


def test_a_pipe_holds_a_pressure_below_the_critical_one_and_bursts_above():
    critical = burst_pressure(PIPE, 2000)
    holding, bursting = (simulated(job_of(PIPE, pressure=times * critical)) for times in (0.95, 1.1))
    assert not holding.fragments
    assert np.abs(np.diff(holding.bodies[0].poses, axis=0)).max() < 1e-9
    assert len(bursting.fragments) > 1


def test_a_relative_pressure_is_that_multiple_of_the_critical_one():
    critical = burst_pressure(PIPE, 2000)
    report = simulated(job_of(PIPE, load_factor=1.5)).report["bodies"][0]
    assert report["load_factor"] == pytest.approx(1.5, rel=0.01)
    (line,) = report["loads"]
    assert float(line.split()[-2]) == pytest.approx(1.5 * critical, rel=0.01)


def test_gas_throws_the_pieces_outward_with_its_work_and_without_momentum():
    recording = simulated(job_of(SPHERE, load_factor=3.0))
    pressure = float(recording.report["bodies"][0]["loads"][0].split()[-2])
    speeds = velocities(recording)
    masses = np.array([EVEN.density * volume(item.surface) for item in recording.fragments])
    centers = np.array([item.poses[0, :3] for item in recording.fragments])
    assert (np.einsum("ni,ni->n", centers, speeds) > 0.0).mean() > 0.95
    momentum, sizes = masses @ speeds, masses @ np.linalg.norm(speeds, axis=1)
    assert np.linalg.norm(momentum) < 0.02 * sizes
    energy = 0.5 * masses @ (speeds**2).sum(axis=1)
    work = 0.5 * pressure * 4.0 / 3.0 * np.pi * (RADIUS - 0.5 * WALL) ** 3
    # Curved pieces have a smaller net force than their faces; some of the work turns them.
    assert 0.6 * work < energy < 1.02 * work


def test_a_moving_vessel_takes_its_pressure_along():
    track = np.zeros((6, 7))
    track[:, 3], track[:, 0] = 1.0, np.arange(6)
    assert len(simulated(job_of(SPHERE, load_factor=2.0, track=track)).fragments) > 1


@pytest.mark.parametrize("method", ["lattice", "fem"])
def test_other_methods_burst_too(method):
    recording = simulated(job_of(SPHERE, 300, frames=3, method=method, pressure=2e7))
    assert len(recording.fragments) > 1


def test_a_pressure_in_no_hollow_is_refused():
    with pytest.raises(SceneError, match="'Gas' is not inside a hollow object: no object that breaks is around it"):
        simulated(job_of(SPHERE, 300, point=np.array([0.0, 0.0, 1.0])))
    with pytest.raises(SceneError, match=r"'vessel' is around it in \d+% of all directions, and 50% are needed"):
        simulated(job_of(shapes.tube(RADIUS, WALL, 0.05, rings=16), 600))


@pytest.mark.parametrize("pressure", [0.0, -1.0, np.nan, np.inf])
def test_a_pressure_that_makes_no_sense_is_refused(pressure):
    with pytest.raises(SettingsError, match=r"the pressure is .* Pa; set it to a finite value above zero"):
        InternalPressure("Gas", 1, np.zeros(3), pressure)


def test_a_broken_vessel_has_no_pressure_and_the_report_says_so():
    job = job_of(SPHERE, load_factor=2.0)
    later = replace(job.pressures[0], name="Late", frame=4)
    report = simulated(replace(job, pressures=(*job.pressures, later))).report["bodies"][0]
    assert any("'Late' has no effect" in text for text in report["warnings"])
