"""Pieces of a break: contacts, merging, and their files."""

import json

import numpy as np
import pytest

from fracture_addon.core.data.surface import Surface, center_of_volume, volume
from fracture_addon.core.geometry.shells import is_closed
from fracture_addon.farm import break_files
from fracture_addon.farm.pieces import Piece, adjacency, contacts_of, merged, total_volume

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
QUADS = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
# The diagonals of both ends run between the same corners, so that neighbours share triangles.
FACES = np.concatenate([QUADS[:, [0, 1, 2]], QUADS[:, [0, 2, 3]]])


def block(start, stop, left=True, right=True):
    """A box from ``start`` to ``stop`` along x; its ends inside the bar are crack faces."""
    points = CORNERS * [stop - start, 1.0, 1.0] + [start, 0.0, 0.0]
    x = points[FACES][:, :, 0]
    interior = (left & (x == start).all(axis=1)) | (right & (x == stop).all(axis=1))
    surface = Surface(points, FACES)
    center = center_of_volume(surface)
    return Piece(surface, interior, center, stop - start, np.concatenate([center, [1.0, 0.0, 0.0, 0.0]]))


@pytest.fixture
def bar():
    """Three boxes of the lengths 3, 1 and 2 m in a row."""
    return [block(0.0, 3.0, left=False), block(3.0, 4.0), block(4.0, 6.0, right=False)]


def test_blocks_are_closed(bar):
    assert all(is_closed(piece.surface.faces) for piece in bar)
    assert not is_closed(bar[0].surface.faces[1:])
    assert total_volume(bar) == pytest.approx(6.0)


def test_neighbours_share_the_area_of_their_crack(bar):
    pairs, areas = adjacency(contacts_of(bar))
    assert pairs.tolist() == [[0, 1], [1, 2]]
    assert areas == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("count", [1, 2, 3])
def test_merging_keeps_volume_closed_surfaces_and_mass(bar, count):
    found = merged(bar, count)
    assert len(found) == count
    assert all(is_closed(piece.surface.faces) for piece in found)
    assert total_volume(found) == pytest.approx(6.0)
    assert sum(piece.mass for piece in found) == pytest.approx(6.0)
    assert sum(piece.interior.sum() for piece in found) == 4 * (count - 1)
    for piece in found:
        assert piece.center == pytest.approx(center_of_volume(piece.surface))
        assert volume(piece.surface) > 0.0


def test_the_smallest_piece_is_merged_first(bar):
    lengths = sorted(round(volume(piece.surface), 6) for piece in merged(bar, 2))
    assert lengths == [2.0, 4.0]


def test_a_merged_piece_moves_with_its_heaviest_part(bar):
    half = np.sqrt(0.5)
    poses = [np.array([10.0, 0.0, 0.0, half, 0.0, 0.0, half]), bar[1].pose, bar[2].pose]  # a quarter turn about z
    moved = [Piece(p.surface, p.interior, p.center, p.mass, pose) for p, pose in zip(bar, poses, strict=True)]
    whole = merged(moved, 1)[0]
    # The centre of the whole is 1.5 m from that of the first box along x, and along y after the turn.
    assert whole.pose[:3] == pytest.approx([10.0, 1.5, 0.0])
    assert whole.pose[3:] == pytest.approx(poses[0][3:])


def test_pieces_that_touch_nothing_stay(bar):
    apart = [bar[0], bar[2]]
    assert len(merged(apart, 1)) == 2


@pytest.mark.parametrize("kind", break_files.FORMATS)
def test_readers_get_the_pieces(bar, tmp_path, kind):
    trimesh = pytest.importorskip("trimesh")
    break_files.write_break(tmp_path, "set", "a/b", 0, merged(bar, 2), {"mesh": "a/b"}, kind)
    place = tmp_path / "set" / "a" / "b" / "fractured_0"
    assert sorted(path.name for path in place.iterdir()) == [f"piece_0.{kind}", f"piece_1.{kind}"]
    meshes = [trimesh.load(path) for path in sorted(place.iterdir())]
    assert all(mesh.is_watertight for mesh in meshes)
    assert sorted(mesh.volume for mesh in meshes) == pytest.approx([2.0, 4.0])
    if kind == "ply":
        faces = meshes[0].metadata["_ply_raw"]["face"]["data"]
        assert sum(faces["interior"]) == 2


def test_a_smaller_break_replaces_a_larger_one(bar, tmp_path):
    break_files.write_break(tmp_path, "set", "a/b", 0, bar, {}, "ply")
    (tmp_path / "set" / "a" / "b" / "fractured_0" / "notes.txt").touch()
    break_files.write_break(tmp_path, "set", "a/b", 0, merged(bar, 2), {}, "obj")
    names = sorted(path.name for path in (tmp_path / "set" / "a" / "b" / "fractured_0").iterdir())
    assert names == ["notes.txt", "piece_0.obj", "piece_1.obj"]


def test_labels(bar, tmp_path):
    break_files.write_break(tmp_path, "set", "a/b", 3, bar, {"fragments": 3}, "obj")
    final = break_files.labels_path(tmp_path, "set", "a/b", 3)
    assert json.loads(final.read_text()) == {"fragments": 3}
    with np.load(final.with_suffix(".npz")) as labels:
        assert labels["adjacency"].tolist() == [[0, 1], [1, 2]]
        assert labels["interior_1"].sum() == 4
        assert labels["rest_pose"][0] == pytest.approx([1.5, 0.5, 0.5, 1.0, 0.0, 0.0, 0.0])
        assert labels["broken_pose"].shape == (3, 7)


def test_the_lists_of_meshes(tmp_path):
    break_files.write_split(tmp_path, "set", [f"cup/{name}" for name in "abcde"])
    train, val = (tmp_path / "data_split" / f"set.{name}.txt" for name in ("train", "val"))
    assert train.read_text().split() == ["set/cup/a", "set/cup/b", "set/cup/c", "set/cup/d"]
    assert val.read_text().split() == ["set/cup/e"]
