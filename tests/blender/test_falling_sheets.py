"""The falling leaf and the falling sheet of paper of the menu: air carries them."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.setup import presets
from fracture_addon.core.timeline.timeline import simulate

GRAVITY = 9.81


@pytest.mark.once
@pytest.mark.parametrize(("name", "length"), [("sweeney_leaf", 0.16), ("falling_paper", 0.297)])
def test_a_sheet_glides_and_falls_slowly(scene, name, length):
    """Measured after 1.2 s: 0.76 and 0.47 m lower (7.2 m in a vacuum), after ways of 0.45 and 0.79 m to the side."""
    objects = presets.build(bpy.context, presets.find(name, presets.SCENES))
    (fallen,) = simulate(read_job(bpy.context, objects, (1, 30)), lambda *_: None).deformed
    middle = fallen.points.mean(axis=1)
    seconds = 29.0 / bpy.context.scene.render.fps
    assert length < middle[0, 2] - middle[-1, 2] < 0.2 * 0.5 * GRAVITY * seconds**2
    assert np.ptp(middle[:, :2], axis=0).max() > length
    assert not fallen.piece_of_face.any()
