"""Cracks through single nodes of a mesh: mass and momentum stay, and the rest complex stays conforming."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from fracture_addon.core.data.solid import CELL_FACES, cell_volumes, from_cells
from fracture_addon.core.methods.fem import state as fem_mesh
from fracture_addon.core.methods.fem.cracks.bisection import MIN_THICKNESS
from fracture_addon.core.methods.fem.cracks.remesh import CrackPlane
from tests.core.meshes import assert_sound, cubes, mesh_of, solid_of
from tests.cracks import split_node


def _crack_at_random(mesh: fem_mesh.Mesh, count: int, seed: int) -> int:
    """Number of cracks that opened."""
    random = np.random.default_rng(seed)
    return sum(
        split_node(mesh, int(random.choice(np.flatnonzero(mesh.mass > 0.0))), random.normal(size=3)).opened
        for _ in range(count)
    )


def _totals(mesh: fem_mesh.Mesh) -> dict[str, np.ndarray]:
    mass = mesh.mass.sum()
    return {
        "volume": cell_volumes(mesh.rest, mesh.elements[~mesh.ghost]).sum(),
        "mass": mass,
        "momentum": mesh.mass @ mesh.velocity,
        "center": mesh.mass @ mesh.position / mass,
    }


def _kinetic_energy(mesh: fem_mesh.Mesh) -> float:
    return 0.5 * float(mesh.mass @ (mesh.velocity**2).sum(axis=1))


def _thickness(mesh: fem_mesh.Mesh) -> np.ndarray:
    """Return the (E,) smallest altitudes in rest, from volumes and areas."""
    corners = mesh.rest[mesh.elements[:, CELL_FACES]]
    areas = 0.5 * np.linalg.norm(
        np.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0]), axis=2
    )
    return 3.0 * cell_volumes(mesh.rest, mesh.elements) / areas.max(axis=1)


@pytest.mark.parametrize("name", ["block", "thin wall"])
def test_random_cracks_keep_mass_momentum_and_a_conforming_mesh(name):
    """1500 random planes through random nodes of a sheared, strained and moving body."""
    solid = solid_of(name)
    mesh = mesh_of(solid, seed=2)
    mesh.position[...] = mesh.rest @ [[1.1, 0.2, 0.0], [0.0, 0.9, -0.3], [0.1, 0.0, 1.0]] + [0.3, -0.2, 0.5]
    mesh.position[...] += 0.002 * np.random.default_rng(8).normal(size=mesh.position.shape)
    before, energy = _totals(mesh), _kinetic_energy(mesh)
    random = np.random.default_rng(3)
    opened = 0
    for _ in range(1500):
        node = int(random.choice(np.flatnonzero(mesh.mass > 0.0)))
        opened += split_node(mesh, node, random.normal(size=3)).opened
        energy, last = _kinetic_energy(mesh), energy
        assert energy <= last * (1.0 + 1e-14)
    assert opened > 400
    for key, value in _totals(mesh).items():
        np.testing.assert_allclose(value, before[key], rtol=0.0, atol=1e-12 * np.abs(before[key]).max())
    assert_sound(mesh, solid)
    parents = np.bincount(mesh.parent, mesh.volume)
    np.testing.assert_allclose(parents[: solid.cell_count], cell_volumes(solid.points, solid.cells), rtol=1e-12)


@pytest.mark.parametrize("name", ["block", "thin wall"])
def test_no_element_gets_thinner_than_its_bound(name):
    mesh = mesh_of(solid_of(name))
    first = _thickness(mesh)
    _crack_at_random(mesh, 1000, seed=4)
    bound = np.minimum(MIN_THICKNESS * mesh.size, first[mesh.parent])
    real = ~mesh.ghost
    assert mesh.element_count > 2 * len(first)
    assert (_thickness(mesh) >= (1.0 - 1e-9) * bound)[real].all()


@hypothesis_settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 10**6), st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda n: np.dot(n, n) > 1e-6)),
        min_size=1,
        max_size=25,
    )
)
def test_any_sequence_of_cracks_leaves_a_sound_mesh(planes):
    solid = solid_of("block")
    mesh = mesh_of(solid, seed=5)
    before = _totals(mesh)
    for choice, normal in planes:
        nodes = np.flatnonzero(mesh.mass > 0.0)
        split_node(mesh, int(nodes[choice % len(nodes)]), np.array(normal))
    for key, value in _totals(mesh).items():
        np.testing.assert_allclose(value, before[key], rtol=0.0, atol=1e-12 * np.abs(before[key]).max())
    assert_sound(mesh, solid)


def test_the_same_cracks_give_the_same_bytes():
    meshes = [mesh_of(solid_of("block"), seed=1) for _ in range(2)]
    for mesh in meshes:
        _crack_at_random(mesh, 200, seed=6)
    for name in ("rest", "position", "velocity", "mass", "elements", "basis", "plastic_strain"):
        assert getattr(meshes[0], name).tobytes() == getattr(meshes[1], name).tobytes()


def test_divided_elements_keep_their_material():
    mesh = mesh_of(solid_of("block"))
    mesh.plastic_strain[...] = np.random.default_rng(0).normal(size=mesh.plastic_strain.shape)
    strains, sizes, ghost = mesh.plastic_strain.copy(), mesh.size.copy(), mesh.ghost.copy()
    assert _crack_at_random(mesh, 100, seed=7) > 40
    assert np.array_equal(mesh.plastic_strain, strains[mesh.parent])
    assert np.array_equal(mesh.size, sizes[mesh.parent])
    assert np.array_equal(mesh.ghost, ghost[mesh.parent])
    assert np.array_equal(mesh.density, np.where(mesh.ghost, 0.0, 2500.0))


def test_a_plane_with_all_nodes_on_one_side_gives_a_null_crack():
    solid = from_cells([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], [[0, 1, 2, 3], [1, 2, 3, 4]], [])
    mesh = mesh_of(solid)
    elements = mesh.elements.copy()
    crack = split_node(mesh, 0, [1.0, 1.0, 1.0])
    assert not crack.opened
    assert crack.nodes.tolist() == [0]
    assert len(crack.front) == 0
    assert np.array_equal(mesh.elements, elements)
    assert mesh.node_count == 5


def test_one_tetrahedron_separates_along_the_plane():
    mesh = mesh_of(from_cells([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]], []))
    crack = split_node(mesh, 0, [1.0, -1.0, 0.0])
    assert crack.opened
    assert len(crack.front) == 0
    assert fem_mesh.component_of_element(mesh).tolist() == [0, 1]
    np.testing.assert_allclose(mesh.volume, 1.0 / 12.0)
    # The cracked node, the new one and the one that the plane snapped to are there twice.
    assert np.bincount(mesh.rest_node).tolist() == [2, 1, 1, 2, 2]
    np.testing.assert_allclose(mesh.rest[4], [0.5, 0.5, 0.0])


def test_the_plane_is_flat_in_world_space():
    solid = solid_of("block")
    mesh = mesh_of(solid)
    deformation = np.array([[1.0, 0.6, 0.0], [0.0, 1.2, 0.1], [0.2, 0.0, 0.9]])
    mesh.position[...] = mesh.rest @ deformation.T + [5.0, 0.0, 0.0]
    node = int(np.argmin(np.linalg.norm(mesh.rest, axis=1)))
    normal = np.array([0.3, 1.0, -0.2])
    before = mesh.node_count
    assert split_node(mesh, node, normal).opened
    new = np.arange(before, mesh.node_count)
    put_on_edges = new[mesh.origin[new, 0] != mesh.origin[new, 1]]
    assert len(put_on_edges)
    np.testing.assert_allclose((mesh.position[put_on_edges] - mesh.position[node]) @ normal, 0.0, atol=1e-12)
    edges = np.swapaxes(mesh.position[mesh.elements[:, 1:]] - mesh.position[mesh.elements[:, :1]], 1, 2)
    gradients = (edges @ mesh.basis)[~mesh.ghost]
    np.testing.assert_allclose(gradients, np.broadcast_to(deformation, gradients.shape), atol=1e-9)


def test_several_planes_can_go_through_a_node():
    solid = cubes((4, 4, 4), 0.1)
    mesh = mesh_of(solid)
    node = int(np.argmin(np.linalg.norm(mesh.rest, axis=1)))
    first = split_node(mesh, node, [1.0, 0.0, 0.0])
    second = [split_node(mesh, int(copy), [0.0, 1.0, 0.0]) for copy in first.nodes]
    assert len(first.nodes) == 2
    assert all(crack.opened for crack in second)
    assert (mesh.rest_node == node).sum() == 4
    np.testing.assert_allclose(mesh.mass[mesh.rest_node == node], mesh.mass[mesh.rest_node == node].mean(), rtol=0.4)


def test_a_plane_whose_sides_no_longer_fit_the_deformed_mesh_leaves_no_element_inside_out():
    """A crack that runs on keeps the sides of the nodes that it has passed, wherever they have moved since."""
    solid = solid_of("block")
    mesh, random = mesh_of(solid), np.random.default_rng(4)
    for _ in range(60):
        node = int(random.choice(np.flatnonzero(mesh.mass > 0.0)))
        plane = CrackPlane(mesh, node, random.normal(size=3))
        plane.side_of_node[:] = random.integers(-1, 2, len(plane.side_of_node))
        plane.crack(node)
        assert (mesh.volume[~mesh.ghost] > 0.0).all()
    assert mesh.element_count > solid.cell_count + len(solid.padding_cells) + 100
