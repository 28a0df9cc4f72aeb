"""Stones that a sheet stops: contact of heavy rigid bodies with light nodes."""

import numpy as np
import pytest

from fracture_addon.core.data.job import Body, Collider, Job
from fracture_addon.core.data.placed_fields import PaintedField
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.fields.plate_air import plate_forces
from fracture_addon.core.meshing.thin import sheets
from fracture_addon.core.methods.lattice.deformable import wind
from tests import shapes
from tests.core.soft_bricks import RUBBER, SOFT, middles
from tests.core.timeline.deformable.test_checkpoints import whole_and_resumed
from tests.core.timeline.deformable.test_coupling import rate, run


def sheet_of_rubber(cells, *, pinned=False, speed=0.0):
    """A square sheet of 0.5 m x 0.5 m x 3 mm across X, 0.75 kg."""
    side = 0.25
    square = Surface([[0, -side, -side], [0, side, -side], [0, side, side], [0, -side, side]], [[0, 1, 2], [0, 2, 3]])
    skin, cloth = sheets.sheet(square, 0.003, cells, "sheet")
    at_edge = np.abs(skin.points[:, 1:]).max(axis=1) > side * (1.0 - 0.5 / np.sqrt(cells))
    pins = PaintedField(skin.points, skin.faces, at_edge.astype(float)) if pinned else None
    return Body("sheet", skin, RUBBER, SOFT.changed(pinned=pins), velocity=np.array([speed, 0.0, 0.0]), thin=cloth)


def thrown_stone(speed, distance=0.02):
    """A stone of 0.67 kg and a radius of 40 mm at a distance (m) in front of the sheet."""
    ball = shapes.moved(shapes.icosphere(0.04), offset=(-0.04 - distance, 0.01, 0.02))
    return Collider("Stone", ball, "sphere", mass=0.67, velocity=np.array([speed, 0.0, 0.0]))


# Measured: 0.996 to 1.008 at 2 to 10 m/s with 300 and 1,000 cells.
@pytest.mark.parametrize("cells", [300, 1000])
@pytest.mark.parametrize(("of_stone", "of_sheet"), [(2.0, 0.0), (5.0, 0.0), (10.0, 0.0), (0.0, -5.0)])
def test_a_sheet_and_a_stone_exchange_their_momentum(of_stone, of_sheet, cells, monkeypatch):
    monkeypatch.setattr(wind, "plate_forces", lambda *parts: 0.0 * plate_forces(*parts))  # no air
    sheet, stone = sheet_of_rubber(cells, speed=of_sheet), thrown_stone(of_stone)
    recording = run(sheet, colliders=(stone,), gravity=np.zeros(3))
    left, gained = rate(recording.projectiles[0].poses[:, :3]), rate(middles(recording.deformed[0]))
    before = 0.67 * of_stone + 0.75 * of_sheet
    assert (0.67 * left + 0.75 * gained) / before == pytest.approx([1.0, 0.0, 0.0], abs=0.02)
    assert abs(left[0] - of_stone) > 1.0


# Measured: 0.75 to 0.85 of its speed.
@pytest.mark.parametrize("cells", [300, 1000])
@pytest.mark.parametrize("speed", [3.0, 10.0])
def test_a_sheet_that_is_held_at_its_edges_throws_a_stone_back(speed, cells):
    sheet = sheet_of_rubber(cells, pinned=True)
    recording = run(sheet, colliders=(thrown_stone(speed),), frames=12, gravity=np.zeros(3))
    places = recording.projectiles[0].poses[:, 0]
    assert places.max() < 0.25
    assert 0.6 < (places[-5] - places[-1]) * 24.0 / 4.0 / speed < 1.0


def test_a_run_continues_to_the_same_bytes_while_a_stone_is_in_a_sheet(tmp_path):
    """The stone of 3 m/s meets the sheet on frame 5, and the run continues from frame 6."""
    bodies, stones = (sheet_of_rubber(300, pinned=True),), (thrown_stone(3.0, distance=0.52),)
    job = Job(bodies, colliders=stones, frame_end=12, gravity=np.zeros(3), checkpoint_interval=3)
    first, second = whole_and_resumed(job, tmp_path)
    places = first.projectiles[0].poses[:, 0]
    assert places[5] > -0.03
    assert places[-1] < places[-2] < places[-3]
    assert first.projectiles[0].poses.tobytes() == second.projectiles[0].poses.tobytes()
    assert first.deformed[0].points.tobytes() == second.deformed[0].points.tobytes()
