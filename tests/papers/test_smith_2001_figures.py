"""The figures of Smith, Witkin and Baraff 2001 on few cells; docs/gallery/smith_2001.py draws them at their sizes."""

from functools import cache

import numpy as np
import pytest

from fracture_addon.core.data.recording import NEVER
from fracture_addon.core.geometry.inspection import inspect
from fracture_addon.core.timeline.timeline import simulate
from tests.papers import smith_scenes as scenes


def quiet(stage, share):
    """A run's progress is nobody's concern here."""


@pytest.mark.parametrize("name", scenes.PAPER_SIZES)
def test_the_papers_sizes_are_met(name):
    """About its tetrahedra, within a tenth, and shared faces, within an eighth."""
    surface = {"glass": scenes.glass_surface, "plank": lambda: scenes.PLANK, "pot": scenes.pot_surface}[name]()
    assert inspect(surface).clean
    cells, faces = scenes.PAPER_SIZES[name]
    solid = scenes.solid_of(surface, cells)
    assert solid.cell_count == pytest.approx(cells, rel=0.1)
    assert solid.face_count == pytest.approx(faces, rel=0.125)


@cache
def planks_broken(bonds, seeds):
    """Plank of figures 4 to 9 for no, moderate and dramatic growth: planks (3, seeds)."""
    solids = [scenes.solid_of(scenes.PLANK, 800, seed) for seed in range(seeds)]
    return [
        [scenes.plank(solid, growth, bonds, seed) for seed, solid in enumerate(solids)] for growth in scenes.GROWTHS
    ]


def means(bonds, seeds, name):
    """Mean of a property of the planks for each growth function."""
    return [np.mean([getattr(plank, name) for plank in planks]) for planks in planks_broken(bonds, seeds)]


def rises(values):
    return values[0] < values[1] < values[2]


def test_figures_4_to_9_growth_carries_cracks_further_with_point_bonds():
    assert rises(means("point", 2, "fragment_count"))
    assert rises(means("point", 2, "reach"))


def test_figures_4_to_9_growth_makes_more_fragments_with_full_bonds():
    """Measured: 5.8, 14 and 27 in the mean of six seeds."""
    assert rises(means("full", 6, "fragment_count"))


def test_figures_4_to_9_growth_carries_the_furthest_crack_further_with_full_bonds():
    """Measured, in the mean of six seeds: 104, 116 and 121 mm from the impact; crack areas of 64, 104, 201 cm2."""
    assert rises(means("full", 6, "furthest"))
    area = means("full", 6, "crack_area")
    assert area[2] > 2.0 * area[0]


@pytest.mark.xfail(strict=True, reason="crack faces are 64, 62 and 55 mm from the impact in the mean of six seeds")
def test_figures_4_to_9_growth_carries_all_cracks_further_with_full_bonds():
    """Growth lengthens cracks, but also makes more of them at the impact."""
    assert rises(means("full", 6, "reach"))


def test_figure_1_a_pot_built_of_one_coil_comes_apart_along_it():
    """Its cracks lie in the weak layers, about half of its height; those of a pot that is alike all over anywhere."""
    solid = scenes.solid_of(scenes.pot_surface(), 1800)
    shares = {}
    for strengths in scenes.POT_STRENGTHS:
        struck = scenes.pot(solid, strengths, 4.0)
        weak = scenes.COIL.strength(struck.model.face_centers) < 1.0
        shares[strengths] = struck.share_within(weak)
    everywhere = struck.model.areas[weak].sum() / struck.model.areas.sum()
    assert shares["coil"] > 1.4 * everywhere
    assert abs(shares["turbulence"] - everywhere) < 0.15 * everywhere


def _glass_struck(surface, solid, settings):
    """On its rim, from above."""
    return scenes.strike(surface, solid, scenes.GLASS, settings, [0.033, 0.0, 0.17], [0.0, 0.0, -1.0], 3.6)


@pytest.mark.parametrize(("strengths", "least"), [("tight", 1.15), ("wide", 1.5), ("weak", 1.1)])
def test_figure_11_a_glass_breaks_where_its_own_strengths_are_low(strengths, least):
    """Over eight turbulences of a kind, cracks lie in weak places more than these make up; alike all over they do not.

    Measured: 1.28, 1.79 and 1.28 times as much (standard errors 0.07, 0.27 and 0.03); a uniform glass 1.06, 1.25 and
    1.18 (0.07, 0.17 and 0.05).
    """
    surface = scenes.glass_surface()
    solid = scenes.solid_of(surface, 1500)
    shares = []
    for seed in range(8):
        varied = scenes.glass_settings(strengths, 1500).changed(seed=seed)
        struck = [_glass_struck(surface, solid, settings) for settings in (varied, varied.changed(noise=0.0))]
        weak = struck[0].model.strengths < struck[1].model.strengths
        areas = struck[0].model.areas
        shares.append([item.share_within(weak) * areas.sum() / areas[weak].sum() for item in struck])
    guided, blind = np.mean(shares, axis=0)
    assert guided > max(least, blind)
    assert 0.85 < blind < 1.3


def test_figure_11_glasses_of_one_shape_break_in_three_ways():
    """The same cells, struck on the rim at one load over what each first breaks at; only the strengths differ."""
    surface = scenes.glass_surface()
    solid = scenes.solid_of(surface, 1500)
    results = set()
    for strengths in scenes.GLASS_STRENGTHS:
        struck = _glass_struck(surface, solid, scenes.glass_settings(strengths, 1500))
        assert struck.fragment_count > 1
        results.add(tuple(np.bincount(struck.result.fragment_of_cell)))
    assert len(results) == 3


def test_figure_11_the_glasses_break_under_the_whole_load_of_the_fall():
    """Measured over six seeds: 25 to 38, 35 to 57 and 61 to 102 fragments, the largest has 9 to 36 % of the mass."""
    counts = []
    for strengths in scenes.GLASS_STRENGTHS:
        settings = scenes.glass_settings(strengths, 1500)
        recording = simulate(scenes.falling(scenes.glass_surface(), scenes.GLASS, settings, 0.5, 2.3, 20), quiet)
        masses = np.array([item.mass for item in recording.fragments if item.death_frame == NEVER])
        assert 15 < len(masses) < 150
        assert masses.max() > 0.06 * masses.sum()
        counts.append(len(masses))
    assert counts[0] < counts[2]


def test_figures_14_and_15_two_materials_break_in_one_run():
    """The ball goes through the bowl, and what comes through breaks the table."""
    recording = simulate(scenes.table(500, 400, 14), quiet)
    table, bowl = recording.report["bodies"]
    assert table["breaks"] >= 1
    assert bowl["breaks"] >= 1
    frames = {track.name: track.break_frame for track in recording.bodies}
    assert frames["bowl"] <= frames["table"]
    (ball,) = recording.projectiles
    assert ball.poses[-1, 2] < ball.poses[0, 2] - 0.3
