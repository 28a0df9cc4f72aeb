"""Deformable bodies of the lattice method: they fall, sag, creep and break, and their surfaces follow."""

import re
from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data import arrays
from fracture_addon.core.data.errors import SettingsError
from fracture_addon.core.data.job import AuthoredImpact, Body
from fracture_addon.core.data.placed_fields import PaintedField
from fracture_addon.core.data.recording import Recording
from fracture_addon.core.data.surface import Surface, area_vectors, volume
from fracture_addon.core.geometry.embedding import embed
from fracture_addon.core.meshing.thin import ropes, sheets
from fracture_addon.core.methods.lattice import whole_shot
from tests import shapes
from tests.core.soft_bricks import BELOW, CHALK, FLOOR, RUBBER, SOFT, brick, middles, run


# Euler's method gains energy at contacts: the brick bounces 6 mm higher.
@pytest.mark.parametrize(("integrator", "difference"), [("runge_kutta", 2e-3), ("euler", 8e-3)])
def test_other_integrators_fall_and_bounce_like_leapfrog(integrator, difference):
    ends = []
    for name in ("leapfrog", integrator):
        found = run([brick(integrator=name)], 8, colliders=(FLOOR,))
        ends.append(found.deformed[0].points[-1].mean(axis=0))
    np.testing.assert_allclose(ends[1], ends[0], atol=difference)


def test_points_move_with_their_cells():
    nodes = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], float)
    points = np.array([[0.1, 0.2, 0.3], [0.6, 0.6, 0.6], [-0.1, 0.2, 0.2]])
    skin, cell = embed(points, nodes, np.array([[0, 1, 2, 3], [1, 2, 3, 4]]))
    assert cell.tolist() == [0, 1, 0]
    assert np.allclose(skin.points(nodes), points)
    shear = np.array([[1.0, 0.3, 0.0], [0.0, 2.0, 0.0], [0.1, 0.0, 0.5]])
    assert np.allclose(skin.points(nodes @ shear.T), points @ shear.T)


def test_a_point_far_from_all_cells_stays_near_them():
    nodes = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    skin, _ = embed(np.array([[100.0, 0.0, 0.0]]), nodes, np.array([[0, 1, 2, 3]]))
    assert np.abs(skin.points(nodes)).max() < 10.0


def test_a_body_falls_freely_and_keeps_its_shape():
    recording = run([brick()], 4, colliders=(BELOW,))
    times = np.arange(4) / 24.0
    middle = middles(recording.deformed[0])
    assert middle[:, 2] - middle[0, 2] == pytest.approx(-0.5 * 9.81 * times**2, abs=2e-4)
    shape = recording.deformed[0].points - middle[:, None]
    assert np.abs(shape - shape[0]).max() < 1e-5


def test_a_body_rests_on_a_floor_and_bulges():
    recording = run([brick((0.0, 0.0, 0.027), softening=30.0)], 24, colliders=(FLOOR,))
    points = recording.deformed[0].points
    assert points[..., 2].min() > -0.003
    height, width = np.ptp(points[-1], axis=0)[[2, 0]]
    assert 0.047 < height < 0.0498
    assert 0.1 < width < 0.103
    assert len(np.unique(recording.deformed[0].piece_of_face)) == 1


@pytest.mark.parametrize(("lattice", "low"), [("cubes", 0.0), ("cubes", 0.001), ("tetrahedra", 0.0)])
def test_a_body_at_rest_stays_even_if_it_starts_a_little_too_low(lattice, low):
    body = brick((0.0, 0.0, 0.025 - low), CHALK, cell_count=200, lattice=lattice)
    recording = run([body], 3, colliders=(FLOOR,))
    points = recording.deformed[0].points
    assert recording.report["bodies"][0]["fragments"] == 1
    assert np.abs(points - points[0]).max() < 1e-3


def test_an_authored_impact_breaks_above_the_critical_load():
    moved = []
    for strength in (0.7, 4.0):
        impact = AuthoredImpact(2, np.array([0.0, 0.0, 0.125]), np.array([0.0, 0.0, -1.0]), strength)
        body = replace(brick((0.0, 0.0, 0.1), CHALK, (0.2, 0.05, 0.05), cell_count=600), impacts=(impact,))
        recording = run([body], 4, gravity=np.zeros(3), colliders=(BELOW,))
        assert (recording.report["bodies"][0]["fragments"] > 1) == (strength > 1.0)
        height = middles(recording.deformed[0])[:, 2]
        assert height[1] == pytest.approx(height[0])
        moved.append(height[1] - height[3])
    assert 0.0 < 2.0 * moved[0] < moved[1]


