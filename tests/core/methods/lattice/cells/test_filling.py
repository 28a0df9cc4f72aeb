"""Test the filling of a surface with cubes, and its cut along them."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.cutting import fragments
from fracture_addon.core.cutting.crack_lines import crack_lines
from fracture_addon.core.data.errors import InvalidMeshError
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.solid import cell_volumes
from fracture_addon.core.data.surface import volume
from fracture_addon.core.geometry.inside import is_inside
from fracture_addon.core.methods.lattice.cells.cells import CORNERS, FIVE_TETRAHEDRA
from fracture_addon.core.methods.lattice.cells.cubes_solid import solid_of_lattice
from fracture_addon.core.methods.lattice.cells.discretise import DIAGONALS, discretise
from fracture_addon.core.methods.lattice.cells.fill import cubes_at, fill, lattice_in
from fracture_addon.core.methods.lattice.debris_shapes import debris_tetrahedra
from fracture_addon.core.methods.lattice.model import build
from tests import shapes
from tests.core.lattice_stiffness import matrix, pulled


@pytest.mark.parametrize("shape", ["jar", "cup", "bowl", "torus", "far"])
def test_filled_volume_and_centre_of_mass(shape, jar, cup):
    made = {"bowl": shapes.bowl, "torus": shapes.torus, "far": lambda: shapes.moved(cup, offset=(1e3, -2e3, 5e2))}
    surface = {"jar": jar, "cup": cup}.get(shape) or made[shape]()
    lattice, grid = fill(surface, 1500)
    assert len(grid.cubes) == pytest.approx(1500, rel=0.15)
    assert lattice.volumes.sum() == pytest.approx(volume(surface), rel=1e-9)
    closed = surface.points[surface.faces] - surface.points[0]
    parts = np.einsum("fi,fi->f", closed[:, 0], np.cross(closed[:, 1], closed[:, 2]))
    center = surface.points[0] + (parts @ closed.sum(axis=1)) / 4.0 / parts.sum()
    found = lattice.volumes @ (lattice.points - center) / lattice.volumes.sum()
    assert np.abs(found).max() < 0.15 * grid.spacing
    # Every point of the surface is in a cube or adjacent to one.
    cube = np.floor((surface.points - grid.origin) / grid.spacing).astype(int)
    near = {tuple(row + step) for row in grid.cubes for step in np.array(list(np.ndindex(3, 3, 3))) - 1}
    assert all(tuple(row) in near for row in cube)


def test_filled_share_of_each_cube():
    sphere = shapes.icosphere(subdivisions=3)
    grid = cubes_at(sphere, 0.25)
    ticks = (np.arange(12) + 0.5) / 12
    inner = np.stack(np.meshgrid(ticks, ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 3)
    for row in range(0, len(grid.cubes), 37):
        samples = grid.origin + grid.spacing * (grid.cubes[row] + inner)
        assert grid.fractions[row] == pytest.approx(is_inside(sphere, samples).mean(), abs=0.08)


@pytest.mark.parametrize("thickness", [0.3, 0.1, 0.04])
def test_thin_walls_are_complete(thickness):
    # The plates are oblique to all axes, and down to a fifth of a cube thick.
    axis = np.array([0.48, 0.31, 0.82]) / np.linalg.norm([0.48, 0.31, 0.82])
    along = np.cross(axis, [0.0, 1.0, 0.0])
    along /= np.linalg.norm(along)
    turn = np.stack([along, np.cross(axis, along), axis], axis=1)
    plate = shapes.moved(shapes.box((2.0, 1.0, thickness)), rotation=turn)
    lattice = lattice_in(cubes_at(plate, 0.2), "face")
    assert lattice.volumes.sum() == pytest.approx(2.0 * thickness)
    lying = replace(lattice, points=lattice.points @ turn)
    # A wall of stairs is a little softer than a straight one.
    assert 0.75 < pulled(lying, -0.75, 0.75, thickness)[0] < 1.05


@pytest.mark.parametrize("diagonals", DIAGONALS)
@pytest.mark.parametrize("cell_count", [200, 1600, 12800])
def test_a_pulled_bar_has_its_modulus_with_all_diagonals(diagonals, cell_count):
    settings = Settings.of(method="lattice", lattice="cubes", cell_count=cell_count, diagonals=diagonals)
    body = build(discretise(shapes.box((4.0, 1.0, 1.0)), settings), PORCELAIN, settings)
    assert pulled(body.model.lattice, -1.4, 1.4, 1.0)[0] == pytest.approx(1.0, abs=0.04)
    # Thresholds at crack tips go with the distance between nodes along the edges.
    spacing = np.unique(np.round(body.model.lattice.points[:, 0], 9))
    assert body.spacing == pytest.approx(np.diff(spacing).min(), rel=1e-6)


def test_a_layer_of_cubes_that_nothing_keeps_from_twisting_is_refused():
    plate = shapes.box((1.0, 1.0, 0.01))
    settings = Settings.of(method="lattice", lattice="cubes", cell_count=300)
    with pytest.raises(InvalidMeshError, match=r"All \d+ cubes lie in one layer.* raise Detail, or set Diagonals"):
        discretise(plate, settings.changed(diagonals="body"))
    for diagonals in ("face", "both"):
        values = np.linalg.eigvalsh(matrix(discretise(plate, settings.changed(diagonals=diagonals)).lattice).toarray())
        assert (values < 1e-9 * values.max()).sum() == 6


def test_an_inverted_surface_is_refused():
    with pytest.raises(InvalidMeshError, match="no interior"):
        fill(shapes.flipped(shapes.box()), 100)


def test_filling_twice_gives_the_same_bytes(cup):
    first, second = (fill(cup, 800)[0] for _ in range(2))
    assert first.points.tobytes() == second.points.tobytes()
    assert first.stiffness.tobytes() == second.stiffness.tobytes()


def test_bonded_nodes_are_near_in_memory(jar):
    lattice, grid = fill(jar, 3000)
    layer = lattice.node_count / (np.ptp(grid.cubes, axis=0) + 2).max()
    assert np.median(lattice.bonds[:, 1] - lattice.bonds[:, 0]) < 1.5 * layer
    assert (np.diff(lattice.bonds[:, 0].astype(np.int64) * lattice.node_count + lattice.bonds[:, 1]) > 0).all()


def test_adjacent_cubes_agree_on_their_common_face(cup):
    _, grid = fill(cup, 400)
    solid, cube = solid_of_lattice(grid)
    assert (np.bincount(cube) == 5).all()
    both = np.concatenate([solid.cells, solid.padding_cells])
    assert (cell_volumes(solid.points, both) > 0.1 * grid.spacing**3).all()
    assert cell_volumes(solid.points, solid.cells).sum() == pytest.approx(len(grid.cubes) * grid.spacing**3)
    # Each face belongs to two tetrahedra, except on the hull.
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
        pieces = fragments.cut(jar, solid, label[cube], Settings.of(roughness=roughness))
        assert fragments.volume_error(jar, pieces) < 1e-9
        assert {fragment.label for fragment in pieces} == set(label)


def test_stairs_are_smoothed(jar):
    # After a break along an oblique plane, the cut is much nearer to the plane than the corners of cubes.
    _, grid = fill(jar, 3000)
    solid, cube = solid_of_lattice(grid)
    normal = np.array([0.37, 0.21, 0.905])
    centers = grid.origin + grid.spacing * (grid.cubes + 0.5)
    height = (centers - jar.points.mean(axis=0)) @ normal / np.linalg.norm(normal)
    pieces = fragments.cut(jar, solid, (height > 0.0).astype(int)[cube], Settings.of(roughness=0.0))
    faces = np.concatenate([fragment.surface.corners[fragment.interior] for fragment in pieces])
    vectors = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
    areas = np.linalg.norm(vectors, axis=1)
    steepness = np.abs(vectors @ normal) / np.linalg.norm(normal) / areas
    # For stairs the mean over the area would be 1 / (|nx| + |ny| + |nz|), here 0.66.
    assert areas @ steepness / areas.sum() > 0.85


def test_smoothing_removes_the_stairs_of_the_edges_of_a_crack():
    """Norton et al. 1991, "Breakage appearance": splines smooth the broken edges (Hart and Norton 1990)."""
    bowl = shapes.bowl()
    _, grid = fill(bowl, 1500)
    solid, cube = solid_of_lattice(grid)
    normal = np.array([0.37, 0.21, 0.905]) / np.linalg.norm([0.37, 0.21, 0.905])
    centers = grid.origin + grid.spacing * (grid.cubes + 0.5)
    above = ((centers - centers.mean(axis=0)) @ normal > 0.0).astype(int)[cube]
    excess = []
    for smoothing in (0, 5):
        pieces = fragments.cut(bowl, solid, above, Settings.of(roughness=0.0, wall_smoothing=smoothing))
        points, lines = crack_lines([fragment.surface for fragment in pieces])
        along = points[lines[:, 1]] - points[lines[:, 0]]
        flat = along - np.outer(along @ normal, normal)
        excess.append(np.linalg.norm(along, axis=1).sum() / np.linalg.norm(flat, axis=1).sum() - 1.0)
    # Length of the edge over that of its projection, less 1; measured: 0.187 and 0.017.
    assert excess[0] > 0.15
    assert excess[1] < 0.03


def test_debris_are_tetrahedra_of_the_nodes_volumes():
    points, volumes = np.eye(3), np.array([1.0, 2.0, 3.0])
    surface = debris_tetrahedra(points, volumes, 5)
    assert volume(surface) == pytest.approx(6.0)
    assert np.allclose(surface.points.reshape(3, 4, 3).mean(axis=1), points)
    edges = surface.points.reshape(3, 4, 3)[:, :, None] - surface.points.reshape(3, 4, 3)[:, None]
    lengths = np.linalg.norm(edges, axis=-1)[:, ~np.eye(4, dtype=bool)]
    assert np.allclose(lengths, lengths[:, :1])
    assert len(debris_tetrahedra(np.empty((0, 3)), np.empty(0), 0).faces) == 0
