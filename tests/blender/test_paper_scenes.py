"""Scenes of the papers from the menu on few elements: what each figure shows."""

from __future__ import annotations

import numpy as np
import pytest

from fracture_addon.core.data.recording import NEVER
from fracture_addon.core.data.surface import area_vectors
from tests.blender.example_scenes import last_pieces, middles, run, way_of, way_of_ball

pytestmark = pytest.mark.once


def large_share(shares):
    """Return the share in fragments of more than a hundredth."""
    return shares[shares > 0.01].sum()


def test_the_light_ball_bounces_off_its_wall_and_the_heavy_one_shatters_its_wall(scene):
    """Figure 9 of 1999. The first wall has all its elements: on 400, parts of it fall over.

    Measured: 9 fragments, none of which moves but a chip of 0.1 %; the other wall has 39 to 49 with three seeds.
    """
    light, heavy = run("obrien_wall_1", 1109, 16), run("obrien_wall_2", 400, 10)
    standing, shares = last_pieces(light)
    shattered, _ = last_pieces(heavy)
    assert 2 < len(standing) < 0.6 * len(shattered) < 60
    assert large_share(shares) > 0.9
    moved = np.linalg.norm([way_of(piece) for piece in standing], axis=1)
    assert shares[moved < 0.01].sum() > 0.9
    assert way_of_ball(light, 4)[1] < 0.0 < way_of_ball(heavy, 4)[1]
    feet = [piece for piece in shattered if piece.center[2] < 0.15]
    assert min(np.linalg.norm(way_of(piece)) for piece in feet) < 0.01


def test_falling_boards_break_on_the_floor_and_on_one_another(scene):
    """Figure 14 of 1999, with boards: the lowest one first."""
    recording = run("obrien_several", 500, 24)
    breaks = [track.break_frame for track in recording.bodies]
    assert breaks[0] == min(breaks)
    broken = [body for body, frame in enumerate(breaks) if frame != NEVER]
    assert len(broken) >= 3
    for body in broken:
        _, shares = last_pieces(recording, body)
        assert 1 < len(shares) < 40
        assert large_share(shares) > 0.9


def test_falling_letters_break_on_the_floor_and_on_one_another(scene):
    """Figure 14 of 1999: "The" falls on "End", which is stiffer and heavier, and falls on the floor.

    Measured with 19 starts up to 1 um apart: 29 to 40 fragments of "End", 6 or more of each letter; 8 to 33 of "The".
    """
    recording = run("obrien_the_end", 600, 16)
    counts = {report["name"]: report["fragments"] for report in recording.report["bodies"]}
    the, end = ([count for name, count in counts.items() if name.startswith(word)] for word in ("The", "End"))
    assert min(end) > 3
    assert sum(end) > 20
    assert 3 < sum(the) < 1.5 * sum(end)


def test_a_weight_breaks_through_a_hollow_figure(scene):
    """Figure 1 of 2000: shards where it hits, and a few large fragments behind.

    Measured: 37 fragments, the largest has 64 %. On 600 elements in three sessions 15 to 64 fragments, because
    Blender's modifiers and the repair change last bits.
    """
    recording = run("obrien_statue", 1000, 14)
    found, shares = last_pieces(recording)
    assert 15 < len(found) < 150
    assert shares.max() < 0.85
    assert large_share(shares) > 0.6
    front = min(piece.surface.points[:, 1].min() + piece.center[1] for piece in found)
    depth = np.array([piece.center[1] - front for piece in found])
    assert depth[shares < 0.01].mean() < np.average(depth, weights=shares)
    assert way_of_ball(recording, 1)[1] > 0.0


def test_a_brittle_sheet_is_pierced_and_breaks_into_plates(scene):
    """Figure 4a of 2000."""
    recording = run("obrien_sheet_brittle", 500, 12)
    _, shares = last_pieces(recording)
    assert 20 < len(shares) < 150
    assert shares.max() < 0.5
    assert large_share(shares) > 0.6
    assert recording.projectiles[0].poses[-1, 1] > 0.1


