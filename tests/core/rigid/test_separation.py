"""Solids that overlap move apart."""

from __future__ import annotations

import numpy as np
import pytest
from manifold3d import Manifold

from fracture_addon.core.rigid.separation import separated, solid_of
from tests import shapes

UP = np.array([0.0, 0.0, 1.0])


def cubes(*places):
    return [solid_of(shapes.moved(shapes.cube(), offset=place), 1e-6) for place in places]


def ways(solids, inverse_masses, up=UP, touches=None):
    touches = ~np.eye(len(solids), dtype=bool) if touches is None else touches
    return separated(solids, np.array(inverse_masses), touches, up, 0.01)


def overlap(solids, found):
    placed = [solid.translate(tuple(way)) for solid, way in zip(solids, found, strict=True)]
    return sum((placed[i] ^ placed[j]).volume() for i in range(len(placed)) for j in range(i))


def test_the_lighter_one_moves_further():
    solids = cubes((0.0, 0.0, 0.0), (0.8, 0.1, 0.0))
    first, second = ways(solids, [1.0, 3.0])
    np.testing.assert_allclose(second, -3.0 * first)
    assert overlap(solids, [first, second]) < 0.01
    assert np.linalg.norm(second - first) < 0.22


def test_nothing_sinks_into_what_it_lies_on():
    solids = cubes((0.0, 0.0, 0.0), (0.1, 0.0, 0.8), (0.0, 0.1, 1.6))
    found = ways(solids, [1.0, 1.0, 1.0])
    assert found[:, 2].min() >= 0.0
    assert overlap(solids, found) < 0.02


def test_a_sphere_between_two_walls_moves_out_upwards():
    ball = solid_of(shapes.moved(shapes.icosphere(0.5), offset=(0.0, 0.0, 1.0)), 1e-6)
    solids = [*cubes((-0.9, 0.0, 0.3), (0.9, 0.0, 0.3)), ball]
    before = overlap(solids, np.zeros((3, 3)))
    found = ways(solids, [0.0, 0.0, 1.0])
    assert not found[:2].any()
    assert found[2, 2] > 0.0
    assert overlap(solids, found) < 0.2 * before


@pytest.mark.parametrize("pair", ["left out", "one in the other", "held"])
def test_a_pair_stays(pair):
    solids = cubes((0.0, 0.0, 0.0), (0.8, 0.0, 0.0))
    touches, masses = ~np.eye(2, dtype=bool), [1.0, 1.0]
    if pair == "left out":
        touches[:] = False
    elif pair == "held":
        masses = [0.0, 0.0]
    else:
        solids[1], masses = Manifold.cube((0.2, 0.2, 0.2)).as_original(), [0.0, 1.0]
    assert not ways(solids, masses, touches=touches).any()


def test_a_body_that_is_mostly_inside_another_comes_out():
    solids = [*cubes((0.0, 0.0, 0.0)), Manifold.cube((0.2, 0.2, 0.2)).translate((0.0, 0.0, 0.35)).as_original()]
    found = ways(solids, [1.0, 8.0])
    assert overlap(solids, found) < 0.01 * 0.2**2
    assert found[1, 2] == pytest.approx(0.15, abs=0.01)


def test_an_open_surface_is_no_solid():
    assert solid_of(shapes.without_faces(shapes.cube(), [0]), 1e-6) is None
    assert solid_of(shapes.flipped(shapes.cube()), 1e-6) is None


def test_the_search_can_be_ended():
    class Ended(Exception):
        pass

    def end():
        raise Ended

    solids = cubes((0.0, 0.0, 0.0), (0.8, 0.1, 0.0))
    with pytest.raises(Ended):
        separated(solids, np.ones(2), ~np.eye(2, dtype=bool), UP, 0.01, end)
