"""Objects with several islands: one body, or a body for each island."""

import numpy as np
import pytest

from fracture_addon.core.data.errors import InvalidMeshError, SettingsError
from fracture_addon.core.data.job import AuthoredImpact, Body, Collider, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.recording import NEVER
from fracture_addon.core.data.surface import volume
from fracture_addon.core.timeline import islands, timeline
from fracture_addon.core.timeline.cache import NO_CACHE
from fracture_addon.core.timeline.preparation import prepare
from fracture_addon.core.timeline.rigid_fragment import FRAGMENT_BALLS, WHOLE_BALLS
from fracture_addon.core.timeline.rigid_scene import RigidScene
from tests import shapes

SEPARATE = Settings.of(islands="separate", cell_count=300, break_depth=1)
SIDE_BY_SIDE = shapes.joined(shapes.moved(shapes.cube(), 0.1), shapes.moved(shapes.cube(), 0.1, offset=(0.3, 0.0, 0.0)))


def job_of(surface, settings=SEPARATE, colliders=(), **body):
    return Job((Body("Thing", surface, PORCELAIN, settings, **body),), colliders, 1, 16)


def simulated(job):
    return timeline.simulate(job, lambda stage, share: None)


@pytest.mark.parametrize(
    ("surface", "volumes"),
    [
        (shapes.cube(), [1.0]),
        (shapes.joined(shapes.cube(), shapes.cube(2.0)), [8.0, 1.0]),
        (shapes.joined(shapes.cube(), shapes.flipped(shapes.cube(0.5))), [0.875]),
        (shapes.joined(shapes.cube(4.0), shapes.flipped(shapes.cube(2.0)), shapes.cube()), [56.0, 1.0]),
    ],
    ids=["one", "one in another", "a cavity", "an island in a cavity"],
)
def test_islands_are_found_and_cavities_are_none(surface, volumes):
    assert [volume(part) for part in islands.find_islands(surface)] == pytest.approx(volumes)


def test_an_open_cup_with_an_inner_wall_is_one_island_and_a_lid_another():
    cup = shapes.cup()
    low, high = cup.points.min(axis=0), cup.points.max(axis=0)
    above = cup.corners.mean(axis=1)[:, 2] > low[2] + 0.7 * (high[2] - low[2])
    open_cup = shapes.without_faces(cup, np.flatnonzero(above))
    assert len(islands.find_islands(open_cup)) == 1
    lid = shapes.moved(open_cup, offset=(0.0, 0.0, 2.0 * (high[2] - low[2])))
    assert len(islands.find_islands(shapes.joined(open_cup, lid))) == 2


def test_islands_fall_independently_from_the_first_frame_on():
    step = Collider("Step", shapes.moved(shapes.box((0.25, 0.4, 0.1)), offset=(0.0, 0.0, -0.101)))
    recording = simulated(job_of(SIDE_BY_SIDE, colliders=(step,)))
    assert [track.break_frame for track in recording.bodies] == [1]
    whole = [item for item in recording.fragments if item.parent < 0]
    assert len(whole) == 2
    assert {item.birth_frame for item in whole} == {1}
    sunk = [item.poses[0, 2] - item.poses[-1, 2] for item in sorted(whole, key=lambda item: item.center[0])]
    assert sunk[0] < 0.01
    assert sunk[1] == pytest.approx(0.5 * 9.81 * (15 / 24) ** 2, rel=0.05)
    (report,) = recording.report["bodies"]
    assert report["fragments"] == 2
    assert "2 islands, each a separate body" in report["repair"]["sentence"]
    joined = simulated(job_of(SIDE_BY_SIDE, SEPARATE.changed(islands="join"), (step,)))
    assert joined.bodies[0].break_frame == NEVER
    assert not joined.fragments


def test_an_impact_breaks_the_nearest_island():
    impact = AuthoredImpact(1, np.array([0.24, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]), 1.5)
    recording = simulated(job_of(SIDE_BY_SIDE, impacts=(impact,), track=np.array([[0.15, 0, 0, 1, 0, 0, 0.0]])))
    places = np.array([item.center[0] for item in recording.fragments])
    assert (places < 0.1).sum() == 1
    assert (places > 0.2).sum() > 1
    assert sum(volume(item.surface) for item in recording.fragments if item.death_frame == NEVER) == pytest.approx(2e-3)


def test_pieces_on_one_track_touch_each_other_only_after_it_ends():
    stacked = shapes.joined(shapes.moved(shapes.cube(), 0.1), shapes.moved(shapes.cube(), 0.1, offset=(0, 0, 0.0999)))
    floor = Collider("Floor", shapes.box((4.0, 4.0, 0.2), (0.0, 0.0, -0.1501)))
    track = np.zeros((4, 7))
    track[:, 2:4] = 0.1, 1.0
    job = job_of(stacked, SEPARATE, (floor,), track=track)
    scene = RigidScene(*split_and_prepared(job))
    contacts = scene.world._world.narrow_phase.contact_pairs
    scene.world.step(0.001)
    assert not any(manifold.points for pair in contacts() for manifold in pair.manifolds)
    lower, upper = sorted(simulated(job).fragments, key=lambda item: item.center[2])
    assert np.ptp(upper.poses[:, 2]) < 0.002
    assert np.ptp(lower.poses[:, 2]) < 0.002


def test_the_balls_of_islands_do_not_multiply():
    """A pair of bodies costs as much as the product of their balls."""

    def count(copies):
        cups = [shapes.moved(shapes.cup(), offset=(row, 0.0, 0.0)) for row in range(copies)]
        scene = RigidScene(*split_and_prepared(job_of(shapes.joined(*cups))))
        return sum(len(centers) for centers in scene.world.contacts._ball_centers.values())

    assert count(1) == WHOLE_BALLS
    assert count(16) <= FRAGMENT_BALLS


def split_and_prepared(job):
    job, _ = islands.split(job)
    return job, [prepare(job, row, lambda stage, share: None, NO_CACHE) for row in range(len(job.bodies))]


def test_overlapping_islands_are_not_thrown_apart():
    crossed = shapes.joined(shapes.box((0.4, 0.1, 0.1)), shapes.box((0.1, 0.4, 0.1), (0.2, 0.0, 0.0)))
    floor = Collider("Floor", shapes.box((4.0, 4.0, 0.2), (0.0, 0.0, -9.0)))
    recording = simulated(job_of(crossed, colliders=(floor,)))
    fallen = np.array([0.0, 0.0, -0.5 * 9.81 * (5 / 24) ** 2])
    assert len(recording.fragments) == 2
    for part in recording.fragments:
        assert np.linalg.norm(part.poses[5, :3] - part.poses[0, :3] - fallen) < 0.02


def test_too_many_islands_and_deformable_islands_are_refused():
    many = shapes.joined(*(shapes.moved(shapes.cube(), 0.1, offset=(row, 0, 0)) for row in range(501)))
    with pytest.raises(InvalidMeshError, match=r"'Thing' .* 501 islands.*--islands join"):
        islands.split(job_of(many))
    with pytest.raises(SettingsError, match=r"'Thing'.*deform.*Join"):
        islands.split(job_of(SIDE_BY_SIDE, SEPARATE.changed(dynamics="deformable", method="lattice")))
