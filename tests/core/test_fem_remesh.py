"""Cracks through a finite-element mesh: what they keep, what stays conforming, and what comes apart."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from fracture_addon.core import fragments
from fracture_addon.core.fem import mesh as fem_mesh
from fracture_addon.core.fem.bisection import LEAST_THICKNESS
from fracture_addon.core.fem.remesh import advance_crack, separate_all, split_node
from fracture_addon.core.job import Settings
from fracture_addon.core.method import RigidMotion
from fracture_addon.core.solid import CELL_FACES, SolidModel, cell_volumes, from_cells
from fracture_addon.core.tetrahedralize import tetrahedralize
from tests import shapes

SHAPES = {
    "block": (shapes.cube(), 300),
    "thin wall": (shapes.box((1.0, 1.0, 0.08)), 300),
    "bar": (shapes.box((3.0, 0.6, 0.6)), 500),
}


def _solid(name: str) -> SolidModel:
    return tetrahedralize(*SHAPES[name], seed=1)


def _grid(counts, spacing: float) -> SolidModel:
    """Cubes about the origin, six tetrahedra each, without padding."""
    ticks = [spacing * (np.arange(count + 1) - 0.5 * count) for count in counts]
    points = np.stack(np.meshgrid(*ticks, indexing="ij"), axis=-1).reshape(-1, 3)
    first = np.stack(np.meshgrid(*[np.arange(count) for count in counts], indexing="ij"), axis=-1).reshape(-1, 3)
    cells = []
    for order in itertools.permutations(range(3)):
        steps = np.cumsum([np.zeros(3, int), *np.eye(3, dtype=int)[list(order)]], axis=0)
        cells.append(np.ravel_multi_index(np.moveaxis(first[:, None] + steps, 2, 0), np.array(counts) + 1))
    return from_cells(points, np.concatenate(cells), [])


def _mesh(solid: SolidModel, seed: int | None = None) -> fem_mesh.Mesh:
    mesh = fem_mesh.from_solid(solid, 2500.0)
    separate_all(mesh)
    if seed is not None:
        mesh.velocity[...] = np.random.default_rng(seed).normal(size=mesh.velocity.shape)
    return mesh


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


def _faces(elements: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every face once, and how many elements have it."""
    return np.unique(np.sort(elements[:, CELL_FACES].reshape(-1, 3), axis=1), axis=0, return_counts=True)


def _thickness(mesh: fem_mesh.Mesh) -> np.ndarray:
    """(E,) smallest altitudes in rest, from volumes and areas."""
    corners = mesh.rest[mesh.elements[:, CELL_FACES]]
    areas = 0.5 * np.linalg.norm(
        np.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0]), axis=2
    )
    return 3.0 * cell_volumes(mesh.rest, mesh.elements) / areas.max(axis=1)


