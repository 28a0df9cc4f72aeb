"""Lattices of cubes and of deformed cells: what fills a surface, and how stiff it is."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.sparse import coo_array
from scipy.sparse.linalg import spsolve

from fracture_addon.core import fragments
from fracture_addon.core.errors import InvalidMeshError
from fracture_addon.core.geometry.inside import is_inside
from fracture_addon.core.hierarchy import surface_model
from fracture_addon.core.job import Settings
from fracture_addon.core.lattice import profiles, stiffness
from fracture_addon.core.lattice.cells import (
    CELL_KINDS,
    CORNERS,
    FIVE_TETRAHEDRA,
    cell_shares,
    hexahedron_volumes,
    lattice_of_cells,
    pairs_of_cells,
)
from fracture_addon.core.lattice.cubes_solid import solid_of_lattice
from fracture_addon.core.lattice.fill import cubes_at, fill, lattice_in
from fracture_addon.core.lattice.shards import shards
from fracture_addon.core.lattice.structure import hierarchy_of_lattice
from fracture_addon.core.solid import cell_volumes
from fracture_addon.core.surface import volume
from tests import shapes

SOLID_KINDS = ["body", "face", "fitted"]


def matrix(lattice):
    """Stiffness of the lattice at rest for Young's modulus 1, a sparse (3 N, 3 N) matrix."""
    first, second = lattice.bonds.T
    along = (lattice.points[second] - lattice.points[first]) / lattice.rest_lengths[:, None]
    signed = np.concatenate([-along, along], axis=1)
    blocks = lattice.stiffness[:, None, None] * signed[:, :, None] * signed[:, None, :]
    freedoms = (3 * lattice.bonds[:, :, None] + np.arange(3)).reshape(-1, 6)
    rows, columns = np.repeat(freedoms, 6, axis=1), np.tile(freedoms, (1, 6))
    return coo_array((blocks.ravel(), (rows.ravel(), columns.ravel())), shape=(3 * lattice.node_count,) * 2).tocsr()


def tensor(lattice, volume):
    """(3, 3, 3, 3) stiffness over Young's modulus when all nodes follow a uniform strain."""
    first, second = lattice.bonds.T
    along = (lattice.points[second] - lattice.points[first]) / lattice.rest_lengths[:, None]
    work = lattice.stiffness * lattice.rest_lengths**2 / volume
    return np.einsum("b,bi,bj,bk,bl->ijkl", work, along, along, along, along)


def isotropic(lame, dimension=3):
    unit = np.diag(np.arange(3) < dimension).astype(float)
    pairs = ("ij,kl->ijkl", "ik,jl->ijkl", "il,jk->ijkl")
    return lame * sum(np.einsum(pair, unit, unit) for pair in pairs)


def pulled(lattice, low, high, section):
    """Young's modulus from a pull along X between nodes beyond two planes, free to contract; and the displacements."""
    total, x = matrix(lattice), lattice.points[:, 0]
    ends = (x <= low + 1e-9) | (x >= high - 1e-9)
    held = np.zeros((lattice.node_count, 3), bool)
    held[ends, 0] = True
    strain, length = 1e-3, x[x >= high - 1e-9].min() - x[x <= low + 1e-9].max()
    moved = np.zeros((lattice.node_count, 3))
    moved[x >= high - 1e-9, 0] = strain * length
    free, flat = ~held.ravel(), moved.ravel()
    inner = total[free][:, free].tocsc()
    # What moves freely is held by a spring too soft to matter.
    inner.setdiag(inner.diagonal() + 1e-9 * inner.diagonal().mean())
    flat[free] = spsolve(inner, -(total[free][:, ~free] @ flat[~free]))
    force = (total @ flat).reshape(-1, 3)[x >= high - 1e-9, 0].sum()
    return force / strain / section, flat.reshape(-1, 3)


@pytest.mark.parametrize("kind", SOLID_KINDS)
@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_bar_of_cubes_has_its_modulus_at_every_resolution(kind, count):
    bar = profiles.slab((4.0, 1.0, 1.0), (4 * count, count, count), kind)
    modulus, moved = pulled(bar, 0.0, 4.0, 1.0)
    # One diagonal to a face is lopsided in the outermost cubes, less so in finer ones: 0.933, 0.971, 0.985.
    assert modulus == pytest.approx(1.0, abs={"face": 0.07 / count}.get(kind, 1e-6))
    middle = np.abs(bar.points[:, 0] - 2.0) < 1e-9
    width = [moved[middle & (np.abs(bar.points[:, 1] - y) < 1e-9), 1].mean() for y in (0.0, 1.0)]
    if kind != "face":
        assert (width[0] - width[1]) / 1e-3 == pytest.approx(0.25, abs=1e-5)


