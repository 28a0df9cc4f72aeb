"""Cracks of deformable lattices depend on the toughness."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.job import Body, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.placed_fields import PaintedField
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.meshing.thin import sheets
from fracture_addon.core.methods.lattice import advance
from fracture_addon.core.methods.lattice.crack_tips import BESIDE_FACTOR, LAST_PASSAGE, CrackTips
from fracture_addon.core.methods.lattice.model import model_of
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes
from tests.blocks import block
from tests.core.soft_bricks import CHALK, SOFT, run
from tests.core.timeline_scenes import FLOOR

SPACING, PASSAGE, SHARE = 0.01, 1e-4, 0.2


def fragments(toughness: float, cells: int, seed: int) -> int:
    """Count the fragments of a tilted porcelain plate that hits the floor at 4 m/s, as a lattice that deforms."""
    turn = [[0.825, 0.0, 0.565], [0.0, 1.0, 0.0], [-0.565, 0.0, 0.825]]
    plate = shapes.moved(shapes.box((0.3, 0.3, 0.02)), rotation=turn)
    plate = shapes.moved(plate, offset=(0.0, 0.0, 0.02 - plate.points[:, 2].min()))
    settings = Settings.of(method="lattice", dynamics="deformable", softening=1e4, cell_count=cells, seed=seed)
    material = replace(PORCELAIN, toughness=toughness)
    body = Body("plate", plate, material, settings, velocity=np.array([0.0, 0.0, -4.4]))
    recording = simulate(Job((body,), (FLOOR,), 1, 5), lambda *_: None)
    return recording.report["bodies"][0]["fragments"]


@pytest.mark.parametrize(("cells", "seeds"), [(700, 9), (2000, 3)])
def test_brittle_plates_break_into_more_fragments_than_tough_ones_with_few_and_many_cells(cells, seeds):
    """Five groups of three seeds have 10 to 18 fragments against 3 to 10, and 22 to 41 against 4 to 10."""
    brittle, tough = (sum(fragments(toughness, cells, seed) for seed in range(seeds)) for toughness in (0.4e6, 6e6))
    assert brittle > 1.5 * tough


def test_a_break_weakens_bonds_ahead_and_strengthens_those_beside_for_a_while():
    lattice = block((6, 6, 1), SPACING)
    model = model_of(lattice, 1000.0, 1e6, thresholds=0.1)
    spread = (np.full(lattice.bond_count, value) for value in (SHARE, SPACING, PASSAGE, 0))
    tips, state = CrackTips(model, *spread), advance.initial_state(model)
    ways = np.abs(np.diff(lattice.points[lattice.bonds], axis=1)[:, 0]) / lattice.rest_lengths[:, None]
    middles = lattice.points[lattice.bonds].mean(axis=1)
    upright = ways[:, 1] > 0.99
    arms = middles - [3.0 * SPACING, 2.5 * SPACING, 0.0]
    row = int(np.argmin(np.linalg.norm(arms, axis=1) + ~upright))
    assert tips.add(state, np.array([row])).tolist() == [row]
    flat = np.abs(arms[:, 2]) < 1e-9
    ahead = upright & flat & (np.abs(np.abs(arms[:, 0]) - SPACING) < 1e-9) & (np.abs(arms[:, 1]) < 1e-9)
    beside = upright & flat & (np.abs(np.abs(arms[:, 1]) - SPACING) < 1e-9) & (np.abs(arms[:, 0]) < 1e-9)
    assert ahead.sum() == beside.sum() == 2
    for passages, weaker in ((0.5, 1.0), (2.0, SHARE)):
        state.time = passages * PASSAGE
        assert tips.update(state)
        assert state.limits[ahead] == pytest.approx(SPACING * (1.0 + 0.1 * weaker))
        assert state.limits[beside] == pytest.approx(SPACING * (1.0 + 0.1 * BESIDE_FACTOR))
    state.time = 1.01 * LAST_PASSAGE * PASSAGE
    assert not tips.update(state)
    assert state.limits == pytest.approx(1.1 * lattice.rest_lengths)


def test_of_bonds_beside_each_other_only_the_longest_breaks_in_a_step():
    lattice = block((1, 6, 1), SPACING)
    model = model_of(lattice, 1000.0, 1e6, thresholds=0.1)
    spread = (np.full(lattice.bond_count, value) for value in (SHARE, SPACING, PASSAGE, 0))
    tips, state = CrackTips(model, *spread), advance.initial_state(model)
    corner = (lattice.points[:, [0, 2]] == 0.0).all(axis=1)
    column = np.flatnonzero(corner[lattice.bonds].all(axis=1))[:3]
    state.positions[lattice.bonds[column[1], 1]] += [0.0, 0.3 * SPACING, 0.0]
    assert tips.add(state, column).tolist() == [column[1]]


def test_bonds_far_beyond_every_limit_all_break():
    """A bond beside a crack that stretches beyond twice its threshold breaks too, and the run ends."""
    lattice = block((1, 6, 1), SPACING)
    model = model_of(lattice, 1000.0, 1e6, thresholds=0.1)
    spread = (np.full(lattice.bond_count, value) for value in (SHARE, SPACING, PASSAGE, 0))
    state = advance.initial_state(model)
    state.positions *= 1.5
    assert advance.run(model, state, advance.Surroundings(), 1e-9, 3, tips=CrackTips(model, *spread)) > 0
    assert not state.alive.any()


def test_a_sheet_tears_at_its_strength_whatever_its_toughness():
    square = Surface([[0, 0, 0], [0.2, 0, 0], [0.2, 0.2, 0], [0, 0.2, 0]], [[0, 1, 2], [0, 2, 3]])
    skin, cloth = sheets.sheet(square, 0.005, 100, "sheet")
    pins = PaintedField(skin.points, skin.faces, (skin.points[:, 0] < 0.01).astype(float))
    torn = []
    for toughness in (1e2, 1e3):
        body = Body("sheet", skin, replace(CHALK, toughness=toughness), SOFT.changed(pinned=pins), thin=cloth)
        recording = run([body], 6, gravity=np.array([1500.0, 0.0, 0.0]))
        assert recording.report["bodies"][0]["fragments"] > 1
        torn.append(recording.deformed[0].points.tobytes())
    assert torn[0] == torn[1]
