"""What Sweeney, Norton, Bacon, Haumann and Turk (1991) say of the structure of models and of the operators on it."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data import arrays
from fracture_addon.core.data.surface import area_vectors
from fracture_addon.core.methods.lattice.operators.hierarchy import Hierarchy
from fracture_addon.core.methods.lattice.operators.structure import hierarchy_of_lattice
from tests import profiles
from tests.sweeney_operators import all_intact, boundary, break_edges, edges_of_cell, glued_by_bonds, rim, surface_model


def placed(lattice, offset):
    return replace(lattice, points=lattice.points + offset)


def hung_rope(x):
    return profiles.rope([(x, 0.25, height) for height in np.linspace(0.02, 1.02, 11)], 0.01)


def swing():
    """Two ropes and a seat, as in figure 2."""
    seat = placed(profiles.slab((1.0, 0.5, 0.05), (10, 5, 1), "face"), [0.0, 0.0, -0.05])
    whole_swing, first = glued_by_bonds(seat, hung_rope(0.1), 0.06, 0.01)
    whole_swing, second = glued_by_bonds(whole_swing, hung_rope(0.9), 0.06, 0.01)
    return whole_swing, second.hierarchy, (first, second)


def two_cubes():
    return hierarchy_of_lattice(profiles.slab((2.0, 1.0, 1.0), (2, 1, 1), "body"))


def test_section_3_a_swing_is_separate_fragments_and_one_whole():
    lattice, hierarchy, glues = swing()
    assert len(lattice.part_starts) == 1 + 3
    assert lattice.part_dimensions.tolist() == [3, 1, 1]
    assert all(len(glue.glue_edges) > 0 for glue in glues)
    # "The two ropes are more flexible and weigh less than the seat": each part is a range, with values of its own.
    density = np.repeat([700.0, 200.0, 200.0], np.diff(lattice.part_starts))
    masses = density * lattice.volumes
    seat, first, second = np.split(masses, lattice.part_starts[1:-1])
    assert first.sum() == pytest.approx(second.sum())
    assert seat.sum() == pytest.approx(700.0 * 1.0 * 0.5 * 0.05)
    # Ropes have points and edges, and no surface; the seat alone is in the surface model, and keeps its identity.
    part = np.searchsorted(hierarchy.part_starts[:, 2], boundary(hierarchy), side="right") - 1
    assert (part == 0).all()


def test_section_3_what_a_run_puts_out_can_be_put_in_again(tmp_path):
    _, hierarchy, _ = swing()
    broken = break_edges(hierarchy, all_intact(hierarchy), [0, 7])
    arrays.save(tmp_path / "structure.npz", hierarchy)
    arrays.save(tmp_path / "intact.npz", broken)
    again = arrays.load(tmp_path / "structure.npz", Hierarchy)
    assert (boundary(again, arrays.load(tmp_path / "intact.npz", type(broken))) == boundary(hierarchy, broken)).all()
    assert (break_edges(again, broken, [20]).cells == break_edges(hierarchy, broken, [20]).cells).all()


def test_section_4_cells_share_edges_and_not_faces():
    pair = two_cubes()
    assert np.intersect1d(edges_of_cell(pair, 0), edges_of_cell(pair, 1)).size == 4
    # "Each cell has 12 faces, two triangles for each square side of the cube."
    assert np.bincount(pair.face_cells).tolist() == [12, 12]


def test_section_5_2_three_steps_of_breaking():
    pair = two_cubes()
    middle = pair.points[pair.edges].mean(axis=1)
    on_the_common_face = np.flatnonzero(np.abs(middle[:, 0] - 1.0) < 0.1)
    in_one_cell = np.setdiff1d(edges_of_cell(pair, 0), edges_of_cell(pair, 1))
    # Unique to an invalid cell: broken. Shared with a valid one: not.
    after = break_edges(pair, all_intact(pair), in_one_cell[:1])
    assert after.cells.tolist() == [False, True]
    assert not after.edges[in_one_cell].any()
    assert after.edges[edges_of_cell(pair, 1)].all()
    # An edge of both cells takes both with it.
    after = break_edges(pair, all_intact(pair), on_the_common_face[:1])
    assert not after.cells.any()
    assert not after.edges.any()


def test_section_5_2_breaking_exposes_faces():
    pair = two_cubes()
    after = break_edges(pair, all_intact(pair), np.setdiff1d(edges_of_cell(pair, 0), edges_of_cell(pair, 1))[:1])
    new = np.setdiff1d(boundary(pair, after), boundary(pair))
    surface, _ = surface_model(pair, after)
    vectors = area_vectors(surface)[np.isin(surface.face_source, new)]
    # "The normal for the faces of cell B will be pointing outward", to where cell A was.
    assert np.allclose(vectors.sum(axis=0), [-1.0, 0.0, 0.0])


@pytest.mark.parametrize(("lower", "alike"), [(2, False), (8, True)])
def test_figure_4_gluing_needs_like_spacings(lower, alike):
    upper = profiles.slab((4.0, 1.0, 1.0), (8, 2, 2), "face")
    block = placed(profiles.slab((4.0, 1.0, 1.0), (lower, max(lower // 4, 1), 1), "face"), [0.0, 0.0, -1.1])
    gap = 0.1
    _, glued = glued_by_bonds(upper, block, 1.01 * gap if alike else 0.75, 1.0)
    ends = glued.hierarchy.edges[glued.glue_edges]
    lengths = np.linalg.norm(np.diff(glued.hierarchy.points[ends], axis=1)[:, 0], axis=1)
    shared = np.unique(ends.max(axis=1), return_counts=True)[1]
    if alike:
        # One to one, all of a length.
        assert len(ends) == 9 * 3
        assert shared.max() == 1
        assert np.ptp(lengths) < 1e-9
    else:
        # "All the points in the specified region of the first object get bonded with one point in the second."
        assert shared.max() > 4
        assert lengths.max() > 5.0 * lengths.min()


def test_section_5_3_glued_edges_may_be_weaker_or_stronger():
    seat = profiles.slab((1.0, 1.0, 1.0), (2, 2, 2), "face")
    other = placed(seat, [0.0, 0.0, 1.2])
    for stiffness in (1e-3, 1e3):
        lattice, glued = glued_by_bonds(seat, other, 0.21, stiffness)
        assert len(glued.glue_edges) == 9
        assert np.allclose(lattice.stiffness[glued.glue_edges], stiffness)
        assert np.allclose(np.delete(lattice.stiffness, glued.glue_edges).sum(), 2.0 * seat.stiffness.sum())
        # They are in no cell, so nothing but their own threshold breaks them.
        assert not np.isin(glued.glue_edges, lattice.cell_bonds).any()


def test_section_5_4_reverse_faces_cancel():
    pair = two_cubes()
    inner = np.setdiff1d(np.arange(len(pair.faces)), boundary(pair))
    assert len(inner) == 4
    one, other = (pair.faces[inner[pair.face_cells[inner] == cell]] for cell in (0, 1))
    # (P1, P3, P2) and (P1, P4, P3) against (P1, P2, P3) and (P1, P3, P4): the same first point, the other way round.
    assert sorted(map(tuple, one.tolist())) == sorted((a, c, b) for a, b, c in other.tolist())
    assert len(rim(pair.faces[boundary(pair)])) == 0


def test_section_5_4_all_faces_of_a_sheet_are_outside_and_a_rope_has_none():
    points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)], float)
    leaf = hierarchy_of_lattice(profiles.sheet(points, [[0, 1, 2, 3], [1, 4, 5, 2]], 0.001))
    assert len(boundary(leaf)) == len(leaf.faces) == 4
    assert len(rim(leaf.faces)) == 6
    assert len(boundary(hierarchy_of_lattice(hung_rope(0.0)))) == 0
