"""Rigid micro-fragments glued over their whole shared faces."""

import numpy as np
import pytest

from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.surface import mass_properties
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.network.bonds.full_bonds import build_full_bonds, cells_of, cross_matrices
from tests import readable_kernels, shapes


@pytest.fixture(scope="module")
def solid():
    return tetrahedralize(shapes.torus(0.1, 0.03), 300, 0)


@pytest.fixture(scope="module")
def bonds(solid):
    return build_full_bonds(solid, PORCELAIN)


def rigid_motion(bonds, translation, rotation):
    """Return the degrees of freedom (6C,) of a small rigid motion about the origin; rotations times the cell size."""
    displacement = translation + np.cross(rotation, bonds.cells.centers)
    turned = np.tile(np.asarray(rotation) * bonds.cell_size, (bonds.cell_count, 1))
    return np.concatenate([displacement, turned], axis=1).ravel()


@pytest.mark.parametrize("translation", [(0.0, 0.0, 0.0), (1.0, -2.0, 0.5)])
@pytest.mark.parametrize("rotation", [(0.0, 0.0, 0.0), (0.3, 0.4, -0.9)])
def test_rigid_motion_gives_no_traction(bonds, translation, rotation):
    motion = rigid_motion(bonds, np.array(translation), np.array(rotation))
    normal, shear = bonds.tractions(motion)
    scale = bonds.normal_stiffness.max() * max(np.abs(motion).max(), 1e-30)
    assert np.abs(normal).max() < 1e-9 * scale
    assert shear.max() < 1e-9 * scale


def test_stretch_gives_the_strain_times_stiffness(bonds):
    """Under uniform strain a bond of its natural thickness h sees E n.(e h n) / h along its normal."""
    strain = np.diag([1e-3, -2e-3, 5e-4])
    freedoms = np.zeros((bonds.cell_count, 6))
    freedoms[:, :3] = bonds.cells.centers @ strain
    normal, _ = bonds.tractions(freedoms.ravel())
    between = bonds.cells.centers[bonds.pairs[:, 1]] - bonds.cells.centers[bonds.pairs[:, 0]]
    expected = bonds.normal_stiffness * np.einsum("fi,fi->f", between @ strain, bonds.normals)
    np.testing.assert_allclose(normal, np.tile(expected[:, None], 3), rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_tractions_are_those_of_the_jumps(bonds):
    freedoms = np.random.default_rng(0).normal(size=6 * bonds.cell_count)
    jump = np.einsum("fqia,fa->fqi", bonds.jumps(), freedoms.reshape(-1, 6)[bonds.pairs].reshape(-1, 12))
    along = np.einsum("fqi,fi->fq", jump, bonds.normals)
    across = np.linalg.norm(jump - along[..., None] * bonds.normals[:, None], axis=-1)
    normal, shear = bonds.tractions(freedoms)
    np.testing.assert_allclose(normal, along * bonds.normal_stiffness[:, None], atol=1e-12 * np.abs(normal).max())
    np.testing.assert_allclose(shear, across * bonds.shear_stiffness[:, None], atol=1e-12 * shear.max())


def test_stiffness_of_a_bond(bonds):
    """Symmetric, never negative, six motions without force; half u.K.u is the energy of the tractions."""
    blocks = readable_kernels.stiffness_blocks(bonds)
    scale = np.abs(blocks).max()
    np.testing.assert_allclose(blocks, blocks.transpose(0, 2, 1), atol=1e-12 * scale)
    values = np.linalg.eigvalsh(blocks)
    assert (values[:, :6] < 1e-9 * values[:, -1:]).all()
    assert (values > -1e-9 * values[:, -1:]).all()
    assert (values[:, 6:] > 1e-7 * values[:, -1:]).all()
    freedoms = np.random.default_rng(0).normal(size=6 * bonds.cell_count)
    normal, shear = bonds.tractions(freedoms)
    energy = (normal**2 / bonds.normal_stiffness[:, None] + shear**2 / bonds.shear_stiffness[:, None]).sum(axis=1)
    pairs = freedoms.reshape(-1, 6)[bonds.pairs].reshape(-1, 12)
    np.testing.assert_allclose(np.einsum("fa,fab,fb->f", pairs, blocks, pairs), energy * bonds.areas / 3.0, rtol=1e-9)


def test_stiffness_in_a_matrix(bonds):
    """Bond by bond, compiled: what is added is that of the readable blocks, and what is taken off again as much."""
    blocks, rows = readable_kernels.stiffness_blocks(bonds), np.array([3, 1, 8])
    places, scale = np.arange(4 * len(bonds.areas)).reshape(-1, 4)[::-1], np.abs(blocks).max()
    data = np.zeros((places.size, 6, 6))
    bonds.add_stiffness(1.0, rows, places, data)
    for number, (i, j) in enumerate(((0, 0), (6, 6), (0, 6), (6, 0))):
        wanted = blocks[rows, i : i + 6, j : j + 6]
        np.testing.assert_allclose(data[places[rows, number]], wanted, atol=1e-12 * scale)
    others = np.delete(np.arange(len(places)), rows)
    assert not data[places[others]].any()
    bonds.add_stiffness(-1.0, rows, places, data)
    assert np.abs(data).max() < 1e-12 * scale


def test_cells_are_tetrahedra_of_the_material(solid):
    cells = cells_of(solid, PORCELAIN)
    triangles = solid.cells[7][[[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]]]
    mass, center, inertia = mass_properties(shapes.Surface(solid.points, triangles), PORCELAIN.density)
    np.testing.assert_allclose(cells.masses[7], mass, rtol=1e-9)
    np.testing.assert_allclose(cells.centers[7], center, atol=1e-12)
    np.testing.assert_allclose(cells.inertias[7], inertia, atol=1e-9 * inertia.max())


def test_normals_point_from_the_first_cell_to_the_second(bonds):
    between = bonds.cells.centers[bonds.pairs[:, 1]] - bonds.cells.centers[bonds.pairs[:, 0]]
    assert (np.einsum("fi,fi->f", between, bonds.normals) > 0.0).all()
    np.testing.assert_allclose(np.linalg.norm(bonds.normals, axis=1), 1.0)


def test_cross_matrices():
    a, b = np.random.default_rng(0).normal(size=(2, 10, 3))
    np.testing.assert_allclose((cross_matrices(a) @ b[..., None])[..., 0], np.cross(a, b))
