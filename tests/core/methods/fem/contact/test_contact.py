"""Contact between elements: the box hierarchy, the overlap volume, and momentum and energy of pushes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, HalfspaceIntersection

from fracture_addon.core.data.material import Material
from fracture_addon.core.data.solid import from_cells
from fracture_addon.core.methods.fem.advance import Leapfrog
from fracture_addon.core.methods.fem.contact.boxes import Hierarchy
from fracture_addon.core.methods.fem.contact.contact import Contacts
from fracture_addon.core.methods.fem.contact.overlap import overlap_of, planes_of, weights_of
from fracture_addon.core.methods.fem.elements import law_of
from fracture_addon.core.methods.fem.state import component_of_element, from_solid
from tests.core.grid import block

RUBBER = Material("Rubber", 1000.0, 1e6, 0.3, 1e6, 1e6, 1e4)


@pytest.mark.parametrize("count", [1, 2, 37, 500])
def test_overlapping_boxes_are_found_while_they_move(count):
    random = np.random.default_rng(count)
    low = random.random((count, 3))
    high = low + 0.15 * random.random((count, 3))
    hierarchy = Hierarchy(low, high)
    for _ in range(5):
        found = np.sort(hierarchy.overlaps(low, high), axis=1)
        together = (low[:, None] <= high).all(axis=2) & (low <= high[:, None]).all(axis=2)
        expected = np.argwhere(np.triu(together, 1))
        assert sorted(map(tuple, found)) == sorted(map(tuple, expected))
        moves = 0.05 * random.standard_normal((count, 3))
        low, high = low + moves, high + moves


def tetrahedron(random):
    corners = random.random((4, 3))
    return corners if np.linalg.det(corners[1:] - corners[0]) > 0.0 else corners[[1, 0, 2, 3]]


def planes(corners):
    result = np.empty((4, 4))
    planes_of(corners, result)
    return result


def overlap(first, second):
    result = np.empty(7)
    overlap_of(first, planes(first), second, planes(second), result, np.empty((16, 3)), np.empty((16, 3)))
    return result


def test_overlap_volume_matches_halfspace_intersection():
    random, overlapping = np.random.default_rng(0), 0
    for _ in range(25):
        first, second = tetrahedron(random), tetrahedron(random)
        found = overlap(first, second)
        both = np.concatenate([planes(first), planes(second)])
        inner = linprog([0, 0, 0, -1], np.c_[both[:, :3], np.ones(8)], both[:, 3], bounds=[(None, None)] * 4)
        expected = 0.0
        if inner.x[3] > 1e-6:
            overlapping += 1
            hull = ConvexHull(HalfspaceIntersection(np.c_[both[:, :3], -both[:, 3]], inner.x[:3]).intersections)
            expected = hull.volume
            triangles = hull.points[hull.simplices]
            middle = hull.points.mean(axis=0)
            parts = np.abs(np.linalg.det(triangles - middle)) / 6.0
            center = parts @ (0.75 * triangles.mean(axis=1) + 0.25 * middle) / expected
            np.testing.assert_allclose(found[1:4], center, atol=1e-7)
        assert found[0] == pytest.approx(expected, abs=1e-10)
    assert overlapping > 8


def test_coplanar_faces_count_once():
    corners = np.array([[0.0, 0, 0], [1.0, 0, 0], [0.0, 1, 0], [0.0, 0, 1]])
    assert overlap(corners, corners)[0] == pytest.approx(1.0 / 6.0)
    beside = np.array([[0.0, 0, 0], [0.0, 1, 0], [1.0, 0, 0], [0.0, 0, -1]])
    assert overlap(corners, beside)[0] == pytest.approx(0.0, abs=1e-15)
    weights = np.empty(4)
    weights_of(corners, planes(corners), np.array([0.5, 0.25, 0.125]), weights)
    np.testing.assert_allclose(weights, [0.125, 0.5, 0.25, 0.125])


def two_blocks(gap, shift=0.013):
    """Two blocks in one mesh, a smaller unaligned one above the other."""
    lower, upper = block((3, 3, 2), (0.3, 0.3, 0.2), jitter=0.1), block((2, 2, 2), (0.2, 0.2, 0.2), jitter=0.1)
    points = np.concatenate([lower.points, upper.points + np.array([0.04 + shift, 0.05, 0.2 + gap])])
    cells = np.concatenate([lower.cells, upper.cells + len(lower.points)])
    return from_solid(from_cells(points, cells, []), RUBBER.density)


@pytest.mark.parametrize("by_nodes", [False, True])
def test_colliding_blocks_separate_and_keep_their_momentum(by_nodes):
    mesh = two_blocks(0.002)
    upper = mesh.rest[:, 2] > 0.201
    mesh.velocity[upper] = [0.2, 0.0, -1.5]
    motion, contacts = Leapfrog(mesh, law_of(RUBBER, 1e-4)), Contacts(0.4, by_nodes)
    contacts.begin(mesh.position, mesh.elements, np.arange(mesh.element_count))
    momentum, spin = mesh.mass @ mesh.velocity, mesh.mass @ np.cross(mesh.position, mesh.velocity)
    energy = mesh.mass @ (mesh.velocity**2).sum(axis=1)
    touched, deepest = 0, 0.0
    for _ in range(30):
        touched += contacts.push(mesh.position, mesh.velocity, mesh.mass, mesh.elements, 4.0 * motion.step) > 0
        motion.advance(np.zeros(4))
        deepest = min(deepest, mesh.position[upper, 2].min() - 0.2)
        assert mesh.mass @ (mesh.velocity**2).sum(axis=1) < 1.001 * energy
    assert touched > 5
    assert deepest > -0.03
    np.testing.assert_allclose(mesh.mass @ mesh.velocity, momentum, atol=1e-10 * np.abs(momentum).max())
    found = mesh.mass @ np.cross(mesh.position, mesh.velocity)
    np.testing.assert_allclose(found, spin, atol=1e-6 * np.abs(spin).max())
    below, above = (np.average(mesh.velocity[rows], axis=0, weights=mesh.mass[rows]) for rows in (~upper, upper))
    assert above[2] > below[2]
    # Friction takes the lower block along.
    assert below[0] > 0.001


def test_blocks_that_only_touch_do_not_push():
    mesh = two_blocks(0.0)
    assert component_of_element(mesh).max() == 1
    contacts = Contacts(0.4)
    contacts.begin(mesh.position, mesh.elements, np.arange(mesh.element_count))
    assert contacts.push(mesh.position, mesh.velocity, mesh.mass, mesh.elements, 1e-3) == 0
    assert not mesh.velocity.any()
