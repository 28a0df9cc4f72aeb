"""Bodies that deform for the whole shot: they fall, sag, swing, break, and their surfaces go along."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core import arrays
from fracture_addon.core.errors import SettingsError
from fracture_addon.core.geometry.distance_field import distance_field
from fracture_addon.core.geometry.inside import is_inside
from fracture_addon.core.job import AuthoredImpact, Body, Collider, Glue, Job, Settings
from fracture_addon.core.lattice import drop_cylinders
from fracture_addon.core.lattice.shape_obstacle import ShapeObstacle
from fracture_addon.core.material import Material
from fracture_addon.core.places import PaintedField
from fracture_addon.core.recording import Recording
from fracture_addon.core.soft.embedding import embed
from fracture_addon.core.soft.tuning import OUTCOMES, USUAL_SPEED, hit_speed, proposal, try_thresholds
from fracture_addon.core.stages import Stages
from fracture_addon.core.surface import Surface, area_vectors, volume
from fracture_addon.core.timeline import simulate
from fracture_addon.core.wind import Wind, push
from tests import shapes

RUBBER = Material("Rubber", 1000.0, 1e6, 0.25, 1e9, 1e9, 1e9, strength_variation=0.0)
CHALK = Material("Chalk", 1500.0, 1e6, 0.25, 2e4, 1e6, 1e3, strength_variation=0.1)
SOFT = Settings(
    method="lattice", dynamics="deformable", lattice="cubes", softening=1.0, cell_count=600, noise=0.0, seed=2
)
FLOOR = Collider("Floor", Surface([[-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0]], [[0, 1, 2], [0, 2, 3]]))
BELOW = replace(FLOOR, surface=shapes.moved(FLOOR.surface, offset=(0.0, 0.0, -9.0)))


def brick(center=(0.0, 0.0, 0.1), material=RUBBER, size=(0.1, 0.05, 0.05), **settings):
    return Body("brick", shapes.box(size, center), material, replace(SOFT, **settings))


def run(bodies, frames=12, **parts):
    return simulate(Job(tuple(bodies), frame_start=1, frame_end=frames, **parts), lambda *_: None)


def middles(deformed):
    return deformed.points.mean(axis=1).astype(float)


def test_points_go_along_with_their_cells():
    nodes = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], float)
    points = np.array([[0.1, 0.2, 0.3], [0.6, 0.6, 0.6], [-0.1, 0.2, 0.2]])
    skin, cell = embed(points, nodes, np.array([[0, 1, 2, 3], [1, 2, 3, 4]]))
    assert cell.tolist() == [0, 1, 0]
    assert np.allclose(skin.points(nodes), points)
    shear = np.array([[1.0, 0.3, 0.0], [0.0, 2.0, 0.0], [0.1, 0.0, 0.5]])
    assert np.allclose(skin.points(nodes @ shear.T), points @ shear.T)


def test_a_point_far_from_all_cells_stays_near_them():
    nodes = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    skin, _ = embed(np.array([[100.0, 0.0, 0.0]]), nodes, np.array([[0, 1, 2, 3]]))
    assert np.abs(skin.points(nodes)).max() < 10.0


def test_it_falls_freely_and_keeps_its_shape():
    recording = run([brick()], 4, colliders=(BELOW,))
    times = np.arange(4) / 24.0
    middle = middles(recording.deformed[0])
    assert middle[:, 2] - middle[0, 2] == pytest.approx(-0.5 * 9.81 * times**2, abs=2e-4)
    shape = recording.deformed[0].points - middle[:, None]
    assert np.abs(shape - shape[0]).max() < 1e-5


def test_a_floor_holds_it_and_it_bulges():
    recording = run([brick((0.0, 0.0, 0.027), softening=30.0)], 24, colliders=(FLOOR,))
    points = recording.deformed[0].points
    assert points[..., 2].min() > -0.003
    height, width = np.ptp(points[-1], axis=0)[[2, 0]]
    assert 0.047 < height < 0.0498
    assert 0.1 < width < 0.103
    assert len(np.unique(recording.deformed[0].piece_of_face)) == 1


@pytest.mark.parametrize(("lattice", "low"), [("cubes", 0.0), ("cubes", 0.001), ("tetrahedra", 0.0)])
def test_what_lies_on_a_floor_stays_there_also_if_it_lies_a_little_too_low(lattice, low):
    body = brick((0.0, 0.0, 0.025 - low), CHALK, cell_count=200, lattice=lattice)
    recording = run([body], 3, colliders=(FLOOR,))
    points = recording.deformed[0].points
    assert recording.report["bodies"][0]["fragments"] == 1
    assert np.abs(points - points[0]).max() < 1e-3


def test_a_blow_that_the_artist_placed_breaks_it_when_it_is_hard_enough():
    moved = []
    for strength in (0.7, 4.0):
        blow = AuthoredImpact(2, np.array([0.0, 0.0, 0.125]), np.array([0.0, 0.0, -1.0]), strength)
        body = replace(brick((0.0, 0.0, 0.1), CHALK, (0.2, 0.05, 0.05), cell_count=600), impacts=(blow,))
        recording = run([body], 4, gravity=np.zeros(3), colliders=(BELOW,))
        assert (recording.report["bodies"][0]["fragments"] > 1) == (strength > 1.0)
        height = middles(recording.deformed[0])[:, 2]
        assert height[1] == pytest.approx(height[0])
        moved.append(height[1] - height[3])
    assert 0.0 < 2.0 * moved[0] < moved[1]


def test_what_is_pinned_stays_and_the_rest_sags_more_when_it_turns_soft():
    beam = shapes.box((0.2, 0.03, 0.03), (0.1, 0.0, 0.0))
    surface = Surface(*_divided(beam))
    pins = PaintedField(surface.points, surface.faces, (surface.points[:, 0] < 0.05).astype(float))
    body = Body("beam", surface, RUBBER, replace(SOFT, pinned=pins, cell_count=1500))
    sags = []
    for factor in (1.0, 0.3):
        recording = run([replace(body, stiffness_track=np.full(24, factor))], 24, colliders=(BELOW,))
        points, rest = recording.deformed[0].points, recording.deformed[0].points[0]
        assert np.abs(points - rest)[:, rest[:, 0] < 0.01].max() < 1e-6
        sags.append(float((rest - points)[:, rest[:, 0] > 0.19, 2].max()))
    assert 0.001 < 2.0 * sags[0] < sags[1]


def _divided(surface):
    """Every triangle in four, twice."""
    points, faces = surface.points, surface.faces
    for _ in range(2):
        corners = points[faces]
        middle = 0.5 * (corners + np.roll(corners, -1, axis=1))
        a, b, c = np.moveaxis(corners, 1, 0)
        ab, bc, ca = np.moveaxis(middle, 1, 0)
        parts = np.concatenate(
            [np.stack(item, axis=1) for item in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
        )
        points, rows = np.unique(parts.reshape(-1, 3).round(12), axis=0, return_inverse=True)
        faces = rows.reshape(-1, 3)
    return points, faces


def test_it_breaks_on_the_floor_into_closed_pieces_that_part():
    body = brick((0.0, 0.0, 0.2), CHALK, (0.2, 0.04, 0.04), cell_count=2000)
    slanted = replace(body, surface=shapes.moved(body.surface, rotation=_turn(0.5), offset=(0.0, 0.0, 0.1)))
    recording = run([slanted], 16, colliders=(FLOOR,))
    deformed = recording.deformed[0]
    count = int(deformed.piece_of_face.max()) + 1
    assert count == recording.report["bodies"][0]["fragments"] > 1
    assert recording.report["bodies"][0]["volume_error"] < 1e-6
    surface = deformed.surface
    for piece in range(count):
        faces = surface.faces[deformed.piece_of_face == piece]
        part = Surface(surface.points, faces)
        assert np.abs(area_vectors(part).sum(axis=0)).max() < 1e-12
        assert volume(part) > 0.0
    # Whole on the first frame, to single precision: both sides of every crack lie on each other.
    assert np.abs(deformed.points[0] - surface.points).max() < 1e-6
    assert deformed.interior.any()
    gaps = np.linalg.norm(np.ptp(deformed.points[-1], axis=0)) - np.linalg.norm(np.ptp(deformed.points[0], axis=0))
    assert gaps > 0.005


def _turn(angle):
    return np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])


def test_the_same_job_gives_the_same_bytes_and_survives_the_disk(tmp_path):
    first, second = (run([brick()], 6, colliders=(FLOOR,)) for _ in range(2))
    assert first.deformed[0].points.tobytes() == second.deformed[0].points.tobytes()
    arrays.save(tmp_path / "recording.npz", first)
    loaded = arrays.load(tmp_path / "recording.npz", Recording)
    assert np.array_equal(loaded.deformed[0].points, first.deformed[0].points)


@pytest.mark.parametrize("kind", ["bonds", "nodes"])
def test_glue_carries_what_hangs_on_it_and_a_weak_one_lets_go(kind):
    upper = brick((0.0, 0.0, 0.0), size=(0.1, 0.1, 0.04), cell_count=500)
    everywhere = PaintedField(upper.surface.points, upper.surface.faces, np.ones(len(upper.surface.points)))
    upper = replace(upper, settings=replace(upper.settings, pinned=everywhere))
    lower = brick((0.0, 0.0, -0.05), CHALK, (0.05, 0.05, 0.04), cell_count=300)
    drops = []
    for glues in ((), (Glue(1, 0, 0.018, kind),), (Glue(1, 0, 0.018, kind, strength=1e-6),)):
        recording = run([upper, lower], 8, colliders=(BELOW,), glues=glues)
        middle = middles(recording.deformed[1])
        drops.append(middle[0, 2] - middle[-1, 2])
        assert np.abs(recording.deformed[0].points - recording.deformed[0].points[0]).max() < 1e-6
    fall = 0.5 * 9.81 * (7 / 24.0) ** 2
    assert drops[0] == pytest.approx(fall, rel=0.01)
    assert drops[1] < 0.02
    assert drops[2] > 0.8 * fall


def test_gravity_that_turns_round_lifts_it():
    track = np.tile([0.0, 0.0, 9.81], (8, 1))
    recording = run([brick()], 8, colliders=(FLOOR,), gravity_track=track)
    middle = middles(recording.deformed[0])
    assert middle[-1, 2] - middle[0, 2] == pytest.approx(0.5 * 9.81 * (7 / 24.0) ** 2, rel=1e-3)


def test_wind_carries_a_leaf_and_no_stone():
    blow = (Wind("uniform", direction=np.array([1.0, 0.0, 0.0]), speed=8.0),)
    moved = []
    for density in (50.0, 5000.0):
        leaf = brick((0.0, 0.0, 0.5), replace(RUBBER, density=density), (0.01, 0.1, 0.1), cell_count=300)
        middle = middles(run([leaf], 8, colliders=(FLOOR,), winds=blow).deformed[0])
        moved.append(middle[-1, 0] - middle[0, 0])
    assert moved[0] > 0.3
    assert 0.0 < moved[1] < 0.1 * moved[0]


def test_wind_pushes_a_plate_with_the_drag_of_a_plate():
    plate = shapes.box((0.01, 1.0, 1.0))
    force = push(
        [Wind("uniform", direction=np.array([1.0, 0, 0]), speed=10.0)], plate.points, 0 * plate.points, plate.faces, 0.0
    )
    assert force.sum(axis=0) == pytest.approx([0.5 * 1.2 * 1.2 * 100.0, 0.0, 0.0], abs=1e-9)
    same = np.tile([10.0, 0.0, 0.0], (len(plate.points), 1))
    still = push([Wind("uniform", direction=np.array([1.0, 0, 0]), speed=10.0)], plate.points, same, plate.faces, 0.0)
    assert np.abs(still).max() < 1e-12


def test_a_vortex_goes_round_and_turbulence_changes():
    points = np.array([[2.0, 0.0, 5.0], [0.0, -3.0, 1.0]])
    around = Wind("vortex", speed=4.0).velocity(points, 0.0)
    assert around == pytest.approx(np.array([[0.0, 4.0, 0.0], [4.0, 0.0, 0.0]]))
    wind = Wind("turbulence", speed=3.0, size=0.7, seed=5)
    assert not np.allclose(wind.velocity(points, 0.0), wind.velocity(points, 0.5))
    assert np.abs(wind.velocity(np.random.default_rng(0).uniform(-9, 9, (500, 3)), 0.0)).max() < 4.5


def test_a_free_ball_pushes_it_and_slows_down():
    ball = Collider("Ball", shapes.icosphere(0.03), "sphere", mass=0.05, velocity=np.array([4.0, 0.0, 0.0]))
    ball = replace(ball, surface=shapes.moved(ball.surface, offset=(-0.15, 0.0, 0.1)))
    recording = run([brick()], 24, colliders=(ball,), gravity=np.zeros(3))
    block = middles(recording.deformed[0])
    mass = RUBBER.density * 0.1 * 0.05 * 0.05
    # Over many swings of the brick.
    speed = (block[-1, 0] - block[7, 0]) * 24.0 / 16.0
    places = recording.projectiles[0].poses[:, 0]
    left = (places[-1] - places[7]) * 24.0 / 16.0
    assert speed > 0.1
    assert mass * speed + 0.05 * left == pytest.approx(0.05 * 4.0, rel=0.03)


def test_an_animated_shape_pushes_it_along():
    wall = shapes.box((0.02, 0.3, 0.3), (-0.1, 0.0, 0.1))
    track = np.zeros((8, 7))
    track[:, 0], track[:, 2], track[:, 3] = -0.1 + np.linspace(0.0, 0.2, 8), 0.1, 1.0
    pushed = run([brick()], 8, colliders=(Collider("Wall", wall, track=track),), gravity=np.zeros(3))
    nearest = pushed.deformed[0].points[-1, :, 0].min()
    assert nearest > 0.11 - 0.006


def test_distances_to_a_shape_push_nodes_out_of_it():
    ball = shapes.icosphere(1.0, 3)
    field = distance_field(ball)
    obstacle = ShapeObstacle(field, np.array([5.0, 0, 0, 1.0, 0, 0, 0]), stiffness=100.0)
    points = np.random.default_rng(1).uniform(-1.4, 1.4, (400, 3))
    forces = np.zeros_like(points)
    obstacle.push(points + np.array([5.0, 0.0, 0.0]), np.zeros_like(points), forces)
    depth = 1.0 - np.linalg.norm(points, axis=1)
    inside = is_inside(ball, points) & (depth > 0.1) & (depth < 0.8)
    assert np.linalg.norm(forces[inside], axis=1) == pytest.approx(100.0 * depth[inside], abs=4.0)
    assert np.allclose(obstacle.taken, forces.sum(axis=0))
    assert not forces[depth < -0.1].any()
    direction = forces[inside] / np.linalg.norm(forces[inside], axis=1)[:, None]
    outward = points[inside] / np.linalg.norm(points[inside], axis=1)[:, None]
    assert np.einsum("ni,ni->n", direction, outward).min() > 0.95


@pytest.mark.parametrize(
    ("change", "word"),
    [({"method": "network"}, "lattice"), ({"dynamics": "jelly"}, "jelly"), ({"softening": 0.5}, "softened")],
)
def test_what_cannot_deform_is_refused(change, word):
    with pytest.raises(SettingsError, match=f"(?i){word}"):
        run([brick(**change)], 3, colliders=(FLOOR,))


def test_rigid_bodies_push_soft_ones_and_do_not_notice():
    ram = Body("ram", shapes.box((0.04, 0.2, 0.2), (-0.1, 0.0, 0.1)), RUBBER, Settings(cell_count=200))
    ram = replace(ram, velocity=np.array([2.0, 0.0, 0.0]))
    soft = brick(softening=30.0)
    both = simulate(Job((soft, ram), frame_end=6, gravity=np.zeros(3)), lambda *_: None)
    (deformed,) = both.deformed
    assert deformed.body == 0
    assert [track.name for track in both.bodies] == ["brick", "ram"]
    face = both.bodies[1].poses[:, 0] + 0.02
    assert face[-1] == pytest.approx(-0.08 + 2.0 * 5 / 24.0, rel=0.01)
    assert deformed.points[-1, :, 0].min() > face[-1] - 0.008
    assert [body["name"] for body in both.report["bodies"]] == ["brick", "ram"]


def test_glue_between_rigid_and_deformable_is_refused():
    with pytest.raises(SettingsError, match="glued but rigid"):
        run([brick(), brick((0.0, 0.0, 0.3), dynamics="rigid")], 3, colliders=(FLOOR,), glues=(Glue(0, 1, 0.1),))


class Killed(Exception):
    """As if the machine went down."""


def killed_at(share):
    def progress(stage, done):
        if done > share:
            raise Killed

    return progress


def test_a_killed_run_goes_on_from_its_last_checkpoint_to_the_same_bytes(tmp_path):
    job = Job((brick((0.0, 0.0, 0.05), CHALK),), colliders=(FLOOR,), frame_end=12, checkpoint_interval=3)
    whole = simulate(replace(job, checkpoint_interval=0), lambda *_: None)
    stages = Stages(tmp_path / "stages")
    with pytest.raises(Killed):
        simulate(job, killed_at(0.3 + 0.7 * 0.8 * 8 / 12), stages)
    shares = []
    resumed = simulate(job, lambda stage, share: shares.append(share) if stage == "Simulating" else None, stages)
    assert min(shares) > 0.3 + 0.7 * 0.8 * 5 / 12
    assert whole.deformed[0].points.tobytes() == resumed.deformed[0].points.tobytes()


def test_a_run_goes_on_from_any_frame_with_other_settings(tmp_path):
    stages = Stages(tmp_path / "stages")
    job = Job((brick(),), colliders=(BELOW,), frame_end=10, checkpoint_interval=2)
    first = middles(simulate(job, lambda *_: None, stages).deformed[0])[:, 2]
    up = replace(job, gravity=np.array([0.0, 0.0, 30.0]), continue_from=6)
    then = middles(simulate(up, lambda *_: None, stages).deformed[0])[:, 2]
    # The checkpoint at or before frame 6 is that of frame 5, the third from the first on.
    assert then[:5] == pytest.approx(first[:5], abs=1e-12)
    rates = np.diff(then) * 24.0
    assert np.diff(rates)[4:] == pytest.approx(30.0 / 24.0, rel=0.01)
    with pytest.raises(SettingsError, match="no checkpoint"):
        simulate(replace(up, bodies=(brick(cell_count=300),)), lambda *_: None, stages)


def test_without_a_place_for_checkpoints_that_is_said():
    job = Job((brick(),), colliders=(BELOW,), frame_end=2, checkpoint_interval=1)
    assert "no checkpoints" in simulate(job, lambda *_: None).report["warnings"][0]
    with pytest.raises(SettingsError, match="nothing to go on from"):
        simulate(replace(job, continue_from=2), lambda *_: None)


def test_what_flows_keeps_the_shape_that_it_was_bent_to():
    bent = []
    for creep in (0.0, 200.0):
        beam = Surface(*_divided(shapes.box((0.2, 0.02, 0.02), (0.1, 0.0, 0.0))))
        pinned = PaintedField(beam.points, beam.faces, (beam.points[:, 0] < 0.05).astype(float))
        clay = replace(SOFT, pinned=pinned, cell_count=400, creep=creep, yield_share=0.05)
        # Pulled down for six frames, then let go.
        pull = np.tile([0.0, 0.0, -60.0], (14, 1))
        pull[6:] = 0.0
        body = Body("beam", beam, replace(RUBBER, tensile_strength=2e5), clay)
        tip = run([body], 14, gravity_track=pull).deformed[0].points[:, beam.points[:, 0].argmax(), 2]
        bent.append(-tip[8:].mean())
    assert bent[1] > 3.0 * abs(bent[0])
    assert bent[1] > 0.005


def test_grains_are_small_tetrahedra_by_choice():
    chalk = replace(CHALK, tensile_strength=1e3, toughness=10.0)
    counts = {}
    for dust in ("merge", "debris"):
        body = brick((0.0, 0.0, 0.06), chalk, (0.06, 0.04, 0.04), cell_count=800, dust=dust)
        shown = run([body], 10, colliders=(FLOOR,)).deformed[0]
        counts[dust] = np.bincount(np.bincount(shown.surface.faces[:, 0] * 0 + shown.piece_of_face))
        assert np.isfinite(shown.points).all()
        assert np.abs(area_vectors(shown.surface).sum(axis=0)).max() < 1e-9
    # The last of the numbered parts holds all grains, of four faces each.
    grains = shown.surface.faces[shown.piece_of_face == shown.piece_of_face.max()]
    assert len(grains) % 4 == 0
    assert len(np.unique(grains)) == len(grains)


def test_cylinders_crumble_break_and_survive_in_that_order_and_the_middle_is_proposed():
    trials = drop_cylinders(CHALK, 1.0, 1.0, 0.05, factors=(0.02, 0.1, 0.5, 1.0, 20.0), seed=3)
    outcomes = [OUTCOMES.index(trial.outcome) for trial in trials]
    assert outcomes == sorted(outcomes)
    assert {0, 2} <= set(outcomes)
    breaking = [trial.factor for trial in trials if trial.outcome == "breaks"]
    assert min(breaking) <= proposal(trials) <= max(breaking)
    with pytest.raises(SettingsError, match="survives at every"):
        proposal(trials[-1:])


def test_a_body_is_tried_at_the_speed_of_its_fall():
    body = brick((0.0, 0.0, 1.025))
    job = Job((body,), colliders=(FLOOR,))
    assert hit_speed(job, body) == pytest.approx(np.sqrt(2.0 * 9.81))
    assert hit_speed(replace(job, colliders=()), body) == USUAL_SPEED
    shares = []
    (trials,) = try_thresholds(job, lambda stage, share: shares.append(share)).bodies
    assert len(trials) == len(shares) == 9