def test_a_plastic_sheet_keeps_its_dent_around_a_hole(scene):
    """Figure 4c of 2000: flat but for the dent, which no longer moves once the ball is through."""
    recording = run("obrien_sheet_plastic", 300, 12)
    (sheet,) = recording.deformed
    around = np.linalg.norm(sheet.points[0] - [0.0, 0.0, 0.5], axis=1)
    dent = np.median(sheet.points[:, (around > 0.06) & (around < 0.12), 1], axis=1)
    edge = np.median(sheet.points[:, around > 0.27, 1], axis=1)
    assert recording.projectiles[0].poses[-1, 1] > 0.5
    assert dent[-1] > 0.04
    assert abs(dent[-1] - dent[-4]) < 0.2 * dent[-1]
    assert abs(edge[-1]) < 0.25 * dent[-1]
    assert len(set(sheet.piece_of_face[sheet.interior].tolist())) > 1


def test_a_sheet_with_grain_tears_along_it(scene):
    """Figure 4d of 2000: the grain is upright."""
    (sheet,) = run("obrien_sheet_grained", 300, 8).deformed
    normals = np.abs(area_vectors(sheet.surface)[sheet.interior]).sum(axis=0)
    assert normals[0] > 2.0 * normals[2]


def test_a_light_sheet_tears_and_goes_on_hanging(scene):
    """Figure 4b of 2000. Of 30 starts up to 1 um apart, 28 hold together from rail to lower edge, with 73 to 100 %.

    Whether the ball leaves a slit or tears out a plug depends on rounding. A slit that divides nothing is not drawn,
    but it divides elements: 542 become 654 to 716 (six starts). With a strength of 25 kPa, a toughness of 1.5 kPa m^1/2
    and a larger ball at 8 m/s, 20 and 63 % hold together (two seeds).
    """
    recording, before = run("obrien_sheet_light", 500, 8), run("obrien_sheet_light", 500, 2)
    (sheet,) = recording.deformed
    height, piece = sheet.surface.points[sheet.surface.faces][:, :, 2], sheet.piece_of_face
    areas = np.bincount(piece, np.linalg.norm(area_vectors(sheet.surface), axis=1) * (sheet.surface.face_source >= 0))
    rail, edge = set(piece[height.min(axis=1) > 0.77]), set(piece[height.max(axis=1) < 0.23])
    assert areas.argmax() in rail & edge
    assert areas.max() / areas.sum() > 0.7
    elements, whole = (item.report["bodies"][0]["cells"] for item in (recording, before))
    assert elements > 1.1 * whole
    assert recording.projectiles[0].poses[-1, 1] > 0.5


def test_a_weakly_glued_handle_comes_off_its_cup(scene):
    """Section "Glue" of Norton et al. 1991."""
    recording = run("norton_cup", 1440, 12)
    apart = np.linalg.norm(middles(recording, "Cup") - middles(recording, "Handle"), axis=1)
    assert apart[-1] > 3.0 * apart[0]
    (cup,) = (item for item in recording.deformed if recording.bodies[item.body].name == "Cup")
    areas = np.bincount(cup.piece_of_face, np.linalg.norm(area_vectors(cup.surface), axis=1))
    assert areas.max() > 0.5 * areas.sum()


def test_a_swing_flies_out_in_the_wind_and_comes_back(scene):
    """Section 5.3 of Sweeney et al. 1991: the seat stays on its ropes, which hang 2 m above it."""
    recording = run("sweeney_swing", 180, 60)
    seat = middles(recording, "Seat")
    out = seat[:, 0].argmax()
    assert seat[out, 0] > 0.3
    assert seat[-1, 0] < 0.8 * seat[out, 0]
    assert np.linalg.norm(seat - [0.0, 0.0, 2.5], axis=1) == pytest.approx(2.0, abs=0.15)
    assert not any(item.piece_of_face.any() for item in recording.deformed)
