"""Joints of finite elements: layers between two objects with the stiffness, and the strength, of the joint."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Body, Job, Settings
from fracture_addon.core.methods.fem.cracks.toughness import Strengths
from fracture_addon.core.methods.fem.critical_load import critical_force
from fracture_addon.core.methods.fem.joints import Joints
from fracture_addon.core.methods.fem.model import mesh_of
from fracture_addon.core.methods.fem.state import component_of_element
from fracture_addon.core.timeline.preparation import prepare
from tests import shapes
from tests.core.methods.joined_blocks import AREA, GAP, RUBBER, STONE, joined_blocks

SETTINGS = Settings.of(method="fem", cell_count=300, noise=0.0)
SHIFT = 1e-7


def joined(glue=RUBBER, materials=(STONE, STONE), settings=SETTINGS):
    """Two blocks with a gap across X: their model."""
    return joined_blocks(glue, materials, settings).prepared.model


def mesh_and_joints(model):
    mesh = mesh_of(model, SETTINGS)
    return mesh, Joints(mesh, model.solid, model.step)


def second_nodes(mesh):
    """The nodes of the second block."""
    result = np.zeros(mesh.node_count, bool)
    rows = np.flatnonzero(~mesh.ghost)
    result[mesh.elements[rows[mesh.objects.of_cell[mesh.parent[rows]] == 1]]] = True
    return result


@pytest.mark.parametrize(("axis", "modulus"), [(0, "young_modulus"), (1, "shear_modulus")])
def test_a_joint_has_the_stiffness_of_its_layer(axis, modulus):
    """The blocks do not deform: the force is E A / t along the joint's normal, and G A / t across it."""
    mesh, joints = mesh_and_joints(joined())
    second, load = second_nodes(mesh), np.zeros((mesh.node_count, 3))
    mesh.position[second, axis] += SHIFT
    joints.pull(load)
    wanted = getattr(RUBBER, modulus) * AREA / GAP * SHIFT
    assert -load[second].sum(axis=0)[axis] == pytest.approx(wanted, rel=0.01)
    assert joints.overloads() == pytest.approx(wanted / AREA / RUBBER.tensile_strength, rel=0.01)


def test_joints_keep_momentum_and_angular_momentum():
    mesh, joints = mesh_and_joints(joined())
    mesh.position[:] += 1e-4 * np.random.default_rng(0).standard_normal(mesh.position.shape)
    joints.turn()
    load = np.zeros((mesh.node_count, 3))
    joints.pull(load)
    scale = np.abs(load).sum()
    assert scale > 0.0
    assert np.abs(load.sum(axis=0)).max() < 1e-12 * scale
    # The two points of a joint are one point at rest. Their moment is at most the force times their distance now.
    assert np.abs(np.cross(mesh.position, load).sum(axis=0)).max() < 1e-3 * scale


def test_a_rotation_strains_no_joint():
    mesh, joints = mesh_and_joints(joined())
    angle = 0.5
    turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    mesh.position[:] = mesh.rest @ turn.T
    joints.turn()
    assert np.abs(joints.overloads()).max() < 1e-9


def test_a_broken_joint_carries_pressure_and_no_tension():
    mesh, joints = mesh_and_joints(joined())
    second = second_nodes(mesh)
    mesh.position[second, 0] += SHIFT
    joints.break_overloaded(np.full(len(joints.holds), 2.0))
    pulled, pressed = np.zeros((2, mesh.node_count, 3))
    joints.pull(pulled)
    assert not joints.holds.any()
    assert not pulled.any()
    mesh.position[second, 0] -= 2.0 * SHIFT
    joints.pull(pressed)
    assert pressed[second, 0].sum() == pytest.approx(RUBBER.young_modulus * AREA / GAP * SHIFT, rel=0.01)


def test_pressure_breaks_no_joint():
    mesh, joints = mesh_and_joints(joined())
    mesh.position[second_nodes(mesh), 0] -= 1e4 * SHIFT
    assert joints.overloads().max() < 1e-6


def test_a_joint_of_the_same_material_bears_a_bending_load_like_one_piece():
    """The mean critical load of blocks that are joined with their own material, and of one block of the same size."""
    impact = Impact(np.array([0.0, 0.0, 0.03]), np.array([0.0, 0.0, -1.0]), 1.0, 1e-3, radius=0.02)
    parts, whole = [], []
    for seed in range(2):
        settings = SETTINGS.changed(seed=seed)
        model = joined_blocks(STONE, (STONE, STONE), settings).prepared.model
        parts.append(critical_force(model, settings, [impact]))
        body = Body("A", shapes.box((0.4 + GAP, 0.1, 0.06)), STONE, settings.changed(cell_count=600))
        one = prepare(Job((body,), (), 1, 10), 0, lambda stage, share: None)
        whole.append(critical_force(one.prepared.model, body.settings, [impact]))
    assert 0.65 * np.mean(whole) < np.mean(parts) < 1.25 * np.mean(whole)


def test_beside_a_broken_joint_the_toughness_counts():
    """With a toughness of 1 kPa m^1/2 the strength is lower there; the stress is the same."""
    mesh, joints = mesh_and_joints(joined(replace(RUBBER, toughness=1e3)))
    mesh.position[second_nodes(mesh), 0] += SHIFT
    before = joints.overloads()
    first = np.zeros(len(before))
    first[0] = 2.0
    assert joints.break_overloaded(first) == 1
    after = joints.overloads()
    assert after[0] == 0.0
    weakened = after[1:] > 1.5 * before[1:]
    assert 0 < np.count_nonzero(weakened) < len(weakened)
    assert after[1:][~weakened] == pytest.approx(before[1:][~weakened])


def test_each_object_keeps_its_own_stiffness_density_and_strength():
    """A block of half the stiffness, twice the density and a third of the strength, beside the other."""
    soft = replace(
        STONE, young_modulus=35e9, density=2.0 * STONE.density, tensile_strength=STONE.tensile_strength / 3.0
    )
    model = joined(materials=(STONE, soft))
    mesh, _ = mesh_and_joints(model)
    second = second_nodes(mesh)
    assert mesh.mass[second].sum() == pytest.approx(2.0 * mesh.mass[~second].sum(), rel=0.02)
    halves = [model.objects.moduli[model.objects.of_cell == row] for row in (0, 1)]
    assert halves[0].mean() == pytest.approx(2.0 * halves[1].mean())
    strengths = Strengths(mesh, model.material, SETTINGS).weakest()
    used = mesh.mass > 0.0
    assert strengths[used & ~second] == pytest.approx(STONE.tensile_strength)
    assert strengths[used & second] == pytest.approx(STONE.tensile_strength / 3.0)


def test_joints_connect_the_objects():
    mesh, joints = mesh_and_joints(joined())
    assert component_of_element(mesh).max() == 1
    assert component_of_element(mesh, joints.elements).max() == 0


def test_a_weaker_joint_lowers_the_critical_load():
    """The critical load of a joint in bending is proportional to its strength, as long as it breaks first."""
    impact = Impact(np.array([0.0, 0.0, 0.03]), np.array([0.0, 0.0, -1.0]), 1.0, 1e-3, radius=0.02)
    loads = [
        critical_force(joined(replace(STONE, tensile_strength=strength)), SETTINGS, [impact])
        for strength in (0.2e6, 0.4e6)
    ]
    assert loads[1] == pytest.approx(2.0 * loads[0], rel=0.01)
