"""Static laws of strength and toughness for finite elements, without waves and random strengths."""

from __future__ import annotations

import numpy as np
import pytest

from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.solid import from_cells
from fracture_addon.core.methods.fem.advance import Leapfrog
from fracture_addon.core.methods.fem.cracks.remesh import separate_all
from fracture_addon.core.methods.fem.cracks.toughness import Strengths
from fracture_addon.core.methods.fem.elements import law_of
from fracture_addon.core.methods.fem.fracture import Cracking
from fracture_addon.core.methods.fem.state import from_solid
from fracture_addon.core.methods.fem.walls import mesh_with_walls
from tests.core.grid import block
from tests.cracks import split_node
from tests.papers.test_obrien_1999 import STRAIGHT, at_rest
from tests.resolutions import missed


def tension(mesh, load, held):
    """Return (N,) tensions in Pa and (N, 3) directions in static equilibrium with a small load."""
    motion = Leapfrog(mesh, law_of(STRAIGHT))
    at_rest(motion, load, held)
    found = motion.separation()
    return found.tension(0.25 * np.median(mesh.size) ** 2), found.normal


@pytest.mark.parametrize("count", [missed(8, figure="0.76 of the tension"), 12, 16, 20])
def test_a_disc_that_is_pressed_splits_from_its_middle(count):
    """P4: tension 2 P / pi D t across the loaded diameter, largest in the middle, within 20 %."""
    diameter, force = 0.1, 100.0
    thickness = diameter / count
    square = block((count, count, 1), (2.0, 2.0, thickness))
    x, y = square.points[:, 0] - 1.0, square.points[:, 1] - 1.0
    points = square.points.copy()
    points[:, 0] = 0.5 * diameter * x * np.sqrt(1.0 - 0.5 * y * y)
    points[:, 1] = 0.5 * diameter * y * np.sqrt(1.0 - 0.5 * x * x)
    mesh = from_solid(from_cells(points, square.cells, []), STRAIGHT.density)
    held = np.abs(mesh.rest) < 1e-9
    load = np.zeros_like(mesh.rest)
    for side in (1.0, -1.0):
        rim = np.abs(np.linalg.norm(mesh.rest[:, :2], axis=1) - 0.5 * diameter) < 1e-6
        pressed = rim & (np.abs(mesh.rest[:, 0]) < 0.1 * diameter) & (side * mesh.rest[:, 1] > 0.0)
        load[pressed, 1] = -side * force / pressed.sum()
    found, normal = tension(mesh, load, held)
    inner = np.linalg.norm(mesh.rest[:, :2], axis=1) < 0.35 * diameter
    worst = int(np.argmax(np.where(inner, found, 0.0)))
    assert np.linalg.norm(mesh.rest[worst, :2]) < 0.1 * diameter
    assert abs(normal[worst, 0]) > 0.99
    assert found[worst] == pytest.approx(2.0 * force / (np.pi * diameter * thickness), rel=0.2)


def notched(layers, width, create):
    """Mesh of a bar with a notch of half its depth, at rest under a load; its motion, front and stress intensity.

    K = 2.66 P S / B W^1.5. ``create`` makes the mesh of cells, ``layers`` through the depth and ``width`` across.
    """
    depth, force = 0.04, 10.0
    cell, span = depth / layers, 4.0 * depth
    mesh = create(block((4 * layers, width, layers), (span, width * cell, depth)), STRAIGHT.density)
    in_middle = np.abs(mesh.rest[:, 0] - 0.5 * span) < 1e-9
    for node in np.flatnonzero(in_middle & (mesh.rest[:, 2] < 0.5 * depth - 1e-9)):
        split_node(mesh, int(node), [1.0, 0.0, 0.0])
    x, z = mesh.rest[:, 0], mesh.rest[:, 2]
    in_middle = np.abs(x - 0.5 * span) < 1e-9
    held = np.zeros(mesh.rest.shape, bool)
    held[:, 1] = True
    held[(z < 1e-9) & ((x < 1e-9) | (x > span - 1e-9)), 2] = True
    held[(z < 1e-9) & (x < 1e-9), 0] = True
    load = np.zeros_like(mesh.rest)
    pressed = in_middle & (z > depth - 1e-9)
    load[pressed, 2] = -force / pressed.sum()
    motion = Leapfrog(mesh, law_of(STRAIGHT))
    at_rest(motion, load, held)
    front = np.flatnonzero(in_middle & (np.abs(z - 0.5 * depth) < 1e-9))
    return mesh, motion, front, 2.66 * force * span / (width * cell * depth**1.5)


