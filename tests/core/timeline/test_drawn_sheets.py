"""Cracks follow a drawn sheet, with each method."""

import numpy as np
import pytest

from fracture_addon.core.data.job import AuthoredImpact, Body, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.placed_fields import WeakSheet
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.geometry.nearest import Nearest
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes

PLATE = shapes.box((0.2, 0.2, 0.02))
# m, about half a cell: crack faces zigzag over the faces of cells.
NEAR = 0.01
# Cells with which a run is quick.
CELLS = {"network": 400, "lattice": 1500, "fem": 400}


def wave():
    """Return a sheet through the plate below a line that bends to both sides by 3 cm."""
    along = np.linspace(-0.12, 0.12, 49)
    top = np.stack([0.03 * np.sin(np.pi * along / 0.1), along, np.full(49, 0.02)], axis=1)
    row = np.arange(48)
    faces = [np.stack(corners, axis=1) for corners in ((row, row + 1, row + 50), (row, row + 50, row + 49))]
    return WeakSheet(np.concatenate([top, top - [0.0, 0.0, 0.04]]), np.concatenate(faces), 0.1)


def share_near(method, sheets):
    """Return the share of the area of the crack faces that is near the wave."""
    chosen = Settings.of(method=method, cell_count=CELLS[method], seed=1, break_depth=1, roughness=0.0, sheets=sheets)
    impact = AuthoredImpact(1, np.array([0.0, 0.0, 0.01]), np.array([0.0, 0.0, -1.0]), 4.0)
    body = Body("Plate", surface=PLATE, velocity=np.zeros(3), material=PORCELAIN, settings=chosen, impacts=(impact,))
    fragments = simulate(Job((body,), (), 1, 3), lambda *_: None).fragments
    corners = np.concatenate([item.surface.corners[item.interior] + item.center for item in fragments])
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    distances = Nearest(Surface(wave().points, wave().faces)).to(corners.mean(axis=1))[2]
    return areas[distances < NEAR].sum() / areas.sum()


@pytest.mark.parametrize(("method", "least"), [("network", 0.95), ("lattice", 0.7), ("fem", 0.45)])
def test_cracks_follow_a_drawn_line(method, least):
    """Without it, a tenth to a fifth of their area is there by chance."""
    assert share_near(method, ()) < 0.3
    assert share_near(method, (wave(),)) > least
