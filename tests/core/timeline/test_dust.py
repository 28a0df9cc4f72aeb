"""Dust: it flies on a parabola, lands on the colliders and lies still."""

import numpy as np
import pytest

from fracture_addon.core.cutting.debris_shapes import debris_shapes
from fracture_addon.core.data.job import AuthoredImpact, Body, Collider, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.surface import volume as surface_volume
from fracture_addon.core.geometry.shells import is_closed
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.numerics.rotations import matrices
from fracture_addon.core.rigid.rigid_properties import cell_properties
from fracture_addon.core.timeline.dust import DustBurst, dust_of_cells
from fracture_addon.core.timeline.dust_flight import simulate_dust
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes

FRAMES, RATE = 48, 24.0
GRAVITY = np.array([0.0, 0.0, -9.81])
SIZE = 0.01


def sheet(height=0.0, track=None, tilt=0.0):
    """A floor of four metres."""
    x = 2.0
    points = np.array([[-x, -x, height], [x, -x, height], [x, x, height], [-x, x, height]])
    points[:, 2] += tilt * points[:, 0]
    return Collider("Floor", shapes.Surface(points, [[0, 1, 2], [0, 2, 3]]), track=track)


def job(*colliders, gravity=GRAVITY):
    body = Body("Jar", shapes.cube(), PORCELAIN, Settings.of(seed=3))
    return Job((body,), colliders, 1, FRAMES, RATE, gravity=gravity)


def thrown(positions, velocities, birth_row=0, spins=None):
    positions = np.atleast_2d(positions).astype(float)
    velocities = np.atleast_2d(velocities).astype(float)
    spins = np.zeros_like(positions) if spins is None else np.atleast_2d(spins)
    return DustBurst(0, birth_row, positions, velocities, spins, np.full(len(positions), SIZE**3))


def flown(bursts, *colliders, projectiles=None, **options):
    (debris,) = simulate_dust(job(*colliders, **options), bursts, projectiles or {})
    return debris


def test_no_dust_makes_no_debris():
    assert simulate_dust(job(sheet()), [], {}) == ()


def test_free_dust_falls_on_a_parabola_from_its_birth():
    debris = flown([thrown([0.0, 0.0, 5.0], [1.0, 0.5, 2.0], birth_row=6)])
    time = np.maximum(np.arange(FRAMES) - 6, 0)[:, None] / RATE
    wanted = [0.0, 0.0, 5.0] + np.array([1.0, 0.5, 2.0]) * time + 0.5 * GRAVITY * time**2
    assert np.allclose(debris.poses[:, 0, :3], wanted, atol=1e-9)
    assert debris.birth_frames.tolist() == [7]
    assert debris.sizes == pytest.approx([SIZE])
    assert debris.velocities.tolist() == [[1.0, 0.5, 2.0]]


def test_free_dust_keeps_its_spin():
    debris = flown([thrown([0.0, 0.0, 5.0], [0.0, 0.0, 0.0], spins=[0.0, 0.0, 3.0])])
    first, second = matrices(debris.poses[:2, 0, 3:])
    angle = 3.0 / RATE
    wanted = [[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]]
    assert np.allclose(second @ first.T, wanted, atol=1e-9)


def many(seed=1, count=60):
    random = np.random.default_rng(seed)
    positions = np.array([0.0, 0.0, 0.3]) + random.uniform(-0.1, 0.1, (count, 3))
    return thrown(positions, random.normal(0.0, 1.0, (count, 3)))


@pytest.mark.parametrize("flip", [False, True])
def test_dust_stays_above_the_floor_and_comes_to_rest_on_it(flip):
    floor = sheet()
    if flip:
        floor = Collider("Floor", shapes.Surface(floor.surface.points, floor.surface.faces[:, ::-1]))
    poses = flown([many()], floor).poses
    assert poses[..., 2].min() > 0.4 * SIZE
    assert np.allclose(poses[-1, :, 2], 0.5 * SIZE)
    assert np.array_equal(poses[-1], poses[-2])
    assert (poses[12, :, 2] > 0.02).any()  # some bounced


def test_fast_dust_does_not_pass_through_a_sheet():
    poses = flown([thrown([0.0, 0.0, 1.0], [0.0, 0.0, -300.0])], sheet()).poses
    assert poses[..., 2].min() > 0.5 * SIZE - 1e-9


