"""The timeline: rigid motion, breaks, and the recording of both."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data import arrays
from fracture_addon.core.data.errors import InvalidMeshError, SceneError, SettingsError
from fracture_addon.core.data.job import AuthoredImpact, Body, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.recording import NEVER
from fracture_addon.core.data.surface import Surface, volume
from fracture_addon.core.methods import table
from fracture_addon.core.numerics.rotations import matrices
from fracture_addon.core.rigid.world import World
from fracture_addon.core.timeline import new_fragments, timeline
from fracture_addon.core.timeline.breaking import Breaker
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes
from tests.core.timeline_scenes import DOWN, FLOOR, SETTINGS, WEIGHTLESS, ball, block, lowest, run, tap, velocities

pytestmark = pytest.mark.usefixtures("halving")


def test_fragments_do_not_jump_at_the_break():
    """A weak impact without gravity: fragments drift at the velocity that the impact gives them."""
    body = block(impacts=(tap(1.0001),))
    recording = run(body, gravity=WEIGHTLESS, frames=8)
    (_, born), fragments = (recording.frame_start, recording.bodies[0].break_frame), recording.fragments
    assert born == 2
    assert len(fragments) == 2
    for fragment in fragments:
        speed = np.linalg.norm(velocities(fragment.poses), axis=1)
        assert speed[0] < 1e-6
        # The velocity of the impact, and nothing else.
        np.testing.assert_allclose(
            velocities(fragment.poses)[1:], velocities(fragment.poses)[-1:].repeat(6, 0), atol=1e-4
        )


@pytest.mark.parametrize("mass", [0.02, 0.2, 2.0])
def test_a_ball_and_the_fragments_keep_their_momentum(mass):
    recording = run(block(), colliders=[ball(20.0, mass)], gravity=WEIGHTLESS, frames=10)
    assert len(recording.fragments) == 2
    before = mass * np.array([20.0, 0.0, 0.0])
    after = mass * velocities(recording.projectiles[0].poses)[-1]
    after = after + sum(item.mass * velocities(item.poses)[-1] for item in recording.fragments)
    np.testing.assert_allclose(after, before, atol=1e-3 * before[0])


def test_a_ball_keeps_the_momentum_that_fragments_do_not_take():
    """An unbroken body would stop the ball."""
    through = run(block(), colliders=[ball(20.0)], gravity=WEIGHTLESS, frames=6)
    against = run(block(settings=SETTINGS.changed(violence=1e-6)), colliders=[ball(20.0)], gravity=WEIGHTLESS, frames=6)
    assert len(through.fragments) == 2
    assert not against.fragments
    assert velocities(through.projectiles[0].poses)[-1, 0] > velocities(against.projectiles[0].poses)[-1, 0] - 1e-3


def test_the_impact_has_the_impulse_of_the_contact(monkeypatch):
    """Point, direction and impulse of the impact equal those that an unbroken body takes from the ball."""
    seen, original = [], table.strike

    def watched(model, settings, motion, impacts, **values):
        seen.extend(impacts)
        return original(model, settings, motion, impacts, **values)

    monkeypatch.setattr(table, "strike", watched)
    assert len(run(block(), colliders=[ball(20.0)], gravity=WEIGHTLESS, frames=6).fragments) == 2
    whole = run(block(settings=SETTINGS.changed(violence=1e-6)), colliders=[ball(20.0)], gravity=WEIGHTLESS, frames=6)
    mass = PORCELAIN.density * 0.1 * 0.06 * 0.08
    momentum = mass * velocities(whole.bodies[0].poses)[-1]
    impulse = sum(impact.impulse * impact.direction for impact in seen)
    # Measured: 3 % less, at an angle of 4 degrees.
    np.testing.assert_allclose(impulse, momentum, atol=0.1 * momentum[0])
    for impact in seen:
        np.testing.assert_allclose(impact.point, [-0.05, 0.0, 0.04], atol=0.01)
        assert 1e-6 < impact.duration < 1e-3


def test_masses_and_volumes_add_up():
    recording = run(block(1.0), colliders=[FLOOR], frames=14)
    whole = volume(block().surface)
    np.testing.assert_allclose(sum(volume(item.surface) for item in recording.fragments), whole, rtol=1e-9)
    assert recording.report["bodies"][0]["volume_error"] < 1e-9
    drawn = [PORCELAIN.density * volume(item.surface) for item in recording.fragments]
    np.testing.assert_allclose([item.mass for item in recording.fragments], drawn, rtol=1e-9)
    np.testing.assert_allclose(
        sum(item.mass * item.center for item in recording.fragments) / sum(item.mass for item in recording.fragments),
        recording.bodies[0].center,
        atol=2e-3,
    )


def test_a_drop_breaks_on_the_floor_and_comes_to_rest_on_it():
    recording = run(block(1.0), colliders=[FLOOR], frames=60)
    track = recording.bodies[0]
    # A fall of one metre takes 0.4515 s, 10.8 frames.
    assert track.break_frame == 12
    fall = -0.5 * 9.81 * (np.arange(11) / 24.0) ** 2
    np.testing.assert_allclose(track.poses[:11, 2] - track.poses[0, 2], fall, atol=0.03)
    for fragment in recording.fragments:
        assert fragment.birth_frame == 12
        assert np.linalg.norm(velocities(fragment.poses)[-1]) < 0.01
        assert lowest(fragment, -1) > -0.001
        # A fast corner may sink in for a few frames, by less than half a cell.
        assert min(lowest(fragment, row) for row in range(60)) > -0.006
    assert min(lowest(fragment, -1) for fragment in recording.fragments) < 0.001


def test_bodies_at_rest_need_no_steps_and_wake_up_as_with_all_steps(monkeypatch):
    """A block sleeps on the floor until an impact breaks it; then its fragments come to rest."""
    body, frames, step, count = block(impacts=(tap(2.0, 40),)), 90, World.step, []
    monkeypatch.setattr(World, "step", lambda world, seconds: count.append(1) or step(world, seconds))
    few = run(body, colliders=[FLOOR], frames=frames)
    few_steps = len(count)
    monkeypatch.setattr(World, "is_at_rest", lambda world: False)
    every = run(body, colliders=[FLOOR], frames=frames)
    every_step = len(count) - few_steps
    assert few.bodies[0].break_frame == 40
    assert len(few.fragments) == 2
    assert arrays.digest(few) == arrays.digest(every)
    # A body sleeps after a quarter of a second, 6 frames, without motion.
    assert few_steps < 0.6 * every_step


def test_fragments_move_with_their_body_until_they_are_born():
    body = block(0.5, velocity=np.array([1.0, 0, 0]), angular_velocity=np.array([0.0, 3.0, 5.0]))
    recording = run(body, colliders=[FLOOR], frames=14)
    track = recording.bodies[0]
    assert track.break_frame > 4
    for fragment in recording.fragments:
        for row in range(track.break_frame - 1):
            rotation = matrices(track.poses[row, 3:])
            np.testing.assert_allclose(fragment.poses[row, 3:], track.poses[row, 3:], atol=1e-12)
            expected = track.poses[row, :3] + rotation @ (fragment.center - track.center)
            np.testing.assert_allclose(fragment.poses[row, :3], expected, atol=1e-12)
    for poses in [track.poses] + [fragment.poses for fragment in recording.fragments]:
        np.testing.assert_allclose(np.linalg.norm(poses[:, 3:], axis=1), 1.0)
        assert (np.einsum("ti,ti->t", poses[1:, 3:], poses[:-1, 3:]) > 0.0).all()


def test_the_same_job_gives_the_same_bytes(tmp_path):
    contents = []
    for seed in (0, 0, 1):
        recording = run(block(0.6, settings=SETTINGS.changed(seed=seed)), colliders=[FLOOR], frames=14)
        arrays.save(tmp_path / "recording.npz", recording)
        contents.append((tmp_path / "recording.npz").read_bytes())
    assert contents[0] == contents[1]
    assert contents[0] != contents[2]


def test_a_recording_survives_its_file(tmp_path):
    recording = run(block(impacts=(tap(2.0),)), frames=4)
    arrays.save(tmp_path / "recording.npz", recording)
    loaded = arrays.load(tmp_path / "recording.npz", type(recording))
    np.testing.assert_array_equal(loaded.fragments[1].poses, recording.fragments[1].poses)
    assert loaded.report == recording.report


@pytest.mark.parametrize(("strength", "count"), [(0.9, 0), (1.1, 2)])
def test_an_authored_impact_breaks_above_the_critical_load_on_its_frame(strength, count):
    recording = run(block(impacts=(tap(strength, 4),)), gravity=WEIGHTLESS, frames=8)
    assert len(recording.fragments) == count
    assert recording.bodies[0].break_frame == (4 if count else NEVER)
    np.testing.assert_allclose(recording.report["bodies"][0]["load_factor"], strength)
    # The push moves the body, broken or not.
    speed = velocities(recording.fragments[0].poses if count else recording.bodies[0].poses)[-1, 2]
    assert speed < 0.0


def test_an_authored_impact_acts_on_the_body_at_its_pose_of_that_frame():
    """The block has moved and rotated by half a turn; the impact is placed in the world."""
    body = block(
        velocity=np.array([2.4, 0.0, 0.0]),
        angular_velocity=np.array([0.0, np.pi * 24.0 / 10.0, 0.0]),
        impacts=(AuthoredImpact(11, np.array([1.0, 0.0, 0.08]), DOWN, 2.0),),
    )
    recording = run(body, gravity=WEIGHTLESS, frames=12)
    assert recording.bodies[0].break_frame == 11
    # The impact acts on the former underside; both halves are pushed down in the world.
    for fragment in recording.fragments:
        assert velocities(fragment.poses)[-1, 2] < 0.0


@pytest.mark.parametrize(("method", "cells"), [("network", 100), ("lattice", 300), ("fem", 100)])
def test_fragments_of_every_method_start_at_the_pose_of_the_body(method, cells):
    """The body drifts and rotates; on the frame of the impact no fragment moves farther than on later frames."""
    settings = Settings.of(method=method, cell_count=cells, break_depth=1)
    drift = np.array([0.3, 0.0, 0.1])
    body = block(settings=settings, velocity=drift, angular_velocity=np.array([0.5, 0.0, 1.0]), impacts=(tap(8.0, 4),))
    recording = run(body, gravity=WEIGHTLESS, frames=8)
    track, row = recording.bodies[0], recording.bodies[0].break_frame - 1
    assert row == 3
    assert len(recording.fragments) > 1
    for fragment in recording.fragments:
        before = track.poses[row - 1]
        turned = matrices(before[3:]) @ (fragment.center - track.center)
        np.testing.assert_allclose(fragment.poses[row - 1], np.append(before[:3] + turned, before[3:]), atol=1e-12)
        at, after = np.linalg.norm(np.diff(fragment.poses[row - 1 : row + 2, :3], axis=0), axis=1)
        assert at < 1.5 * after + 1e-4
    np.testing.assert_allclose(sum(volume(item.surface) for item in recording.fragments), volume(body.surface))


def test_a_body_that_nothing_can_hit_is_refused():
    with pytest.raises(SceneError, match=r"'block'.*floor"):
        run(block())


def test_an_empty_scene_is_refused():
    with pytest.raises(SceneError, match="nothing to break"):
        run(colliders=[FLOOR])


@pytest.mark.parametrize(
    "values", [{"frames": 1}, {"frames": -5}, {"substeps": 0}, {"frame_rate": 0.0}, {"frame_rate": float("nan")}]
)
def test_invalid_timing_is_refused(values):
    with pytest.raises(SettingsError):
        run(block(), colliders=[FLOOR], **values)


def test_an_empty_mesh_is_refused_by_name():
    empty = replace(block(), surface=Surface(np.zeros((0, 3)), np.zeros((0, 3))))
    with pytest.raises(InvalidMeshError, match="'block'"):
        run(empty, colliders=[FLOOR])


def test_a_body_that_loses_only_dust_reports_it():
    corner = AuthoredImpact(2, np.array([0.05, -0.03, 0.08]), DOWN, 3.0)  # nothing is beyond its plane
    recording = run(block(impacts=(corner,)), gravity=WEIGHTLESS)
    assert not recording.fragments
    (warning,) = recording.report["bodies"][0]["warnings"]
    assert "stayed in one piece: the strongest impact was 3 times" in warning


def test_an_unbroken_body_reports_its_load_and_a_violence_that_breaks_it():
    recording = run(block(0.2, settings=SETTINGS.changed(violence=0.01)), colliders=[FLOOR], frames=14)
    assert not recording.fragments
    report = recording.report["bodies"][0]
    assert 0.0 < report["load_factor"] < 1.0
    (warning,) = report["warnings"]
    assert "did not break" in warning
    assert "%" in warning
    assert "violence" in warning
    suggested = float(warning.split()[-1])
    assert run(block(0.2, settings=SETTINGS.changed(violence=suggested)), colliders=[FLOOR], frames=14).fragments


def test_a_body_at_rest_has_no_impacts():
    """Weight is no impact."""
    recording = run(block(), colliders=[FLOOR], frames=24)
    assert not recording.fragments
    assert "no impact was strong enough" in recording.report["bodies"][0]["warnings"][0]


def test_two_bodies_break_each_other():
    left = block(velocity=np.array([6.0, 0.0, 0.0]))
    right = replace(
        block(velocity=np.array([-6.0, 0.0, 0.0])),
        name="other",
        surface=shapes.box((0.1, 0.06, 0.08), (0.4, 0.0, 0.04)),
    )
    recording = run(left, right, gravity=WEIGHTLESS, frames=8)
    assert [track.name for track in recording.bodies] == ["block", "other"]
    assert min(sum(fragment.body == row for fragment in recording.fragments) for row in (0, 1)) >= 2


@pytest.mark.parametrize("strength", [0.01, 8.0])
@pytest.mark.parametrize("load", ["drop", "impact"])
def test_each_stage_contains_its_own_work(monkeypatch, strength, load):
    """The report has the time of each stage."""
    stages, worked = ["Starting"], {"step": set(), "cut": set(), "strike": set()}

    def noting(name, function):
        def call(*arguments, **options):
            worked[name].add(stages[-1].partition(" '")[0])
            return function(*arguments, **options)

        return call

    monkeypatch.setattr(World, "step", noting("step", World.step))
    monkeypatch.setattr(new_fragments, "cut_surfaces", noting("cut", new_fragments.cut_surfaces))
    monkeypatch.setattr(Breaker, "strike", noting("strike", Breaker.strike))
    body = block(0.05, velocity=strength * DOWN) if load == "drop" else block(impacts=(tap(strength, 3),))
    simulate(Job((body,), (FLOOR,), 1, 8, gravity=WEIGHTLESS), lambda stage, share: stages.append(stage))
    is_broken = strength > 1.0
    assert worked["step"] == {"Simulating"}
    assert worked["strike"] <= {"Breaking"}
    assert worked["cut"] == ({"Cutting"} if is_broken else set())
    assert any(stage.startswith("Cutting") for stage in stages) == is_broken


def test_progress_never_falls_and_names_its_stages():
    seen = []
    job = Job((block(0.3),), (FLOOR,), 1, 12)
    simulate(job, lambda stage, share: seen.append((stage, share)))
    stages = [stage for stage, _ in itertools.groupby(stage for stage, _ in seen)]
    assert stages[:3] == ["Checking 'block'", "Filling 'block'", "Building 'block'"]
    assert stages[-1] == "Simulating"
    assert "Simulating" in stages
    shares = [share for _, share in seen]
    assert shares == sorted(shares)
    assert shares[0] >= 0.0
    assert shares[-1] == 1.0


@pytest.mark.parametrize("break_anyway", [False, True])
def test_progress_rises_while_a_body_breaks_for_the_first_time(break_anyway):
    """One of many frames takes a large part of the time."""
    shares = []
    body = block(impacts=(tap(5.0),), settings=Settings.of(cell_count=300, break_depth=1))
    simulate(
        Job((body,), (), 1, 100, gravity=WEIGHTLESS, break_anyway=break_anyway),
        lambda stage, share: shares.append(share) if stage.startswith("Breaking") else None,
    )
    assert max(shares) - min(shares) > 0.15
    assert shares == sorted(shares)


@pytest.mark.parametrize(("break_anyway", "strength"), [(False, 0.0), (False, 0.2), (True, 0.0)])
def test_the_progress_of_frames_reaches_its_end_where_nothing_breaks(break_anyway, strength):
    """Without a hit, and with an impact that is too weak: no part of the bar is left for a break."""
    shares = []
    job = Job((block(impacts=(tap(strength),)),), (), 1, 100, gravity=WEIGHTLESS, break_anyway=break_anyway)
    recording = simulate(job, lambda stage, share: shares.append(share) if stage == "Simulating" else None)
    assert not recording.fragments
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert max(np.diff(shares[:-1])) < 0.1
    assert shares[-2] > timeline.PREPARED + 0.9 * (1.0 - timeline.PREPARED) * timeline.SIMULATED


def test_a_network_runs_from_the_fall_to_rest():
    """A thick bowl falls half a metre: its fragments fill its volume and rest on the floor."""
    bowl = shapes.moved(shapes.bowl(0.1, 0.012), offset=(0.0, 0.0, 0.5))
    settings = Settings.of(cell_count=1000, load_steps=8, break_depth=1, violence=3.0)
    recording = run(Body("bowl", bowl, PORCELAIN, settings), colliders=[FLOOR], frames=48)
    shards = recording.fragments
    assert len(shards) >= 3
    np.testing.assert_allclose(sum(volume(item.surface) for item in shards), volume(bowl), rtol=1e-6)
    assert max(np.linalg.norm(velocities(item.poses)[-1]) for item in shards) < 0.1
    # Surfaces rest on the floor in spite of coarse cells (20 mm). The sharpest tips of the relief have no ball and sink
    # in.
    dips = [lowest(item, -1) for item in shards]
    assert min(dips) > -0.003
    assert np.median(dips) > -0.0005
    # No fragment leaves the floor faster than an elastic bounce.
    assert max(item.poses[recording.bodies[0].break_frame :, 2].max() for item in shards) < 0.6
    report = recording.report["bodies"][0]
    assert report["load_factor"] > 1.0
    assert report["fragments"] == len(shards)


@pytest.mark.parametrize("first", [-12, -5, 0])
def test_frames_may_be_negative(first):
    """The same shot from a negative frame and from frame 1 gives the same recording, shifted."""
    across = AuthoredImpact(first + 4, np.array([-0.05, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]), 1.001)
    settings = SETTINGS.changed(break_depth=2, cell_count=800)
    body = block(0.0, settings=settings, impacts=(tap(1.001, first + 3), across))
    shot = simulate(Job((body,), (), first, first + 11, gravity=WEIGHTLESS), lambda stage, share: None)
    later = [replace(impact, frame=impact.frame - first + 1) for impact in body.impacts]
    usual = simulate(
        Job((replace(body, impacts=tuple(later)),), (), 1, 12, gravity=WEIGHTLESS), lambda stage, share: None
    )
    assert shot.report == usual.report
    assert shot.bodies[0].break_frame == first + 3
    for ours, theirs in zip(shot.fragments, usual.fragments, strict=True):
        assert ours.birth_frame == theirs.birth_frame + first - 1
        assert (ours.death_frame == NEVER) == (theirs.death_frame == NEVER)
    assert any(item.death_frame != NEVER for item in shot.fragments)
