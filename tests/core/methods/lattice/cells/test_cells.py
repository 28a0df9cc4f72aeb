"""Test the stiffness of lattices of cubes and of deformed cells."""

import numpy as np
import pytest
from scipy.optimize import nnls

from fracture_addon.core.methods.lattice.cells.cells import (
    CELL_KINDS,
    CORNERS,
    cell_shares,
    hexahedron_volumes,
    lattice_of_cells,
    pairs_of_cells,
)
from fracture_addon.core.methods.lattice.cells.fill import cubes_at, lattice_in
from tests import profiles, readable_kernels, shapes
from tests.core.lattice_stiffness import matrix, pulled

SOLID_KINDS = ["body", "face", "fitted"]


def tensor(lattice, volume):
    """Compute the (3, 3, 3, 3) stiffness over Young's modulus under uniform strain of all nodes."""
    first, second = lattice.bonds.T
    along = (lattice.points[second] - lattice.points[first]) / lattice.rest_lengths[:, None]
    work = lattice.stiffness * lattice.rest_lengths**2 / volume
    return np.einsum("b,bi,bj,bk,bl->ijkl", work, along, along, along, along)


def isotropic(lame, dimension=3):
    unit = np.diag(np.arange(3) < dimension).astype(float)
    pairs = ("ij,kl->ijkl", "ik,jl->ijkl", "il,jk->ijkl")
    return lame * sum(np.einsum(pair, unit, unit) for pair in pairs)


@pytest.mark.parametrize("kind", SOLID_KINDS)
@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_bar_of_cubes_has_its_modulus_at_every_resolution(kind, count):
    bar = profiles.slab((4.0, 1.0, 1.0), (4 * count, count, count), kind)
    modulus, moved = pulled(bar, 0.0, 4.0, 1.0)
    # With one diagonal in each face the outermost cubes are asymmetric, less so at finer spacing: 0.933, 0.971, 0.985.
    assert modulus == pytest.approx(1.0, abs={"face": 0.07 / count}.get(kind, 1e-6))
    middle = np.abs(bar.points[:, 0] - 2.0) < 1e-9
    width = [moved[middle & (np.abs(bar.points[:, 1] - y) < 1e-9), 1].mean() for y in (0.0, 1.0)]
    if kind != "face":
        assert (width[0] - width[1]) / 1e-3 == pytest.approx(0.25, abs=1e-5)


@pytest.mark.parametrize("kind", SOLID_KINDS)
@pytest.mark.parametrize("spacing", [0.5, 0.25, 0.125])
def test_a_filled_bar_has_its_modulus_at_any_position_of_the_cubes(kind, spacing):
    bar = shapes.box((4.0, 1.0, 1.0))
    lattice = lattice_in(cubes_at(bar, spacing), kind)
    assert pulled(lattice, -1.4, 1.4, 1.0)[0] == pytest.approx(1.0, abs=0.04)


@pytest.mark.parametrize(
    ("kind", "size"),
    [*((kind, (1.0, 1.0, 1.0)) for kind in SOLID_KINDS), ("fitted", (1.3, 1.0, 1.0)), ("fitted", (1.3, 1.0, 0.8))],
)
def test_shear_and_bulk_moduli_do_not_depend_on_direction(kind, size):
    lattice = profiles.slab(2.0 * np.array(size), (2, 2, 2), kind)
    found = tensor(lattice, 8.0 * np.prod(size))
    # Both Lame constants are 2 / 5 of Young's modulus, so the bulk modulus is 2 / 3 and the shear modulus 2 / 5 of it.
    assert np.abs(found - isotropic(0.4)).max() < 2e-3
    assert np.einsum("iijj->", found) / 9.0 == pytest.approx(2.0 / 3.0, rel=1e-3)


@pytest.mark.parametrize(("kind", "count"), [("body", 3), ("face", 0), ("fitted", 0)])
def test_number_of_mechanisms(kind, count):
    block = profiles.slab((3.0, 3.0, 3.0), (3, 3, 3), kind)
    values = np.linalg.eigvalsh(matrix(block).toarray())
    assert (values < 1e-9).sum() == 6 + count


