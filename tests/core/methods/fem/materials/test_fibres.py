"""Wood of finite elements: stiffer and stronger along its grain than across it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import Material
from fracture_addon.core.data.placed_fields import GrainDirection
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods import table
from fracture_addon.core.methods.fem.advance import Leapfrog
from fracture_addon.core.methods.fem.elements import law_of
from fracture_addon.core.methods.fem.implicit import Implicit
from fracture_addon.core.methods.fem.materials.fibres import fibres
from fracture_addon.core.methods.fem.walls import mesh_with_walls
from tests import shapes
from tests.resolutions import missed

WOOD = Material("Wood", 500.0, 10e9, 0.2, 3e6, 33e6, 0.35e6, strength_variation=0.0)
LENGTH = 0.4
ALONG, ACROSS = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])


def bar(material, grain, cells, size=(LENGTH, 0.05, 0.05)):
    solid = tetrahedralize(shapes.box(size), cells, 0)
    return mesh_with_walls(solid, material.density, fibres=fibres(solid, material, Settings.of(grain=grain)))


def frequency(material, grain, cells):
    """Return the frequency, Hz, of the longest wave along a free bar."""
    mesh = bar(material, grain, cells)
    motion, wave = Leapfrog(mesh, law_of(material)), np.sin(np.pi * mesh.rest[:, 0] / LENGTH)
    mesh.velocity[:, 0] = 1e-5 * wave
    moments, before = [], 0.0
    for look in range(100_000):
        motion.advance(np.zeros(4))
        now = mesh.mass * wave @ (mesh.position[:, 0] - mesh.rest[:, 0])
        if now * before < 0.0:
            moments.append((look + 1.0 - now / (now - before)) * 4.0 * motion.step)
        if len(moments) == 2:
            break
        before = now
    return 0.5 / (moments[1] - moments[0])


@pytest.mark.parametrize("cells", [150, 500])
@pytest.mark.parametrize("ratio", [5.0, 15.0])
def test_a_bar_rings_at_the_stiffness_of_its_direction_to_the_grain(ratio, cells):
    """sqrt(E / rho) / 2 L with E along the grain, and E / ratio across it. Measured: 0.995 to 1.018."""
    wood = replace(WOOD, grain_stiffness_ratio=ratio)
    along = np.sqrt(wood.young_modulus / wood.density) / (2.0 * LENGTH)
    assert frequency(wood, ALONG, cells) == pytest.approx(along, rel=0.03)
    assert frequency(wood, ACROSS, cells) == pytest.approx(along / np.sqrt(ratio), rel=0.03)


@pytest.mark.parametrize(
    ("ratio", "cells"),
    [
        (5.0, 300),
        (5.0, 500),
        (5.0, 1500),
        missed(15.0, 300, figure="10.3 for 15"),
        (15.0, 500),
        missed(15.0, 1500, figure="9.3 for 15"),
    ],
)
def test_a_bar_bears_the_ratio_of_the_strengths(ratio, cells):
    """A bar that is bent along its length, within 30 %.

    Pine, mean of two seeds with 500 and 1,500 cells: 3.9 and 4.3 for 5, 11.6 and 11.7 for 15, 21 and 17 for 26.7. With
    isotropic stiffness the ratio was at most 3.2, because tension across the grain broke the bar.
    """
    wood, loads = replace(WOOD, grain_strength_ratio=ratio), []
    solid = tetrahedralize(shapes.box((LENGTH, 0.05, 0.02)), cells, 0)
    # The pulse is slow compared with the vibrations of the bar.
    impact = Impact([0.0, 0.0, 0.01], [0.0, 0.0, -1.0], 1.0, 5e-3, 0.0)
    for grain in (ALONG, ACROSS):
        settings = Settings.of(method="fem", noise=0.0, grain=grain)
        loads.append(table.critical_force(table.build(solid, wood, settings), settings, [impact]))
    assert loads[0] / loads[1] == pytest.approx(ratio, rel=0.3)


def test_fibres_follow_placed_directions():
    solid = tetrahedralize(shapes.box((LENGTH, 0.05, 0.05)), 300, 0)
    places = (GrainDirection([-0.2, 0.0, 0.0], [1.0, 0.0, 0.0]), GrainDirection([0.2, 0.0, 0.0], [0.0, 0.0, 2.0]))
    wood = replace(WOOD, grain_stiffness_ratio=5.0)
    found = fibres(solid, wood, Settings.of(grains=places))
    middle = solid.points[solid.cells].mean(axis=1)[:, 0]
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0)
    assert np.abs(found[middle < -0.15, 0]).min() > 0.9
    assert np.abs(found[middle > 0.15, 2]).min() > 0.9
    assert fibres(solid, WOOD, Settings.of(grains=places)) is None
    strong = replace(WOOD, grain_strength_ratio=5.0, grain_stiffness_ratio=1.0)
    np.testing.assert_array_equal(fibres(solid, strong, Settings.of(grains=places)), found)


@pytest.mark.parametrize("grain", [ALONG, ACROSS])
def test_a_semi_implicit_step_agrees_with_small_ones(grain):
    """A bar that is stretched and let go, over a hundredth of its slowest period."""
    wood = replace(WOOD, grain_stiffness_ratio=8.0)
    seconds = 0.01 * 2.0 * LENGTH / np.sqrt(wood.young_modulus / wood.density)
    ends = []
    for count in (40, 400):
        mesh = bar(wood, grain, 200)
        mesh.position[:] = mesh.rest * [1.001, 1.0, 1.0]
        motion, nothing = Leapfrog(mesh, law_of(wood), seconds / count), np.zeros((mesh.node_count, 3))
        free = np.zeros(mesh.node_count, bool)
        if count == 40:
            steps = Implicit(motion, free)
            for _ in range(count):
                steps.advance(mesh.mass, np.zeros(3), nothing, seconds / count, free, nothing)
        else:
            motion.advance(np.zeros(count))
        ends.append(mesh.velocity[:, 0].copy())
    assert np.linalg.norm(ends[1] - ends[0]) < 0.1 * np.linalg.norm(ends[1])
