"""Breaking without simulation: by placed impacts, by one on the front, and into a wanted number of fragments."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.errors import SceneError, SettingsError
from fracture_addon.core.data.job import AuthoredImpact, Job, Settings
from fracture_addon.core.data.surface import volume
from fracture_addon.core.timeline.fracture_only import FRONT, STRENGTH, fracture_only, front_point
from tests import shapes
from tests.core.timeline_scenes import DOWN, FLOOR, block, run, tap

SETTINGS = Settings.of(cell_count=400, seed=3, break_depth=1)


def fractured(*bodies, **values):
    return fracture_only(Job(tuple(bodies), (FLOOR,), 3, 12, **values), lambda stage, share: None)


def masses(recording):
    return np.array([fragment.mass for fragment in recording.fragments])


def test_fragments_fill_the_body_and_stay_where_it_was():
    body = block(0.2, settings=SETTINGS, impacts=(tap(8.0),))
    recording = fractured(body)
    assert len(recording.fragments) > 1
    assert sum(volume(fragment.surface) for fragment in recording.fragments) == pytest.approx(volume(body.surface))
    for fragment in recording.fragments:
        assert fragment.birth_frame == recording.frame_start == 3
        assert fragment.poses == pytest.approx(np.array([[*fragment.center, 1.0, 0.0, 0.0, 0.0]]))
    assert recording.bodies[0].break_frame == 3


def test_a_simulation_with_the_same_impact_gives_the_same_fragments():
    body = block(settings=SETTINGS, impacts=(AuthoredImpact(1, np.array([0.02, 0.0, 0.08]), DOWN, 6.0),))
    still = fractured(body).fragments
    moving = run(body, gravity=np.zeros(3), frames=3).fragments
    assert len(still) == len(moving) > 1
    for first, second in zip(still, moving, strict=True):
        assert np.array_equal(first.surface.points, second.surface.points)
        assert np.array_equal(first.surface.faces, second.surface.faces)


def test_an_impact_that_breaks_nothing_is_made_stronger_and_the_report_says_so():
    recording = fractured(block(settings=SETTINGS, impacts=(tap(0.4),)))
    assert len(recording.fragments) > 1
    (warning,) = [text for text in recording.report["bodies"][0]["warnings"] if "raised" in text]
    assert "'block' did not break at 0.4 times" in warning


def test_without_an_impact_the_front_is_struck():
    body = block(settings=SETTINGS)
    placed = AuthoredImpact(3, front_point(body.surface), FRONT, STRENGTH)
    found, expected = (fractured(item) for item in (body, replace(body, impacts=(placed,))))
    assert len(found.fragments) > 1
    assert np.array_equal(masses(found), masses(expected))


def test_the_front_is_where_the_viewer_of_the_front_view_sees_the_middle():
    surface = shapes.box((2.0, 4.0, 6.0), (1.0, 0.0, 0.0))
    assert front_point(surface) == pytest.approx([1.0, -2.0, 0.0], abs=1e-2)
    assert front_point(shapes.flipped(surface)) == pytest.approx([1.0, -2.0, 0.0], abs=1e-2)
    lying = shapes.torus(1.0, 0.1)
    assert front_point(lying) == pytest.approx([0.0, -1.1, 0.0], abs=2e-2)


def test_a_ring_is_struck_at_its_foremost_point():
    standing = shapes.moved(shapes.torus(1.0, 0.1), rotation=[[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    assert front_point(standing) @ FRONT == pytest.approx(-0.1, abs=1e-9)


@pytest.mark.parametrize("wanted", [2, 8, 20])
def test_a_wanted_number_breaks_the_whole_body_evenly(wanted):
    settings = SETTINGS.changed(piece_count=wanted, cell_count=1000)
    recording = fractured(block(settings=settings))
    assert len(recording.fragments) == wanted
    shares = np.sort(masses(recording))[::-1] / masses(recording).sum()
    assert shares[0] < 4.0 / wanted + 0.2
    assert recording.report["bodies"][0]["volume_error"] < 1e-9


def test_parts_of_the_surface_that_do_not_touch_count_as_pieces():
    boards = shapes.joined(*(shapes.box((0.1, 0.1, 0.01), (0.0, 0.0, 0.011 * row)) for row in range(4)))
    body = replace(block(settings=SETTINGS.changed(piece_count=14, cell_count=800)), surface=boards)
    assert 14 <= len(fractured(body).fragments) <= 18


def test_a_number_beyond_the_detail_is_reported():
    recording = fractured(block(settings=SETTINGS.changed(cell_count=120, piece_count=100)))
    assert 1 < len(recording.fragments) < 100
    assert any("pieces instead of 100" in text for text in recording.report["bodies"][0]["warnings"])


def test_every_body_breaks_alone():
    first = block(settings=SETTINGS)
    second = replace(block(0.5, settings=SETTINGS.changed(seed=4)), name="other")
    alone, both = fractured(first), fractured(first, second)
    assert {fragment.body for fragment in both.fragments} == {0, 1}
    mine = [fragment for fragment in both.fragments if fragment.body == 0]
    assert [len(fragment.surface.faces) for fragment in mine] == [
        len(fragment.surface.faces) for fragment in alone.fragments
    ]


def test_islands_break_as_bodies_of_their_own():
    surface = shapes.joined(shapes.box((0.1, 0.1, 0.1)), shapes.box((0.1, 0.1, 0.1), (0.3, 0.0, 0.0)))
    body = replace(block(settings=SETTINGS.changed(islands="separate")), surface=surface)
    recording = fractured(body)
    centers = np.array([fragment.center[0] for fragment in recording.fragments])
    assert (centers < 0.1).sum() > 1
    assert (centers > 0.1).sum() > 1


def test_refusals():
    with pytest.raises(SceneError, match="select a mesh"):
        fractured()
    deformable = block(settings=SETTINGS.changed(method="lattice", dynamics="deformable"))
    with pytest.raises(SettingsError, match=r"'block' is deformable.*set Dynamics to Rigid"):
        fractured(deformable)