@pytest.mark.parametrize("kind", SOLID_KINDS)
def test_the_fit_is_optimal_and_kernel_and_readable_fit_agree(kind):
    corners = CORNERS * [1.4, 1.0, 0.7] + np.random.default_rng(2).normal(0.0, 0.1, (6, 8, 3))
    points, cells = corners.reshape(-1, 3), np.arange(48).reshape(6, 8)
    pairs = pairs_of_cells(cells, kind)
    spans = points[pairs[..., 1]] - points[pairs[..., 0]]
    shares, residuals = cell_shares(points, cells, kind)
    readable = readable_kernels.fitted_shares(spans, CELL_KINDS[kind].shares, 3)
    assert np.allclose(shares, readable[0], atol=1e-9)
    assert np.allclose(residuals, readable[1], atol=1e-6)
    assert (shares >= 0.0).all()
    for span, residual in zip(spans, residuals, strict=True):
        along = span / np.linalg.norm(span, axis=1)[:, None]
        basis = np.einsum("wi,wj,wk,wl->ijklw", along, along, along, along).reshape(81, -1)
        target = isotropic(0.4).ravel()
        best = nnls(basis, target)[1] / np.linalg.norm(target)
        assert best - 1e-9 < residual < best + 0.01


@pytest.mark.parametrize(("size", "bar"), [((1.5, 1, 1), 1e-3), ((1.7, 1, 1), 0.02), ((2, 1, 1), 0.1)])
def test_residual_anisotropy_of_fitted_cells(size, bar):
    cell = profiles.slab(size, (1, 1, 1), "fitted")
    residual = cell_shares(cell.points, cell.cells, "fitted")[1][0]
    assert residual < bar
    # The papers' cells have fewer springs, so their best fit is worse.
    assert residual < 0.5 * cell_shares(cell.points, cell.cells, "body")[1][0]


def test_regular_cells_keep_their_shares_in_the_fit():
    for kind, values in CELL_KINDS.items():
        cell = {3: CORNERS, 2: np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]), 1: np.eye(3)[:2]}
        points = cell[values.dimension].astype(float)
        shares, residual = cell_shares(points, np.arange(len(points))[None], kind)
        assert np.allclose(shares[0], values.shares, atol=1e-6)
        assert residual[0] < 1e-6


def test_a_bar_of_deformed_cells_has_its_modulus():
    regular = profiles.slab((4.0, 1.0, 1.0), (12, 3, 3), "fitted")
    inner = ((regular.points > 1e-9) & (regular.points < np.array([4.0, 1.0, 1.0]) - 1e-9)).all(axis=1)
    points = regular.points + np.where(inner[:, None], np.random.default_rng(0).normal(0.0, 0.05, (len(inner), 3)), 0.0)
    volumes = hexahedron_volumes(points[regular.cells])
    bent = lattice_of_cells(points, regular.cells, volumes, "fitted")
    assert volumes.sum() == pytest.approx(4.0)
    assert pulled(bent, 0.0, 4.0, 1.0)[0] == pytest.approx(1.0, abs=0.03)


def test_a_sheet_and_a_rope_have_their_modulus():
    points = np.array([(x, y, 0.0) for x in range(9) for y in range(4)], float)
    points[:, :2] += 0.1 * np.sin(3.0 * points[:, 1::-1]) * (points[:, :1] % 8 > 0) * (points[:, 1:2] % 3 > 0)
    rows = np.arange(36).reshape(9, 4)
    quads = np.stack([rows[:-1, :-1], rows[1:, :-1], rows[1:, 1:], rows[:-1, 1:]], axis=-1).reshape(-1, 4)
    sheet = profiles.sheet(points, quads, 0.01)
    assert sheet.volumes.sum() == pytest.approx(8 * 3 * 0.01)
    assert pulled(sheet, 0.0, 8.0, 3 * 0.01)[0] == pytest.approx(1.0, abs=0.03)
    found = tensor(profiles.sheet(np.floor(points + 0.5), quads, 0.01), 8 * 3 * 0.01)
    # An edge at the rim belongs to one quad only.
    assert np.abs(found - isotropic(0.375, 2)).max() < 1e-6
    rope = profiles.rope(np.linspace(0.0, 2.0, 6)[:, None] * np.eye(3)[0], 0.01)
    assert pulled(rope, 0.0, 2.0, np.pi * 0.01**2)[0] == pytest.approx(1.0)
