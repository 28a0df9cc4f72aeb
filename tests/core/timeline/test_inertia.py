"""Bodies that break by their inertia while they move: a falling chimney, a spinning bar, a plank that nothing pins."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.job import Body, Bond, Collider, Job, Settings
from fracture_addon.core.data.material import Material
from fracture_addon.core.data.recording import NEVER
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.methods import table
from fracture_addon.core.numerics.rotations import matrices
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes

# Both are soft, so that the first touch of two bodies breaks nothing. The stress under a steady load is the same.
STONE = Material("Stone", 1800.0, 1e8, 0.2, 0.75e6, 30e6, 0.5e6, 0.0, friction=5.0)
BRICK = Material("Brick", 1800.0, 1e8, 0.2, 3e6, 25e6, 0.5e6, 0.0)
SETTINGS = Settings.of(cell_count=1000, break_depth=1, noise=0.0, own_weight=True)
FLOOR = Collider("floor", shapes.box((100.0, 100.0, 1.0), (0.0, 0.0, -0.5)), "box", friction=5.0)
HEIGHT, WIDTH, TILT = 20.0, 1.0, np.radians(6.0)
AXIS = np.array([np.sin(TILT), 0.0, np.cos(TILT)])
# Direction in which the tower falls.
FRONT = np.array([np.cos(TILT), 0.0, -np.sin(TILT)])


def tower(**values):
    """A square tower whose foot tapers to a fifth of its width, so that it falls about its axis; it is tilted."""
    rings = [(0.1, 0.0), (0.5, WIDTH), (0.5, HEIGHT)]
    corners = ((-1.0, -0.5), (1.0, -0.5), (1.0, 0.5), (-1.0, 0.5))
    points = np.array([(x * half, y, z) for half, z in rings for x, y in corners])
    faces = [(0, 2, 1), (0, 3, 2), (8, 9, 10), (8, 10, 11)]
    for low in (0, 4):
        for side in range(4):
            first, second = low + side, low + (side + 1) % 4
            faces += [(first, second, second + 4), (first, second + 4, first + 4)]
    points = points @ np.array([FRONT, [0.0, 1.0, 0.0], AXIS])
    points[:, 2] -= points[:, 2].min()
    return Body("tower", Surface(points, np.array(faces)), STONE, SETTINGS.changed(**values))


def simulated(*bodies, colliders=(FLOOR,), frames=110, after_break=None, **values):
    job = Job(tuple(bodies), tuple(colliders), 1, frames, **values)
    return simulate(job, lambda stage, share: None, frames_after_break=after_break)


def volume(surface):
    first, second, third = surface.points[surface.faces].transpose(1, 0, 2)
    return float(np.einsum("fi,fi->f", first, np.cross(second, third)).sum()) / 6.0


def place_of_break(recording):
    """Height of the first break over that of the tower."""
    frame = recording.bodies[0].break_frame
    assert 1 < frame < 110
    up = matrices(recording.bodies[0].poses[frame - 1, 3:]) @ AXIS
    pieces = [item for item in recording.fragments if item.birth_frame == frame]
    upper = max(pieces, key=lambda item: item.poses[frame - 1, :3] @ up)
    return 1.0 - volume(upper.surface) / (WIDTH**2 * HEIGHT)


def test_the_moment_in_a_falling_tower_is_largest_at_a_third_of_its_height(monkeypatch):
    """Varieschi and Kamiya 2003: M = W H sin(angle) / 4 * r (1 - r)^2, with its maximum W H sin(angle) / 27."""
    moments, heights = [], np.arange(0.05, 1.0, 0.025)
    stand = table.stand

    def recorded(model, settings, motion, load, solver):
        cells, forces = table.method(settings).cells(model), load.forces
        arms = cells.centers - np.average(cells.centers, axis=0, weights=cells.masses)
        inertia = np.einsum("c,cij->ij", cells.masses, (arms**2).sum(axis=1)[:, None, None] * np.eye(3))
        inertia -= np.einsum("c,ci,cj->ij", cells.masses, arms, arms)
        turning = np.linalg.solve(inertia, np.cross(arms, forces).sum(axis=0))
        effective = forces - cells.masses[:, None] * (forces.sum(axis=0) / cells.masses.sum() + np.cross(turning, arms))
        along = arms @ AXIS - (arms @ AXIS).min()
        found = []
        for height in heights * HEIGHT:
            above = along > height
            lever = (along[above] - height)[:, None] * AXIS + np.outer(arms[above] @ FRONT, FRONT)
            found.append(np.cross(lever, effective[above]).sum(axis=0)[1])
        moments.append(np.array(found))
        return stand(model, settings, motion, load, solver)

    monkeypatch.setattr(table, "stand", recorded)
    recording = simulated(tower(), after_break=1)
    up = matrices(recording.bodies[0].poses[recording.bodies[0].break_frame - 1, 3:]) @ AXIS
    last = np.abs(moments[-1])
    assert heights[np.argmax(last)] == pytest.approx(1.0 / 3.0, rel=0.15)
    weight = STONE.density * 9.81 * volume(tower().surface)
    assert last.max() == pytest.approx(weight * HEIGHT * np.hypot(up[0], up[1]) / 27.0, rel=0.15)


@pytest.fixture(scope="module")
def places():
    """Heights of the break of eight towers of 1,000 and eight of 2,000 cells, over that of the tower."""
    towers = [tower(cell_count=cells, seed=seed) for cells in (1000, 2000) for seed in range(8)]
    return [place_of_break(simulated(item, after_break=1)) for item in towers]


@pytest.mark.once
def test_falling_towers_break_at_a_third_of_their_height_in_the_mean(places):
    """The means are 0.38 and 0.33 with 1,000 and 2,000 cells, the standard deviations 0.10 and 0.11."""
    assert np.mean(places) == pytest.approx(1.0 / 3.0, rel=0.15)
    assert np.std(places) < 0.15


@pytest.mark.once
@pytest.mark.xfail(strict=True, reason="6 of 16 towers; the moment is within 15 % of its maximum from 0.2 to 0.5")
def test_each_falling_tower_breaks_within_15_percent_of_a_third_of_its_height(places):
    assert places == pytest.approx([1.0 / 3.0] * len(places), rel=0.15)


def test_a_falling_tower_without_own_weight_does_not_break_before_it_lands():
    assert simulated(tower(own_weight=False), frames=90).bodies[0].break_frame == NEVER


@pytest.mark.parametrize(("share", "breaks"), [(0.8, False), (1.25, True)])
def test_a_bar_that_spins_too_fast_breaks_in_its_middle(share, breaks):
    """The centrifugal stress is rho spin^2 L^2 / 8. Nothing touches the bar, which floats."""
    spin = share * np.sqrt(8.0 * BRICK.tensile_strength / BRICK.density)
    body = Body("bar", shapes.box((1.0, 0.1, 0.1)), BRICK, SETTINGS, angular_velocity=np.array([0.0, 0.0, spin]))
    recording = simulated(body, frames=4, gravity=np.zeros(3))
    assert (recording.bodies[0].break_frame != NEVER) == breaks
    if breaks:
        largest = max(volume(item.surface) for item in recording.fragments)
        assert largest < 0.7 * volume(body.surface)


@pytest.mark.parametrize(
    ("mass", "own_weight", "breaks"), [(150.0, True, False), (450.0, True, True), (450.0, False, False)]
)
def test_a_plank_on_two_blocks_breaks_under_a_heavy_box(mass, own_weight, breaks):
    """A section of 0.1 m bears m g L / 4 = 500 N m in the middle of 1 m by beam theory: 204 kg."""
    blocks = [
        Collider(f"block {side}", shapes.box((0.1, 0.4, 0.2), (0.5 * side, 0.0, 0.1)), "box") for side in (-1.0, 1.0)
    ]
    settings = SETTINGS.changed(own_weight=own_weight)
    plank = Body("plank", shapes.box((1.1, 0.1, 0.1), (0.0, 0.0, 0.25)), BRICK, settings)
    box = Collider("box", shapes.box((0.1, 0.1, 0.1), (0.0, 0.0, 0.35)), "box", mass=mass)
    recording = simulated(plank, colliders=(FLOOR, *blocks, box), frames=24)
    assert (recording.bodies[0].break_frame != NEVER) == breaks


def test_a_body_that_lies_on_the_floor_is_not_solved_again():
    lying = replace(tower(), surface=shapes.box((2.0, 1.0, 1.0), (0.0, 0.0, 0.5)))
    short, long = (simulated(lying, frames=frames).report["bodies"][0]["solve_count"] for frames in (20, 60))
    assert short == long == 1


def table_on_the_floor(span):
    """A slab on four legs that the floor carries; nothing is pinned or joined to the floor."""
    sides = [(x, y) for x in (-1.0, 1.0) for y in (-1.0, 1.0)]
    parts = [shapes.box((0.1, 0.1, 0.5), (x * (0.5 * span - 0.05), 0.4 * y, 0.25)) for x, y in sides]
    parts.append(shapes.box((span, 0.9, 0.1), (0.0, 0.0, 0.55)))
    cells = [100, 100, 100, 100, 800]
    bodies = [
        Body(f"part {row}", item, BRICK, SETTINGS.changed(cell_count=count))
        for row, (item, count) in enumerate(zip(parts, cells, strict=True))
    ]
    return bodies, tuple(Bond(row, 4, BRICK, 0.02) for row in range(4))


def rest_load(recording):
    """Load at rest over the one that the first object can carry, as the report says."""
    lines = [line for body in recording.report["bodies"] for line in body.get("loads", [])]
    line = next(line for line in lines if "at rest" in line)
    return float(line.split(": ")[1].split()[0])


@pytest.mark.parametrize(("span", "stands"), [(3.0, True), (9.0, False)])
def test_a_table_stands_on_the_floor_without_pins_until_it_is_too_long(span, stands):
    """Measured: 0.31 and 3.5 times what it can carry."""
    bodies, bonds = table_on_the_floor(span)
    recording = simulated(*bodies, bonds=bonds, frames=10)
    assert (recording.bodies[0].break_frame == NEVER) == stands
    assert (rest_load(recording) < 1.0) == stands


def test_the_report_says_which_share_of_its_strength_a_beam_on_two_blocks_needs():
    """Its moment is 0.36 of that which breaks it by beam theory. The network measures 0.25: it is 1.5 times as strong.

    Without an impact, the report does not ask for stronger ones.
    """
    blocks = [
        Collider(f"block {side}", shapes.box((0.1, 0.4, 0.2), (1.45 * side, 0.0, 0.1)), "box") for side in (-1.0, 1.0)
    ]
    beam = Body("beam", shapes.box((3.0, 0.1, 0.1), (0.0, 0.0, 0.25)), BRICK, SETTINGS)
    recording = simulated(beam, colliders=(FLOOR, *blocks), frames=10)
    assert 0.18 < rest_load(recording) < 0.37
    assert not recording.report["bodies"][0]["warnings"]
