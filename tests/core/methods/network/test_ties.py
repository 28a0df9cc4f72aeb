"""Ties: a film and bars hold the pieces of a cracked body together."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import AuthoredImpact, Body, Settings
from fracture_addon.core.data.material import PORCELAIN, Material
from fracture_addon.core.data.recording import NEVER
from fracture_addon.core.data.solid import cell_centers, face_vectors
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods import table
from fracture_addon.core.methods.network.ties import along_bar
from fracture_addon.core.methods.rigid_components import find_components
from fracture_addon.core.numerics.components import components
from tests import shapes
from tests.core.timeline_scenes import DOWN, FLOOR, run

GLASS = replace(PORCELAIN, name="Glass", density=2500.0, tensile_strength=41e6, toughness=0.75e6)
CONCRETE = Material("Concrete", 2400.0, 33.6e9, 0.2, 2.9e6, 38e6, 1.2e6)
ALONG = np.array([1.0, 0.0, 0.0])
BARS = {"bar_diameter": 0.012, "grain": ALONG}
FILM = {"film_thickness": 0.76e-3}


@pytest.fixture(scope="module")
def beam():
    return tetrahedralize(shapes.box((2.0, 0.2, 0.3)), 600, 0)


def test_a_bar_connects_the_cells_that_it_crosses_from_end_to_end(beam):
    start, area = np.array([0.0, 0.03, 0.1]), 1e-4
    corners, faces = along_bar(beam, start, ALONG, area)
    vectors = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    np.testing.assert_allclose(np.abs(vectors), np.tile([area, 0.0, 0.0], (len(faces), 1)), atol=1e-12)
    assert (np.einsum("fi,fi->f", vectors, face_vectors(beam)[faces]) > 0.0).all()
    middles = corners.mean(axis=1)
    np.testing.assert_allclose(middles[:, 1:], np.tile(start[1:], (len(faces), 1)), atol=1e-9)
    # A chain of cells: each pair is one step further along.
    pairs = beam.face_cells[faces]
    crossed = np.unique(pairs)
    assert len(crossed) == len(faces) + 1
    assert len(np.unique(components(pairs, beam.cell_count)[crossed])) == 1
    assert np.ptp(middles[:, 0]) > 1.8


@pytest.mark.parametrize("settings", [BARS, FILM], ids=["bars", "film"])
def test_ties_bear_the_whole_load_of_a_cracked_beam(beam, settings):
    model = table.build(beam, CONCRETE, Settings.of(noise=0.0, **settings))
    left = cell_centers(beam.points, beam.cells)[:, 0] < 0.0
    across = np.flatnonzero(left[model.pairs[:, 0]] != left[model.pairs[:, 1]])
    cracked, ties = across[across < model.tie_start], across[across >= model.tie_start]
    glue = model.unloaded()
    glue.remove(cracked)
    forces = np.where(left[:, None], -ALONG / left.sum(), ALONG / (~left).sum())
    glue.solve(find_components(model.cells, np.delete(model.pairs, cracked, axis=0)), forces, 1e-8)
    traction = glue._bonds.traction_vectors(glue.equilibrium.displacement, ties).mean(axis=1)
    signs = np.where(left[model.pairs[ties, 0]], 1.0, -1.0)[:, None]
    # The shift of the diagonal, which keeps the matrix positive, bears 0.1 % where the film is soft.
    assert (signs * traction * model.areas[ties, None]).sum(axis=0)[0] == pytest.approx(1.0, abs=3e-3)


def test_a_film_does_not_change_the_load_of_the_first_crack():
    pane = tetrahedralize(shapes.box((0.2, 0.2, 0.0088)), 600, 0)
    impact = Impact([0.0, 0.0, 0.0044], DOWN, 1e-4, 1e-4, 0.0)
    loads = [
        table.critical_force(table.build(pane, GLASS, settings), settings, [impact])
        for settings in (Settings(), Settings.of(**FILM))
    ]
    assert loads[1] == pytest.approx(loads[0], rel=0.01)


def pieces(body):
    """The numbers of pieces and of rigid bodies at the end of a run."""
    living = [item for item in run(body, colliders=(FLOOR,), frames=16).fragments if item.death_frame == NEVER]
    turns = {tuple(item.poses[-1][3:].round(6)) for item in living}
    return len(living), len(turns)


def pane(**settings):
    hit = AuthoredImpact(2, np.array([0.0, 0.0, 0.5044]), DOWN, 12.0)
    surface = shapes.box((0.4, 0.4, 0.0088), (0.0, 0.0, 0.5))
    return Body("pane", surface, material=GLASS, settings=Settings.of(cell_count=600, **settings), impacts=(hit,))


def test_a_laminated_pane_cracks_and_hangs_together_where_an_annealed_one_falls_apart():
    shown, bodies = pieces(pane(**FILM))
    assert shown >= 5
    assert bodies == 1
    shown, bodies = pieces(pane())
    assert bodies == shown >= 5


def struck_beam(**settings):
    hit = AuthoredImpact(2, np.array([0.0, 0.0, 0.65]), DOWN, 3.0)
    surface = shapes.box((2.0, 0.2, 0.3), (0.0, 0.0, 0.5))
    return Body("beam", surface, material=CONCRETE, settings=Settings.of(cell_count=600, **settings), impacts=(hit,))


def test_a_reinforced_beam_cracks_and_stays_together_along_its_bars():
    result = run(struck_beam(**BARS), colliders=(FLOOR,), frames=16)
    living = [item for item in result.fragments if item.death_frame == NEVER]
    largest = max(living, key=lambda item: item.mass)
    whole = [item for item in living if np.allclose(item.poses[-1][3:], largest.poses[-1][3:], atol=1e-6)]
    assert len(whole) >= 4
    assert sum(item.mass for item in whole) > 0.8 * sum(item.mass for item in living)
    ends = [item.poses[-1][0] for item in whole]
    assert max(ends) - min(ends) > 1.0
    shown, bodies = pieces(struck_beam())
    assert bodies == shown


def test_pieces_count_the_parts_that_a_film_holds():
    shown, bodies = pieces(pane(piece_count=12, **FILM))
    assert bodies == 1
    assert shown == pytest.approx(12, abs=3)
