"""Winding numbers of points about closed surfaces."""

import numpy as np
import pytest

from fracture_addon.core.data.surface import Surface
from fracture_addon.core.geometry.inside import is_inside, winding_numbers
from tests import shapes

TURN = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])


def solid_angle_windings(surface, points):
    """The readable twin: the solid angle of every triangle, summed (van Oosterom and Strackee 1983)."""
    a, b, c = np.moveaxis(surface.corners[None] - points[:, None, None], 2, 0)
    la, lb, lc = (np.linalg.norm(edge, axis=-1) for edge in (a, b, c))
    triple = np.einsum("nfi,nfi->nf", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("nfi,nfi->nf", p, q) for p, q in ((a, b), (b, c), (c, a)))
    return 2.0 * np.arctan2(triple, la * lb * lc + ab * lc + bc * la + ca * lb).sum(axis=1) / (4.0 * np.pi)


SURFACES = {
    "cube": shapes.cube(),
    "turned cube": shapes.moved(shapes.cube(), rotation=TURN),
    "sphere": shapes.icosphere(),
    "torus": shapes.torus(),
    "two overlapping": shapes.joined(shapes.icosphere(), shapes.moved(shapes.icosphere(), offset=(0.7, 0.1, 0.0))),
    "inside out": shapes.flipped(shapes.torus()),
    "large and small": shapes.joined(shapes.icosphere(), shapes.moved(shapes.icosphere(0.01), offset=(0.0, 0.0, 0.5))),
    "jar": shapes.shipped("old_jar"),
    "rock": shapes.shipped("rock3"),
}


@pytest.mark.parametrize("name", SURFACES)
def test_crossings_agree_with_solid_angles(name):
    surface = SURFACES[name]
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    points = np.random.default_rng(3).uniform(low - 0.1 * (high - low), high + 0.1 * (high - low), (400, 3))
    windings = winding_numbers(surface, points)
    np.testing.assert_allclose(windings, solid_angle_windings(surface, points), atol=1e-6)
    assert len(np.unique(windings)) > 1


def test_sphere():
    surface = shapes.icosphere(2.0, 4)
    points = np.random.default_rng(0).uniform(-2.5, 2.5, (5000, 3))
    radius = np.linalg.norm(points, axis=1)
    clear = np.abs(radius - 2.0) > 0.01
    assert (is_inside(surface, points) == (radius < 2.0))[clear].all()


def test_torus():
    surface = shapes.torus(1.0, 0.3, 160, 80)
    points = np.random.default_rng(0).uniform([-1.5, -1.5, -0.4], [1.5, 1.5, 0.4], (5000, 3))
    depth = np.hypot(np.hypot(points[:, 0], points[:, 1]) - 1.0, points[:, 2])
    clear = np.abs(depth - 0.3) > 0.002
    assert (is_inside(surface, points) == (depth < 0.3))[clear].all()


def test_rays_through_modelled_edges_and_vertices():
    """Points straight below the vertices of a gridded model, where a vertical ray would meet edges only."""
    surface = shapes.torus(1.0, 0.5, 16, 8)
    below = surface.points - [0.0, 0.0, 10.0]
    assert not is_inside(surface, below).any()
    cube = shapes.cube(2.0)
    grid = np.stack(np.meshgrid(*[np.linspace(-0.75, 0.75, 7)] * 3), axis=-1).reshape(-1, 3)
    assert (winding_numbers(cube, grid) == 1).all()


def test_no_points():
    assert winding_numbers(shapes.cube(), np.empty((0, 3))).shape == (0,)


def test_nothing_is_inside_a_surface_without_faces():
    surface = Surface(np.zeros((3, 3)), np.zeros((0, 3), int))
    assert winding_numbers(surface, np.zeros((2, 3))).tolist() == [0, 0]
