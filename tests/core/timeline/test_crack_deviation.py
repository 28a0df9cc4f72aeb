"""Distance of cracks from the drawn ones."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.job import AuthoredImpact, Job, Settings
from fracture_addon.core.data.placed_fields import WeakSheet
from fracture_addon.core.data.recording import NEVER, Fragment, Recording
from fracture_addon.core.timeline.crack_deviation import FARTHEST, crack_deviation
from fracture_addon.core.timeline.variation import run_variation
from tests import shapes
from tests.core.timeline_scenes import DOWN, block

# The box of ``block``, which is cut along X.
LENGTH, DEPTH, HEIGHT = 0.1, 0.06, 0.08


def wall(x, y=0.0, *, along="y"):
    """A drawn crack through the block, across X or across Y."""
    reach = 0.05
    ends = [(x, -reach), (x, reach)] if along == "y" else [(-reach, y), (reach, y)]
    points = [(*end, z) for end in ends for z in (-0.01, HEIGHT + 0.01)]
    return WeakSheet(points, [[0, 1, 3], [0, 3, 2]], factor=1.0)


def job(*sheets):
    settings = Settings.of(cell_count=400, sheets=sheets)
    return Job((block(settings=settings),), gravity=np.zeros(3))


def slabs(*cuts, born=2):
    """A recording of the block in slabs between cuts across X."""
    ends = [-0.5 * LENGTH, *cuts, 0.5 * LENGTH]
    pieces = []
    for low, high in itertools.pairwise(ends):
        surface = shapes.box((high - low, DEPTH, HEIGHT))
        center = np.array([0.5 * (low + high), 0.0, 0.5 * HEIGHT])
        faces = surface.corners[:, :, 0] + center[0]
        interior = np.array([any(np.allclose(face, cut) for cut in cuts) for face in faces])
        pieces.append(Fragment(0, -1, surface, interior, center, 1.0, born, NEVER, np.zeros((1, 7))))
    return Recording(1, (), fragments=tuple(pieces))


@pytest.mark.parametrize("offset", [0.0, 0.004, 0.012])
def test_the_deviation_is_the_distance_of_a_crack_beside_the_drawn_one(offset):
    found = crack_deviation(job(wall(0.01)), slabs(0.01 + offset), 2)
    # The distances that are tried are 1.5 mm apart.
    assert offset <= found + 1e-9 <= offset + 0.002


def test_a_crack_that_crosses_the_drawn_one_is_no_crack_along_it():
    scene = job(wall(0.0, along="x"))
    diagonal = scene.bodies[0].surface.diagonal
    assert crack_deviation(scene, slabs(0.0), 2) > 0.9 * FARTHEST * diagonal


def test_before_the_break_and_without_a_break_cracks_are_farthest_away():
    scene, broken = job(wall(0.0)), slabs(0.0)
    farthest = FARTHEST * scene.bodies[0].surface.diagonal
    assert crack_deviation(scene, broken, 1) == pytest.approx(farthest)
    assert crack_deviation(scene, replace(broken, fragments=()), 2) == pytest.approx(farthest)


def test_a_drawn_crack_may_go_through_the_body_at_a_small_angle():
    """As along the view from a low place."""
    sides = [(0.01 + 2.5 * (z - HEIGHT), y, z) for y in (-0.02, 0.02) for z in (HEIGHT - 0.01, HEIGHT + 0.01)]
    scene = job(WeakSheet(sides, [[0, 1, 3], [0, 3, 2]], factor=1.0))
    assert crack_deviation(scene, slabs(0.01), 2) < crack_deviation(scene, slabs(-0.03), 2)


def test_of_several_drawn_cracks_it_is_the_mean():
    near, far = crack_deviation(job(wall(0.0)), slabs(0.0), 2), crack_deviation(job(wall(0.012)), slabs(0.0), 2)
    assert crack_deviation(job(wall(0.0), wall(0.012)), slabs(0.0), 2) == pytest.approx(0.5 * (near + far), rel=0.05)


def test_without_a_drawn_crack_there_is_no_deviation():
    assert crack_deviation(job(), slabs(0.0), 2) is None


def struck(*sheets):
    """The block under an impact from above."""
    settings = Settings.of(cell_count=300, break_depth=1, sheets=sheets)
    impact = AuthoredImpact(3, np.array([0.02, 0.0, HEIGHT]), DOWN, 3.0)
    return Job((block(settings=settings, impacts=(impact,)),), (), 1, 6, gravity=np.zeros(3))


def test_a_drawn_crack_of_strength_1_changes_nothing_and_a_weak_one_is_followed():
    sheet = wall(-0.015)
    plain, wish, weak = (
        run_variation(item, lambda *_: None) for item in (struck(), struck(sheet), struck(replace(sheet, factor=0.05)))
    )
    np.testing.assert_array_equal(plain.pixels, wish.pixels)
    assert plain.deviation is None
    assert weak.deviation < 0.5 * wish.deviation