@pytest.mark.parametrize("kind", SOLID_KINDS)
@pytest.mark.parametrize("spacing", [0.5, 0.25, 0.125])
def test_a_filled_bar_has_its_modulus_however_the_cubes_lie(kind, spacing):
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
    # Lame's constants are both 2 / 5: bulk modulus 2 / 3 and shear modulus 2 / 5 of Young's.
    assert np.abs(found - isotropic(0.4)).max() < 2e-3
    assert np.einsum("iijj->", found) / 9.0 == pytest.approx(2.0 / 3.0, rel=1e-3)


@pytest.mark.parametrize(("kind", "count"), [("body", 3), ("face", 0), ("fitted", 0)])
def test_mechanisms(kind, count):
    block = profiles.slab((3.0, 3.0, 3.0), (3, 3, 3), kind)
    values = np.linalg.eigvalsh(matrix(block).toarray())
    assert (values < 1e-9).sum() == 6 + count


@pytest.mark.parametrize("kind", SOLID_KINDS)
def test_the_fit_is_the_best_there_is_and_its_kernel_and_readable_forms_agree(kind):
    corners = CORNERS * [1.4, 1.0, 0.7] + np.random.default_rng(2).normal(0.0, 0.1, (6, 8, 3))
    points, cells = corners.reshape(-1, 3), np.arange(48).reshape(6, 8)
    pairs = pairs_of_cells(cells, kind)
    spans = points[pairs[..., 1]] - points[pairs[..., 0]]
    shares, residuals = cell_shares(points, cells, kind)
    readable = stiffness._fit_readable(spans, CELL_KINDS[kind].shares, 3)
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
def test_how_far_fitted_cells_stay_from_isotropy(size, bar):
    cell = profiles.slab(size, (1, 1, 1), "fitted")
    residual = cell_shares(cell.points, cell.cells, "fitted")[1][0]
    assert residual < bar
    # The papers' cells, fitted as well as their springs allow, are farther off.
    assert residual < 0.5 * cell_shares(cell.points, cell.cells, "body")[1][0]


def test_the_regular_cells_are_where_the_fit_ends():
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
    # At the rim an edge has one quad only, which is all that it has of the sheet.
    assert np.abs(found - isotropic(0.375, 2)).max() < 1e-6
    rope = profiles.rope(np.linspace(0.0, 2.0, 6)[:, None] * np.eye(3)[0], 0.01)
    assert pulled(rope, 0.0, 2.0, np.pi * 0.01**2)[0] == pytest.approx(1.0)


@pytest.mark.parametrize("shape", ["jar", "cup", "bowl", "torus", "far"])
def test_filling_a_surface(shape, jar, cup):
    made = {"bowl": shapes.bowl, "torus": shapes.torus, "far": lambda: shapes.moved(cup, offset=(1e3, -2e3, 5e2))}
    surface = {"jar": jar, "cup": cup}.get(shape) or made[shape]()
    lattice, grid = fill(surface, 1500)
    assert len(grid.cubes) == pytest.approx(1500, rel=0.15)
    assert lattice.volumes.sum() == pytest.approx(volume(surface), rel=1e-9)
    # The centre of mass too.
    closed = surface.points[surface.faces] - surface.points[0]
    parts = np.einsum("fi,fi->f", closed[:, 0], np.cross(closed[:, 1], closed[:, 2]))
    center = surface.points[0] + (parts @ closed.sum(axis=1)) / 4.0 / parts.sum()
    found = lattice.volumes @ (lattice.points - center) / lattice.volumes.sum()
    assert np.abs(found).max() < 0.15 * grid.spacing
    # Every point of the surface is in a cube or next to one.
    cube = np.floor((surface.points - grid.origin) / grid.spacing).astype(int)
    near = {tuple(row + step) for row in grid.cubes for step in np.array(list(np.ndindex(3, 3, 3))) - 1}
    assert all(tuple(row) in near for row in cube)