def _assert_sound(mesh: fem_mesh.Mesh, solid: SolidModel) -> None:
    real = ~mesh.ghost
    volume = cell_volumes(mesh.rest, mesh.elements)
    assert (volume > 0.0).all()
    np.testing.assert_allclose(mesh.volume[real], volume[real], rtol=1e-9)
    edges = np.swapaxes(mesh.rest[mesh.elements[:, 1:]] - mesh.rest[mesh.elements[:, :1]], 1, 2)
    np.testing.assert_allclose((edges @ mesh.basis)[real], np.broadcast_to(np.eye(3), (real.sum(), 3, 3)), atol=1e-9)
    # Corner lists: each corner once, in the list of its rest node.
    assert (mesh.rest_node[mesh.rest_node] == mesh.rest_node).all()
    assert np.array_equal(mesh.rest, mesh.rest[mesh.rest_node])
    for node in range(0, mesh.node_count, 7):
        corners, corner = [], mesh.first_corner[node]
        while corner != fem_mesh.NONE:
            corners.append(corner)
            corner = mesh.next_corner[corner // 4, corner % 4]
        of_node = np.flatnonzero((mesh.rest_node[mesh.elements] == node).ravel())
        assert sorted(corners) == of_node.tolist()
    # No face has more than two elements; the complex has no boundary but its old hull.
    assert _faces(mesh.elements[real])[1].max() <= 2
    faces, owners = _faces(mesh.rest_node[mesh.elements])
    old_faces, old_owners = _faces(np.concatenate([solid.cells, solid.padding_cells]))
    assert owners.max() == 2
    assert np.array_equal(faces[owners == 1], old_faces[old_owners == 1])
    # Lumped masses are those of the elements.
    quarter = np.repeat(0.25 * mesh.density * mesh.volume, 4)
    np.testing.assert_allclose(
        mesh.mass, np.bincount(mesh.elements.ravel(), quarter, mesh.node_count), rtol=1e-9, atol=1e-12 * mesh.mass.max()
    )
    # Nothing hangs together by an edge or a point.
    before = mesh.node_count
    assert separate_all(mesh) == 0
    assert mesh.node_count == before


@pytest.mark.parametrize("name", ["block", "thin wall"])
def test_random_cracks_keep_what_a_crack_keeps(name):
    """1500 random planes through random nodes of a body that is sheared, strained and in motion."""
    solid = _solid(name)
    mesh = _mesh(solid, seed=2)
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
    _assert_sound(mesh, solid)
    parents = np.bincount(mesh.parent, mesh.volume)
    np.testing.assert_allclose(parents[: solid.cell_count], cell_volumes(solid.points, solid.cells), rtol=1e-12)


@pytest.mark.parametrize("name", ["block", "thin wall"])
def test_no_element_gets_thinner_than_its_bound(name):
    mesh = _mesh(_solid(name))
    first = _thickness(mesh)
    _crack_at_random(mesh, 1000, seed=4)
    bound = np.minimum(LEAST_THICKNESS * mesh.size, first[mesh.parent])
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
    solid = _solid("block")
    mesh = _mesh(solid, seed=5)
    before = _totals(mesh)
    for choice, normal in planes:
        nodes = np.flatnonzero(mesh.mass > 0.0)
        split_node(mesh, int(nodes[choice % len(nodes)]), np.array(normal))
    for key, value in _totals(mesh).items():
        np.testing.assert_allclose(value, before[key], rtol=0.0, atol=1e-12 * np.abs(before[key]).max())
    _assert_sound(mesh, solid)


def test_the_same_cracks_give_the_same_bytes():
    meshes = [_mesh(_solid("block"), seed=1) for _ in range(2)]
    for mesh in meshes:
        _crack_at_random(mesh, 200, seed=6)
    for name in ("rest", "position", "velocity", "mass", "elements", "basis", "plastic_strain"):
        assert getattr(meshes[0], name).tobytes() == getattr(meshes[1], name).tobytes()


def test_what_an_element_is_made_of_goes_to_its_parts():
    mesh = _mesh(_solid("block"))
    mesh.plastic_strain[...] = np.random.default_rng(0).normal(size=mesh.plastic_strain.shape)
    strains, sizes, ghost = mesh.plastic_strain.copy(), mesh.size.copy(), mesh.ghost.copy()
    assert _crack_at_random(mesh, 100, seed=7) > 40
    assert np.array_equal(mesh.plastic_strain, strains[mesh.parent])
    assert np.array_equal(mesh.size, sizes[mesh.parent])
    assert np.array_equal(mesh.ghost, ghost[mesh.parent])
    assert np.array_equal(mesh.density, np.where(mesh.ghost, 0.0, 2500.0))


def test_a_plane_that_leaves_everything_on_one_side_is_a_null_crack():
    solid = from_cells([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], [[0, 1, 2, 3], [1, 2, 3, 4]], [])
    mesh = _mesh(solid)
    elements = mesh.elements.copy()
    crack = split_node(mesh, 0, [1.0, 1.0, 1.0])
    assert not crack.opened
    assert not crack.bisected
    assert crack.nodes.tolist() == [0]
    assert len(crack.front) == 0
    assert np.array_equal(mesh.elements, elements)
    assert mesh.node_count == 5


def test_one_tetrahedron_comes_apart_along_the_plane():
    mesh = _mesh(from_cells([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]], []))
    crack = split_node(mesh, 0, [1.0, -1.0, 0.0])
    assert crack.opened
    assert len(crack.front) == 0
    assert fem_mesh.component_of_element(mesh).tolist() == [0, 1]
    np.testing.assert_allclose(mesh.volume, 1.0 / 12.0)
    # The cracked node, the new one and the one that the plane snapped to are there twice.
    assert np.bincount(mesh.rest_node).tolist() == [2, 1, 1, 2, 2]
    np.testing.assert_allclose(mesh.rest[4], [0.5, 0.5, 0.0])


def test_the_plane_is_one_in_world_space():
    solid = _solid("block")
    mesh = _mesh(solid)
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
    solid = _grid((4, 4, 4), 0.1)
    mesh = _mesh(solid)
    node = int(np.argmin(np.linalg.norm(mesh.rest, axis=1)))
    first = split_node(mesh, node, [1.0, 0.0, 0.0])
    second = [split_node(mesh, int(copy), [0.0, 1.0, 0.0]) for copy in first.nodes]
    assert len(first.nodes) == 2
    assert all(crack.opened for crack in second)
    assert (mesh.rest_node == node).sum() == 4
    np.testing.assert_allclose(mesh.mass[mesh.rest_node == node], mesh.mass[mesh.rest_node == node].mean(), rtol=0.4)


