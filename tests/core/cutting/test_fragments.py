"""Fragments of the artist's surface: closed, complete, fitting, and carrying what the surface carried."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import cKDTree

from fracture_addon.core.cutting import fragment_regions, fragments
from fracture_addon.core.cutting.cut import Cuts
from fracture_addon.core.cutting.fragment_regions import nearby
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.solid import cell_centers, cell_volumes, extract
from fracture_addon.core.data.surface import Surface, area_vectors, volume
from fracture_addon.core.geometry.nearest import nearest
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.meshing.thin import sheets
from fracture_addon.core.methods import table
from tests import exactness, shapes

SETTINGS = Settings.of(seed=3)


def suzanne() -> Surface:
    """Something as uneven as a head: a bumpy sphere with two ears, which are shells of their own."""
    head = shapes.icosphere(1.0, 3)
    bumps = 1.0 + 0.2 * np.sin(3.0 * head.points[:, :1]) * np.cos(4.0 * head.points[:, 1:2])
    ears = [shapes.moved(shapes.icosphere(0.3, 2), offset=(side, 0.0, 0.9)) for side in (-1.7, 1.7)]
    return shapes.joined(replace(head, points=head.points * bumps), *ears)


MODELS = {
    "cube": shapes.cube,
    "cup": shapes.cup,
    "torus": shapes.torus,
    "shells": suzanne,
    **{name: lambda name=name: shapes.shipped(name) for name in shapes.CLEAN},
}


def with_attributes(surface: Surface) -> Surface:
    """Values that are linear in position, so that what they should be is known everywhere."""
    extent = surface.diagonal
    normals = area_vectors(surface)
    normals = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    corners = surface.corners / extent
    return Surface(
        surface.points,
        surface.faces,
        face_attributes={
            "material_index": np.arange(len(surface.faces), dtype=np.int32) % 3,
            "smooth": np.ones(len(surface.faces), bool),
            "face/row": np.arange(len(surface.faces)),
        },
        corner_attributes={
            "normal": np.repeat(normals[:, None], 3, axis=1),
            "uv/UVMap": corners[..., :2] @ [[0.3, -1.0], [0.7, 0.2]] + [0.5, 0.1],
            "color/Glaze": np.concatenate([corners, np.ones((len(corners), 3, 1))], axis=2),
            "weight/Handle": corners[..., 2:],
            "int/point": surface.faces[..., None].astype(float),
        },
    )


def break_up(surface: Surface, count: int, cell_count: int, settings: Settings = SETTINGS):
    """A solid, the labels of its cells by the nearest of ``count`` seeds, and the fragments."""
    solid = tetrahedralize(surface, cell_count, settings.seed)
    centers = cell_centers(solid.points, solid.cells)
    seeds = np.random.default_rng(settings.seed).choice(len(centers), count, replace=False)
    labels = cKDTree(centers[seeds]).query(centers)[1]
    return solid, labels, fragments.cut(surface, solid, labels, settings)


@pytest.fixture(scope="module", params=MODELS)
def broken(request):
    surface = with_attributes(MODELS[request.param]())
    _, labels, pieces = break_up(surface, 25, 1500)
    return surface, labels, pieces


def points_of(surface: Surface, rows) -> set[bytes]:
    return {point.tobytes() for point in surface.points[np.unique(surface.faces[rows])]}


def test_fragments_are_closed(broken):
    _, labels, pieces = broken
    assert {fragment.label for fragment in pieces} == set(labels)
    for fragment in pieces:
        assert exactness.is_closed(fragment.surface.faces)
        assert volume(fragment.surface) > 0.0
        assert (np.linalg.norm(area_vectors(fragment.surface), axis=1) > 0.0).all()
        assert len(np.unique(fragment.surface.faces)) == len(fragment.surface.points)


def test_volumes_and_outer_areas_sum(broken):
    surface, _, pieces = broken
    assert fragments.volume_error(surface, pieces) < 1e-6
    areas = np.zeros(len(surface.faces))
    for fragment in pieces:
        outer = ~fragment.interior
        sizes = np.linalg.norm(area_vectors(fragment.surface), axis=1)[outer]
        areas += np.bincount(fragment.surface.face_source[outer], sizes, len(surface.faces))
    expected = np.linalg.norm(area_vectors(surface), axis=1)
    np.testing.assert_allclose(areas, expected, atol=1e-6 * expected.sum())
    assert abs(areas.sum() / expected.sum() - 1.0) < 1e-6


def test_both_sides_of_a_crack_share_their_points(broken):
    _, _, pieces = broken
    names = np.array([name for fragment in pieces for name in points_of(fragment.surface, fragment.interior)])
    _, counts = np.unique(names, return_counts=True)
    assert (counts >= 2).all()
    # And their area: what one fragment shows, another shows from behind.
    vectors = sum(area_vectors(fragment.surface)[fragment.interior].sum(axis=0) for fragment in pieces)
    total = sum(np.linalg.norm(area_vectors(fragment.surface)[fragment.interior], axis=1).sum() for fragment in pieces)
    assert np.linalg.norm(vectors) < 1e-9 * total


def test_outer_points_lie_on_the_source(broken):
    surface, _, pieces = broken
    normals = area_vectors(surface)
    normals = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    for fragment in pieces:
        outer = ~fragment.interior
        rows = fragment.surface.face_source[outer]
        offset = fragment.surface.corners[outer] - surface.corners[rows][:, :1]
        assert np.abs(np.einsum("fci,fi->fc", offset, normals[rows])).max(initial=0.0) < 1e-9 * surface.diagonal
        # None is turned over, but for needles as thin as rounding.
        facing = np.einsum("fi,fi->f", area_vectors(fragment.surface)[outer], normals[rows])
        assert (facing > -1e-12 * surface.diagonal**2).all()


def test_attributes_are_carried(broken):
    surface, _, pieces = broken
    reference = with_attributes(surface)
    for fragment in pieces:
        outer, part = ~fragment.interior, fragment.surface
        rows = part.face_source[outer]
        corners = part.corners / surface.diagonal
        uv = corners[..., :2] @ [[0.3, -1.0], [0.7, 0.2]] + [0.5, 0.1]
        assert np.abs(part.corner_attributes["uv/UVMap"] - uv)[outer].max(initial=0.0) < 1e-5
        assert np.abs(part.corner_attributes["color/Glaze"][outer][..., :3] - corners[outer]).max(initial=0.0) < 1e-5
        points = part.corner_attributes["int/point"][outer][..., 0]
        assert (points[..., None] == surface.faces[rows][:, None]).any(axis=2).all()
        expected = reference.corner_attributes["normal"][rows]
        assert np.abs(part.corner_attributes["normal"][outer] - expected).max(initial=0.0) < 1e-9
        for name in ("material_index", "smooth", "face/row"):
            assert (part.face_attributes[name][outer] == reference.face_attributes[name][rows]).all()


def test_the_inside_has_attributes_of_its_own(broken):
    surface, _, pieces = broken
    assert sum(fragment.interior.sum() for fragment in pieces) > 100
    for fragment in pieces:
        inner, part = fragment.interior, fragment.surface
        assert (part.face_source[inner] == -1).all()
        assert (part.face_attributes["material_index"][inner] == -1).all()
        assert part.face_attributes["smooth"][inner].all()
        assert {"uv/interior", "value/fracture_edge_wear", *surface.corner_attributes} == set(part.corner_attributes)
        vectors = area_vectors(part)[inner]
        normals = part.corner_attributes["normal"][inner]
        np.testing.assert_allclose(np.linalg.norm(normals, axis=2), 1.0, atol=1e-9)
        assert (np.einsum("fi,fci->fc", vectors, normals) > 0.0).all()
        # Texture at real scale: no edge grows, and a face seen straight on keeps its size.
        uv, corners = part.corner_attributes["uv/interior"][inner], part.corners[inner]
        edges = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)
        assert (np.linalg.norm(uv - np.roll(uv, 1, axis=1), axis=2) <= edges * (1.0 + 1e-9) + 1e-15).all()
        assert np.isfinite(part.corner_attributes["color/Glaze"]).all()
        assert part.corner_attributes["weight/Handle"].shape == (len(part.faces), 3, 1)


@pytest.mark.parametrize("seed", range(4))
def test_many_small_fragments_still_sum(jar, seed):
    _, _, pieces = break_up(jar, 300, 3000, Settings.of(seed=seed, roughness=0.6))
    assert fragments.volume_error(jar, pieces) < 1e-9
    assert all(exactness.is_closed(fragment.surface.faces) for fragment in pieces)


def test_the_same_job_gives_the_same_bytes(cup):
    first, second = (break_up(cup, 12, 800)[2] for _ in range(2))
    assert [fragment.label for fragment in first] == [fragment.label for fragment in second]
    for one, other in zip(first, second, strict=True):
        assert one.surface.points.tobytes() == other.surface.points.tobytes()
        assert one.surface.faces.tobytes() == other.surface.faces.tobytes()


def test_roughness_moves_cracks_and_nothing_else():
    cube = shapes.cube()
    solid, labels, smooth = break_up(cube, 2, 400, Settings.of(roughness=0.0))
    rough = fragments.cut(cube, solid, labels, Settings.of(roughness=0.5))
    for pieces in (smooth, rough):
        assert fragments.volume_error(cube, pieces) < 1e-9
    assert len(rough[0].surface.faces) > len(smooth[0].surface.faces)
    crack = Surface(smooth[0].surface.points, smooth[0].surface.faces[smooth[0].interior])
    moved = rough[0].surface.points[np.unique(rough[0].surface.faces[rough[0].interior])]
    assert nearest(crack, moved)[2].mean() > 0.005


@pytest.mark.parametrize("cell_count", [96, 384, 1536])
@pytest.mark.parametrize("label_count", [1, 2])
def test_roughness_leaves_the_sides_of_a_thin_sheet(label_count, cell_count):
    """Its cells have faces on the hull; there is no padding beyond its sides."""
    square = Surface([[-0.1, -0.1, 0], [0.1, -0.1, 0], [0.1, 0.1, 0], [-0.1, 0.1, 0]], [[0, 1, 2], [0, 2, 3]])
    skin, thin = sheets.sheet(square, 0.006, cell_count, "sheet")
    solid = table.method(Settings.of(method="lattice", dynamics="deformable")).discretise_thin(thin, 0)
    x = cell_centers(solid.points, solid.cells)[:, 0]
    labels = np.minimum(x > 0.0, label_count - 1).astype(np.int32)
    pieces = fragments.cut(skin, solid, labels, Settings.of(roughness=0.9, relief_size=3.0))
    assert len(pieces) == label_count
    assert fragments.volume_error(skin, pieces) < 1e-9


def test_rough_crack_faces_that_cross_one_another_are_made_less_rough(monkeypatch):
    """Displaced far beyond their room, they cross, and the fragments would overlap or leave gaps."""
    raised = fragment_regions.raised
    monkeypatch.setattr(
        fragment_regions,
        "raised",
        lambda cracks, room, heights: raised(cracks, replace(room, up=50.0 * room.up, down=50.0 * room.down), heights),
    )
    cube = shapes.cube()
    settings = Settings.of(roughness=1.0, relief="splintered")
    solid, labels, pieces = break_up(cube, 12, 300, settings)
    assert fragments.volume_error(cube, pieces) < 1e-9
    with monkeypatch.context() as once:
        once.setattr(fragments, "ROUGHNESS_SHARES", (1.0,))
        assert fragments.volume_error(cube, fragments.cut(cube, solid, labels, settings)) > 1e-7


def test_unwanted_cells_are_left_out():
    cube = shapes.cube()
    solid = tetrahedralize(cube, 600, seed=0)
    x = cell_centers(solid.points, solid.cells)[:, 0]
    whole = fragments.cut(cube, solid, (x > 0).astype(int), SETTINGS)
    half = fragments.cut(cube, solid, np.where(x > 0, -1, 7), SETTINGS)
    assert [fragment.label for fragment in half] == [7]
    assert volume(half[0].surface) == pytest.approx(volume(whole[0].surface), rel=1e-12)
    assert fragments.cut(cube, solid, np.full(solid.cell_count, -1), SETTINGS) == []


@pytest.mark.parametrize("around", ["everything", "what is near"])
def test_a_fragment_breaks_again_and_its_parts_fill_it(cup, around):
    cup = with_attributes(cup)
    solid, labels, pieces = break_up(cup, 3, 1500)
    parent = pieces[0]
    part = extract(solid, np.flatnonzero(labels == parent.label))
    if around == "what is near":
        part, everything = nearby(part, parent.surface.points), part
        assert len(part.padding_cells) < len(everything.padding_cells)
    heights = cell_centers(part.points, part.cells)[:, 2]
    side = (heights > np.median(heights)).astype(int)
    children = fragments.cut(parent.surface, part, side, SETTINGS)
    assert {fragment.label for fragment in children} == set(side)
    assert fragments.volume_error(parent.surface, children) < 1e-9
    for child in children:
        assert exactness.is_closed(child.surface.faces)
        # Faces of the first crack are inside too, and the outside still names the artist's own faces.
        assert child.interior.sum() > 0
        assert child.surface.face_source.max() < len(cup.faces)
        row = child.surface.face_attributes["face/row"]
        assert (row[~child.interior] == child.surface.face_source[~child.interior]).all()
        assert (child.surface.face_attributes["material_index"][child.interior] == -1).all()


def test_a_hollow_stays_with_the_fragment_around_it():
    ball = shapes.joined(shapes.icosphere(1.0, 2), shapes.flipped(shapes.icosphere(0.4, 2)))
    solid = tetrahedralize(ball, 1500, seed=1)
    labels = (cell_centers(solid.points, solid.cells)[:, 0] > 0.65).astype(int)
    pieces = fragments.cut(ball, solid, labels, SETTINGS)
    assert [fragment.label for fragment in pieces] == [0, 1]
    assert fragments.volume_error(ball, pieces) < 1e-9
    inner = np.linalg.norm(pieces[0].surface.points, axis=1).min()
    assert inner == pytest.approx(np.linalg.norm(ball.points, axis=1).min())


def test_a_region_of_cavities_alone_keeps_them():
    """Rounding can leave such a region of a body of a few micrometres."""
    hollow, ball = (
        shapes.flipped(shapes.icosphere(1e-6, 0)),
        shapes.moved(shapes.icosphere(0.5, 0), offset=(2.0, 0.0, 0.0)),
    )
    both = shapes.joined(hollow, ball)
    region = np.repeat([0, 1], [len(hollow.faces), len(ball.faces)])
    cuts = Cuts(both.points, both.faces, region, np.arange(len(region)), np.full(len(region), -1))
    volumes = np.array([volume(hollow), volume(ball)])
    assert fragments._with_hollows(cuts, region, volumes).tolist() == region.tolist()


def test_every_shell_is_found():
    """Two shells with one label are two fragments."""
    balls = shapes.joined(shapes.icosphere(0.5, 2), shapes.moved(shapes.icosphere(0.5, 2), offset=(2.0, 0.0, 0.0)))
    solid = tetrahedralize(balls, 800, seed=0)
    labels = (cell_centers(solid.points, solid.cells)[:, 2] > 0.0).astype(int)
    pieces = fragments.cut(balls, solid, labels, SETTINGS)
    assert [fragment.label for fragment in pieces] == [0, 0, 1, 1]
    assert fragments.volume_error(balls, pieces) < 1e-9


def test_a_shell_that_no_wall_meets_goes_with_the_region_around_it():
    rooms = [shapes.moved(shapes.icosphere(0.3, 1), offset=(x, 0.0, 0.0)) for x in (0.0, 1.0, 2.0)]
    solid = tetrahedralize(shapes.joined(*rooms), 600, seed=0)
    labels = np.round(cell_centers(solid.points, solid.cells)[:, 0]).clip(0, 1).astype(int)
    pieces = fragments.cut(shapes.joined(*rooms), solid, labels, SETTINGS)
    assert [fragment.label for fragment in pieces] == [0, 1, 1]
    assert [round(float(fragment.surface.points[:, 0].mean())) for fragment in pieces] == [0, 1, 2]


@pytest.mark.parametrize("dust", ["merge", "drop"])
def test_what_the_surface_leaves_too_little_of_goes_to_a_neighbour(dust):
    """Seven handles, and cells that reach over their sides: the surface trims many fragments below the dust."""
    lantern = shapes.shipped("stoneLantern")
    settings = Settings.of(seed=3, dust=dust, dust_volume=0.01)
    solid, labels, pieces = break_up(lantern, 40, 1500, settings)
    volumes = np.array([volume(fragment.surface) for fragment in pieces]) / volume(lantern)
    cells = np.bincount(labels, cell_volumes(solid.points, solid.cells))
    assert fragments.volume_error(lantern, pieces) < 1e-9
    meant = np.array([cells[fragment.label] / cells.sum() for fragment in pieces])
    if dust == "merge":
        assert (volumes[meant >= 0.01] >= 0.01).all()
    else:
        assert (volumes[meant >= 0.01] < 0.01).any()
    assert all(exactness.is_closed(fragment.surface.faces) for fragment in pieces)
    assert not any(exactness.is_pinched(fragment.surface.faces) for fragment in pieces)
