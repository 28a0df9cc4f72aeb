"""Figure 3 of O'Brien and Hodgins, CACM 2000, from the menu: a tray falls flat, and all of it cracks."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from fracture_addon.blender.read.job import read_job
from fracture_addon.blender.setup import presets
from fracture_addon.core.data.recording import NEVER
from fracture_addon.core.timeline.timeline import simulate


@pytest.mark.once
def test_no_large_part_of_the_tray_stays_whole(scene):
    """Tilted by a degree instead, most of it stays whole."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    (tray,) = presets.build(bpy.context, presets.find("obrien_tray", presets.SCENES))
    tray.fracture.resolution = 500
    recording = simulate(read_job(bpy.context, [tray], (1, 12)), lambda *_: None)
    masses = np.array([piece.mass for piece in recording.fragments if piece.death_frame == NEVER])
    assert 20 < len(masses) < 200
    assert masses.max() < 0.25 * masses.sum(), masses.max() / masses.sum()