def test_pinned_points_stay_and_the_rest_sags_more_at_lower_stiffness():
    beam = shapes.box((0.2, 0.03, 0.03), (0.1, 0.0, 0.0))
    surface = shapes.divided(beam)
    pins = PaintedField(surface.points, surface.faces, (surface.points[:, 0] < 0.05).astype(float))
    body = Body("beam", surface, RUBBER, SOFT.changed(pinned=pins, cell_count=1500))
    sags = []
    for factor in (1.0, 0.3):
        recording = run([replace(body, stiffness_track=np.full(24, factor))], 24, colliders=(BELOW,))
        points, rest = recording.deformed[0].points, recording.deformed[0].points[0]
        assert np.abs(points - rest)[:, rest[:, 0] < 0.01].max() < 1e-6
        sags.append(float((rest - points)[:, rest[:, 0] > 0.19, 2].max()))
    assert 0.001 < 2.0 * sags[0] < sags[1]


def test_a_body_breaks_on_the_floor_into_closed_fragments_that_separate():
    body = brick((0.0, 0.0, 0.2), CHALK, (0.2, 0.04, 0.04), cell_count=2000)
    slanted = replace(body, surface=shapes.moved(body.surface, rotation=_turn(0.5), offset=(0.0, 0.0, 0.1)))
    recording = run([slanted], 16, colliders=(FLOOR,))
    deformed = recording.deformed[0]
    count = int(deformed.piece_of_face.max()) + 1
    assert count == recording.report["bodies"][0]["fragments"] > 1
    assert recording.report["bodies"][0]["volume_error"] < 1e-6
    surface = deformed.surface
    for fragment in range(count):
        faces = surface.faces[deformed.piece_of_face == fragment]
        part = Surface(surface.points, faces)
        assert np.abs(area_vectors(part).sum(axis=0)).max() < 1e-12
        assert volume(part) > 0.0
    # On the first frame both faces of every crack lie on each other, to single precision.
    assert np.abs(deformed.points[0] - surface.points).max() < 1e-6
    assert deformed.interior.any()
    gaps = np.linalg.norm(np.ptp(deformed.points[-1], axis=0)) - np.linalg.norm(np.ptp(deformed.points[0], axis=0))
    assert gaps > 0.005


def test_small_fragments_merge_below_the_dust_volume_and_down_to_the_wanted_number():
    found = {}
    for name, value in (("dust_volume", 0.0), ("dust_volume", 0.1), ("piece_count", 3)):
        body = brick((0.0, 0.0, 0.2), CHALK, (0.2, 0.04, 0.04), cell_count=600, **{name: value})
        slanted = replace(body, surface=shapes.moved(body.surface, rotation=_turn(0.5), offset=(0.0, 0.0, 0.1)))
        deformed = run([slanted], 12, colliders=(FLOOR,)).deformed[0]
        pieces = [deformed.surface.faces[deformed.piece_of_face == n] for n in range(deformed.piece_of_face.max() + 1)]
        volumes = np.array([volume(Surface(deformed.surface.points, faces)) for faces in pieces])
        found[name, value] = volumes / volumes.sum()
    assert found["dust_volume", 0.0].min() < 0.1 <= found["dust_volume", 0.1].min()
    assert len(found["dust_volume", 0.0]) > len(found["dust_volume", 0.1]) > 1
    assert len(found["piece_count", 3]) == 3


def _turn(angle):
    return np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])


def test_the_same_job_gives_the_same_bytes_and_can_be_saved(tmp_path):
    first, second = (run([brick()], 6, colliders=(FLOOR,)) for _ in range(2))
    assert first.deformed[0].points.tobytes() == second.deformed[0].points.tobytes()
    arrays.save(tmp_path / "recording.npz", first)
    loaded = arrays.load(tmp_path / "recording.npz", Recording)
    assert np.array_equal(loaded.deformed[0].points, first.deformed[0].points)


def test_a_method_without_deformable_bodies_is_refused():
    with pytest.raises(SettingsError, match="Lattice"):
        run([brick(method="network")], 3, colliders=(FLOOR,))


def test_a_creeping_body_keeps_its_bent_shape():
    bent = []
    for creep in (0.0, 200.0):
        beam = shapes.divided(shapes.box((0.2, 0.02, 0.02), (0.1, 0.0, 0.0)))
        pinned = PaintedField(beam.points, beam.faces, (beam.points[:, 0] < 0.05).astype(float))
        clay = SOFT.changed(pinned=pinned, cell_count=400, creep=creep, yield_share=0.05)
        # Gravity pulls down for six frames, then ends.
        pull = np.tile([0.0, 0.0, -60.0], (14, 1))
        pull[6:] = 0.0
        body = Body("beam", beam, replace(RUBBER, tensile_strength=2e5), clay)
        tip = run([body], 14, gravity_track=pull).deformed[0].points[:, beam.points[:, 0].argmax(), 2]
        bent.append(-tip[8:].mean())
    assert bent[1] > 3.0 * abs(bent[0])
    assert bent[1] > 0.005