@pytest.mark.parametrize(("normal", "share"), [([1.0, 0.0, 0.0], 0.5), ([1.0, 0.4, -0.3], 0.5)])
def test_a_crack_that_runs_through_a_bar_leaves_two_pieces(normal, share):
    solid = _solid("bar")
    mesh = _mesh(solid)
    node = int(np.argmin(np.linalg.norm(mesh.rest - [0.0, 0.0, 0.0], axis=1)))
    normal = np.array(normal) / np.linalg.norm(normal)
    start = mesh.position[node].copy()
    cracks = advance_crack(mesh, node, normal, reach=10.0)
    assert len(cracks) > 5
    component = fem_mesh.component_of_element(mesh)
    assert component.max() == 1
    assert (component[mesh.ghost] == -1).all()
    np.testing.assert_allclose(mesh.volume[component == 0].sum() / mesh.volume[~mesh.ghost].sum(), share, atol=0.1)
    _assert_sound(mesh, solid)
    # Snapping may lead away from the plane, by less than an element.
    faces, _ = fem_mesh.crack_faces(mesh)
    height = np.abs((mesh.rest[faces] - start) @ normal)
    size = np.median(mesh.size[~mesh.ghost])
    assert height.mean() < 0.15 * size
    assert height.max() < 0.75 * size


def test_a_crack_runs_as_far_as_it_may():
    mesh = _mesh(_solid("bar"))
    size = np.median(mesh.size[~mesh.ghost])
    node = int(np.argmin(np.linalg.norm(mesh.rest, axis=1)))
    start = mesh.position[node].copy()
    advance_crack(mesh, node, [0.0, 0.0, 1.0], reach=0.5)
    assert fem_mesh.component_of_element(mesh).max() == 0
    faces, _ = fem_mesh.crack_faces(mesh)
    distance = np.linalg.norm(mesh.rest[faces] - start, axis=2)
    assert 0.4 < distance.max() < 0.5 + 2.0 * size
    alone = _mesh(_solid("bar"))
    cracks = advance_crack(alone, node, [0.0, 0.0, 1.0], 0.5, fails=lambda nodes: np.zeros(len(nodes), bool))
    assert len(cracks) == 1


def test_a_crack_that_turns_does_not_run_back():
    mesh = _mesh(_grid((6, 3, 6), 0.1))
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


def test_parts_that_touch_in_an_edge_are_no_joint():
    points = [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 1, 0], [-1, 0, 0], [-1, -1, 0]]
    mesh = fem_mesh.from_solid(from_cells(points, [[0, 1, 2, 3], [0, 1, 4, 5]], []), 1.0)
    assert separate_all(mesh) == 2
    assert fem_mesh.component_of_element(mesh).tolist() == [0, 1]
    assert len(np.intersect1d(mesh.elements[0], mesh.elements[1])) == 0
    np.testing.assert_allclose(mesh.mass.sum(), mesh.volume.sum())


@pytest.mark.parametrize("count", [40, 200])
def test_cones_that_touch_in_their_tips_are_no_joint(count):
    """Also where more nodes are around the tip than are told apart by a bit each."""
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
    mesh = fem_mesh.from_solid(_solid("block"), 1000.0, motion)
    np.testing.assert_allclose(mesh.mass @ mesh.velocity / mesh.mass.sum(), motion.velocity)
    center = mesh.mass @ mesh.rest / mesh.mass.sum()
    np.testing.assert_allclose(mesh.velocity[:, 0], 1.0 - 2.0 * (mesh.rest - center)[:, 1])


@pytest.mark.parametrize("name", ["cube", "bowl"])
def test_a_surface_is_cut_by_the_cracked_complex(name):
    surface, count = {"cube": (shapes.cube(), 400), "bowl": (shapes.bowl(), 1200)}[name]
    mesh = _mesh(tetrahedralize(surface, count, 1))
    random = np.random.default_rng(1)
    for _ in range(4):
        node = int(random.choice(np.flatnonzero(mesh.mass > 0.0)))
        advance_crack(mesh, node, random.normal(size=3), reach=0.7 * surface.diagonal)
    component = fem_mesh.component_of_element(mesh)[~mesh.ghost]
    assert component.max() >= 3
    solid = fem_mesh.rest_solid(mesh)
    np.testing.assert_allclose(cell_volumes(solid.points, solid.cells), mesh.volume[~mesh.ghost], rtol=1e-9)
    pieces = fragments.cut(surface, solid, component, Settings(roughness=0.0))
    assert fragments.volume_error(surface, pieces) < 1e-9
    assert len({piece.label for piece in pieces}) >= 4
