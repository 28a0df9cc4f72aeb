"""Solids and finite-element meshes that tests crack."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fracture_addon.core.data.solid import CELL_FACES, SolidModel, cell_volumes
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.fem import state as fem_mesh
from fracture_addon.core.methods.fem.cracks.remesh import separate_all
from tests import shapes
from tests.core.grid import block

SHAPES = {
    "block": (shapes.cube(), 300),
    "thin wall": (shapes.box((1.0, 1.0, 0.08)), 300),
    "bar": (shapes.box((3.0, 0.6, 0.6)), 500),
}


def solid_of(name: str) -> SolidModel:
    return tetrahedralize(*SHAPES[name], seed=1)


def cubes(counts, spacing: float) -> SolidModel:
    """A block about the origin."""
    size = spacing * np.array(counts)
    solid = block(counts, size)
    return replace(solid, points=solid.points - 0.5 * size)


def mesh_of(solid: SolidModel, seed: int | None = None) -> fem_mesh.Mesh:
    mesh = fem_mesh.from_solid(solid, 2500.0)
    separate_all(mesh)
    if seed is not None:
        mesh.velocity[...] = np.random.default_rng(seed).normal(size=mesh.velocity.shape)
    return mesh


def faces_of(elements: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every face once, and how many elements have it."""
    return np.unique(np.sort(elements[:, CELL_FACES].reshape(-1, 3), axis=1), axis=0, return_counts=True)


def assert_sound(mesh: fem_mesh.Mesh, solid: SolidModel) -> None:
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
    assert faces_of(mesh.elements[real])[1].max() <= 2
    faces, owners = faces_of(mesh.rest_node[mesh.elements])
    old_faces, old_owners = faces_of(np.concatenate([solid.cells, solid.padding_cells]))
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
