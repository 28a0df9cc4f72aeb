"""Neighbours of faces: compiled kernels against NumPy, on closed, divided and torn surfaces."""

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from fracture_addon.core.cutting.cut import separate_fans
from fracture_addon.core.geometry import fans
from fracture_addon.core.geometry.surface_attributes import LEAST_COSINE, barycentric_weights, corner_normals
from fracture_addon.core.geometry.thin_triangles import heights
from tests import shapes

WHOLE = shapes.icosphere(1.0, 2)
SHAPES = {
    "whole": WHOLE.faces,
    "in parts": shapes.joined(WHOLE, shapes.moved(WHOLE, offset=(3.0, 0.0, 0.0))).faces,
    "torn": WHOLE.faces[::2],
    "three at an edge": np.array([[0, 1, 2], [1, 0, 3], [0, 1, 4]]),
    "one face": np.array([[0, 1, 2]]),
    "nothing": np.empty((0, 3), int),
}


def points_for(faces):
    return np.random.default_rng(0).normal(size=(int(faces.max(initial=0)) + 3, 3))


def mates_by_sorting(faces):
    result = np.full(faces.size, -1)
    ends = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    _, edge, count = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(edge.ravel(), kind="stable")
    pairs = order[count[edge.ravel()[order]] == 2].reshape(-1, 2)
    result[pairs], result[pairs[:, ::-1]] = pairs[:, ::-1], pairs
    return result


def unit(vectors):
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros(vectors.shape), where=length > 0.0)


def normals_by_graph(points, faces, group, crease):
    a, b, c = np.moveaxis(points[faces], 1, 0)
    vectors = np.cross(b - a, c - a)
    own, mate = unit(vectors), mates_by_sorting(faces)
    one = np.flatnonzero(mate >= 0)
    other = mate[one]
    soft = np.einsum("ni,ni->n", own[one // 3], own[other // 3]) > np.cos(crease)
    soft &= group[one // 3] == group[other // 3]
    one, other = one[soft], other[soft]
    after = np.arange(faces.size).reshape(-1, 3)[:, [1, 2, 0]].ravel()
    links = (np.concatenate([one, after[one]]), np.concatenate([after[other], other]))
    graph = coo_array((np.ones(len(links[0])), links), shape=(faces.size,) * 2)
    count, fan = connected_components(graph, directed=False)
    sums = np.zeros((count, 3))
    np.add.at(sums, fan, np.repeat(vectors, 3, axis=0))
    own, smooth = np.repeat(own, 3, axis=0), unit(sums)[fan]
    lost = np.einsum("ni,ni->n", own, smooth) < LEAST_COSINE
    return np.where(lost[:, None], own, smooth).reshape(-1, 3, 3)


@pytest.mark.parametrize("faces", SHAPES.values(), ids=SHAPES)
def test_sides_that_lie_on_one_another(faces):
    assert (fans.mates(faces, int(faces.max(initial=0)) + 1) == mates_by_sorting(faces)).all()


def test_two_balls_that_touch_in_a_point_have_a_fan_each_there():
    other = WHOLE.faces + len(WHOLE.points)
    faces = np.concatenate([WHOLE.faces, np.where(other == len(WHOLE.points), 0, other)])
    points = np.concatenate([WHOLE.points, WHOLE.points + np.array([0.0, 0.0, 3.0])])
    found = fans.fans(fans.mates(faces, len(points)))
    assert found.max() + 1 == 2 * len(WHOLE.points)
    assert (found == separate_fans(points, faces, np.zeros(len(faces), int))).all()


@pytest.mark.parametrize("crease", [0.1, 0.6, 3.0])
@pytest.mark.parametrize("faces", SHAPES.values(), ids=SHAPES)
def test_normals_of_corners(faces, crease):
    points, group = points_for(faces), np.arange(len(faces)) % 3 // 2
    assert np.allclose(
        corner_normals(points, faces, group, crease), normals_by_graph(points, faces, group, crease), atol=1e-12
    )


def test_weights_put_the_corners_together_again_or_the_nearest_place_on_an_edge():
    random = np.random.default_rng(1)
    triangles, wanted = random.normal(size=(50, 3, 3)), random.dirichlet(np.ones(3), (50, 4))
    inside = np.einsum("fnk,fki->fni", wanted, triangles)
    assert np.allclose(barycentric_weights(triangles, inside), wanted, atol=1e-9)
    beside = inside + 3.0 * random.normal(size=inside.shape)
    found = barycentric_weights(triangles, beside)
    assert found.min() >= 0.0
    assert np.allclose(found.sum(axis=2), 1.0)
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])[:, None]
    places, ways = np.einsum("fnk,fki->fni", found, triangles), random.dirichlet(np.ones(3), (50, 40))
    flat = beside - normals * ((beside - places) * normals).sum(-1, keepdims=True) / (normals**2).sum(-1, keepdims=True)
    away = np.linalg.norm(flat - places, axis=2)[..., None]
    others = np.einsum("fnk,fki->fni", ways, triangles)[:, None]
    assert (np.linalg.norm(flat[:, :, None] - others, axis=3) >= away - 1e-9).all()


def test_the_height_of_a_triangle_stands_on_its_longest_edge():
    points = np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [1.0, 0.5, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    faces = np.array([[0, 1, 2], [0, 1, 3], [0, 4, 0]])
    assert np.allclose(heights(points, faces), [0.5, 0.0, 0.0])
