"""Ropes, sheets and shells: their geometry, and that they hang, bend, tear and stay where they are held."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import coo_array, diags_array
from scipy.sparse.linalg import eigsh

from fracture_addon.core.data.errors import InvalidMeshError, SettingsError
from fracture_addon.core.data.job import AuthoredImpact, Body, Collider, Job, Settings
from fracture_addon.core.data.material import Material
from fracture_addon.core.data.placed_fields import PaintedField
from fracture_addon.core.data.solid import CELL_FACES
from fracture_addon.core.data.surface import Surface, area, area_vectors, volume
from fracture_addon.core.data.thin import Thin, evenly_along
from fracture_addon.core.data.wind import Wind
from fracture_addon.core.geometry import quads
from fracture_addon.core.geometry.inspection import inspect
from fracture_addon.core.meshing.thin import ropes, sheets
from fracture_addon.core.methods.lattice.cells.thin_bodies import discretise_thin
from fracture_addon.core.methods.lattice.model import model_of
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes

RUBBER = Material("Rubber", 1000.0, 1e7, 0.25, 1e9, 1e9, 1e9, strength_variation=0.0)
PAPER = replace(RUBBER, name="Paper", tensile_strength=4e3, strength_variation=0.1)
SOFT = Settings.of(method="lattice", dynamics="deformable", softening=1.0, cell_count=240, noise=0.0, seed=2)
LINE = ropes.rope(np.array([[0.0, 0, 1], [1, 0, 1]]), np.array([[0, 1]]), 0.02, 150)


def plane(count=2, size=1.0):
    """A grid of squares of two triangles each, with a texture."""
    places = np.linspace(0.0, size, count + 1)
    points = np.array([[x, y, 0.0] for y in places for x in places])
    corner = np.array([row * (count + 1) + column for row in range(count) for column in range(count)])
    faces = np.concatenate([corner[:, None] + [0, 1, count + 2], corner[:, None] + [0, count + 2, count + 1]])
    attributes = {"material_index": np.arange(len(faces)), "smooth": np.zeros(len(faces), bool)}
    return Surface(points, faces, np.arange(len(faces)), attributes, {"uv/UVMap": 2.0 * points[faces][:, :, :2]})


def is_closed(surface):
    return np.abs(area_vectors(surface).sum(axis=0)).max() < 1e-9 and inspect(surface).open_edges == 0


def pins(skin, held):
    return PaintedField(skin.points, skin.faces, np.asarray(held, float))


def run(skin, thin, material=RUBBER, frames=12, track=None, winds=(), **settings):
    body = Body("thin", skin, material, SOFT.changed(**settings), track=track, thin=thin)
    recording = simulate(Job((body,), frame_start=1, frame_end=frames, winds=winds), lambda *_: None)
    return recording.deformed[0], recording.report["bodies"][0]


def test_lines_are_cut_where_they_meet_and_rings_close():
    star = ropes.chains(np.array([[0, 1], [1, 2], [1, 3]]))
    assert [chain.tolist() for chain in star] == [[0, 1], [1, 2], [1, 3]]
    (ring,) = ropes.chains(np.array([[0, 1], [1, 2], [2, 0]]))
    assert ring.tolist() == [0, 1, 2, 0]
    assert len(ropes.chains(LINE.cells)) == 1


def test_a_rope_is_divided_evenly_and_knots_stay():
    points = np.array([[0.0, 0, 0], [1, 0, 0], [1, 2, 0], [2, 0, 0]])
    net = ropes.rope(points, np.array([[0, 1], [1, 2], [1, 3]]), 0.01, 240)
    lengths = np.linalg.norm(np.diff(net.points[net.cells], axis=1)[:, 0], axis=1)
    assert lengths == pytest.approx(0.1, rel=0.05)
    for point in points:
        assert np.linalg.norm(net.points - point, axis=1).min() < 1e-12
    assert np.bincount(net.cells.ravel()).max() == 3
    with pytest.raises(InvalidMeshError, match="no length"):
        ropes.rope(points[[0, 0]], np.array([[0, 1]]), 0.01, 100)


def test_a_rope_looks_like_a_tube_and_so_do_its_parts():
    skin = ropes.skin(LINE)
    inscribed = ropes.SIDES / 2.0 * np.sin(2.0 * np.pi / ropes.SIDES) * 0.01**2
    assert is_closed(skin)
    assert volume(skin) == pytest.approx(inscribed, rel=1e-6)
    labels = (np.arange(len(LINE.cells)) >= 10).astype(int)
    parts = ropes.pieces(LINE, labels)
    assert [part.label for part in parts] == [0, 1]
    assert all(is_closed(part.surface) for part in parts)
    assert sum(volume(part.surface) for part in parts) == pytest.approx(volume(skin))
    # One torn end each.
    assert [int(part.interior.sum()) for part in parts] == [ropes.SIDES] * 2


def test_a_line_is_not_turned_around_itself():
    angles = np.linspace(0.0, 4.0 * np.pi, 60)
    screw = np.stack([np.cos(angles), np.sin(angles), 0.1 * angles], axis=1)
    frames = ropes.across(screw)
    assert np.einsum("rki,rli->rkl", frames, frames) == pytest.approx(np.tile(np.eye(2), (60, 1, 1)), abs=1e-12)
    assert np.einsum("ri,ri->r", frames[1:, 0], frames[:-1, 0]).min() > 0.97


def test_triangles_pair_into_squares_and_divide_with_what_they_carry():
    surface = plane(3)
    paired = quads.paired(surface)
    assert len(paired.quads) == 9
    finer = quads.divided(paired)
    assert len(finer.quads) == 36
    corners = finer.points[finer.quads]
    assert np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])[:, 2] / 2.0 == pytest.approx(1 / 36)
    assert finer.corner_attributes["uv/UVMap"] == pytest.approx(2.0 * corners[:, :, :2])


def test_a_triangle_alone_divides_in_three_squares():
    alone = Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], [0], {}, {"value/x": [[[0.0], [1.0], [0.0]]]})
    parts = quads.divided(quads.paired(alone))
    assert len(parts.quads) == 3
    assert parts.corner_attributes["value/x"][..., 0] == pytest.approx(parts.points[parts.quads][:, :, 0])
    assert len(quads.border(parts.quads)) == 6


@pytest.mark.parametrize("kind", ["sheet", "shell"])
def test_a_sheet_gets_two_sides_and_a_rim(kind):
    skin, thin = sheets.sheet(plane(), 0.02, 384, kind)
    assert (thin.kind, len(thin.cells)) == (kind, 64)
    assert is_closed(skin)
    assert volume(skin) == pytest.approx(0.02)
    assert area(skin) == pytest.approx(2.0 + 4 * 0.02)
    assert set(skin.face_source) == set(range(4))
    assert skin.corner_attributes["uv/UVMap"] == pytest.approx(2.0 * skin.corners[:, :, :2])


def test_a_ball_as_a_sheet_is_hollow():
    skin, thin = sheets.revolved(*(radius * _half_circle(24) for radius in (1.02, 0.98)), 6 * 23 * 40)
    assert is_closed(skin)
    assert volume(skin) == pytest.approx(4.0 * np.pi * 0.04, rel=0.02)
    assert thin.thickness == pytest.approx(0.04)
    assert (thin.cells[:, 2] == thin.cells[:, 3]).sum() == 2 * 40


def _half_circle(count):
    angles = np.linspace(-0.5 * np.pi, 0.5 * np.pi, count)
    return evenly_along(np.stack([np.maximum(np.cos(angles), 0.0), np.sin(angles)], axis=1), count)


@pytest.mark.parametrize("kind", ["sheet", "shell"])
def test_a_curved_or_creased_sheet_has_the_volume_of_its_area_times_its_thickness(kind):
    """At any size: a ball of 0.1 m and a saddle with a crease."""
    grid = plane(8, 0.3)
    x, y = grid.points[:, 0] - 0.15, grid.points[:, 1] - 0.15
    bent = replace(grid, points=np.stack([x, y, 0.25 * np.abs(y) - 2.0 * x**2], axis=1))
    for surface in (shapes.icosphere(0.1, 3), bent):
        _, thin = sheets.sheet(surface, 5e-4, 1200, kind)
        lattice = discretise_thin(thin, seed=0).lattice
        assert (lattice.volumes > 0.0).all()
        assert lattice.volumes.sum() == pytest.approx(5e-4 * area(surface), rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_no_cell_of_a_sharp_bend_is_turned_inside_out(seed):
    """A wall of 6 mm in a bend of 5 mm, of long quads. Otherwise some crack faces have one side, and the cut fails."""
    arc = 0.005 * _half_circle(12)
    points = np.array([[x, y, z] for x in 0.005 * np.arange(5) for y, z in arc])
    rows = 12 * np.arange(4)[:, None] + np.arange(11)
    quads = np.stack([rows, rows + 1, rows + 13, rows + 12], axis=-1).reshape(-1, 4)
    solid = discretise_thin(Thin("shell", points, quads, np.full(len(points), 0.006)), seed)
    tets = np.concatenate([solid.cells, solid.padding_cells])
    faces = tets[:, CELL_FACES].reshape(-1, 3)
    first = np.argmin(faces, axis=1)
    directed = np.stack([faces[np.arange(len(faces)), (first + k) % 3] for k in range(3)], axis=1)
    assert len(np.unique(directed, axis=0)) == len(directed)


def test_what_is_no_sheet_is_refused():
    flipped = plane(1)
    faces = flipped.faces.copy()
    faces[1] = faces[1][::-1]
    with pytest.raises(InvalidMeshError, match="opposite windings"):
        sheets.sheet(Surface(flipped.points, faces), 0.01, 100, "sheet")
    with pytest.raises(SettingsError, match="blanket"):
        Thin("blanket", np.zeros((0, 3)), np.zeros((0, 4)), np.zeros(0))


def test_a_rope_hangs_from_its_end_and_stretches_as_it_should():
    upright = ropes.rope(np.array([[0.0, 0, 1], [0, 0, 0]]), np.array([[0, 1]]), 0.02, 60)
    skin = ropes.skin(upright)
    heavy = replace(RUBBER, young_modulus=2e5)
    shown, _ = run(skin, upright, heavy, 40, pinned=pins(skin, skin.points[:, 2] > 0.999))
    lowest = shown.points[:, :, 2].min(axis=1)
    assert shown.points[-1, :, 2].max() == pytest.approx(1.0, abs=1e-6)
    # It swings around rho g L^2 / 2 E.
    assert -lowest[1:].mean() == pytest.approx(1000.0 * 9.81 / (2.0 * 2e5), rel=0.25)


def test_a_weak_rope_breaks_into_closed_tubes_that_part():
    skin = ropes.skin(LINE)
    shown, report = run(skin, LINE, PAPER, 16, pinned=pins(skin, skin.points[:, 0] < 0.13))
    assert report["fragments"] == 2
    assert np.abs(shown.points[0] - shown.surface.points).max() < 1e-6
    lowest = [shown.points[-1, shown.surface.faces[shown.piece_of_face == fragment], 2].max() for fragment in (0, 1)]
    assert max(lowest) > 0.9 > 0.5 > min(lowest)
    assert is_closed(shown.surface)
    assert np.isfinite(shown.points).all()


def test_a_sheet_hangs_like_cloth_and_a_shell_stands_out():
    sags = {}
    for kind in ("sheet", "shell"):
        skin, thin = sheets.sheet(plane(4, 0.4), 0.03, 384, kind)
        shown, report = run(skin, thin, RUBBER, 9, pinned=pins(skin, skin.points[:, 0] < 0.11))
        assert report["volume_error"] < 1e-9
        assert np.abs((shown.points - shown.points[0])[:, shown.points[0, :, 0] < 0.09]).max() < 1e-5
        sags[kind] = -float(shown.points[-1, :, 2].min())
    assert sags["sheet"] > 0.2
    assert sags["shell"] < 0.06


@pytest.mark.parametrize("thickness", [0.02, 0.005])
def test_a_shell_bends_as_stiffly_as_a_plate_of_any_thickness(thickness):
    count, length, density, modulus = 20, 0.4, 1000.0, 1e7
    strip = plane(count, length)
    kept = (strip.corners[:, :, 1] < 0.081).all(axis=1)
    _, thin = sheets.sheet(Surface(strip.points, strip.faces[kept]), thickness, 6 * kept.sum() // 2, "shell")
    lattice = discretise_thin(thin, 0).lattice
    free = lattice.points[:, 0] > 1.01 * length / count
    frequency = _lowest_frequency(lattice, density, modulus, free)
    reach = length - length / count
    theory = 1.8751**2 / (2.0 * np.pi) * np.sqrt(modulus * thickness**2 / (12.0 * density * reach**4))
    assert frequency == pytest.approx(theory, rel=0.03)
    # What holds the sides apart asks for no smaller steps than the sides themselves.
    thicker, thinner = (_shell_step(count, length, size, modulus, density) for size in (0.02, 0.0005))
    assert thinner == pytest.approx(thicker, rel=0.2)


def _shell_step(count, length, thickness, modulus, density):
    _, thin = sheets.sheet(plane(count, length), thickness, 6 * count**2, "shell")
    return model_of(discretise_thin(thin, 0).lattice, density, modulus).largest_step


def _lowest_frequency(lattice, density, modulus, free):
    model = model_of(lattice, density, modulus)
    span = np.diff(lattice.points[lattice.bonds], axis=1)[:, 0]
    direction = span / np.linalg.norm(span, axis=1)[:, None]
    rows = np.arange(lattice.bond_count).repeat(3)
    columns = 3 * lattice.bonds[:, :, None] + np.arange(3)
    stretch = sum(
        coo_array((sign * direction.ravel(), (rows, columns[:, end].ravel())), (len(rows) // 3, 3 * len(model.masses)))
        for end, sign in ((0, -1.0), (1, 1.0))
    ).tocsc()[:, np.repeat(free, 3)]
    scale = diags_array(1.0 / np.sqrt(np.repeat(model.masses[free], 3)))
    matrix = (scale @ stretch.T @ diags_array(model.stiffness) @ stretch @ scale).tocsc()
    (lowest,) = eigsh(matrix, 1, sigma=0.0, return_eigenvectors=False)
    return np.sqrt(lowest) / (2.0 * np.pi)


def test_a_sheet_tears_into_closed_fragments():
    skin, thin = sheets.sheet(plane(), 0.02, 800, "sheet")
    shown, report = run(skin, thin, PAPER, 12, pinned=pins(skin, skin.points[:, 0] < 0.1), cell_count=800)
    assert report["fragments"] > 1
    assert report["volume_error"] < 1e-6
    for fragment in range(int(shown.piece_of_face.max()) + 1):
        part = Surface(shown.surface.points, shown.surface.faces[shown.piece_of_face == fragment])
        assert np.abs(area_vectors(part).sum(axis=0)).max() < 1e-12
    assert np.abs(shown.points[0] - shown.surface.points).max() < 1e-5


@pytest.mark.parametrize("touching", [False, True])
def test_a_strand_falls_through_its_own_rope_unless_that_collides_with_itself(touching):
    hairpin = np.array([[0.0, 0, 0.08], [1, 0, 0.08], [1, 0, 0], [0, 0, 0]])
    thin = ropes.rope(hairpin, np.array([[0, 1], [1, 2], [2, 3]]), 0.02, 300)
    skin = ropes.skin(thin)
    shown, _ = run(skin, thin, frames=8, pinned=pins(skin, skin.points[:, 2] < 0.05), self_collision=touching)
    upper = (shown.points[0, :, 2] > 0.05) & (shown.points[0, :, 0] < 0.5)
    assert (shown.points[-1, upper, 2].max() > 0.0) == touching


def test_a_sheet_holds_a_box_that_would_fit_between_its_nodes():
    skin, thin = sheets.sheet(plane(), 0.01, 240, "sheet")
    held = pins(skin, (np.abs(skin.points[:, :2] - 0.5) > 0.45).any(axis=1))
    body = Body("sheet", skin, replace(RUBBER, young_modulus=1e6), SOFT.changed(pinned=held), thin=thin)
    width = 0.95 / np.sqrt(len(thin.cells))
    box = Collider("box", shapes.box((width, width, width), (0.56, 0.54, 0.2)), "mesh", 1.0)
    recording = simulate(Job((body,), (box,), frame_start=1, frame_end=16), lambda *_: None)
    assert recording.projectiles[0].poses[-1, 2] > -0.1


def test_an_impact_tears_a_sheet():
    skin, thin = sheets.sheet(plane(), 0.02, 300, "sheet")
    held = pins(skin, np.abs(skin.points[:, 0] - 0.5) > 0.4)
    impact = AuthoredImpact(1, np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.0, -1.0]), 4.0)
    body = Body("thin", skin, replace(PAPER, tensile_strength=1e5), SOFT.changed(pinned=held), thin=thin)
    recording = simulate(Job((replace(body, impacts=(impact,)),), frame_end=3, gravity=np.zeros(3)), lambda *_: None)
    assert recording.report["bodies"][0]["fragments"] > 1


def test_wind_fills_a_sheet():
    skin, thin = sheets.sheet(plane(), 0.002, 384, "sheet")
    impact = (Wind("uniform", direction=np.array([0.0, 0.0, 1.0]), speed=30.0),)
    shown, _ = run(skin, thin, RUBBER, 8, winds=impact, pinned=pins(skin, skin.points[:, 0] < 1e-3))
    assert shown.points[-1, :, 2].mean() > 0.1


def test_pinned_ends_go_along_with_the_body():
    skin = ropes.skin(LINE)
    track = np.zeros((8, 7))
    track[:, 1], track[:, 2], track[:, 3] = np.linspace(0.0, 0.5, 8), 1.0, 1.0
    shown, _ = run(skin, LINE, frames=8, track=track, pinned=pins(skin, skin.points[:, 0] < 1e-3))
    held = shown.points[0, :, 0] < 1e-3
    assert shown.points[-1, held, 1].mean() == pytest.approx(0.5, abs=0.005)
    assert shown.points[-1, :, 2].min() < 0.7


def test_only_a_deformable_lattice_is_thin():
    with pytest.raises(SettingsError, match="rope"):
        run(ropes.skin(LINE), LINE, dynamics="rigid")
    with pytest.raises(SettingsError, match="choose the method Lattice"):
        run(ropes.skin(LINE), LINE, method="fem")