def test_debris_are_small_tetrahedra():
    chalk = replace(CHALK, tensile_strength=1e3, toughness=10.0)
    counts = {}
    for dust in ("merge", "debris"):
        body = brick((0.0, 0.0, 0.06), chalk, (0.06, 0.04, 0.04), cell_count=800, dust=dust)
        shown = run([body], 10, colliders=(FLOOR,)).deformed[0]
        counts[dust] = np.bincount(np.bincount(shown.surface.faces[:, 0] * 0 + shown.piece_of_face))
        assert np.isfinite(shown.points).all()
        assert np.abs(area_vectors(shown.surface).sum(axis=0)).max() < 1e-9
    # The last part contains all debris, with four faces each.
    debris = shown.surface.faces[shown.piece_of_face == shown.piece_of_face.max()]
    assert len(debris) % 4 == 0
    assert len(np.unique(debris)) == len(debris)


@pytest.mark.parametrize("lattice", ["cubes", "tetrahedra"])
def test_a_body_that_is_too_stiff_is_refused_with_the_softening_that_is_enough(monkeypatch, lattice):
    monkeypatch.setattr(whole_shot, "MOST_STEPS", 60)
    stiff = brick(lattice=lattice, softening=1.0, cell_count=200)
    with pytest.raises(SettingsError, match=r"'brick' would take .* set its Softening to [0-9.e+]+ or more") as refused:
        run([stiff], 3, colliders=(BELOW,))
    enough = float(re.search("Softening to (.+) or more", str(refused.value)).group(1))
    with pytest.raises(SettingsError, match="'brick' would take"):
        run([brick(lattice=lattice, softening=0.9 * enough, cell_count=200)], 3, colliders=(BELOW,))
    assert run([brick(lattice=lattice, softening=enough, cell_count=200)], 3, colliders=(BELOW,)).deformed


def test_points_a_rope_a_sheet_a_solid_and_a_rigid_body_move_in_one_run():
    """A brick turns to points; a rope, a sheet, another brick and a rigid brick fall beside it onto one floor."""
    square = Surface([[0, 0, 0], [0.2, 0, 0], [0.2, 0.2, 0], [0, 0.2, 0]], [[0, 1, 2], [0, 2, 3]])
    skin, cloth = sheets.sheet(shapes.moved(square, offset=(0.4, 0.0, 0.3)), 0.005, 300, "sheet")
    line = ropes.rope(np.array([[-0.5, 0.0, 0.3], [-0.3, 0.0, 0.3]]), np.array([[0, 1]]), 0.01, 60)
    impact = AuthoredImpact(2, np.array([0.0, 0.0, 0.15]), np.array([0.0, 0.0, -1.0]), 60.0)
    sand = brick((0.0, 0.0, 0.1), replace(CHALK, tensile_strength=2e3), (0.1, 0.1, 0.1), dust="debris")
    bodies = (
        replace(sand, name="points", impacts=(impact,)),
        Body("rope", ropes.skin(line), RUBBER, SOFT, thin=line),
        Body("sheet", skin, RUBBER, SOFT, thin=cloth),
        replace(brick((0.0, 0.5, 0.3)), name="solid"),
        replace(brick((0.0, -0.5, 0.3), dynamics="rigid"), name="rigid"),
    )
    recording = run(bodies, 24, colliders=(FLOOR,))
    shown = {recording.bodies[item.body].name: item for item in recording.deformed}
    assert set(shown) == {"points", "rope", "sheet", "solid"}
    debris = shown["points"].surface.faces[shown["points"].piece_of_face == shown["points"].piece_of_face.max()]
    assert len(debris) > 8  # a small tetrahedron for each point
    assert len(np.unique(debris)) == len(debris)
    # All fall alike until they touch the floor, and then lie on it.
    drop = 0.5 * 9.81 * (4 / 24.0) ** 2
    rigid = recording.bodies[4].poses[:, 2]
    assert rigid[0] - rigid[4] == pytest.approx(drop, rel=0.05)
    assert rigid[-1] == pytest.approx(0.025, abs=3e-3)
    # The corner of the brick of rubber is still pressed in.
    for name, depth in (("rope", 2e-3), ("sheet", 2e-3), ("solid", 6e-3)):
        height = middles(shown[name])[:, 2]
        assert height[0] - height[4] == pytest.approx(drop, rel=0.05)
        assert abs(shown[name].points[-1][:, 2].min()) < depth
