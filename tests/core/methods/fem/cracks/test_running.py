"""Cracks that advance through a mesh, and the parts that they separate."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from fracture_addon.core.cutting import fragments
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.solid import cell_volumes, from_cells
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.fem import state as fem_mesh
from fracture_addon.core.methods.fem.cracks.remesh import advance_crack, separate_all
from fracture_addon.core.methods.method import RigidMotion
from tests import shapes
from tests.core.meshes import assert_sound, cubes, mesh_of, solid_of
from tests.cracks import split_node


@pytest.mark.parametrize(("normal", "share"), [([1.0, 0.0, 0.0], 0.5), ([1.0, 0.4, -0.3], 0.5)])
def test_a_crack_through_a_bar_leaves_two_fragments(normal, share):
    solid = solid_of("bar")
    mesh = mesh_of(solid)
    node = int(np.argmin(np.linalg.norm(mesh.rest - [0.0, 0.0, 0.0], axis=1)))
    normal = np.array(normal) / np.linalg.norm(normal)
    start = mesh.position[node].copy()
    cracks = advance_crack(mesh, node, normal, reach=10.0)
    assert len(cracks) > 5
    component = fem_mesh.component_of_element(mesh)
    assert component.max() == 1
    assert (component[mesh.ghost] == -1).all()
    np.testing.assert_allclose(mesh.volume[component == 0].sum() / mesh.volume[~mesh.ghost].sum(), share, atol=0.1)
    assert_sound(mesh, solid)
    # Snapping may lead away from the plane, by less than an element.
    faces, _ = fem_mesh.crack_faces(mesh)
    height = np.abs((mesh.rest[faces] - start) @ normal)
    size = np.median(mesh.size[~mesh.ghost])
    assert height.mean() < 0.15 * size
    assert height.max() < 0.75 * size


def test_a_crack_advances_to_its_reach():
    mesh = mesh_of(solid_of("bar"))
    size = np.median(mesh.size[~mesh.ghost])
    node = int(np.argmin(np.linalg.norm(mesh.rest, axis=1)))
    start = mesh.position[node].copy()
    advance_crack(mesh, node, [0.0, 0.0, 1.0], reach=0.5)
    assert fem_mesh.component_of_element(mesh).max() == 0
    faces, _ = fem_mesh.crack_faces(mesh)
    distance = np.linalg.norm(mesh.rest[faces] - start, axis=2)
    assert 0.4 < distance.max() < 0.5 + 2.0 * size
    alone = mesh_of(solid_of("bar"))
    cracks = advance_crack(alone, node, [0.0, 0.0, 1.0], 0.5, fails=lambda nodes: np.zeros(len(nodes), bool))
    assert len(cracks) == 1


def test_a_crack_that_turns_does_not_run_back():
    mesh = mesh_of(cubes((6, 3, 6), 0.1))
    on_plane = np.abs(mesh.rest[:, 2]) < 1e-9
    front = np.flatnonzero(on_plane & (np.abs(mesh.rest[:, 0]) < 1e-9))
    for node in np.flatnonzero(on_plane & (mesh.rest[:, 0] < -0.05)):
        split_node(mesh, int(node), [0.0, 0.0, 1.0])
    old, _ = fem_mesh.crack_faces(mesh)
    assert len(old) == 3 * 3 * 2
    np.testing.assert_allclose(mesh.rest[old][..., 2], 0.0, atol=1e-12)
    # The front is at x = 0; the plane turns down by 60 degrees there, and would rise behind it.
    for node in front:
        assert split_node(mesh, int(node), [np.sin(np.pi / 3.0), 0.0, np.cos(np.pi / 3.0)]).opened
    faces, _ = fem_mesh.crack_faces(mesh)
    centers = mesh.rest[faces].mean(axis=1)
    assert (centers[:, 2] < 1e-9).all()
    assert (centers[:, 2] < -0.01).sum() >= 6
    ahead = centers[centers[:, 2] < -0.01]
    np.testing.assert_allclose(ahead[:, 2], -np.tan(np.pi / 3.0) * ahead[:, 0], atol=0.03)


def test_parts_that_share_only_an_edge_are_separated():
    points = [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 1, 0], [-1, 0, 0], [-1, -1, 0]]
    mesh = fem_mesh.from_solid(from_cells(points, [[0, 1, 2, 3], [0, 1, 4, 5]], []), 1.0)
    assert separate_all(mesh) == 2
    assert fem_mesh.component_of_element(mesh).tolist() == [0, 1]
    assert len(np.intersect1d(mesh.elements[0], mesh.elements[1])) == 0
    np.testing.assert_allclose(mesh.mass.sum(), mesh.volume.sum())


@pytest.mark.parametrize("count", [40, 200])
def test_cones_that_share_only_their_tips_are_separated(count):
    """Also if the tip has more neighbour nodes than there are bits."""
    shell = np.random.default_rng(count).normal(size=(count, 3))
    shell /= np.linalg.norm(shell, axis=1, keepdims=True)
    faces = ConvexHull(shell).simplices
    cells = np.hstack([np.full((len(faces), 1), count), faces]).astype(np.int32)
    points = np.vstack([shell, np.zeros(3)])
    inverted = cell_volumes(points, cells) < 0.0
    cells[inverted] = cells[inverted][:, [0, 1, 3, 2]]
    assert separate_all(fem_mesh.from_solid(from_cells(points, cells, []), 2500.0)) == 0
    heights = shell[faces][:, :, 2]
    cones = cells[(heights > 0.1).all(axis=1) | (heights < -0.1).all(axis=1)]
    mesh = fem_mesh.from_solid(from_cells(points, cones, []), 2500.0)
    assert (len(np.unique(cones)) > 64) == (count > 64)
    assert separate_all(mesh) == 1
    tips = np.flatnonzero(mesh.rest_node == count)
    assert mesh.mass[tips].sum() == pytest.approx(0.25 * 2500.0 * np.abs(cell_volumes(points, cones)).sum())


def test_a_mesh_starts_with_the_bodys_motion():
    motion = RigidMotion(np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 2.0]))
    mesh = fem_mesh.from_solid(solid_of("block"), 1000.0, motion)
    np.testing.assert_allclose(mesh.mass @ mesh.velocity / mesh.mass.sum(), motion.velocity)
    center = mesh.mass @ mesh.rest / mesh.mass.sum()
    np.testing.assert_allclose(mesh.velocity[:, 0], 1.0 - 2.0 * (mesh.rest - center)[:, 1])


@pytest.mark.parametrize("name", ["cube", "bowl"])
def test_a_surface_is_cut_by_the_cracked_complex(name):
    surface, count = {"cube": (shapes.cube(), 400), "bowl": (shapes.bowl(), 1200)}[name]
    mesh = mesh_of(tetrahedralize(surface, count, 1))
    random = np.random.default_rng(1)
    for _ in range(6):
        node = int(random.choice(np.flatnonzero(mesh.mass > 0.0)))
        advance_crack(mesh, node, random.normal(size=3), reach=0.7 * surface.diagonal)
    component = fem_mesh.component_of_element(mesh)[~mesh.ghost]
    assert component.max() >= 3
    solid = fem_mesh.rest_solid(mesh)
    np.testing.assert_allclose(cell_volumes(solid.points, solid.cells), mesh.volume[~mesh.ghost], rtol=1e-9)
    pieces = fragments.cut(surface, solid, component, Settings.of(roughness=0.0))
    assert fragments.volume_error(surface, pieces) < 1e-9
    assert len({fragment.label for fragment in pieces}) >= 4
