"""The timeline: hand-over between rigid motion and breaking, and what is recorded of it."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core import arrays, method
from fracture_addon.core.errors import InvalidMeshError, SceneError, SettingsError
from fracture_addon.core.impact import hertz_duration
from fracture_addon.core.job import AuthoredImpact, Body, Collider, Job, Settings
from fracture_addon.core.material import PORCELAIN
from fracture_addon.core.pose import matrices
from fracture_addon.core.rigid.contacts import Side, effective_modulus, hertz_impacts, patches
from fracture_addon.core.rigid.rigid_properties import RigidProperties
from fracture_addon.core.run import breaking
from fracture_addon.core.run.preparation import prepare
from fracture_addon.core.surface import Surface, joined, mass_properties, volume
from fracture_addon.core.tetrahedralize import tetrahedralize
from fracture_addon.core.timeline import Timeline, simulate
from tests import shapes
from tests.core import halving as halving_method

SETTINGS = Settings(method="halving", cell_count=500, break_depth=1)
FLOOR = Collider("floor", Surface([[-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0]], [[0, 1, 2], [0, 2, 3]]))
WEIGHTLESS = np.zeros(3)
DOWN = np.array([0.0, 0.0, -1.0])


@pytest.fixture(autouse=True)
def halving(monkeypatch):
    monkeypatch.setitem(method.METHODS, "halving", "tests.core.halving")
    monkeypatch.setitem(method.METHODS, "refining", "tests.core.refining")


def block(height=0.0, **values) -> Body:
    surface = shapes.box((0.1, 0.06, 0.08), (0.0, 0.0, height + 0.04))
    values = {"material": PORCELAIN, "settings": SETTINGS, **values}
    return Body("block", surface, **values)


def ball(speed: float, mass: float = 0.2) -> Collider:
    """Comes along X and hits the middle of a block that stands on the origin."""
    surface = shapes.moved(shapes.icosphere(0.02), offset=(-0.2, 0.0, 0.04))
    return Collider("ball", surface, "sphere", mass=mass, velocity=np.array([speed, 0.0, 0.0]))


def tap(strength: float, frame: int = 2) -> AuthoredImpact:
    return AuthoredImpact(frame, np.array([0.0, 0.0, 0.08]), DOWN, strength)


def run(*bodies, colliders=(), frames=12, **values):
    return simulate(Job(tuple(bodies), tuple(colliders), 1, frames, **values), lambda stage, share: None)


def velocities(poses, rate=24.0):
    return np.diff(poses[:, :3], axis=0) * rate


def lowest(fragment, row):
    pose = fragment.poses[row]
    return (fragment.surface.points @ matrices(pose[3:]).T + pose[:3])[:, 2].min()


def test_nothing_jumps_at_the_hand_over():
    """A blow of a thousandth of a newton second, without weight: fragments only drift at what the blow gave them."""
    body = block(impacts=(tap(1.0001),))
    recording = run(body, gravity=WEIGHTLESS, frames=8)
    (_, born), fragments = (recording.frame_start, recording.bodies[0].break_frame), recording.fragments
    assert born == 2
    assert len(fragments) == 2
    for fragment in fragments:
        speed = np.linalg.norm(velocities(fragment.poses), axis=1)
        assert speed[0] < 1e-6
        # What the blow itself gave, and nothing else.
        np.testing.assert_allclose(
            velocities(fragment.poses)[1:], velocities(fragment.poses)[-1:].repeat(6, 0), atol=1e-4
        )


@pytest.mark.parametrize("mass", [0.02, 0.2, 2.0])
def test_a_ball_and_what_it_breaks_keep_their_momentum(mass):
    recording = run(block(), colliders=[ball(20.0, mass)], gravity=WEIGHTLESS, frames=10)
    assert len(recording.fragments) == 2
    before = mass * np.array([20.0, 0.0, 0.0])
    after = mass * velocities(recording.projectiles[0].poses)[-1]
    after = after + sum(item.mass * velocities(item.poses)[-1] for item in recording.fragments)
    np.testing.assert_allclose(after, before, atol=1e-3 * before[0])


def test_a_ball_goes_on_where_a_whole_body_would_have_stopped_it():
    """The fragments take what the method gives them; the ball keeps the rest."""
    through = run(block(), colliders=[ball(20.0)], gravity=WEIGHTLESS, frames=6)
    against = run(
        block(settings=replace(SETTINGS, violence=1e-6)), colliders=[ball(20.0)], gravity=WEIGHTLESS, frames=6
    )
    assert len(through.fragments) == 2
    assert not against.fragments
    assert velocities(through.projectiles[0].poses)[-1, 0] > velocities(against.projectiles[0].poses)[-1, 0] - 1e-3


def test_masses_and_volumes_add_up():
    recording = run(block(1.0), colliders=[FLOOR], frames=14)
    whole = volume(block().surface)
    np.testing.assert_allclose(sum(volume(item.surface) for item in recording.fragments), whole, rtol=1e-9)
    assert recording.report["bodies"][0]["volume_error"] < 1e-9
    np.testing.assert_allclose(sum(item.mass for item in recording.fragments), PORCELAIN.density * whole, rtol=0.1)
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
        recording = run(block(0.6, settings=replace(SETTINGS, seed=seed)), colliders=[FLOOR], frames=14)
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
    assert recording.bodies[0].break_frame == (4 if count else -1)
    np.testing.assert_allclose(recording.report["bodies"][0]["load_factor"], strength)
    # The push moves the body, broken or not.
    speed = velocities(recording.fragments[0].poses if count else recording.bodies[0].poses)[-1, 2]
    assert speed < 0.0


def test_an_authored_impact_hits_where_the_body_is_by_then():
    """The block has turned by half a turn and moved; the blow is placed in the world of its frame."""
    body = block(
        velocity=np.array([2.4, 0.0, 0.0]),
        angular_velocity=np.array([0.0, np.pi * 24.0 / 10.0, 0.0]),
        impacts=(AuthoredImpact(11, np.array([1.0, 0.0, 0.08]), DOWN, 2.0),),
    )
    recording = run(body, gravity=WEIGHTLESS, frames=12)
    assert recording.bodies[0].break_frame == 11
    # It fell on what was the underside; both halves are pushed down in the world.
    for fragment in recording.fragments:
        assert velocities(fragment.poses)[-1, 2] < 0.0


def test_a_held_body_follows_its_track_until_it_breaks():
    height = np.linspace(0.0, 1.0, 12)
    track = np.zeros((12, 7))
    track[:, 2], track[:, 3] = height, 1.0
    recording = run(block(track=track, impacts=(tap(3.0, 7),)), colliders=[FLOOR], frames=12)
    body = recording.bodies[0]
    np.testing.assert_allclose(body.poses[:6, 2] - body.poses[0, 2], height[:6], atol=1e-5)
    assert body.break_frame == 7
    upwards = height[1] * 24.0
    for fragment in recording.fragments:
        speed = velocities(fragment.poses)[6, 2]
        assert speed < upwards


@pytest.mark.parametrize("surface", [shapes.box((0.1, 2.0, 2.0)), shapes.cup(0.3, 0.6, 0.05)], ids=["box", "cup"])
@pytest.mark.parametrize(("speed", "gap", "frame"), [(4.8, 0.45, 4), (0.2, 0.01, -1)])
def test_an_animated_body_breaks_on_a_wall(surface, speed, gap, frame):
    """Its animation leads into the wall, at 0.2 m a frame, or so slowly that nothing happens to it."""
    wall = Collider("wall", shapes.moved(surface, offset=(0.05 + gap - surface.points[:, 0].min(), 0.0, 0.0)))
    track = np.zeros((16, 7))
    track[:, 0], track[:, 3] = np.arange(16) * speed / 24.0, 1.0
    recording = run(block(0.1, track=track), colliders=[wall], frames=16, gravity=WEIGHTLESS)
    assert recording.bodies[0].break_frame == frame
    assert (len(recording.fragments) >= 2) == (frame > 0)
    for fragment in recording.fragments:
        assert (fragment.poses[:, 0] < 0.05 + gap).all()


def test_a_body_dragged_along_a_floor_does_not_break():
    track = np.zeros((16, 7))
    track[:, 0], track[:, 3] = np.arange(16) * 0.3, 1.0
    assert not run(block(0.0, track=track), colliders=[FLOOR], frames=16).fragments


def test_a_track_that_ends_lets_go_of_its_body():
    """Carried up and along for six frames, it flies on as it was carried, spin included."""
    track = np.zeros((6, 7))
    track[:, 0], track[:, 2] = np.linspace(0.0, 0.5, 6), np.linspace(0.0, 1.0, 6)
    angles = np.linspace(0.0, 0.5, 6)
    track[:, 3], track[:, 6] = np.cos(0.5 * angles), np.sin(0.5 * angles)
    recording = run(block(0.5, track=track), colliders=[FLOOR], frames=12)
    poses, seconds = recording.bodies[0].poses, np.arange(7) / 24.0
    assert recording.bodies[0].break_frame == -1
    np.testing.assert_allclose(poses[5:, 0] - poses[5, 0], 2.4 * seconds, atol=2e-3)
    np.testing.assert_allclose(poses[5:, 2] - poses[5, 2], 4.8 * seconds - 0.5 * 9.81 * seconds**2, atol=0.01)
    turned = 2.0 * np.arctan2(poses[:, 6], poses[:, 3])
    np.testing.assert_allclose(np.diff(turned), 0.1, atol=2e-3)


def test_a_projectile_whose_track_ends_flies_on_and_hits():
    """Carried towards a held body for four frames, let go half a metre in front of it."""
    track = np.zeros((4, 7))
    track[:, 0], track[:, 2], track[:, 3] = np.linspace(-1.5, -0.75, 4), 0.54, 1.0
    shot = Collider(
        "shot", shapes.moved(shapes.icosphere(0.02), offset=(-1.5, 0, 0.54)), "sphere", mass=0.5, track=track
    )
    held = block(0.5, track=np.array([[0.0, 0, 0.54, 1, 0, 0, 0]]))
    recording = run(held, colliders=[shot], frames=16, gravity=WEIGHTLESS)
    poses, broken = recording.projectiles[0].poses, recording.bodies[0].break_frame
    np.testing.assert_allclose(poses[:4, 0], track[:, 0], atol=1e-5)
    np.testing.assert_allclose(np.diff(poses[3 : broken - 1, 0]), 0.25, atol=1e-3)
    assert broken in (6, 7)
    # It pays for what the fragments took with it.
    assert poses[-1, 0] - poses[-2, 0] < 0.2
    assert all(fragment.poses[-1, 0] > fragment.poses[0, 0] for fragment in recording.fragments)


def test_a_still_held_body_does_not_fall_and_breaks_when_it_is_struck():
    held = block(0.5, track=np.array([[0.0, 0, 0.54, 1, 0, 0, 0]]))
    shot = Collider(
        "shot",
        shapes.moved(shapes.icosphere(0.02), offset=(-0.4, 0, 0.54)),
        "sphere",
        mass=0.3,
        velocity=np.array([12.0, 0, 0]),
    )
    recording = run(held, colliders=[FLOOR, shot], frames=20)
    track = recording.bodies[0]
    assert track.break_frame in (2, 3)
    assert (track.poses[: track.break_frame - 1, 2] == track.poses[0, 2]).all()
    # A quarter of a second later they have fallen by 0.3 m.
    assert all(lowest(fragment, track.break_frame + 5) < 0.35 for fragment in recording.fragments)


@pytest.mark.parametrize(
    "surface",
    [shapes.box((0.05, 0.4, 0.2), (-0.3, 0.0, 0.1)), shapes.moved(shapes.cup(0.1, 0.2, 0.02), offset=(-0.3, 0.0, 0.0))],
    ids=["box", "cup"],
)
def test_an_animated_collider_moves_pieces(surface):
    track = np.zeros((16, 7))
    track[:, 0], track[:, 3] = np.linspace(-0.3, 0.6, 16), 1.0
    pusher = Collider("pusher", surface, "mesh", track=track)
    recording = run(block(impacts=(tap(1.5, 1),)), colliders=[FLOOR, pusher], frames=16)
    assert len(recording.fragments) == 2
    assert all(fragment.poses[-1, 0] > 0.6 for fragment in recording.fragments)


@pytest.mark.parametrize(("depth", "generations"), [(1, 1), (2, 2), (3, 3)])
def test_fragments_break_again_down_to_the_depth(depth, generations):
    """Halved in the air, so that the halves fall three metres, or quartered."""
    blows = [AuthoredImpact(frame, np.array([0.0, 0.0, 3.08]), DOWN, 1.001) for frame in (2, 3)]
    settings = replace(SETTINGS, break_depth=depth, cell_count=800)
    fall = block(3.0, settings=settings, impacts=tuple(blows[: depth - 1]))
    recording = run(fall, colliders=[FLOOR], frames=30, substeps=8)
    assert 1 + max(_depth(recording.fragments, row) for row in range(len(recording.fragments))) == generations
    for row, fragment in enumerate(recording.fragments):
        children = [item for item in recording.fragments if item.parent == row]
        assert bool(children) == (fragment.death_frame >= 0)
        if children:
            assert {item.birth_frame for item in children} == {fragment.death_frame}
            total = sum(volume(item.surface) for item in children)
            np.testing.assert_allclose(total, volume(fragment.surface), rtol=1e-9)
    alive = [item for item in recording.fragments if item.death_frame < 0]
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


def test_a_method_may_fill_a_body_with_cells_of_its_own(monkeypatch):
    own = tetrahedralize(block().surface, 200, 3)
    monkeypatch.setattr(halving_method, "discretise", lambda surface, settings: own, raising=False)
    recording = run(block(impacts=(tap(2.0),)), frames=4)
    assert recording.report["bodies"][0]["cells"] == own.cell_count


def _depth(fragments, row):
    return 0 if fragments[row].parent < 0 else 1 + _depth(fragments, fragments[row].parent)


def test_a_body_that_nothing_can_hit_is_refused():
    with pytest.raises(SceneError, match=r"'block'.*floor"):
        run(block())


def test_an_empty_scene_is_refused():
    with pytest.raises(SceneError, match="nothing to break"):
        run(colliders=[FLOOR])


@pytest.mark.parametrize(
    "values", [{"frames": 1}, {"frames": -5}, {"substeps": 0}, {"frame_rate": 0.0}, {"frame_rate": float("nan")}]
)
def test_senseless_timing_is_refused(values):
    with pytest.raises(SettingsError):
        run(block(), colliders=[FLOOR], **values)


def test_an_empty_mesh_is_refused_by_name():
    empty = replace(block(), surface=Surface(np.zeros((0, 3)), np.zeros((0, 3))))
    with pytest.raises(InvalidMeshError, match="'block'"):
        run(empty, colliders=[FLOOR])


def test_a_body_that_never_broke_says_how_near_it_came():
    recording = run(block(0.2, settings=replace(SETTINGS, violence=0.01)), colliders=[FLOOR], frames=14)
    assert not recording.fragments
    report = recording.report["bodies"][0]
    assert 0.0 < report["load_factor"] < 1.0
    (warning,) = report["warnings"]
    assert "did not break" in warning
    assert "%" in warning
    assert "violence" in warning
    suggested = float(warning.split()[-1])
    assert run(block(0.2, settings=replace(SETTINGS, violence=suggested)), colliders=[FLOOR], frames=14).fragments


def test_a_body_at_rest_takes_no_blows():
    """Weight is no hit, however often it presses."""
    recording = run(block(), colliders=[FLOOR], frames=24)
    assert not recording.fragments
    assert "nothing hit it hard" in recording.report["bodies"][0]["warnings"][0]


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


def test_progress_never_falls_and_names_its_stages():
    seen = []
    job = Job((block(0.3),), (FLOOR,), 1, 12)
    simulate(job, lambda stage, share: seen.append((stage, share)))
    stages = [stage for stage, _ in itertools.groupby(stage for stage, _ in seen)]
    assert stages[:3] == ["Checking", "Filling", "Building"]
    assert stages[-1] == "Cutting"
    assert "Simulating" in stages
    shares = [share for _, share in seen]
    assert shares == sorted(shares)
    assert shares[0] >= 0.0
    assert shares[-1] == 1.0


def test_patches_of_a_point_and_of_a_flat_side():
    point = np.array([[0.0, 0, 0], [0.001, 0, 0], [1.0, 0, 0]])
    centers, shares = patches(point, np.array([0.0, 0.0, 0.5]), 0.01, 0.1)
    np.testing.assert_allclose(centers, [[0.0005, 0, 0]])
    np.testing.assert_allclose(shares, [1.0])
    side = np.array([[x, y, 0.0] for x in (0.0, 1.0) for y in (0.0, 1.0)])
    centers, shares = patches(side, np.zeros(4), 0.01, 0.1)
    assert len(centers) == 4
    np.testing.assert_allclose(shares, 0.25)


def test_a_contact_is_the_elastic_contact_of_two_masses():
    light = RigidProperties(0.1, np.zeros(3), np.eye(3) * 1e-4)
    fixed = RigidProperties(np.inf, np.zeros(3), np.full((3, 3), np.inf))
    pose = np.array([0.0, 0, 0, 1, 0, 0, 0])
    speed, (impact,) = hertz_impacts(
        Side(light, pose, PORCELAIN),
        Side(fixed, pose, None),
        np.array([[0.0, 0.0, -0.02]]),
        np.zeros(1),
        np.array([0.0, 0.0, 0.3]),
        size=0.005,
        diagonal=0.1,
    )
    np.testing.assert_allclose(speed, 3.0)
    np.testing.assert_allclose(impact.direction, [0, 0, 1])
    modulus = effective_modulus(PORCELAIN, None)
    np.testing.assert_allclose(impact.duration, hertz_duration(0.1, 0.015, modulus, 3.0))
    np.testing.assert_allclose(impact.peak_force, 0.6 / impact.duration)
    assert impact.radius >= 0.005


def test_a_real_network_goes_the_whole_way():
    """A thick bowl dropped from half a metre: shards that fill it, at rest on the floor."""
    bowl = shapes.moved(shapes.bowl(0.1, 0.012), offset=(0.0, 0.0, 0.5))
    settings = Settings(cell_count=1000, load_steps=8, break_depth=1, violence=3.0)
    recording = run(Body("bowl", bowl, PORCELAIN, settings), colliders=[FLOOR], frames=48)
    shards = recording.fragments
    assert len(shards) >= 3
    np.testing.assert_allclose(sum(volume(item.surface) for item in shards), volume(bowl), rtol=1e-6)
    assert max(np.linalg.norm(velocities(item.poses)[-1]) for item in shards) < 0.1
    # What is drawn rests on the floor, however coarse the cells (20 mm here); the sharpest tips of its relief, which
    # have no ball to stand on, dip into it.
    dips = [lowest(item, -1) for item in shards]
    assert min(dips) > -0.003
    assert np.median(dips) > -0.0005
    # No shard leaves the floor faster than an elastic bounce.
    assert max(item.poses[recording.bodies[0].break_frame :, 2].max() for item in shards) < 0.6
    report = recording.report["bodies"][0]
    assert report["load_factor"] > 1.0
    assert report["fragments"] == len(shards)
