"""Fragments that lie in a heap keep out of one another."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from manifold3d import Manifold, Mesh64
from scipy.spatial import ConvexHull, cKDTree

from fracture_addon.core.data.job import Body, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.solid import cell_centers
from fracture_addon.core.data.surface import joined, volume
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.method import Break
from fracture_addon.core.numerics.rotations import matrices
from fracture_addon.core.timeline import rigid_fragment
from fracture_addon.core.timeline.rigid_fragment import Breakable
from fracture_addon.core.timeline.rigid_timeline import Timeline
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes
from tests.core.timeline_scenes import FLOOR

FRAGMENTS, FRAMES = 30, 72


def heap(count=FRAGMENTS, *, records=False):
    """Timeline of a cup in random fragments that fell ten centimetres and lie on the floor."""
    surface = shapes.moved(shapes.cup(), offset=(0.0, 0.0, 0.1))
    body = Body("cup", surface, PORCELAIN, Settings.of(cell_count=1500, break_depth=1))
    solid = tetrahedralize(surface, 1500, 0)
    timeline = Timeline(
        Job((body,), (FLOOR,), 1, FRAMES + 1), [Breakable(body, surface, solid, None, {})], lambda stage, share: None
    )
    centers = cell_centers(solid.points, solid.cells)
    seeds = centers[np.random.default_rng(0).choice(len(centers), count, replace=False)]
    label = cKDTree(seeds).query(centers)[1]
    still = np.zeros((count, 3))
    result = Break(label, still, still, 1.0, 0, 0, 0.0, np.ones(count, bool))
    pose, motion = timeline.scene.motion(timeline.scene.fragments[0])
    timeline.scene.replace(0, pose, motion, result, 0, 0.0)
    for frame in range(FRAMES):
        if records:
            timeline.start_frame(frame)
        timeline.advance_frame()
    timeline.start_frame(FRAMES)
    return timeline


def drawn_at(fragments, frame):
    """The living fragments as they are drawn on a recorded frame, as solids."""
    solids = []
    for fragment in fragments:
        if fragment.death_row < 0:
            pose, surface = fragment.poses[frame], joined(fragment.surfaces)
            points = (surface.points - fragment.properties.center) @ matrices(pose[3:]).T + pose[:3]
            solids.append(Manifold(Mesh64(points, np.array(surface.faces, np.uint64))))
    return solids


def overlap(solids):
    """Volume that is inside two fragments, over the volume of all."""
    shared = sum((one ^ other).volume() for one, other in combinations(solids, 2))
    return shared / sum(solid.volume() for solid in solids)


def test_fragments_at_rest_do_not_overlap(monkeypatch):
    solids = drawn_at(heap().scene.fragments, -1)
    assert overlap(solids) < 0.004
    assert min(solid.bounding_box()[2] for solid in solids) > -1e-3
    monkeypatch.setattr(rigid_fragment, "MOST_SURFACES", 0)
    monkeypatch.setattr(rigid_fragment, "FRAGMENT_BALLS_ALONE", rigid_fragment.FRAGMENT_BALLS)
    assert overlap(drawn_at(heap().scene.fragments, -1)) > 0.008


def test_a_dry_wall_of_bricks_with_few_cells_stands():
    """They touch with their hulls: with balls only, bricks sank in by a tenth of their volume, and the wall fell."""
    size, rows = np.array([0.2, 0.1, 0.065]), 6
    settings = Settings.of(cell_count=12)
    middles = [((column + 0.25 * (row % 2), 0.0, row + 0.5) * size) for row, column in np.ndindex(rows, 3)]
    bricks = [Body(f"brick {number}", shapes.box(size, at), PORCELAIN, settings) for number, at in enumerate(middles)]
    recording = simulate(Job(tuple(bricks), (FLOOR,), 1, 48), lambda stage, share: None)
    solids = []
    for brick, track in zip(bricks, recording.bodies, strict=True):
        start, end = track.poses[0], track.poses[-1]
        points = (brick.surface.points - start[:3]) @ matrices(end[3:]).T + end[:3]
        np.testing.assert_allclose(end[:3], start[:3], atol=2e-3)
        solids.append(Manifold(Mesh64(points, np.array(brick.surface.faces, np.uint64))))
    assert overlap(solids) < 3e-3


def test_a_hull_has_few_corners():
    """Rapier ends with an error on hulls of balls with ten thousand corners."""
    ball = shapes.icosphere(subdivisions=5)
    corners = rigid_fragment.whole_shape(ball, tetrahedralize(ball, 50, 0), None).hull
    assert 100 < len(corners) <= rigid_fragment.MOST_CORNERS
    assert ConvexHull(corners).volume > 0.95 * volume(ball)


@pytest.mark.parametrize("count", [rigid_fragment.MOST_SURFACES, rigid_fragment.MOST_SURFACES + 1])
def test_only_breaks_into_few_fragments_have_surfaces_to_touch(count):
    surface = shapes.cup()
    body = Body("cup", surface, PORCELAIN, Settings.of(cell_count=300))
    solid = tetrahedralize(surface, 300, 0)
    breakable = Breakable(body, surface, solid, None, {})
    properties = rigid_fragment.RigidProperties(1.0, surface.points.mean(axis=0), np.eye(3))
    shape = rigid_fragment.fragment_shape(
        breakable, solid, np.arange(solid.cell_count), [surface], properties, 1.0, count
    )
    assert (shape.surface is not None) == (count <= rigid_fragment.MOST_SURFACES)