def test_what_is_inside_each_cube():
    sphere = shapes.icosphere(subdivisions=3)
    grid = cubes_at(sphere, 0.25)
    ticks = (np.arange(12) + 0.5) / 12
    inner = np.stack(np.meshgrid(ticks, ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 3)
    for row in range(0, len(grid.cubes), 37):
        samples = grid.origin + grid.spacing * (grid.cubes[row] + inner)
        assert grid.fractions[row] == pytest.approx(is_inside(sphere, samples).mean(), abs=0.08)


@pytest.mark.parametrize("thickness", [0.3, 0.1, 0.04])
def test_thin_walls_are_whole(thickness):
    # Across all axes, and down to a fifth of a cube.
    axis = np.array([0.48, 0.31, 0.82]) / np.linalg.norm([0.48, 0.31, 0.82])
    along = np.cross(axis, [0.0, 1.0, 0.0])
    along /= np.linalg.norm(along)
    turn = np.stack([along, np.cross(axis, along), axis], axis=1)
    plate = shapes.moved(shapes.box((2.0, 1.0, thickness)), rotation=turn)
    lattice = lattice_in(cubes_at(plate, 0.2), "face")
    assert lattice.volumes.sum() == pytest.approx(2.0 * thickness)
    lying = replace(lattice, points=lattice.points @ turn)
    # Stairs give in a little more than a straight wall.
    assert 0.75 < pulled(lying, -0.75, 0.75, thickness)[0] < 1.05


def test_what_cannot_be_filled():
    with pytest.raises(InvalidMeshError, match="no inside"):
        fill(shapes.flipped(shapes.box()), 100)


def test_filling_twice_gives_the_same_bytes(cup):
    first, second = (fill(cup, 800)[0] for _ in range(2))
    assert first.points.tobytes() == second.points.tobytes()
    assert first.stiffness.tobytes() == second.stiffness.tobytes()


def test_bonds_lie_near_in_memory(jar):
    lattice, grid = fill(jar, 3000)
    layer = lattice.node_count / (np.ptp(grid.cubes, axis=0) + 2).max()
    assert np.median(lattice.bonds[:, 1] - lattice.bonds[:, 0]) < 1.5 * layer
    assert (np.diff(lattice.bonds[:, 0].astype(np.int64) * lattice.node_count + lattice.bonds[:, 1]) > 0).all()


def test_cubes_are_divided_alike_on_common_faces(cup):
    _, grid = fill(cup, 400)
    solid, cube = solid_of_lattice(grid)
    assert (np.bincount(cube) == 5).all()
    both = np.concatenate([solid.cells, solid.padding_cells])
    assert (cell_volumes(solid.points, both) > 0.1 * grid.spacing**3).all()
    assert cell_volumes(solid.points, solid.cells).sum() == pytest.approx(len(grid.cubes) * grid.spacing**3)
    # Each tetrahedron's faces are another's too, but on the hull: no hole, no crossing.
    outer = np.sort(both[:, [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]].reshape(-1, 3), axis=1)
    faces, count = np.unique(outer, axis=0, return_counts=True)
    assert count.max() == 2
    hull = solid.points[faces[count == 1]].mean(axis=1)
    assert not is_inside(cup, hull).any()
    for corners in FIVE_TETRAHEDRA:
        assert cell_volumes(CORNERS.astype(float), corners).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("roughness", [0.0, 0.25])
def test_the_artists_surface_is_cut_along_cubes(jar, roughness):
    _, grid = fill(jar, 800)
    solid, cube = solid_of_lattice(grid)
    random = np.random.default_rng(0)
    for label in (random.integers(0, 4, len(grid.cubes)), grid.cubes[:, 2] // 4):
        pieces = fragments.cut(jar, solid, label[cube], Settings(roughness=roughness))
        assert fragments.volume_error(jar, pieces) < 1e-9
        assert {piece.label for piece in pieces} == set(label)


def test_stairs_are_smoothed(jar):
    # A break along an oblique plane: the cut is far nearer to it than the corners of cubes.
    _, grid = fill(jar, 3000)
    solid, cube = solid_of_lattice(grid)
    normal = np.array([0.37, 0.21, 0.905])
    centers = grid.origin + grid.spacing * (grid.cubes + 0.5)
    height = (centers - jar.points.mean(axis=0)) @ normal / np.linalg.norm(normal)
    pieces = fragments.cut(jar, solid, (height > 0.0).astype(int)[cube], Settings(roughness=0.0))
    faces = np.concatenate([piece.surface.corners[piece.interior] for piece in pieces])
    vectors = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
    areas = np.linalg.norm(vectors, axis=1)
    steepness = np.abs(vectors @ normal) / np.linalg.norm(normal) / areas
    # Of stairs the mean over the area would be 1 / (|nx| + |ny| + |nz|), here 0.66.
    assert areas @ steepness / areas.sum() > 0.85


def test_surfaces_of_revolution():
    levels = np.linspace(0.0, 1.0, 11)
    outer, inner = (np.stack([np.full(11, radius), levels], axis=1) for radius in (1.0, 0.8))
    tube = profiles.revolved(outer, inner, 48, 2)
    exact = 48 * np.sin(2.0 * np.pi / 48) / 2.0 * (1.0 - 0.64)
    assert tube.volumes.sum() == pytest.approx(exact)
    assert tube.node_count == 48 * 11 * 3
    surface, _ = surface_model(hierarchy_of_lattice(tube))
    assert volume(surface) == pytest.approx(exact)
    # Pulled along its axis it is as stiff as a tube is.
    upright = replace(tube, points=tube.points[:, [2, 0, 1]])
    assert pulled(upright, 0.0, 1.0, exact)[0] == pytest.approx(1.0, abs=0.05)


def test_thickened_patches_share_edges():
    # Two flat patches side by side, and a quarter of a cylinder.
    ticks = np.linspace(0.0, 1.0, 4)
    flat = np.array([[(x, y, 0.0) for y in ticks] for x in ticks])
    plate = profiles.thickened_patches([flat, flat + np.array([1.0, 0.0, 0.0])], 0.14, (5, 5))
    assert plate.node_count == 11 * 6 * 2
    assert plate.volumes.sum() == pytest.approx(0.28)
    assert pulled(plate, 0.0, 2.0, 0.14)[0] == pytest.approx(1.0, abs=0.02)
    k = 4.0 / 3.0 * (np.sqrt(2.0) - 1.0)
    arc = np.array([(1.0, 0.0), (1.0, k), (k, 1.0), (0.0, 1.0)])
    net = np.array([[(x, y, z) for z in np.linspace(0.0, 1.0, 4)] for x, y in arc])
    shell = profiles.thickened_patches([net], 0.2, (24, 8), 2)
    assert shell.volumes.sum() == pytest.approx(0.5 * np.pi * 0.2, rel=5e-3)
    assert np.linalg.norm(shell.points[:, :2], axis=1).max() == pytest.approx(1.1, abs=0.005)
    with pytest.raises(InvalidMeshError, match="inside out"):
        profiles.thickened_patches([net], 2.4, (24, 8))


def test_a_thickened_open_mesh_with_triangles():
    points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0.5, 0)], float)
    lattice = profiles.thickened(points, [[0, 1, 2, 3], [1, 4, 2, 2]], 0.2, 2)
    assert lattice.volumes.sum() == pytest.approx(0.2 * 1.5)
    assert lattice.node_count == 15
    assert volume(surface_model(hierarchy_of_lattice(lattice))[0]) == pytest.approx(0.3)


