"""Test the hierarchy of points, edges, faces and cells, and its operators."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fracture_addon.core.data.surface import volume
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.lattice.cells.fill import cubes_at, lattice_in
from fracture_addon.core.methods.lattice.cells.tetrahedra import lattice_of_tetrahedra
from fracture_addon.core.methods.lattice.fracture import break_cells
from fracture_addon.core.methods.lattice.lattice import bond_cells
from fracture_addon.core.methods.lattice.operators import gluing
from fracture_addon.core.methods.lattice.operators.hierarchy import Rows, hierarchy_of, numbered_edges
from fracture_addon.core.methods.lattice.operators.structure import hierarchy_of_lattice
from tests import profiles, shapes
from tests.sweeney_operators import (
    all_intact,
    boundary,
    break_edges,
    edges_of_cell,
    euler_characteristic,
    glued_by_bonds,
    glued_by_nodes,
    isolated_points,
    rim,
    surface_model,
)

SHAPE = (4, 3, 3)
BLOCK = profiles.slab(SHAPE, SHAPE, "body")
HIERARCHY = hierarchy_of_lattice(BLOCK)


def particles(points):
    none = np.empty((0, 2), int)
    return hierarchy_of(points, none, none, [], Rows([0], []), [0, len(points)])


def square_sheet(count, height=0.0):
    points = np.array([(x, y, height) for x in range(count + 1) for y in range(count + 1)], float)
    rows = np.arange((count + 1) ** 2).reshape(count + 1, count + 1)
    corners = [rows[:-1, :-1], rows[1:, :-1], rows[1:, 1:], rows[:-1, 1:]]
    return profiles.sheet(points, np.stack(corners, axis=-1).reshape(-1, 4), 0.01)


def straight_rope(count, start=(0.0, 0.0, 0.0)):
    return profiles.rope(np.array(start) + np.linspace(0.0, 1.0, count + 1)[:, None] * [0.0, 0.0, 1.0], 0.01)


@pytest.mark.parametrize(
    ("hierarchy", "points", "edges", "faces", "cells"),
    [
        (particles(np.eye(3)), 3, 0, 0, 0),
        (hierarchy_of_lattice(straight_rope(5)), 6, 5, 0, 5),
        (hierarchy_of_lattice(square_sheet(2)), 9, 12 + 8, 8, 4),
        (hierarchy_of_lattice(profiles.slab((2, 1, 1), (2, 1, 1), "body")), 12, 20 + 8, 24, 2),
    ],
)
def test_element_counts_in_every_dimension(hierarchy, points, edges, faces, cells):
    assert (len(hierarchy.points), len(hierarchy.edges), len(hierarchy.faces), len(hierarchy.cells)) == (
        points,
        edges,
        faces,
        cells,
    )
    assert hierarchy.part_starts.tolist() == [[0, 0, 0, 0], [points, edges, faces, cells]]


@pytest.mark.parametrize("hierarchy", [HIERARCHY, hierarchy_of_lattice(square_sheet(3))])
def test_edges_and_faces_of_a_cell_are_between_its_corners(hierarchy):
    for cell, corners in enumerate(hierarchy.cells):
        assert np.isin(hierarchy.edges[edges_of_cell(hierarchy, cell)], corners).all()
        assert np.isin(hierarchy.faces[hierarchy.face_cells == cell], corners).all()


def test_a_broken_edge_breaks_its_cells_and_the_edges_of_no_valid_cell():
    # In a row of three cubes, only the edges of common faces belong to two cubes.
    row = hierarchy_of_lattice(profiles.slab((3, 1, 1), (3, 1, 1), "body"))
    middle = row.points[row.edges].mean(axis=1)
    first_only = np.flatnonzero(middle[:, 0] < 0.9)
    after = break_edges(row, all_intact(row), first_only[:1])
    assert after.cells.sum() == 2
    assert not after.edges[first_only].any()
    assert after.edges[middle[:, 0] > 0.9].all()
    assert len(isolated_points(row, after)) == 4
    # The boundary loses five sides of the first cube and gains the common one.
    assert len(boundary(row)) - len(boundary(row, after)) == 2 * (5 - 1)


def test_edges_without_cells_break_alone():
    pair = gluing.glue(particles(np.zeros((1, 3))), particles(np.ones((1, 3))), gluing.NO_PAIRS, np.array([[0, 0]]))
    after = break_edges(pair.hierarchy, all_intact(pair.hierarchy), [0])
    assert all_intact(pair.hierarchy).edges.tolist() == [True]
    assert after.edges.tolist() == [False]
    assert len(isolated_points(pair.hierarchy, after)) == 2


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, BLOCK.bond_count - 1), max_size=12), st.booleans())
def test_operators_agree_after_random_breaks(rows, one_by_one):
    intact = all_intact(HIERARCHY)
    for chosen in [[row] for row in rows] if one_by_one else [rows]:
        intact = break_edges(HIERARCHY, intact, chosen)
    # The order of breaks does not matter, and the compiled kernel agrees.
    alive, valid = np.ones(BLOCK.bond_count, bool), np.ones(len(BLOCK.cells), bool)
    back = bond_cells(BLOCK.cell_bonds, BLOCK.cell_starts, BLOCK.bond_count)
    break_cells(np.array(rows, np.int64), alive, valid, BLOCK.cell_bonds, BLOCK.cell_starts, *back)
    assert (alive == intact.edges).all()
    assert (valid == intact.cells).all()
    # A boundary has no boundary, and it encloses the remaining cells.
    exposed = boundary(HIERARCHY, intact)
    assert len(rim(HIERARCHY.faces[exposed])) == 0
    assert intact.cells[HIERARCHY.face_cells[exposed]].all()
    surface, _ = surface_model(HIERARCHY, intact)
    if intact.cells.any():
        assert volume(surface) == pytest.approx(intact.cells.sum())
    # Remaining and broken cells, joined along their common sides, are one ball.
    outer = np.zeros(len(HIERARCHY.faces), bool)
    outer[boundary(HIERARCHY)] = True
    common = HIERARCHY.sides[np.unique(HIERARCHY.face_sides[exposed[~outer[exposed]]])]
    left, lost = (HIERARCHY.sides[kept[HIERARCHY.side_cells]] for kept in (intact.cells, ~intact.cells))
    total = euler_characteristic(left, intact.cells.sum()) + euler_characteristic(lost, (~intact.cells).sum())
    assert total - euler_characteristic(common) == 1


@pytest.mark.parametrize(
    ("gone", "solid", "surface"),
    [([], 1, 2), ([(1, 1, 1)], 2, 4), ([(1, 1, 0), (1, 1, 1), (1, 1, 2)], 0, 0)],
    ids=["ball", "hollow", "ring"],
)
def test_euler_characteristics(gone, solid, surface):
    block = hierarchy_of_lattice(profiles.slab((3, 3, 3), (3, 3, 3), "face"))
    low = block.points[block.cells].min(axis=1).round().astype(int).tolist()
    kept = np.array([tuple(corner) not in gone for corner in low])
    intact = all_intact(block)
    intact.cells[:] = kept
    sides = block.sides[np.unique(block.face_sides[boundary(block, intact)])]
    assert euler_characteristic(block.sides[kept[block.side_cells]], kept.sum()) == solid
    assert euler_characteristic(sides) == surface


def test_a_closed_ring_has_no_rim_and_a_sheet_has_one():
    wall = np.stack([np.full(5, 1.0), np.linspace(0.0, 1.0, 5)], axis=1)
    ring = hierarchy_of_lattice(profiles.revolved(1.2 * wall, wall, 12, 2))
    faces = ring.faces[boundary(ring)]
    assert len(rim(faces)) == 0
    assert euler_characteristic(ring.sides, len(ring.cells)) == 0
    sheet = hierarchy_of_lattice(square_sheet(3))
    # All faces of a sheet are on the outside, and its rim is one loop.
    assert len(boundary(sheet)) == len(sheet.faces)
    assert len(rim(sheet.faces)) == 12


def test_wedges_have_a_closed_boundary():
    profile = np.stack([np.linspace(0.0, 1.0, 4), np.zeros(4)], axis=1)
    disc = profiles.revolved(profile + np.array([0.0, 0.2]), profile, 8, 1)
    hierarchy = hierarchy_of_lattice(disc)
    surface, _ = surface_model(hierarchy)
    assert len(rim(hierarchy.faces[boundary(hierarchy)])) == 0
    assert volume(surface) == pytest.approx(0.2 * 4.0 * np.sqrt(0.5))
    assert disc.volumes.sum() == pytest.approx(volume(surface))


def test_adjacent_cells_split_their_common_side_along_the_same_diagonal():
    faces = {tuple(sorted(face)) for face in HIERARCHY.faces.tolist()}
    inner = len(HIERARCHY.faces) - len(boundary(HIERARCHY))
    assert len(faces) == len(HIERARCHY.faces) - inner // 2


def test_a_filled_surface_keeps_its_topology(jar):
    # The jar has one handle, so it is a solid ring.
    lattice = lattice_in(cubes_at(jar, jar.diagonal / 40.0), "face")
    hierarchy = hierarchy_of_lattice(lattice)
    assert euler_characteristic(hierarchy.sides, len(hierarchy.cells)) == 0
    assert len(rim(hierarchy.faces[boundary(hierarchy)])) == 0


def shifted(lattice, offset):
    return replace(lattice, points=lattice.points + offset)


def test_gluing_by_points_makes_one_solid_of_two():
    first = profiles.slab((2, 2, 2), (2, 2, 2), "body")
    second = shifted(profiles.slab((3, 2, 2), (3, 2, 2), "body"), [2.0, 0.0, 0.0])
    lattice, glued = glued_by_nodes(first, second, 1e-6)
    block = profiles.slab((5, 2, 2), (5, 2, 2), "body")
    assert lattice.node_count == block.node_count
    assert lattice.bond_count == block.bond_count
    assert lattice.volumes.sum() == pytest.approx(block.volumes.sum())
    surface, _ = surface_model(glued.hierarchy)
    assert volume(surface) == pytest.approx(20.0)
    # The faces between the two cancel.
    assert len(surface.faces) == len(boundary(hierarchy_of_lattice(block)))
    # Bonds on the seam are those of the second lattice, not doubled.
    seam = np.abs(lattice.points[lattice.bonds][:, :, 0] - 2.0).max(axis=1) < 1e-9
    own = np.abs(second.points[second.bonds][:, :, 0] - 2.0).max(axis=1) < 1e-9
    assert lattice.stiffness[seam].sum() == pytest.approx(second.stiffness[own].sum())
    # Both lattices remain as ranges of parts.
    assert lattice.part_starts.tolist() == [0, 18, 18 + 36]
    assert glued.hierarchy.part_starts[:, 3].tolist() == [0, 8, 20]
    _, last = np.split(np.arange(len(lattice.cells)), [8])
    assert lattice.points[lattice.cells[last]][..., 0].min() == 2.0
    assert hierarchy_of_lattice(lattice).part_starts.tolist() == glued.hierarchy.part_starts.tolist()


def test_gluing_a_rope_a_sheet_and_a_solid():
    seat = profiles.slab((1.0, 0.5, 0.25), (4, 2, 1), "face")
    rope = straight_rope(4, (0.0, 0.0, 0.25 + 0.02))
    lattice, glued = glued_by_bonds(seat, rope, 0.03, 0.5)
    assert len(glued.glue_edges) == 1
    assert lattice.stiffness[glued.glue_edges] == pytest.approx(0.5)
    assert lattice.rest_lengths[glued.glue_edges] == pytest.approx(0.02)
    lattice, glued = glued_by_bonds(lattice, shifted(square_sheet(2), [0.0, 0.0, -0.1]), 0.11, 0.1)
    assert lattice.part_dimensions.tolist() == [3, 1, 2]
    assert lattice.part_starts.tolist() == [0, 30, 35, 44]
    assert glued.hierarchy.dimensions.tolist() == [3] * 8 + [1] * 4 + [2] * 4
    assert (np.diff(glued.hierarchy.part_starts, axis=0)[:, 3] == [8, 4, 4]).all()
    # The cells of a part use its own points and edges only.
    for part in range(3):
        low, high = glued.hierarchy.part_starts[part], glued.hierarchy.part_starts[part + 1]
        cells = glued.hierarchy.cells[low[3] : high[3]]
        assert ((cells[cells >= 0] >= low[0]) & (cells[cells >= 0] < high[0])).all()
        edges = np.concatenate([edges_of_cell(glued.hierarchy, cell) for cell in range(low[3], high[3])])
        assert ((edges >= low[1]) & (edges < high[1])).all()


def test_numbered_edges_join_pairs_either_way_round():
    edges, rows = numbered_edges([[3, 1], [0, 2], [1, 3]], 4)
    assert edges.tolist() == [[0, 2], [1, 3]]
    assert rows.tolist() == [1, 0, 1]


def test_hierarchies_of_tetrahedra():
    solid = tetrahedralize(shapes.box(), 200, 0)
    lattice, _ = lattice_of_tetrahedra(solid)
    hierarchy = hierarchy_of_lattice(lattice)
    surface, _ = surface_model(hierarchy)
    assert volume(surface) == pytest.approx(lattice.volumes.sum())
    assert len(rim(hierarchy.faces[boundary(hierarchy)])) == 0
