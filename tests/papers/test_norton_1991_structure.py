"""What Norton, Turk, Bacon, Gerth and Sweeney (1991) say of cells, shapes and glue."""

import numpy as np
import pytest

from fracture_addon.core.methods.lattice.operators.structure import hierarchy_of_lattice
from fracture_addon.core.numerics.components import components
from tests import profiles, teapot
from tests.sweeney_operators import (
    all_intact,
    boundary,
    break_edges,
    edges_of_cell,
    glued_by_nodes,
    isolated_points,
    rim,
)


@pytest.mark.parametrize(("kind", "springs"), [("body", 12 + 4), ("face", 12 + 6), ("fitted", 12 + 4 + 12)])
def test_figures_1_and_2_springs_of_a_cube(kind, springs):
    assert profiles.slab((1.0, 1.0, 1.0), (1, 1, 1), kind).bond_count == springs


def test_figure_2_cubes_agree_on_the_diagonal_of_their_common_face():
    block = profiles.slab((2.0, 2.0, 2.0), (2, 2, 2), "face")
    # Edges, and one diagonal to each face, inner ones too.
    assert block.bond_count == 54 + 36
    assert np.isclose(block.rest_lengths, np.sqrt(2.0)).sum() == 36


def test_figure_3_a_cylinder_from_squares_turned_about_an_axis():
    levels = np.linspace(0.0, 0.5, 6)
    outer, inner = (np.stack([np.full(6, radius), levels], axis=1) for radius in (0.5, 0.4))
    cylinder = profiles.revolved(outer, inner, 28, 1)
    assert len(cylinder.cells) == 28 * 5
    # "The resulting lattice elements are only approximately cubic."
    spans = cylinder.points[cylinder.cells[:, [4, 2, 1]]] - cylinder.points[cylinder.cells[:, :1]]
    lengths = np.linalg.norm(spans, axis=2)
    assert 1.05 < (lengths.max(axis=1) / lengths.min(axis=1)).max() < 1.5
    assert len(rim(hierarchy_of_lattice(cylinder).faces[boundary(hierarchy_of_lattice(cylinder))])) == 0


def test_fragments_come_in_cells():
    block = profiles.slab((6.0, 3.0, 3.0), (6, 3, 3), "body")
    hierarchy = hierarchy_of_lattice(block)
    middle = block.points[block.bonds].mean(axis=1)
    after = break_edges(hierarchy, all_intact(hierarchy), np.flatnonzero(np.abs(middle[:, 0] - 3.5) < 0.1))
    label = components(block.bonds, block.node_count, after.edges)
    # A layer of cells is gone, no strings of bonds remain, and every bond that is left is in a whole cell.
    assert after.cells.sum() == 5 * 9
    assert len(np.unique(label)) == 2
    assert len(isolated_points(hierarchy, after)) == 0
    whole = np.concatenate([edges_of_cell(hierarchy, cell) for cell in np.flatnonzero(after.cells)])
    assert np.isin(np.flatnonzero(after.edges), whole).all()


def test_a_node_all_of_whose_bonds_are_severed_is_isolated():
    hierarchy = hierarchy_of_lattice(profiles.slab((2.0, 1.0, 1.0), (2, 1, 1), "body"))
    first = np.setdiff1d(edges_of_cell(hierarchy, 0), edges_of_cell(hierarchy, 1))
    after = break_edges(hierarchy, all_intact(hierarchy), first[:1])
    assert (hierarchy.points[isolated_points(hierarchy, after), 0] == 0.0).all()
    assert len(isolated_points(hierarchy, after)) == 4


def test_glue_puts_nodes_in_the_place_of_others():
    first = profiles.slab((1.0, 1.0, 1.0), (2, 2, 2), "body")
    second = profiles.slab((1.0, 1.0, 1.0), (2, 2, 2), "body")
    moved = type(second)(**{**vars(second), "points": second.points + np.array([1.02, 0.01, 0.0])})
    chosen = np.flatnonzero(first.points[:, 0] == 1.0)
    lattice, glued = glued_by_nodes(first, moved, 0.1, chosen)
    assert lattice.node_count == 27 + 27 - 9
    assert (glued.first_points[chosen] >= lattice.part_starts[1]).all()
    # A bond between two glued nodes has no constant of its own: what is left there is the second's.
    seam = np.isin(lattice.bonds, glued.first_points[chosen]).all(axis=1)
    own = np.isin(second.bonds, np.flatnonzero(second.points[:, 0] == 0.0)).all(axis=1)
    assert lattice.stiffness[seam].sum() == pytest.approx(second.stiffness[own].sum())
    # All other bonds keep theirs, and there is at most one between two nodes.
    assert lattice.stiffness.sum() == pytest.approx(2.0 * first.stiffness.sum() - second.stiffness[own].sum())
    assert len(np.unique(lattice.bonds, axis=0)) == lattice.bond_count
    assert components(lattice.bonds, lattice.node_count, lattice.stiffness > 0.0).max() == 0


def test_the_teapot_is_glued_from_simple_shapes():
    fragments = teapot.parts()
    whole_pot = teapot.glued(fragments, teapot.WALL)
    assert len(whole_pot.part_starts) == 1 + len(fragments)
    assert (np.diff(whole_pot.part_starts) > 0).all()
    volumes = sum(fragment.volumes.sum() for fragment in fragments.values())
    assert whole_pot.volumes.sum() == pytest.approx(volumes)
    assert components(whole_pot.bonds, whole_pot.node_count, whole_pot.stiffness > 0.0).max() == 0
    assert len(np.unique(whole_pot.bonds, axis=0)) == whole_pot.bond_count
    # Of the seams nothing is left but a skin that closes.
    hierarchy = hierarchy_of_lattice(whole_pot)
    assert len(rim(hierarchy.faces[boundary(hierarchy)])) == 0
