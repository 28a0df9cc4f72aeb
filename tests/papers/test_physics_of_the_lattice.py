"""Laws that thresholds from strength and toughness have to give back, whatever the spacing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import spsolve

from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods import table
from fracture_addon.core.methods.lattice.cells.thresholds import strength_stretch, toughness_stretch
from fracture_addon.core.methods.lattice.fragment_labels import label_cells
from fracture_addon.core.methods.lattice.impact_window import follow
from fracture_addon.core.methods.lattice.lattice import Lattice
from tests import lattice_energy, shapes
from tests.blocks import block

MODULUS = PORCELAIN.young_modulus


def stretches(lattice: Lattice, alive: np.ndarray, span: float) -> np.ndarray:
    """Return the stretch (B,) of bonds, 0 for broken ones, when 1 N presses on the middle of a beam."""
    points, count = lattice.points, lattice.node_count
    bonds = lattice.bonds[alive]
    direction = (points[bonds[:, 1]] - points[bonds[:, 0]]) / lattice.rest_lengths[alive, None]
    columns = np.concatenate([3 * bonds[:, :1] + np.arange(3), 3 * bonds[:, 1:] + np.arange(3)], axis=1)
    values = np.concatenate([-direction, direction], axis=1)
    rows = np.repeat(np.arange(len(bonds)), 6)
    elongation = sparse.csr_array((values.ravel(), (rows, columns.ravel())), shape=(len(bonds), 3 * count))
    stiffness = elongation.T @ sparse.diags_array(MODULUS * lattice.stiffness[alive]) @ elongation
    middle, low, high = 0.5 * np.ptp(points[:, 0]), points[:, 2].min(), points[:, 2].max()
    away = points[:, 0] - middle
    supports = np.flatnonzero(np.isclose(np.abs(away), 0.5 * span) & (points[:, 2] == low))
    left, right = supports[away[supports] < 0.0], supports[away[supports] > 0.0]
    held = np.concatenate([3 * supports + 2, 3 * left, 3 * left[:1] + 1, 3 * right[:1] + 1])
    free = np.setdiff1d(np.arange(3 * count), held)
    pressed = np.flatnonzero(np.isclose(away, 0.0) & (points[:, 2] == high))
    force = np.zeros(3 * count)
    force[3 * pressed + 2] = -1.0 / len(pressed)
    moved = np.zeros(3 * count)
    # Cubes with body diagonals alone have mechanisms, which a trace of stiffness holds.
    shift = sparse.diags_array(np.full(len(free), 1e-12 * stiffness.diagonal().max()))
    moved[free] = spsolve((stiffness[free][:, free] + shift).tocsc(), force[free])
    result = np.zeros(lattice.bond_count)
    result[alive] = (elongation @ moved) / lattice.rest_lengths[alive]
    return result


@pytest.mark.parametrize("kind", ["body", "face", "both"])
@pytest.mark.parametrize("deep", [4, 6, 8, 12, 16])
def test_three_point_bending_gives_the_strength_back(kind, deep):
    """P3: sigma = 3 P L / 2 b d^2 within 15 %, and the crack starts within two cells of the middle."""
    spacing = 0.04 / deep
    beam = block((16 * deep + 2, 2, deep), spacing, kind)
    span, width, depth = 16 * deep * spacing, 2 * spacing, deep * spacing
    stretch = stretches(beam, np.ones(beam.bond_count, bool), span)
    centers = beam.points[beam.bonds].mean(axis=1)
    middle = 0.5 * np.ptp(beam.points[:, 0])
    # Away from where it is pressed and held, where the stress is that of the contact.
    clear = (np.abs(centers[:, 0] - middle) < 0.5 * span - 2.0 * depth) & (centers[:, 2] < 0.5 * depth)
    first = np.flatnonzero(clear)[np.argmax(stretch[clear])]
    load = strength_stretch(PORCELAIN) / stretch[first]
    strength = 3.0 * load * span / (2.0 * width * depth**2)
    assert strength == pytest.approx(PORCELAIN.tensile_strength, rel=0.15)
    assert abs(centers[first, 0] - middle) < 2.0 * spacing


@pytest.mark.parametrize("kind", ["body", "face", "both"])
def test_a_notched_beam_gives_the_toughness_back_at_any_spacing(kind):
    """P5: K = P S f(a / W) / B W^1.5, f(0.5) = 2.66, within 25 %, with a spread of 15 % or less."""
    measured = []
    for deep in (8, 12, 16, 24, 32):
        spacing = 0.08 / deep
        beam = block((4 * deep + 2, 1, deep), spacing, kind)
        ends, plane = beam.points[beam.bonds], 0.5 * np.ptp(beam.points[:, 0]) - 0.5 * spacing
        crossing = (ends[:, 0, 0] < plane) != (ends[:, 1, 0] < plane)
        middles = ends.mean(axis=1)
        notch = crossing & (middles[:, 2] < 0.04 - 0.01 * spacing)
        stretch = stretches(beam, ~notch, 4 * deep * spacing)
        tip = crossing & ~notch & (middles[:, 2] < 0.04 + 1.5 * spacing)
        load = toughness_stretch(PORCELAIN, spacing) / stretch[tip].max()
        measured.append(load * 4.0 * 2.66 / (spacing * np.sqrt(0.08)) / PORCELAIN.toughness)
    assert np.abs(np.array(measured) - 1.0).max() < 0.25
    assert np.ptp(measured) < 0.15


@pytest.mark.parametrize("cells", [400, 800, 1600, 3200])
def test_below_the_threshold_nothing_breaks_and_cracks_cost_what_they_must(cells):
    """P9: threshold, more fragments of harder impacts, and G_c times the new area is no more than the energy lost."""
    settings = Settings.of(method="lattice", cell_count=cells, noise=0.0)
    body = table.build(tetrahedralize(shapes.box((0.2, 0.2, 0.02)), cells, 0), PORCELAIN, settings)

    def impact(force):
        return Impact([0.01, 0.0, 0.01], [0.0, 0.0, -1.0], 0.5 * force * 3e-4, 3e-4, 0.02)

    critical = table.critical_force(body, settings, [impact(1.0)])
    release_rate = PORCELAIN.toughness**2 / PORCELAIN.young_modulus
    counts = []
    for load in (0.9, 2.0, 4.0, 8.0):
        found = follow(body, [impact(load * critical)], breaking=True)
        label = label_cells(body, found.state.valid, True, 0)
        pairs = body.solid.face_cells
        area = body.areas[label[pairs[:, 0]] != label[pairs[:, 1]]].sum()
        kinetic, elastic, _ = lattice_energy.energy(body.model, found.state)
        assert release_rate * area <= found.work - kinetic - elastic
        counts.append(len(np.unique(label)))
    assert counts[0] == 1
    assert counts == sorted(counts)
    assert counts[1] > 1
