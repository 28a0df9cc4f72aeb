"""Joints of deformable bodies with rigid ones, and of deformable finite elements: strength, momentum, bad input."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from fracture_addon.core.data.errors import SceneError
from fracture_addon.core.data.job import Body, Bond, Collider, Job, Settings
from fracture_addon.core.data.joint_kinds import JOINT_KINDS
from fracture_addon.core.data.material import Material
from fracture_addon.core.data.motion import Motion
from fracture_addon.core.data.placed_fields import PaintedField
from fracture_addon.core.methods.fem.whole_shot import ElementsShot
from fracture_addon.core.methods.joint_ties import JointLayer, strength_factors, ties_of
from fracture_addon.core.methods.lattice.whole_shot import LatticeShot
from fracture_addon.core.methods.rigid_joints import RigidJoints
from fracture_addon.core.methods.whole_shot import RigidJoint
from fracture_addon.core.numerics.rotations import matrices
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes
from tests.core.soft_bricks import BELOW, RUBBER, middles
from tests.core.timeline.deformable.test_element_checkpoints import check_stops

STONE = Material("Stone", 2000.0, 5e10, 0.2, 1e7, 1e8, 1e6)
METHODS = pytest.mark.parametrize("method", ["fem", "lattice"])
WIDTH = 0.05


def soft(method, center, length=0.1, pins=None, cells=60, **settings):
    """Return a block of rubber, with its points pinned above a height."""
    surface = shapes.divided(shapes.box((WIDTH, WIDTH, length), center))
    chosen = Settings.of(method=method, dynamics="deformable", softening=1.0, cell_count=cells, noise=0.0, seed=2)
    chosen = chosen.changed(**settings)
    if pins is not None:
        chosen = chosen.changed(
            pinned=PaintedField(surface.points, surface.faces, (surface.points[:, 2] > pins).astype(float))
        )
    return Body("rubber", surface, RUBBER, chosen)


def stone(center, **parts):
    settings = Settings.of(method="network", cell_count=40, seed=2)
    return Body("stone", shapes.box((WIDTH,) * 3, center), STONE, settings, **parts)


def bond(first, second, strength, distance=0.005, **parts):
    material = replace(JOINT_KINDS["glue"].material, tensile_strength=strength, strength_variation=0.0)
    return Bond(first, second, material, distance, **parts)


def run(bodies, frames, bonds, **parts):
    return simulate(Job(tuple(bodies), frame_end=frames, bonds=bonds, **parts), lambda *_: None)


def drop(recording, row):
    height = middles(recording.deformed[row])[:, 2]
    return height[0] - height[-1]


def slow_gravity(frames, rising):
    return np.multiply.outer(np.minimum(np.arange(frames) / rising, 1.0), [0.0, 0.0, -9.81])


def drops_at(bodies, row, shares):
    """Return how far the lower block of rubber falls, m, with joints of these shares of its weight over its area."""
    weight = RUBBER.density * 9.81 * 0.1
    return [
        drop(run(bodies, 10, (bond(0, 1, share * weight),), gravity_track=slow_gravity(10, 6.0)), row)
        for share in shares
    ]


@pytest.mark.parametrize("cells", [60, 200])
@METHODS
def test_a_joint_with_a_rigid_body_breaks_within_10_percent_of_its_strength(method, cells):
    """Rubber hangs from stone by its own weight, which grows slowly."""
    above = stone((0.0, 0.0, 0.0255), track=np.array([[0.0, 0, 0.0255, 1, 0, 0, 0]]))
    falls, hangs = drops_at((above, soft(method, (0, 0, -0.05), cells=cells)), 0, (0.9, 1.1))
    assert falls > 4e-3
    assert hangs < 1e-3


@METHODS
def test_a_stone_hangs_from_rubber_and_falls_when_its_joint_breaks(method):
    """Its weight acts at once, which doubles the load."""
    bodies = soft(method, (0.0, 0.0, 0.05), pins=0.099), stone((0.0, 0.0, -0.0255))
    weight = STONE.density * 9.81 * WIDTH
    drops = []
    for share in (0.1, 6.0):
        recording = run(bodies, 6, (bond(1, 0, share * weight),), colliders=(BELOW,))
        height = recording.bodies[1].poses[:, 2]
        drops.append(height[0] - height[-1])
    assert drops[0] == pytest.approx(0.5 * 9.81 * (5 / 24.0) ** 2, rel=0.1)
    assert drops[1] < 2e-3


def momenta(shot):
    """Return the momentum and the angular momentum of a deformable body and of the last rigid body."""
    if isinstance(shot, LatticeShot):
        state, mass = shot._soft._state, shot._soft.masses
        place, velocity = state.positions, state.velocities
    else:
        mesh = shot._shots[0].mesh
        mass, place, velocity = mesh.mass, mesh.position, mesh.velocity
    rigid = shot._colliders
    motion = rigid.motions(0, 1e-3)[-1]
    own, spin = motion.velocity / motion.inverse_mass, np.linalg.inv(motion.inverse_inertia) @ motion.angular_velocity
    turning = np.cross(place, mass[:, None] * velocity).sum(axis=0) + np.cross(motion.pose[:3], own) + spin
    return mass @ velocity + own, turning, mass @ velocity / mass.sum()


@pytest.mark.parametrize(("method", "steps"), [("lattice", "auto"), ("fem", "explicit"), ("fem", "implicit")])
def test_joined_bodies_keep_their_momentum(method, steps, monkeypatch):
    """A stone with 2 m/s pulls and pushes rubber at rest. Measured: 1e-4; semi-implicit steps turn by 1 % less."""
    found = []
    for kind in (LatticeShot, ElementsShot):
        record = kind.record
        monkeypatch.setattr(
            kind, "record", lambda self, frame, of=record: (of(self, frame), found.append(momenta(self)))
        )
    surface = shapes.divided(shapes.box((0.1, WIDTH, WIDTH), (0.05, 0.01, 0.0)))
    rubber = replace(soft(method, (0.0, 0.0, 0.0), time_steps=steps), surface=surface)
    moving = stone((-0.0255, 0.0, 0.0), velocity=np.array([2.0, 0.0, 0.5]))
    run((rubber, moving), 4, (bond(0, 1, 1e9),), gravity=np.zeros(3))
    (before, turning, _), (after, turned, speed) = found[0], found[-1]
    np.testing.assert_allclose(after, before, atol=2e-3 * np.linalg.norm(before))
    np.testing.assert_allclose(turned, turning, atol=0.03 * np.linalg.norm(turning))
    assert speed[0] > 0.5


@METHODS
def test_a_joint_of_a_deformable_body_continues_from_a_checkpoint_to_the_same_bytes(method, tmp_path):
    bodies = soft(method, (0.0, 0.0, 0.05), pins=0.099, cells=40), stone((0.0, 0.0, -0.0255))
    check_stops(Job(bodies, (BELOW,), frame_end=3, bonds=(bond(0, 1, 2e3),)), (1,), tmp_path)


@pytest.mark.parametrize(("method", "cells"), [("fem", 60), ("lattice", 60), ("lattice", 200)])
def test_a_joint_of_two_deformable_bodies_breaks_within_10_percent_of_its_strength(method, cells):
    upper = soft(method, (0.0, 0.0, 0.05), pins=0.099, cells=cells)
    falls, hangs = drops_at((upper, soft(method, (0.0, 0.0, -0.051), seed=5, cells=cells)), 1, (0.9, 1.1))
    assert falls > 4e-3
    assert hangs < 1e-3


def test_the_energy_that_opens_a_tie_is_that_of_the_toughness():
    """Tension grows in small steps until the tie breaks; without toughness it breaks at the peak."""
    base = shapes.box((2.0, 2.0, 0.2), (0.5, 0.5, -0.11))
    rigid = SimpleNamespace(colliders=[Collider("base", base)], centers=[base.points.mean(axis=0)])
    for width in (0.0, 1e-3):
        ties, corners = square_ties(base)
        joints = RigidJoints([ties._replace(widths=np.full(4, width))], rigid, 1e9)
        joints.begin([motion_of(base)], np.zeros(3), 1e-3)
        work, step = 0.0, 2e-6
        for gap in np.arange(step, 2e-3, step):
            loads = {0: np.zeros((4, 3))}
            joints.start_step()
            joints.add_forces({0: corners + np.array([0, 0, gap])}, loads)
            work -= step * loads[0][:, 2].sum()
            joints.finish_step(1e-12)
        # Half of the peak force times the opening at the end.
        np.testing.assert_allclose(work, 0.5 * 1e4 * (width or 1e-4), rtol=0.08)
        assert joints.count == 0


def test_joined_lattices_keep_their_momentum_and_continue_from_a_checkpoint_to_the_same_bytes(tmp_path, monkeypatch):
    """A spinning block meets one at rest, joined over a part of its side, and the joint tears."""
    found, record = [], LatticeShot.record

    def note(shot, frame):
        record(shot, frame)
        state, mass = shot._soft._state, shot._soft.masses[:, None]
        turning = np.cross(state.positions, mass * state.velocities).sum(axis=0)
        found.append((shot._soft._ties._share.sum(), (mass * state.velocities).sum(axis=0), turning))

    monkeypatch.setattr(LatticeShot, "record", note)
    moving = replace(
        soft("lattice", (0.03, 0.051, 0.0), cells=40), velocity=np.array([1.0, 2, 0]), angular_velocity=np.full(3, 9.0)
    )
    bodies, bonds = (soft("lattice", (0.0, 0.0, 0.0)), moving), (bond(0, 1, 4e4),)
    check_stops(Job(bodies, (BELOW,), frame_end=3, bonds=bonds, gravity=np.zeros(3)), (1,), tmp_path)
    shares, momentum, turning = zip(*found, strict=True)
    assert shares[0] > shares[1] > shares[2]
    np.testing.assert_allclose(momentum, momentum[:1] * len(found), atol=1e-9)
    # Friction of the nodes that touch where the joint tears turns the bodies. Measured: 0.7 %.
    np.testing.assert_allclose(turning, turning[:1] * len(found), atol=0.02 * np.linalg.norm(turning[0]))


def square_ties(surface, strength=1e4):
    """Return the ties of the four lower corners of a square of 1 m2 to a rigid surface below."""
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    shape = replace(surface, points=corners, faces=np.array([[0, 2, 1], [0, 3, 2]], np.int32))
    square = replace(soft("lattice", (0.0, 0.0, 0.0)), surface=shape)
    joint = RigidJoint(0, 0, surface, bond(0, 1, strength, 0.02, thickness=0.01))
    return ties_of(joint, square, corners, 0.01, 1e6, np.full(4, np.inf))._replace(widths=np.zeros(4)), corners


def motion_of(surface, **parts):
    return Motion(np.array([*surface.points.mean(axis=0), 1.0, 0, 0, 0]), np.zeros(3), np.zeros(3), **parts)


def test_ties_of_a_joint_share_its_area_and_break_by_tension_and_shear_only():
    """The area of a square with 1 MPa per cm is 1 m2, of which each corner gets a quarter."""
    base = shapes.box((2.0, 2.0, 0.2), (0.5, 0.5, -0.11))
    ties, corners = square_ties(base)
    np.testing.assert_allclose(ties.limits.sum(), 1e4, rtol=1e-3)
    np.testing.assert_allclose(ties.stiffness.sum(), 1e8, rtol=0.01)
    rigid = SimpleNamespace(colliders=[Collider("base", base)], centers=[base.points.mean(axis=0)])
    for gap, breaks in (
        ([0, 0, 0.9e-4], False),
        ([0, 0, -1e-3], False),
        ([0, 0, 1.2e-4], True),
        ([0, 1.2e-4, 0], True),
    ):
        joints, loads = RigidJoints([ties], rigid, 1e9), {0: np.zeros((4, 3))}
        joints.begin([motion_of(base)], np.zeros(3), 1e-3)
        joints.add_forces({0: corners + gap}, loads)
        assert joints.finish_step(1e-4) == breaks
        np.testing.assert_allclose(loads[0].sum(axis=0), -1e8 * np.array(gap), rtol=0.02, atol=1e-6)
        np.testing.assert_allclose(joints.impulses[0, :3], -1e-4 * loads[0].sum(axis=0))


def test_a_light_rigid_body_softens_its_ties_and_a_common_rotation_strains_none():
    base = shapes.box((2.0, 2.0, 0.2), (0.5, 0.5, -0.11))
    ties, corners = square_ties(base)
    center, turn = base.points.mean(axis=0), np.array([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])
    rigid = SimpleNamespace(colliders=[Collider("base", base)], centers=[center])
    joints, loads = RigidJoints([ties], rigid, 1e4), {0: np.zeros((4, 3))}
    light = replace(motion_of(base, inverse_mass=1.0, inverse_inertia=np.eye(3)), pose=np.array([*center, *turn]))
    joints.begin([light], np.zeros(3), 1e-3)
    assert joints.stiffness.sum() < 1e4
    joints.add_forces({0: center + (corners - center) @ matrices(turn).T}, loads)
    assert np.abs(loads[0]).max() < 1e-8


def test_ties_of_a_broken_rigid_body_go_over_to_its_fragments():
    base = shapes.box((2.0, 2.0, 0.2), (0.5, 0.5, -0.11))
    left, right = (shapes.box((1.0, 2.0, 0.2), (x, 0.5, -0.11)) for x in (0.0, 1.0))
    ties, _ = square_ties(base)
    parts = [Collider("base", item) for item in (base, left, right)]
    rigid = SimpleNamespace(colliders=parts, centers=[item.surface.points.mean(axis=0) for item in parts])
    joints = RigidJoints([ties], rigid, 1e9)
    joints.begin([None, motion_of(left), motion_of(right)], np.zeros(3), 1e-3)
    assert joints.ties.owners.tolist() == [1, 2, 2, 1]
    joints.begin([None, None, motion_of(right)], np.zeros(3), 1e-3)
    assert joints.ties.owners.tolist() == [2, 2, 2, 2]
    joints.begin([None, None, None], np.zeros(3), 1e-3)
    assert joints.count == 0


@METHODS
def test_scatter_spreads_the_strength_of_ties(method, monkeypatch):
    """Rubber is joined to rubber and to stone. Divided by the limits without scatter, the area does not count."""
    found = []
    kind = {"lattice": LatticeShot, "fem": ElementsShot}[method]
    record = kind.record

    def note(shot, frame):
        record(shot, frame)
        if method == "lattice":
            found.append([shot._soft._ties._ties.limits, shot._soft._joints.joints.ties.limits])
        else:
            (group,) = shot._groups
            found.append([shot._glue[0]._limits, group.joints.ties.limits])

    monkeypatch.setattr(kind, "record", note)
    bodies = soft(method, (0.0, 0.0, 0.05), cells=400), soft(method, (0.0, 0.0, -0.051), cells=400)
    for scatter in (0.0, 0.2):
        bonds = tuple(
            replace(item, material=replace(item.material, strength_variation=scatter))
            for item in (bond(0, 1, 1e6), bond(0, 2, 1e6))
        )
        run((*bodies, stone((0.0, 0.0, 0.126))), 2, bonds)
    for even, spread in zip(found[0], found[-1], strict=True):
        factors = spread / even
        assert factors.std() == pytest.approx(0.2, rel=0.25)
        assert factors.mean() == pytest.approx(1.0, abs=0.1)


def test_scatter_depends_on_the_seed_and_the_joint_and_is_repeatable():
    glued, mortared = (Bond(0, row, JOINT_KINDS[kind].material, 0.01) for row, kind in ((1, "glue"), (2, "mortar")))
    first, again, other, another = (
        strength_factors(item, 500, seed) for item, seed in ((glued, 2), (glued, 2), (glued, 3), (mortared, 2))
    )
    assert (first == again).all()
    assert not (first == other).any()
    assert abs(np.corrcoef(first, another)[0, 1]) < 0.15
    assert another.std() == pytest.approx(0.32, rel=0.1)


def test_softening_weakens_a_joint_as_it_weakens_the_bodies():
    layers = [JointLayer.of(bond(0, 1, 1e6), np.full(1, 0.01), 0.02, 1e6 / s, s) for s in (1.0, 100.0)]
    assert layers[0].strength == pytest.approx(10.0 * layers[1].strength)
    np.testing.assert_allclose(layers[0].stiffness, 100.0 * layers[1].stiffness)


def test_bad_joints_of_deformable_bodies_are_refused_with_a_remedy():
    rubber, block = soft("fem", (0.0, 0.0, 0.05)), stone((0.0, 0.0, -0.2))
    with pytest.raises(SceneError, match=r"'rubber' and 'stone' are joined, but 0\.175 m apart"):
        run((rubber, block), 3, (bond(0, 1, 1e6),))
    with pytest.raises(SceneError, match="'rubber' is joined to itself"):
        run((rubber, block), 3, (bond(0, 0, 1e6),))
