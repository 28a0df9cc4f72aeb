"""Vessels without thickness stay vessels; statues, columns and scans with holes become solids."""

import numpy as np
import pytest

from fracture_addon.core.data.job import Body, Settings
from fracture_addon.core.data.material import PORCELAIN, Material
from fracture_addon.core.data.surface import Surface, area, volume
from fracture_addon.core.meshing.repair import closing, repair, vessels
from tests import shapes
from tests.core.repairing import assert_usable, prepared

SEGMENTS = 24


def revolved(profile, closed_start=True, closed_end=False) -> Surface:
    """A surface of revolution about Z without thickness; a closed end has a flat disc."""
    profile, turns = np.array(profile, float), 2.0 * np.pi * np.arange(SEGMENTS) / SEGMENTS
    rings = [[[r * np.cos(a), r * np.sin(a), z] for a in turns] for r, z in profile]
    points, faces = np.concatenate(rings).tolist(), []
    for k in range(len(profile) - 1):
        for i in range(SEGMENTS):
            j = (i + 1) % SEGMENTS
            low, high = k * SEGMENTS, (k + 1) * SEGMENTS
            faces += [[low + i, low + j, high + j], [low + i, high + j, high + i]]
    for is_closed, ring, turn in ((closed_start, 0, -1), (closed_end, len(profile) - 1, 1)):
        if is_closed:
            points.append([0.0, 0.0, profile[ring][1]])
            for i in range(SEGMENTS):
                edge = [ring * SEGMENTS + i, ring * SEGMENTS + (i + 1) % SEGMENTS]
                faces.append([len(points) - 1, *edge[::turn]])
    return Surface(np.array(points), np.array(faces))


CUP = revolved([(0.03, 0.0), (0.035, 0.05), (0.04, 0.1)])
VASE = revolved([(0.06, 0.0), (0.1, 0.1), (0.08, 0.2), (0.04, 0.28), (0.05, 0.3)])
BOTTLE = revolved([(0.035, 0.0), (0.035, 0.2), (0.012, 0.25), (0.012, 0.3)])
LAMPSHADE = revolved([(0.2, 0.0), (0.1, 0.25)], closed_start=False)
COLUMN = revolved([(0.2, 0.0), (0.2, 1.6), (0.2, 3.2)], closed_start=False)
STATUE = revolved([(0.2, 0.0), (0.25, 0.5), (0.1, 1.0)], closed_start=False, closed_end=True)
VESSELS = {"cup": CUP, "vase": VASE, "bottle": BOTTLE, "lampshade": LAMPSHADE}
SOLIDS = {
    "column": COLUMN,
    "statue": STATUE,
    "a missing face": shapes.without_faces(shapes.icosphere(1.0, 3), [5]),
    "missing faces": shapes.without_faces(shapes.icosphere(1.0, 3), [5, 200, 600]),
}


@pytest.mark.parametrize("name", VESSELS)
def test_a_vessel_gets_a_wall(name):
    surface = VESSELS[name]
    result, report = prepared(surface)
    assert_usable(result)
    assert report.openings == "hollow"
    wall = vessels.WALL * surface.diagonal
    assert volume(result) == pytest.approx(wall * area(surface), rel=0.25)
    assert report.moved < 1e-9


@pytest.mark.parametrize("name", SOLIDS)
def test_a_solid_with_holes_is_filled(name):
    result, report = prepared(SOLIDS[name])
    assert_usable(result)
    assert report.openings == "filled"
    assert "capped" in report.sentence()


def test_a_vessel_on_its_side_stays_one():
    lying = Surface(CUP.points[:, [2, 1, 0]] * [1.0, 1.0, -1.0], CUP.faces)
    assert prepared(lying)[1].openings == "hollow"


def test_a_vessel_with_an_inner_wall_stays_as_it_is():
    inner = revolved([(0.025, 0.005), (0.03, 0.05), (0.035, 0.1)])
    result, report = prepared(shapes.joined(CUP, shapes.flipped(inner)))
    assert_usable(result)
    assert report.openings == "filled"
    assert "1 hole" in report.sentence() or "2 holes" in report.sentence()
    assert volume(result) < 0.5 * volume(prepared(CUP, kept="filled")[0])


def test_a_pane_is_a_sheet():
    grid = np.array([[x, y, 0.0] for x in range(5) for y in range(5)])
    corners = [5 * x + y for x in range(4) for y in range(4)]
    faces = [face for k in corners for face in ([k, k + 5, k + 1], [k + 1, k + 5, k + 6])]
    result, report = prepared(Surface(grid, np.array(faces)))
    assert volume(result) == pytest.approx(closing.WALL * Surface(grid, np.array(faces)).diagonal * 16.0, rel=0.05)
    assert report.openings == "hollow"


def test_the_artist_chooses_otherwise():
    hollow, report = prepared(STATUE, kept="hollow")
    assert_usable(hollow)
    assert report.openings == "hollow"
    filled, report = prepared(CUP, kept="filled")
    assert_usable(filled)
    assert report.openings == "filled"
    assert volume(filled) > 5.0 * volume(prepared(CUP)[0])


def test_all_parts_of_a_teapot_get_walls():
    teapot = shapes.shipped("teapot_newell")
    hollow, report = prepared(teapot)
    assert_usable(hollow)
    assert report.openings == "hollow"
    assert volume(hollow) < 0.5 * volume(prepared(teapot, kept="filled")[0])


def test_the_wall_follows_size_and_material():
    weak = Material("Terracotta", 1900.0, 10e9, 0.2, 10e6, 50e6, 0.8e6)
    assert vessels.wall_of(PORCELAIN, 0.3) == pytest.approx(2.0 * vessels.wall_of(PORCELAIN, 0.15))
    assert vessels.wall_of(weak, 0.15) == pytest.approx(2.0 * vessels.wall_of(PORCELAIN, 0.15))
    body = Body("Cup", CUP, weak, Settings())
    result, _ = repair.prepare_body(body)
    assert volume(result) == pytest.approx(vessels.wall_of(weak, CUP.diagonal) * area(CUP), rel=0.25)


def test_the_default_of_a_repair_keeps_vessels():
    assert repair.prepare(CUP, "Cup", True)[1].openings == "hollow"
