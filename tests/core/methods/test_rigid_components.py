"""Connected parts as rigid bodies."""

import numpy as np
import pytest

from fracture_addon.core.data.arrays import sum_by
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.surface import mass_properties
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.rigid_components import (
    Cells,
    cells_of,
    components_by_label,
    find_components,
)
from tests import readable_kernels, shapes


@pytest.fixture(scope="module")
def solid():
    return tetrahedralize(shapes.cube(), 3000, 0)


def test_one_part_is_the_whole_body(solid):
    cells = cells_of(solid, PORCELAIN)
    parts = find_components(cells, solid.face_cells)
    assert len(parts.masses) == 1
    mass, center, inertia = mass_properties(shapes.cube(), PORCELAIN.density)
    np.testing.assert_allclose(parts.masses[0], mass, rtol=0.05)
    np.testing.assert_allclose(parts.centers[0], center, atol=0.01)
    np.testing.assert_allclose(parts.inertias[0], inertia, atol=0.05 * inertia.max())


def test_inertia_of_a_part_is_that_of_its_tetrahedra(solid):
    """Exact: the surface of two tetrahedra has the mass properties of the part that they make."""
    cells = cells_of(solid, PORCELAIN)
    rows = solid.face_cells[0]
    parts = components_by_label(cells, np.where(np.isin(np.arange(solid.cell_count), rows), 0, 1), 2)
    triangles = solid.cells[rows][:, [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]]].reshape(-1, 3)
    mass, center, inertia = mass_properties(shapes.Surface(solid.points, triangles), PORCELAIN.density)
    np.testing.assert_allclose(parts.masses[0], mass, rtol=1e-10)
    np.testing.assert_allclose(parts.centers[0], center, atol=1e-12)
    np.testing.assert_allclose(parts.inertias[0], inertia, atol=1e-10 * inertia.max())


def test_broken_bonds_part(solid):
    cells = cells_of(solid, PORCELAIN)
    left = cells.centers[:, 0] < 0.0
    crossing = left[solid.face_cells[:, 0]] != left[solid.face_cells[:, 1]]
    parts = find_components(cells, solid.face_cells[~crossing])
    assert len(parts.masses) >= 2
    assert (left[parts.part_of_cell == parts.part_of_cell[0]] == left[0]).all()
    np.testing.assert_allclose(parts.masses.sum(), cells.masses.sum())
    lonely = find_components(cells, np.empty((0, 2), np.int32))
    assert len(lonely.masses) == solid.cell_count
    np.testing.assert_allclose(lonely.inertias, cells.inertias)


def test_accelerations_obey_newton_and_euler(solid):
    cells = cells_of(solid, PORCELAIN)
    left = cells.centers[:, 0] < 0.1
    parts = components_by_label(cells, left.astype(np.int32), 2)
    forces = np.random.default_rng(0).normal(size=cells.centers.shape)
    linear, angular = parts.accelerations(cells, forces)
    for part in range(2):
        rows = parts.part_of_cell == part
        momentum = (cells.masses[rows, None] * linear[rows]).sum(axis=0)
        np.testing.assert_allclose(momentum, forces[rows].sum(axis=0), rtol=1e-9)
        spin = np.einsum("cij,j->i", cells.inertias[rows], angular[part])
        spin += np.cross(cells.centers[rows], cells.masses[rows, None] * linear[rows]).sum(axis=0)
        np.testing.assert_allclose(spin, np.cross(cells.centers[rows], forces[rows]).sum(axis=0), rtol=1e-9)


def test_compiled_and_readable_agree(solid):
    cells = cells_of(solid, PORCELAIN)
    part = np.random.default_rng(3).integers(0, 40, solid.cell_count)
    compiled, readable = (
        function(cells, part, 40) for function in (components_by_label, readable_kernels.components_by_label)
    )
    for name in ("part_of_cell", "masses", "centers", "inertias"):
        wanted = getattr(readable, name)
        np.testing.assert_allclose(getattr(compiled, name), wanted, atol=1e-12 * np.abs(wanted).max())
    forces = np.random.default_rng(4).normal(size=cells.centers.shape)
    for one, other in zip(
        compiled.accelerations(cells, forces), readable_kernels.accelerations(readable, cells, forces), strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-10 * np.abs(other).max())


def test_parts_are_numbered_by_their_first_cells():
    cells = Cells(np.zeros((6, 3)), np.ones(6), np.broadcast_to(np.eye(3), (6, 3, 3)).copy())
    for pairs, wanted in (
        ([[5, 1], [4, 3], [2, 5]], [0, 1, 1, 2, 2, 1]),
        ([[5, 4], [4, 3], [3, 2], [0, 1], [1, 2]], [0] * 6),
    ):
        assert find_components(cells, np.array(pairs, np.int32)).part_of_cell.tolist() == wanted


def test_sum_by():
    values = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]])
    np.testing.assert_array_equal(sum_by(np.array([2, 0, 2]), values, 3), [[2, 20], [0, 0], [5, 50]])


def test_single_cells_turn_freely():
    cells = Cells(np.zeros((1, 3)), np.array([2.0]), np.diag([1.0, 2.0, 3.0])[None])
    parts = find_components(cells, np.empty((0, 2), np.int32))
    linear, angular = parts.accelerations(cells, np.array([[4.0, 0.0, 0.0]]))
    np.testing.assert_allclose(linear, [[2.0, 0.0, 0.0]])
    np.testing.assert_allclose(angular, 0.0)
