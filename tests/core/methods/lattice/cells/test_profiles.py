"""Test lattices from profiles: surfaces of revolution, thickened patches, bars along curves."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.errors import InvalidMeshError
from fracture_addon.core.data.surface import volume
from fracture_addon.core.methods.lattice.operators.structure import hierarchy_of_lattice
from tests import profiles
from tests.core.lattice_stiffness import pulled
from tests.sweeney_operators import surface_model


def test_surfaces_of_revolution():
    levels = np.linspace(0.0, 1.0, 11)
    outer, inner = (np.stack([np.full(11, radius), levels], axis=1) for radius in (1.0, 0.8))
    tube = profiles.revolved(outer, inner, 48, 2)
    exact = 48 * np.sin(2.0 * np.pi / 48) / 2.0 * (1.0 - 0.64)
    assert tube.volumes.sum() == pytest.approx(exact)
    assert tube.node_count == 48 * 11 * 3
    surface, _ = surface_model(hierarchy_of_lattice(tube))
    assert volume(surface) == pytest.approx(exact)
    # Its axial stiffness is that of a tube.
    upright = replace(tube, points=tube.points[:, [2, 0, 1]])
    assert pulled(upright, 0.0, 1.0, exact)[0] == pytest.approx(1.0, abs=0.05)


def test_thickened_patches_share_edges():
    # Two adjacent flat patches, then a quarter of a cylinder.
    ticks = np.linspace(0.0, 1.0, 4)
    flat = np.array([[(x, y, 0.0) for y in ticks] for x in ticks])
    plate = profiles.thickened_patches([flat, flat + np.array([1.0, 0.0, 0.0])], 0.14, (5, 5))
    assert plate.node_count == 11 * 6 * 2
    assert plate.volumes.sum() == pytest.approx(0.28)
    assert pulled(plate, 0.0, 2.0, 0.14)[0] == pytest.approx(1.0, abs=0.02)
    k = 4.0 / 3.0 * (np.sqrt(2.0) - 1.0)
    arc = np.array([(1.0, 0.0), (1.0, k), (k, 1.0), (0.0, 1.0)])
    net = np.array([[(x, y, z) for z in np.linspace(0.0, 1.0, 4)] for x, y in arc])
    shell = profiles.thickened_patches([net], 0.2, (24, 8), 2)
    assert shell.volumes.sum() == pytest.approx(0.5 * np.pi * 0.2, rel=5e-3)
    assert np.linalg.norm(shell.points[:, :2], axis=1).max() == pytest.approx(1.1, abs=0.005)
    with pytest.raises(InvalidMeshError, match="inverted"):
        profiles.thickened_patches([net], 2.4, (24, 8))


def test_a_thickened_open_mesh_with_triangles():
    points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0.5, 0)], float)
    lattice = profiles.thickened(points, [[0, 1, 2, 3], [1, 4, 2, 2]], 0.2, 2)
    assert lattice.volumes.sum() == pytest.approx(0.2 * 1.5)
    assert lattice.node_count == 15
    assert volume(surface_model(hierarchy_of_lattice(lattice))[0]) == pytest.approx(0.3)


def test_a_bar_along_a_curve():
    angles = np.linspace(0.0, np.pi, 25)
    curve = np.stack([np.cos(angles), np.zeros(25), np.sin(angles)], axis=1)
    handle = profiles.swept(curve, 0.1, 4)
    # Volume by Pappus's theorem. A polygon of 16 sides and straight segments have a little less.
    assert handle.volumes.sum() == pytest.approx(np.pi * 0.1**2 * np.pi, rel=0.04)
    assert np.linalg.norm(handle.points[:, [0, 2]], axis=1).max() == pytest.approx(1.1, abs=1e-3)


def test_bezier_curve_has_evenly_spaced_points():
    quarter = profiles.bezier_curve([(1, 0), (1, 0.5523), (0.5523, 1), (0, 1)], 9)
    steps = np.linalg.norm(np.diff(quarter, axis=0), axis=1)
    assert np.allclose(steps, steps.mean(), rtol=1e-3)
    assert np.allclose(np.linalg.norm(quarter, axis=1), 1.0, atol=1e-3)
