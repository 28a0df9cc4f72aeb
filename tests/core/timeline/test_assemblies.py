"""Bonded objects: one body of several materials, whose fragments may consist of pieces of several objects."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data import arrays
from fracture_addon.core.data.errors import SceneError, SettingsError
from fracture_addon.core.data.job import AuthoredImpact, Body, Bond, Collider, Job, Settings
from fracture_addon.core.data.material import Material
from fracture_addon.core.data.recording import NEVER
from fracture_addon.core.data.surface import Surface, volume
from fracture_addon.core.geometry.inspection import inspect
from fracture_addon.core.methods import table
from fracture_addon.core.methods.rigid_components import find_components
from fracture_addon.core.numerics.rotations import moved
from fracture_addon.core.timeline import joined_solid, preparation
from fracture_addon.core.timeline.assemblies import assemble_bodies
from fracture_addon.core.timeline.cache import Cache
from fracture_addon.core.timeline.fracture_only import fracture_only
from fracture_addon.core.timeline.preparation import prepare, prepare_all
from fracture_addon.core.timeline.timeline import simulate
from fracture_addon.core.timeline.variation import run_variation
from tests import shapes

BRICK = Material("Brick", 1800.0, 10e9, 0.2, 3e6, 25e6, 0.5e6, 0.15)
MORTAR = Material("Mortar", 1900.0, 3e9, 0.2, 0.4e6, 5e6, 0.1e6, 0.15)
SOFT = replace(MORTAR, tensile_strength=2e4, toughness=100.0)
WELD = replace(MORTAR, tensile_strength=40e6, compressive_strength=500e6, toughness=5e6)
SETTINGS = Settings.of(cell_count=200, break_depth=1)
# m, gap between the two bricks, and length of a brick along X.
GAP, LENGTH = 0.005, 0.2
BESIDE = 0.5 * (LENGTH + GAP)


def brick(name, x, settings=SETTINGS, **values):
    return Body(name, shapes.box((LENGTH, 0.1, 0.06), (x, 0.0, 0.5)), BRICK, settings, **values)


def pair(bond=MORTAR, settings=SETTINGS, *, impacts=(), second=None, **values):
    first = brick("A", -BESIDE, settings, impacts=impacts)
    second = second or brick("B", BESIDE, settings)
    return Job((first, second), (), 1, 10, **{"bonds": (Bond(0, 1, bond, 0.02),), **values})


def impact_at(x, strength=2.0):
    """An impact from above at the joint (x = 0) or at another place."""
    return (AuthoredImpact(2, np.array([x, 0.0, 0.53]), np.array([0.0, 0.0, -1.0]), strength),)


def run(job):
    return simulate(job, lambda stage, share: None)


def assembled(job):
    (result,) = assemble_bodies(job, [prepare(job, row, lambda stage, share: None) for row in range(2)]).breakables
    return result


def living(recording, body):
    return [item for item in recording.fragments if item.body == body and item.death_frame == NEVER]


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("method", "strength"), [("network", 2.0), ("lattice", 4.0), ("fem", 4.0)])
def test_a_weak_joint_breaks_and_leaves_the_bricks_whole(method, strength, seed):
    settings = SETTINGS.changed(method=method, seed=seed)
    recording = run(pair(settings=settings, impacts=impact_at(0.0, strength)))
    assert [len(living(recording, body)) for body in (0, 1)] == [1, 1]
    one, other = (living(recording, body)[0].poses[-1] for body in (0, 1))
    # They turn apart: each follows a motion of its own.
    assert np.abs(one[3:] - other[3:]).max() > 1e-3


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("method", "place"), [("network", 0.0), ("lattice", 0.05), ("fem", 0.05)])
def test_beside_a_strong_joint_a_brick_breaks_instead(method, place, seed):
    job = pair(WELD, SETTINGS.changed(method=method, seed=seed), impacts=impact_at(place, 4.0))
    recording = run(job)
    pieces = [living(recording, body) for body in (0, 1)]
    assert sum(map(len, pieces)) > 2
    # One fragment contains pieces of both bricks: they share one motion.
    centers = [[moved(item.poses, item.center, np.zeros(3)) for item in of_body] for of_body in pieces]
    assert min(np.abs(one - other).max() for one in centers[0] for other in centers[1]) < 1e-9


@pytest.mark.parametrize("method", ["network", "lattice", "fem"])
@pytest.mark.parametrize("bond", [MORTAR, WELD], ids=["weak", "strong"])
def test_fragments_are_closed_and_fill_their_object(bond, method):
    recording = run(pair(bond, SETTINGS.changed(method=method), impacts=impact_at(0.03, 4.0)))
    for body in (0, 1):
        pieces = living(recording, body)
        assert all(inspect(item.surface).closed for item in pieces)
        assert sum(volume(item.surface) for item in pieces) == pytest.approx(LENGTH * 0.1 * 0.06, rel=1e-9)
        assert sum(item.mass for item in pieces) == pytest.approx(1800.0 * LENGTH * 0.1 * 0.06, rel=1e-6)
        assert recording.report["bodies"][body]["name"] == "AB"[body]
        assert recording.report["bodies"][body]["fragments"] == len(pieces)


def hit(job, mass, speed):
    """The pair on a floor, and a ball that flies at the middle of one brick."""
    floor = Collider("floor", shapes.box((4.0, 4.0, 0.1), (0.0, 0.0, 0.42)), friction=0.8)
    shape = shapes.moved(shapes.icosphere(0.03), offset=(-BESIDE, -0.12, 0.5))
    ball = Collider("ball", shape, "sphere", mass=mass, velocity=np.array([0.0, speed, 0.0]))
    return replace(job, colliders=(floor, ball), frame_end=20)


@pytest.mark.parametrize(("mass", "speed", "violence"), [(0.05, 6.0, 1.0), (20.0, 1.0, 0.1)], ids=["stays", "thrown"])
def test_a_crack_in_a_joint_shows_only_if_the_bricks_part(mass, speed, violence):
    """Break Anyway strikes harder until a brick breaks, unless the pair falls apart."""
    job = hit(pair(SOFT, SETTINGS.changed(violence=violence)), mass, speed)
    plain, asked = run(job), run(replace(job, break_anyway=True))
    assert [len(living(plain, body)) for body in (0, 1)] == [1, 1]
    way = np.linalg.norm(living(plain, 0)[0].poses[-1, :3] - living(plain, 0)[0].poses[0, :3])
    if mass > 1.0:
        assert way > 0.05
        assert "strengthened" not in asked.report["bodies"][0]
    else:
        assert way < 0.005
        assert asked.report["bodies"][0]["strengthened"] > 1.0
        assert len(living(asked, 0)) > 1
    shown = run_variation(replace(job, break_anyway=True), lambda stage, share: None)
    assert shown.strengthened == asked.report["bodies"][0].get("strengthened", 1.0)


def test_a_crack_in_the_joint_of_metals_is_enough():
    """They bend before they break, so that stronger impacts would only throw them."""
    metal = replace(BRICK, yield_strength=0.5 * BRICK.tensile_strength)
    job = pair(SOFT)
    job = replace(job, bodies=tuple(replace(body, material=metal) for body in job.bodies), break_anyway=True)
    recording = run(hit(job, 0.05, 6.0))
    assert [len(living(recording, body)) for body in (0, 1)] == [1, 1]
    assert "strengthened" not in recording.report["bodies"][0]


def test_without_an_impact_a_pair_moves_as_one_rigid_body():
    """It starts with a spin about its common centre, without gravity; the heavier object is twice as dense."""
    spin = np.array([0.0, 0.0, 2.0])
    heavy = replace(BRICK, density=3600.0)
    center = (3600.0 * BESIDE - 1800.0 * BESIDE) / 5400.0
    velocity = [np.cross(spin, [x - center, 0.0, 0.0]) + np.array([0.0, 0.3, 0.0]) for x in (-BESIDE, BESIDE)]
    first = brick("A", -BESIDE, velocity=velocity[0], angular_velocity=spin)
    second = replace(brick("B", BESIDE, velocity=velocity[1], angular_velocity=spin), material=heavy)
    job = Job((first, second), (), 1, 10, gravity=np.zeros(3), bonds=(Bond(0, 1, MORTAR, 0.02),))
    one, other = run(job).bodies
    assert one.break_frame == other.break_frame == NEVER
    assert other.poses == pytest.approx(moved(one.poses, one.center, other.center), abs=1e-9)
    middle = moved(one.poses, one.center, np.array([center, 0.0, 0.5]))[:, :3]
    assert middle[-1] == pytest.approx([center, 0.3 * 9 / 24, 0.5], abs=1e-4)


@pytest.mark.parametrize("method", ["network", "lattice", "fem"])
def test_a_break_keeps_mass_and_momentum(method):
    """The momentum of all pieces stays the same after the impact, though the densities of the objects differ."""
    settings = SETTINGS.changed(method=method)
    second = replace(brick("B", BESIDE, settings), material=replace(BRICK, density=3600.0))
    job = pair(WELD, settings, impacts=impact_at(0.05, 4.0), second=second, gravity=np.zeros(3))
    recording = run(job)
    pieces = living(recording, 0) + living(recording, 1)
    masses = np.array([item.mass for item in pieces])
    assert masses.sum() == pytest.approx(5400.0 * LENGTH * 0.1 * 0.06, rel=1e-6)
    speed = np.array([item.poses[2, :3] - item.poses[1, :3] for item in pieces]) * 24.0
    later = np.array([item.poses[-1, :3] - item.poses[-2, :3] for item in pieces]) * 24.0
    assert (masses @ later)[2] == pytest.approx((masses @ speed)[2], rel=0.02)
    assert (masses @ later)[2] < 0.0


def pull(cells):
    """Forces (C, 3) on the two ends: 1 N of tension in all, along the axis (y = 0, z = 0.5)."""
    forces = np.zeros_like(cells.centers)
    for sign in (-1.0, 1.0):
        end = np.flatnonzero(sign * cells.centers[:, 0] > 0.8 * LENGTH)
        arms = np.column_stack([np.ones(len(end)), cells.centers[end, 1], cells.centers[end, 2] - 0.5])
        moments = arms.T @ (cells.masses[end, None] * arms)
        forces[end, 0] = sign * cells.masses[end] * (arms @ np.linalg.solve(moments, [1.0, 0.0, 0.0]))
    return forces


@pytest.mark.parametrize("cells", [100, 300, 1000])
def test_a_soft_joint_in_tension_breaks_at_its_strength_times_its_area(cells):
    """A rubbery glue between stiff bricks has a uniform stress: the textbook load, at any resolution."""
    glue = replace(MORTAR, young_modulus=20e6, strength_variation=0.0)
    strong = replace(BRICK, tensile_strength=1e9, compressive_strength=1e10)
    job = pair(glue, SETTINGS.changed(cell_count=cells))
    job = replace(job, bodies=tuple(replace(body, material=strong) for body in job.bodies))
    body = assembled(job)
    model, joints = body.prepared.model, body.solid.mixture.joints == 0
    assert model.areas[joints].sum() == pytest.approx(0.1 * 0.06, rel=0.01)
    forces = pull(model.cells)
    solver = model.unloaded()
    solver.solve(find_components(model.cells, model.pairs), forces)
    load = 1.0 / (solver.burden() / model.strengths).max()
    assert load == pytest.approx(glue.tensile_strength * 0.1 * 0.06, rel=0.1)


def test_the_same_seed_gives_the_same_bytes():
    job = pair(impacts=impact_at(0.0))
    assert arrays.digest(run(job)) == arrays.digest(run(job))


def test_objects_keep_their_order_and_others_stay_alone():
    """The second body of the job is not bonded to the first and third."""
    first, second, third = brick("A", -BESIDE), brick("alone", 3.0), brick("B", BESIDE)
    floor = Collider("Floor", shapes.box((9.0, 9.0, 0.1), (0.0, 0.0, -9.0)))
    recording = run(Job((first, second, third), (floor,), 1, 4, bonds=(Bond(2, 0, MORTAR, 0.02),)))
    assert [track.name for track in recording.bodies] == ["A", "alone", "B"]
    assert [report["name"] for report in recording.report["bodies"]] == ["A", "alone", "B"]
    assert [track.center[0] for track in recording.bodies] == pytest.approx([-BESIDE, 3.0, BESIDE])


def test_a_held_object_stays_where_it_is_after_the_joint_breaks():
    held = brick("B", BESIDE, track=np.array([[BESIDE, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0]]))
    recording = run(pair(impacts=impact_at(-0.1, 4.0), second=held))
    assert recording.bodies[0].break_frame == 2
    (stays,) = living(recording, 1)
    assert stays.poses[-1] == pytest.approx(stays.poses[0], abs=1e-7)
    assert min(item.poses[-1, 2] - item.poses[0, 2] for item in living(recording, 0)) < -0.1


@pytest.mark.parametrize("method", ["network", "lattice", "fem"])
def test_joints_may_form_a_ring(method):
    """Two bricks beside each other, and one on both: three joints."""
    settings = SETTINGS.changed(method=method)
    top = Body("top", shapes.box((LENGTH, 0.1, 0.06), (0.0, 0.0, 0.565)), BRICK, settings)
    job = pair(settings=settings, impacts=impact_at(-0.1, 4.0))
    job = replace(
        job, bodies=(*job.bodies, top), bonds=tuple(Bond(row, (row + 1) % 3, MORTAR, 0.02) for row in range(3))
    )
    recording = run(job)
    assert all(living(recording, body) for body in range(3))


def test_bonds_hold_without_simulation_too():
    recording = fracture_only(pair(impacts=impact_at(0.0)), lambda stage, share: None)
    assert [len(living(recording, body)) for body in (0, 1)] == [1, 1]


MOVING = brick("B", BESIDE, track=np.tile([BESIDE, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0], (10, 1)))


def bonded(first=0, second=1):
    return (Bond(first, second, MORTAR, 0.02),)


@pytest.mark.parametrize(
    ("job", "error", "words"),
    [
        (pair(bonds=bonded(0, 0)), SceneError, "'A' is joined to itself; press Unjoin"),
        (pair(bonds=bonded(0, 2)), SceneError, "'A' is joined to an object that is not in the run; select it"),
        (pair(second=brick("B", 0.3)), SceneError, "'A' and 'B' are joined, but 0.202 m apart, .* up to 0.02 m; move"),
        (
            pair(settings=SETTINGS.changed(method="lattice", lattice="cubes")),
            SettingsError,
            "'A' is joined, but its lattice consists of cubes; set Lattice to Irregular",
        ),
        (pair(settings=SETTINGS.changed(islands="separate")), SettingsError, "'A' is joined, .*set Islands to Join"),
    ],
    ids=["itself", "not in the run", "apart", "cubes", "islands"],
)
def test_bad_bonds_are_refused_with_a_remedy(job, error, words):
    floor = Collider("Floor", shapes.box((9.0, 9.0, 0.1), (0.0, 0.0, -9.0)))
    with pytest.raises(error, match=words):
        run(replace(job, colliders=(floor,)))


def test_bonded_objects_with_different_keyframes_are_refused():
    still = np.array([[-BESIDE, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0]])
    job = Job((brick("A", -BESIDE, track=still), MOVING), (), 1, 10, bonds=bonded())
    with pytest.raises(SceneError, match="'A' and 'B' are joined, but their keyframes move them apart"):
        run(replace(job, bodies=tuple(replace(body, impacts=impact_at(0.0)) for body in job.bodies)))


def test_copies_of_an_object_have_the_same_cells_and_are_filled_once(tmp_path, monkeypatch):
    filled = []
    discretise = table.discretise
    monkeypatch.setattr(table, "discretise", lambda *arguments: filled.append(1) or discretise(*arguments))
    job, cache = pair(), Cache(tmp_path)
    first, second = (prepare(job, row, lambda stage, share: None, cache).solid for row in range(2))
    assert len(filled) == 1
    assert (first.cells == second.cells).all()
    offset = [2.0 * BESIDE, 0.0, 0.0]
    assert second.points - first.points == pytest.approx(np.tile(offset, (len(first.points), 1)), abs=1e-12)


def test_copies_are_checked_and_filled_once_in_a_run(monkeypatch):
    """Three bricks, the last with a hole: the others share one check and one filling; results are as for each alone."""
    calls = []
    for module, name in ((preparation, "report_if_clean"), (table, "discretise")):
        original = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *args, of=original, name=name: calls.append(name) or of(*args))
    torn = brick("C", 3.0 * BESIDE)
    torn = replace(torn, surface=Surface(torn.surface.points, torn.surface.faces[1:]))
    job = Job((*pair().bodies, torn), (), 1, 10, bonds=(Bond(0, 1, MORTAR, 0.02), Bond(1, 2, MORTAR, 0.02)))
    together = prepare_all(job, lambda stage, share: None)
    # The torn brick is checked on its own, and is filled after its repair.
    assert [calls.count(name) for name in ("report_if_clean", "discretise")] == [2, 2]
    assert [item.repair["changed"] for item in together] == [False, False, True]
    for row, item in enumerate(together):
        alone = prepare(job, row, lambda stage, share: None)
        parts = ((result.surface, result.solid, result.repair) for result in (item, alone))
        assert len({arrays.digest(part) for part in parts}) == 1


def test_joints_between_copies_are_computed_once(monkeypatch):
    """Four bricks in a row: three joints of the same copies in the same places; a shifted one is computed again."""
    count = []
    found = joined_solid._joints
    monkeypatch.setattr(joined_solid, "_joints", lambda *arguments: count.append(1) or found(*arguments))
    rows = range(4)

    def solid(shift):
        bodies = tuple(brick(f"B{row}", row * (LENGTH + GAP) + shift * (row == 3)) for row in rows)
        job = Job(bodies, (), 1, 10, bonds=tuple(Bond(row, row + 1, MORTAR, 0.02) for row in range(3)))
        count.clear()
        (result,) = assemble_bodies(job, [prepare(job, row, lambda stage, share: None) for row in rows]).breakables
        return result.solid

    whole = solid(0.0)
    assert len(count) == 1
    joints = whole.mixture.joints
    middles = [whole.points[whole.faces[joints == row]].mean(axis=(0, 1))[0] for row in range(3)]
    np.testing.assert_allclose(middles, (np.arange(3) + 0.5) * (LENGTH + GAP), atol=0.1 * GAP)
    solid(0.001)
    assert len(count) == 2