def thick(solid, density):
    """Mesh whose elements share no stress."""
    mesh = from_solid(solid, density)
    separate_all(mesh)
    return mesh


def measured_toughness(layers):
    """Toughness at the front's nodes over the set one, of a bar whose elements share no stress."""
    mesh, motion, front, intensity = notched(layers, 2, thick)
    separation = motion.separation()
    found, normal = separation.tension(0.25 * np.median(mesh.size) ** 2), separation.normal
    assert int(np.argmax(found)) in front
    assert (np.abs(normal[front, 0]) > 0.9).all()
    strengths = Strengths(mesh, STRAIGHT, Settings.of(method="fem", noise=0.0))
    strengths.set_front(front[:0], front, np.array([1.0, 0.0, 0.0]))
    bears = strengths.across(normal)[front]
    assert (bears < STRAIGHT.tensile_strength).all()
    # The load at which the front fails, and what intensity that is.
    return intensity * (bears / found[front]) / STRAIGHT.toughness


def toughness_of_wall(layers, width):
    """Intensity at which the first node cracks over the set toughness, of a wall ``width`` elements thick."""
    mesh, motion, front, intensity = notched(layers, width, mesh_with_walls)
    assert (mesh.own < 1.0).all()
    cracking = Cracking(mesh, motion, motion.law, STRAIGHT, Settings.of(method="fem", noise=0.0))
    cracking.strengths.set_front(front[:0], front, np.array([1.0, 0.0, 0.0]))
    cracking.check(0.0, cracking=False)
    return intensity / STRAIGHT.toughness / cracking.max_ratio


@pytest.mark.parametrize("layers", [missed(6, figure="1.25 of the toughness"), 8, 12, 16, 24])
def test_a_notch_goes_on_at_its_toughness(layers):
    """P5: a crack continues at the toughness within 25 %."""
    np.testing.assert_allclose(measured_toughness(layers), 1.0, rtol=0.25)


@pytest.mark.xfail(strict=True, raises=AssertionError, reason="1.25, 0.98 and 0.89 of the toughness")
def test_the_toughness_of_a_notch_does_not_depend_on_the_elements():
    """P5: a spread of 15 % or less over h, h / 2 and h / 4."""
    assert np.ptp([measured_toughness(layers).mean() for layers in (6, 12, 24)]) < 0.15


COARSE = [missed(6, 3, figure="1.15 of the toughness"), missed(6, 4, figure="1.20 of the toughness")]


@pytest.mark.parametrize(
    ("layers", "width"),
    [*((layers, width) for width in (1, 2, 3, 4) for layers in (6, 8, 12, 24) if layers > 6 or width < 3), *COARSE],
)
def test_a_notch_of_a_wall_goes_on_at_its_toughness(layers, width):
    """P5: a wall of 1 to 4 elements, notched in its plane, cracks on at the toughness within 15 %.

    Measured with 6, 8, 12, 16 and 24 elements through the depth: 0.94, 0.91, 0.88, 0.87, 0.86 with one element through
    the wall, 1.08, 1.06, 0.99, 0.96, 0.93 with two, 1.15, 1.09, 1.05, 1.02, 0.97 with three, 1.20, 1.11, 1.06, 1.03,
    1.01 with four.
    """
    assert toughness_of_wall(layers, width) == pytest.approx(1.0, rel=0.15)
