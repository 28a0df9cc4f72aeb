"""Cells, their shared faces and their orientation."""

import numpy as np
import pytest
from scipy.spatial import Delaunay

from fracture_addon.core.data import solid


@pytest.fixture
def filled_cube():
    """A Delaunay complex of random points and the cube's corners; cells far from the middle are padding."""
    random = np.random.default_rng(3)
    corners = np.array(list(np.ndindex(2, 2, 2)), float)
    points = np.concatenate([corners, random.uniform(size=(60, 3))])
    cells = Delaunay(points).simplices
    inner = np.linalg.norm(points[cells].mean(axis=1) - 0.5, axis=1) < 0.4
    return points, cells, inner


def test_two_cells_share_the_face_between_them():
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
    model = solid.from_cells(points, [[0, 1, 2, 3], [1, 2, 3, 4]], [])
    assert model.face_count == 1
    assert sorted(model.faces[0]) == [1, 2, 3]
    assert model.padding_cells.shape == (0, 4)


def test_cells_become_positive_and_fill_the_cube(filled_cube):
    points, cells, _ = filled_cube
    turned = solid.oriented(points, cells[:, [1, 0, 2, 3]])
    volumes = solid.cell_volumes(points, turned)
    assert (volumes > 0.0).all()
    assert volumes.sum() == pytest.approx(1.0)
    assert solid.cell_volumes(points, solid.oriented(points, cells)) == pytest.approx(volumes)


def test_shared_faces_point_from_the_first_cell_to_the_second(filled_cube):
    points, cells, inner = filled_cube
    model = solid.from_cells(points, cells[inner], cells[~inner])
    a, b, c = np.moveaxis(points[model.faces], 1, 0)
    centers = solid.cell_centers(points, model.cells)
    between = centers[model.face_cells[:, 1]] - centers[model.face_cells[:, 0]]
    assert (np.einsum("fi,fi->f", np.cross(b - a, c - a), between) > 0.0).all()


def test_shared_faces_are_those_that_a_plain_count_finds(filled_cube):
    points, cells, inner = filled_cube
    model = solid.from_cells(points, cells[inner], cells[~inner])
    owners = {}
    for row, cell in enumerate(model.cells):
        for corner in range(4):
            owners.setdefault(frozenset(np.delete(cell, corner).tolist()), set()).add(row)
    expected = {face: cells for face, cells in owners.items() if len(cells) == 2}
    found = {
        frozenset(face.tolist()): set(pair.tolist()) for face, pair in zip(model.faces, model.face_cells, strict=True)
    }
    assert found == expected
    assert len(found) == model.face_count


def test_the_part_of_a_solid_keeps_the_rest_as_padding(filled_cube):
    points, cells, inner = filled_cube
    model = solid.from_cells(points, cells[inner], cells[~inner])
    part = solid.extract(model, np.arange(0, model.cell_count, 2))
    assert part.cell_count == (model.cell_count + 1) // 2
    assert part.cell_count + len(part.padding_cells) == len(cells)
    total = solid.cell_volumes(points, part.cells).sum() + solid.cell_volumes(points, part.padding_cells).sum()
    assert total == pytest.approx(1.0)


def test_points_that_nothing_has_are_left_out(filled_cube):
    points, cells, inner = filled_cube
    model = solid.from_cells(points, cells[inner], cells[~inner][:9])
    small = solid.compacted(model)
    assert len(small.points) == len(np.unique(np.concatenate([model.cells, model.padding_cells])))
    for name in ("cells", "padding_cells", "faces"):
        np.testing.assert_array_equal(small.points[getattr(small, name)], points[getattr(model, name)])
    np.testing.assert_array_equal(small.face_cells, model.face_cells)
