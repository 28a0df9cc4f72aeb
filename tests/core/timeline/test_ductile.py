"""Ductile bodies stay whole, and impacts dent them."""

import dataclasses

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from fracture_addon.core.data.impact import Impact
from fracture_addon.core.data.job import Body, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.surface import volume
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.method import UNPREPARED
from fracture_addon.core.timeline import dents
from fracture_addon.core.timeline.rigid_fragment import Breakable
from fracture_addon.core.timeline.rigid_scene import RigidScene
from tests import shapes
from tests.core.timeline_scenes import FLOOR, run

ALUMINIUM = dataclasses.replace(
    PORCELAIN,
    name="Aluminium",
    density=2700.0,
    young_modulus=69e9,
    poisson_ratio=0.33,
    tensile_strength=100e6,
    compressive_strength=300e6,
    toughness=35e6,
    strength_variation=0.05,
    yield_strength=35e6,
    hardening=190e6,
    plastic_limit=0.35,
)


PLATE, CUP = shapes.box((0.2, 0.2, 0.01)), shapes.cup()


def dropped(surface, material, **settings):
    """The recording of a body that falls on a floor at the speed of a fall from 1 m."""
    tilted = shapes.moved(surface, rotation=Rotation.from_rotvec([0.6, 0.1, 0.0]).as_matrix())
    tilted = shapes.moved(tilted, offset=(0.0, 0.0, 0.01 - tilted.points[:, 2].min()))
    settings = Settings.of(**{"cell_count": 600, "break_depth": 1, **settings})
    body = Body("body", tilted, material=material, settings=settings, velocity=np.array([0.0, 0.0, -4.43]))
    return tilted, run(body, colliders=(FLOOR,), frames=6)


@pytest.mark.parametrize("surface", [PLATE, CUP], ids=["plate", "cup"])
def test_dropped_aluminium_stays_whole_and_is_dented(surface):
    before, recording = dropped(surface, ALUMINIUM)
    report, (fragment,) = recording.report["bodies"][0], recording.fragments
    assert not report["breaks"]
    assert any("is dented by" in warning for warning in report["warnings"])
    assert recording.bodies[0].break_frame == fragment.birth_frame
    moved = np.linalg.norm(fragment.surface.points + fragment.center - before.points, axis=1)
    assert moved.max() == pytest.approx(report["dent"])
    assert 1e-3 < report["dent"] / before.diagonal <= 0.05


def test_a_material_of_the_same_strength_that_does_not_flow_breaks():
    _, recording = dropped(PLATE, dataclasses.replace(ALUMINIUM, yield_strength=0.0, toughness=1e6), violence=5.0)
    assert recording.report["bodies"][0]["breaks"]
    assert "dent" not in recording.report["bodies"][0]


def test_another_method_says_that_the_network_dents():
    _, recording = dropped(PLATE, ALUMINIUM, method="lattice")
    report = recording.report["bodies"][0]
    assert not report["breaks"]
    assert "dent" not in report
    assert any("would be dented" in warning and "Network" in warning for warning in report["warnings"])


def fragment_of(surface):
    """A whole body as a fragment."""
    body = Body("body", surface, material=ALUMINIUM, settings=Settings.of(cell_count=300))
    solid = tetrahedralize(surface, 300, 0)
    return RigidScene(Job((body,)), [Breakable(body, surface, solid, UNPREPARED, {})]).fragments[0]


@pytest.mark.parametrize("radius", [0.0, 0.02], ids=["plane", "ball"])
def test_the_flattened_volume_times_the_hardness_is_the_energy(radius):
    """A ball of radius R that is flattened by a plane to the depth h loses the volume pi R h^2."""
    ball = shapes.icosphere(0.05, 5)
    impact = Impact([0.0, 0.0, -0.05], [0.0, 0.0, 1.0], 2.0, 1e-4, 0.0, 4.0, radius)
    dent, force = dents.flattened(fragment_of(ball), impact, dents.hardness(ALUMINIUM), ball.diagonal)
    lost = volume(ball) - volume(dent.surfaces[0])
    assert lost * dents.hardness(ALUMINIUM) == pytest.approx(4.0, rel=1e-3)
    together = 0.05 if not radius else 1.0 / (1.0 / 0.05 + 1.0 / radius)
    assert dent.depth == pytest.approx(np.sqrt(lost / (np.pi * together)), rel=0.05)
    assert force == pytest.approx(dents.hardness(ALUMINIUM) * 2.0 * np.pi * together * dent.depth, rel=0.2)


def test_shading_normals_turn_with_the_surface():
    normals = np.array([[0.0, 0.0, 1.0]])
    turned = dents._turned(normals, np.array([[0.0, 0.0, 1.0]]), np.array([[0.6, 0.0, 0.8]]))
    np.testing.assert_allclose(turned, [[0.6, 0.0, 0.8]], atol=1e-12)
