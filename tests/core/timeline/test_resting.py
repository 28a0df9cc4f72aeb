"""Drawn fragments at rest do not overlap: they move apart on their last frames before the rest."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from fracture_addon.core.data.job import Body, Collider, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.rigid.engine import CollisionGroup
from fracture_addon.core.rigid.rigid_properties import RigidProperties
from fracture_addon.core.rigid.separation import thickness
from fracture_addon.core.timeline import resting
from fracture_addon.core.timeline.resting import separate
from fracture_addon.core.timeline.rigid_fragment import RigidFragment
from tests import shapes
from tests.core.timeline.test_fragment_contacts import drawn_at, heap
from tests.core.timeline_scenes import FLOOR

CUBE = shapes.cube()
BODY = Body("cube", CUBE, PORCELAIN, Settings.of())
FRAMES, LANDED = 40, 20
TOLERANCE = resting.TOLERANCE * CUBE.diagonal


def cube(place, start=None, **values):
    """A cube that moves evenly from a start to a place, and rests there from the frame ``LANDED`` on."""
    place = np.array(place, float)
    start = np.add(place, (0.0, 0.0, 5.0)) if start is None else np.array(start, float)
    poses = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (FRAMES, 1))
    poses[:, :3] = start + np.minimum(np.arange(FRAMES) / LANDED, 1.0)[:, None] * (place - start)
    properties = RigidProperties(1.0, np.zeros(3), np.eye(3))
    values = {"body": 0, "parent": -1, "depth": 1, **values}
    return RigidFragment(
        solid=None, cells=np.empty(0, int), properties=properties, surfaces=[CUBE], owners=[0], poses=poses, **values
    )


def run(*fragments, colliders=(FLOOR,), groups=None, projectiles=None):
    job = Job((BODY, BODY), tuple(colliders), 1, FRAMES)
    return separate(job, fragments, [SimpleNamespace(surface=CUBE)], groups or {}, projectiles or {})


def ways(before, after):
    return [new.poses[:, :3] - old.poses[:, :3] for old, new in zip(before, after, strict=True)]


def test_fragments_of_a_heap_are_apart():
    timeline = heap(10, records=True)
    result = timeline.result()
    found = separate(timeline.job, result.fragments, timeline.breaker.breakables, result.groups, result.projectiles)

    def thickest(fragments):
        solids = drawn_at(fragments, -1)
        shared = (solids[i] ^ solids[j] for i in range(len(solids)) for j in range(i))
        return max(
            thickness(np.array(part.to_mesh64().vert_properties)[:, :3]) for item in shared for part in item.decompose()
        )

    assert thickest(result.fragments) > 1e-3
    assert thickest(found) < 0.5e-3
    assert min(solid.bounding_box()[2] for solid in drawn_at(found, -1)) > -0.5e-3


def test_the_way_is_taken_before_the_rest_and_then_kept():
    cubes = cube((0.0, 0.0, 0.5)), cube((0.0, 0.0, 1.4))
    lower, upper = ways(cubes, run(*cubes))
    assert np.abs(lower).max() < TOLERANCE
    np.testing.assert_allclose(upper[LANDED:], np.tile([0.0, 0.0, 0.1], (FRAMES - LANDED, 1)), atol=TOLERANCE)
    ramp = round(resting.RAMP * 24)
    assert not upper[: LANDED - ramp].any()
    assert np.abs(np.diff(upper[:, 2])).max() < 1.01 * 0.1 / ramp


def test_a_cube_that_sank_into_the_floor_comes_out():
    sunk = cube((0.0, 0.0, 0.4))
    (way,) = ways([sunk], run(sunk))
    np.testing.assert_allclose(way[-1], [0.0, 0.0, 0.1], atol=TOLERANCE)


def test_a_large_or_an_open_collider_is_left_out(monkeypatch):
    sunk, block = cube((0.0, 0.0, 1.4)), Collider("block", shapes.moved(CUBE, offset=(0.0, 0.0, 0.5)))
    assert ways([sunk], run(sunk, colliders=[block]))[0][-1, 2] == pytest.approx(0.1, abs=TOLERANCE)
    open_block = replace(block, surface=shapes.without_faces(block.surface, [0]))
    assert not ways([sunk], run(sunk, colliders=[open_block]))[0].any()
    monkeypatch.setattr(resting, "MOST_FACES", 3)
    assert not ways([sunk], run(sunk, colliders=[block]))[0].any()


def test_a_projectile_at_rest_is_an_obstacle():
    ball = Collider("ball", shapes.icosphere(0.5), "sphere", mass=1.0)
    poses = cube((0.0, 0.0, 0.5)).poses
    flying = poses + np.arange(FRAMES)[:, None] * np.array([0.1, 0, 0, 0, 0, 0, 0])
    upper = cube((0.0, 0.0, 1.45))
    assert ways([upper], run(upper, colliders=[ball], projectiles={0: (np.zeros(3), poses)}))[0][-1, 2] > 0.03
    assert not ways([upper], run(upper, colliders=[ball], projectiles={0: (np.zeros(3), flying)}))[0].any()


@pytest.mark.parametrize("values", [{"kinematic": True}, {"start": (0.1, 0.0, 1.4)}])
def test_what_is_held_or_was_never_moved_stays(values):
    cubes = cube((0.0, 0.0, 0.5), start=(0.0, 0.0, 0.5)), cube((0.1, 0.0, 1.4), **values)
    assert not any(way.any() for way in ways(cubes, run(*cubes)))


def test_bodies_that_pass_through_each_other_stay():
    cubes = cube((0.0, 0.0, 0.5)), cube((0.1, 0.0, 1.4), body=1)
    assert ways(cubes, run(*cubes))[1].any()
    groups = {0: CollisionGroup(1, frozenset({2})), 1: CollisionGroup(2, frozenset({1}))}
    assert not any(way.any() for way in ways(cubes, run(*cubes, groups=groups)))


def test_cubes_that_rest_one_after_the_other_in_one_place_stay():
    cubes = cube((0.0, 0.0, 0.5), death_row=30), cube((0.1, 0.0, 1.4), birth_row=30)
    assert not any(way.any() for way in ways(cubes, run(*cubes)))


def test_a_fragment_starts_with_the_way_of_its_parent():
    lower, upper = cube((0.0, 0.0, 0.5)), cube((0.1, 0.0, 1.4), death_row=30)
    child = cube((0.1, 0.0, 1.4), birth_row=30, parent=1)
    child.poses[30:, 0] += np.arange(10) * 0.5
    cubes = lower, upper, child
    found = ways(cubes, run(*cubes))
    assert found[1][29, 2] > 0.09
    np.testing.assert_allclose(found[2][30], found[1][29])


def test_many_fragments_of_one_break_stay(monkeypatch):
    cubes = cube((9.0, 0.0, 0.5)), cube((0.0, 0.0, 0.5), parent=0), cube((0.1, 0.0, 1.4), parent=0)
    assert ways(cubes, run(*cubes))[2].any()
    monkeypatch.setattr(resting, "MOST_SURFACES", 1)
    assert not any(way.any() for way in ways(cubes, run(*cubes)))


def test_a_run_of_one_frame_is_left_as_it_is():
    item = cube((0.0, 0.0, 0.4))
    item.poses = item.poses[-1:]
    assert run(item)[0] is item


def test_a_surface_that_is_not_closed_stays():
    item = cube((0.0, 0.0, 0.4))
    item.surfaces = [Surface(CUBE.points, CUBE.faces[1:])]
    assert run(item)[0] is item


def test_whole_bodies_are_not_taken_apart_from_each_other():
    """In a pile the ways would add up; a fragment moves out of a whole body."""
    lower, upper = cube((0.0, 0.0, 0.5)), cube((0.0, 0.0, 1.4), body=1)
    assert ways((lower, upper), run(lower, upper))[1][-1, 2] > 0.09
    whole = [replace(item, depth=0) for item in (lower, upper)]
    assert not np.any(ways(whole, run(*whole)))
    assert ways((whole[0], upper), run(whole[0], upper))[1][-1, 2] > 0.09
