"""Impacts that the artist placed: where, when, and with what course of the load."""

import bpy
import numpy as np
import pytest

from fracture_addon.core.data.errors import SceneError, SettingsError
from tests.blender.reading import job_of, move


def test_an_impact_is_where_its_empty_is_on_its_frame(struck, scene):
    scene.unit_settings.scale_length = 0.5
    empty = struck.fracture.impact_object
    empty.rotation_euler = (0.0, np.pi / 2, 0.0)
    move(empty, {1: (0, 0, 0), 3: (0.2, 0, 1.0)})
    struck.fracture.impact_radius = 0.04
    (impact,) = job_of(struck).bodies[0].impacts
    assert impact.frame == 2
    assert impact.point == pytest.approx([0.05, 0.0, 0.25])
    assert impact.direction == pytest.approx([1.0, 0.0, 0.0], abs=1e-6)
    assert impact.radius == pytest.approx(0.02)
    assert impact.strength == 8.0


def test_several_impacts_each_with_its_own_settings(struck, scene):
    scene.cursor.location = (0.02, 0.01, 0.3)
    scene.frame_set(3)
    bpy.ops.fracture.add_impact()
    (second,) = struck.fracture.more_impacts
    second.impact_strength = 3.0
    first, other = job_of(struck).bodies[0].impacts
    assert (first.frame, first.strength, other.frame, other.strength) == (2, 8.0, 3, 3.0)
    assert first.direction == pytest.approx([0, 0, -1], abs=1e-6)
    assert other.direction == pytest.approx([0, 0, 1], abs=1e-6)
    second.impact_object = None
    with pytest.raises(SceneError, match="has no empty"):
        job_of(struck)
    assert bpy.ops.fracture.remove_impact(index=0) == {"FINISHED"}
    assert len(job_of(struck).bodies[0].impacts) == 1


def test_the_load_follows_the_curve_that_is_keyed(struck, scene):
    assert job_of(struck).bodies[0].settings.cracks.impact_schedule == ()
    move(struck, {10: 0.0, 12: 2.0, 20: 0.0}, "fracture.impact_load")
    course = np.array(job_of(struck).bodies[0].settings.cracks.impact_schedule)
    assert course[0] == pytest.approx([0.0, 0.0])
    assert course[-1] == pytest.approx([1.0, 0.0])
    assert np.interp([0.1, 0.2, 0.6], *course.T) == pytest.approx([1.0, 2.0, 1.0])
    assert (np.diff(course[:, 0]) > 0.0).all()


def test_a_load_that_is_never_there_is_refused(struck, scene):
    move(struck, {10: 0.0, 20: 0.0}, "fracture.impact_load")
    with pytest.raises(SettingsError, match=r"'Cube': .*not all 0; change the keys"):
        job_of(struck)
