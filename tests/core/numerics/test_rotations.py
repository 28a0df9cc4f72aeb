"""Poses, tracks and mass properties."""

from __future__ import annotations

import numpy as np

from fracture_addon.core.data.surface import mass_properties
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.numerics.rotations import (
    continuous,
    cross,
    interpolated_pose,
    length,
    matrices,
    moved,
    pose_on_track,
)
from fracture_addon.core.rigid.rigid_properties import cell_properties
from tests import shapes


def test_mass_properties_of_cells_are_those_of_their_surface():
    solid = tetrahedralize(shapes.cube(0.2), 600, 1)
    mass, center, inertia = mass_properties(shapes.cube(0.2), 2400.0)
    cells = cell_properties(solid.points, solid.cells, 2400.0)
    np.testing.assert_allclose(cells.mass, mass, rtol=0.08)
    np.testing.assert_allclose(cells.center, center, atol=0.005)
    np.testing.assert_allclose(cells.inertia, inertia, rtol=0.15, atol=0.02 * inertia.max())


def test_tracks_count_from_their_first_row():
    half = np.sqrt(0.5)
    track = np.array([[1.0, 0, 0, half, 0, 0, half], [2.0, 0, 0, half, 0, 0, half], [2.0, 0, 0, 0, 0, 0, 1]])
    center = np.array([1.0, 1.0, 0.0])
    np.testing.assert_allclose(pose_on_track(track, 0.0, center), [1, 1, 0, 1, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(pose_on_track(track, 0.5, center), [1.5, 1, 0, 1, 0, 0, 0], atol=1e-12)
    # A quarter turn about Z takes the arm from Y to -X; the last row holds.
    np.testing.assert_allclose(pose_on_track(track, 9.0, center), [1, 0, 0, half, 0, 0, half], atol=1e-12)
    np.testing.assert_allclose(pose_on_track(track[:1], 5.0, center), [1, 1, 0, 1, 0, 0, 0], atol=1e-12)


def test_poses_between_and_about_other_points():
    turn = np.array([0.0, 0.0, 0.0, np.cos(0.4), 0.0, 0.0, np.sin(0.4)])
    middle = interpolated_pose(np.array([0.0, 0, 0, 1, 0, 0, 0]), -turn, 0.5)
    np.testing.assert_allclose(np.abs(middle[3:]), [np.cos(0.2), 0, 0, np.sin(0.2)], atol=1e-12)
    np.testing.assert_allclose(moved(turn, np.zeros(3), np.array([1.0, 0, 0]))[0, :2], [np.cos(0.8), np.sin(0.8)])
    poses = np.stack([turn, -turn, turn])
    assert (np.diff(continuous(poses), axis=0) == 0.0).all()


def test_one_vector_is_as_one_of_many():
    """What is written out for one is numpy's, to the bit."""
    first, second = np.random.default_rng(0).normal(size=(2, 20, 3))
    turns = np.random.default_rng(1).normal(size=(20, 4))
    np.testing.assert_array_equal([cross(a, b) for a, b in zip(first, second, strict=True)], np.cross(first, second))
    assert [length(a) for a in first] == [np.linalg.norm(a) for a in first]
    np.testing.assert_array_equal([matrices(turn) for turn in turns], matrices(turns))