def test_a_bar_along_a_curve():
    angles = np.linspace(0.0, np.pi, 25)
    curve = np.stack([np.cos(angles), np.zeros(25), np.sin(angles)], axis=1)
    handle = profiles.swept(curve, 0.1, 4)
    # Volume after Pappus, less what a polygon of 16 sides and straight segments leave out.
    assert handle.volumes.sum() == pytest.approx(np.pi * 0.1**2 * np.pi, rel=0.04)
    assert np.linalg.norm(handle.points[:, [0, 2]], axis=1).max() == pytest.approx(1.1, abs=1e-3)


def test_curves():
    quarter = profiles.bezier_curve([(1, 0), (1, 0.5523), (0.5523, 1), (0, 1)], 9)
    steps = np.linalg.norm(np.diff(quarter, axis=0), axis=1)
    assert np.allclose(steps, steps.mean(), rtol=1e-3)
    assert np.allclose(np.linalg.norm(quarter, axis=1), 1.0, atol=1e-3)


def test_isolated_nodes_as_tetrahedra():
    points, volumes = np.eye(3), np.array([1.0, 2.0, 3.0])
    surface = shards(points, volumes, 5)
    assert volume(surface) == pytest.approx(6.0)
    assert np.allclose(surface.points.reshape(3, 4, 3).mean(axis=1), points)
    edges = surface.points.reshape(3, 4, 3)[:, :, None] - surface.points.reshape(3, 4, 3)[:, None]
    lengths = np.linalg.norm(edges, axis=-1)[:, ~np.eye(4, dtype=bool)]
    assert np.allclose(lengths, lengths[:, :1])
    assert len(shards(np.empty((0, 3)), np.empty(0), 0).faces) == 0