def test_dust_rests_on_a_gentle_slope_and_slides_down_a_steep_one():
    dust = thrown([0.0, 0.0, 0.05], [0.0, 0.0, 0.0])
    gentle, steep = (flown([dust], sheet(tilt=tilt)).poses[:, 0, 0] for tilt in (0.05, 1.0))
    assert abs(gentle[-1]) < 0.05
    assert gentle[-1] == gentle[-2]
    assert steep[-1] < steep[-2] < -0.5


def test_resting_dust_moves_with_its_support():
    track = np.zeros((FRAMES, 7))
    track[:, 3] = 1.0
    track[24:, 0] = 0.02 * np.arange(FRAMES - 24)
    track[24:, 2] = 0.01 * np.arange(FRAMES - 24)
    poses = flown([thrown([0.0, 0.0, 0.02], [0.0, 0.0, 0.0])], sheet(track=track)).poses[:, 0]
    assert np.allclose(poses[30:, :3] - poses[30, :3], track[30:, :3] - track[30, :3], atol=1e-9)


def test_a_moving_ball_pushes_dust_away():
    ball = Collider("Ball", shapes.icosphere(0.1), mass=1.0)
    poses = np.zeros((FRAMES, 7))
    poses[:, 3] = 1.0
    poses[:, 0] = -1.0 + 0.1 * np.arange(FRAMES)
    poses[:, 2] = 0.1
    dust = thrown([0.0, 0.0, 0.1], [0.0, 0.0, 0.0])
    result = flown([dust], sheet(-0.5), ball, projectiles={1: (np.zeros(3), poses)}, gravity=np.zeros(3))
    assert result.poses[-1, 0, 0] > 1.0


def test_dust_of_a_fragment_keeps_its_momentum_and_volume():
    solid = tetrahedralize(shapes.cube(), 200, 0)
    cells = np.arange(0, solid.cell_count, 7)
    properties = cell_properties(solid.points, solid.cells[cells], 1000.0)
    pose = np.array([1.0, 2.0, 3.0, np.cos(0.3), 0.0, np.sin(0.3), 0.0])
    velocity, spin = np.array([1.0, -2.0, 0.5]), np.array([3.0, 1.0, -2.0])
    positions, velocities, spins, volumes = dust_of_cells(solid, cells, properties, pose, velocity, spin)
    assert np.array_equal(dust_of_cells(solid, cells, properties, pose, velocity, spin, 0.7)[3], 0.7 * volumes)
    masses = 1000.0 * volumes
    assert masses.sum() == pytest.approx(properties.mass)
    assert np.allclose(masses @ positions / masses.sum(), pose[:3])
    assert np.allclose(masses @ velocities, properties.mass * velocity)
    assert np.allclose(spins, spin)
    assert np.allclose(velocities, velocity + np.cross(spin, positions - pose[:3]))


def test_a_run_records_its_dust_as_debris():
    point, direction = np.array([0.1, 0.1, 0.99]), np.array([0.2, 0.1, -1.0])
    impact = AuthoredImpact(3, point, direction / np.linalg.norm(direction), 10.0)
    settings = Settings.of(cell_count=300, dust="debris", dust_volume=0.02, roughness=0.0, break_depth=1)
    body = Body("Block", shapes.cube(), PORCELAIN, settings, impacts=(impact,))
    scene = Job((body,), (sheet(-0.5),), 1, 8)
    first, second = (simulate(scene, lambda stage, share: None) for _ in range(2))
    (debris,) = first.debris
    assert len(debris.sizes) > 3
    assert (debris.birth_frames == 3).all()
    dust_volume = (debris.sizes**3).sum()
    assert dust_volume == pytest.approx(first.report["bodies"][0]["dust_volume"], rel=1e-9)
    volume = sum(surface_volume(fragment.surface) for fragment in first.fragments)
    assert volume + dust_volume == pytest.approx(1.0, abs=1e-9)
    assert np.array_equal(second.debris[0].poses, debris.poses)


def test_debris_meshes_are_closed_and_have_the_volume_of_their_size():
    sizes = np.array([0.001, 0.02, 0.3])
    surface = debris_shapes(sizes, 5)
    for row, size in enumerate(sizes):
        part = shapes.without_faces(surface, np.flatnonzero(np.arange(len(surface.faces)) // 8 != row))
        assert surface_volume(part) == pytest.approx(size**3)
        assert np.abs(part.points[6 * row : 6 * row + 6]).max() < 2.0 * size
        assert is_closed(part.faces)
    assert not np.array_equal(debris_shapes(sizes, 6).points, surface.points)
