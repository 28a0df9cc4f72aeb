"""Placed prior stress with each kind of bonds and with finite elements: the paper's k C (Smith et al. 2001)."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.impact import Impact, PressedFaces
from fracture_addon.core.data.job import Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.placed_fields import PaintedField, Region
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods import method, table
from fracture_addon.core.methods.network import advance
from tests import readable_kernels, shapes

EVEN = replace(PORCELAIN, strength_variation=0.0)
SLAB = shapes.box((0.2, 0.1, 0.02))
# Under the middle of the slab, where an impact from above pulls most.
BELOW = Region(np.array([0.0, 0.0, -0.01]), 0.03, softness=0.0)
STRESS = 15e6
KINDS = {"full": {"bonds": "full"}, "point": {"bonds": "point"}, "elements": {"method": "fem"}}


@pytest.fixture(scope="module")
def solid():
    return tetrahedralize(SLAB, 700, 0)


def impact():
    return Impact([0.0, 0.0, 0.01], [0.0, 0.0, -1.0], 0.5e-4, 1e-4, 0.005)


def critical(solid, kind, **values):
    settings = Settings.of(noise=0.0, **KINDS[kind], **values)
    return table.critical_force(table.build(solid, EVEN, settings), settings, [impact()])


def first_to_break(solid, kind):
    """Return the place that a network without prior stress breaks first."""
    model, glue = unloaded(solid, kind)
    return model.face_centers[np.argmax(glue.burden() / model.strengths)]


def unloaded(solid, bonds, **values):
    """Return the model, and its bonds under the prior stress alone."""
    settings = Settings.of(noise=0.0, bonds=bonds, **values)
    model = table.build(solid, EVEN, settings)
    return model, advance.initial_state(model, [impact()], settings)[1].glue


@pytest.mark.parametrize("kind", ["full", "point"])
def test_a_place_that_pulls_breaks_early_and_one_that_presses_late(solid, kind):
    place = replace(BELOW, center=first_to_break(solid, kind))
    pulled, plain, pressed = (
        critical(solid, kind, regions=(replace(place, stress=stress),)) for stress in (4e6, 0.0, -4e6)
    )
    assert pulled < 0.97 * plain
    assert plain < pressed


def test_with_elements_too(solid):
    """Measured: 22.0, 22.7 and 23.3 kN."""
    pulled, plain, pressed = (
        critical(solid, "elements", regions=(replace(BELOW, stress=stress),)) for stress in (5e6, 0.0, -5e6)
    )
    assert pulled < 0.99 * plain < 0.98 * pressed


@pytest.mark.parametrize("stress", [0.0, STRESS])
def test_burdens_compiled_and_readable_agree(solid, stress):
    _, glue = unloaded(solid, "full", regions=(replace(BELOW, stress=stress),))
    for factor in (0.0, 1.0, 1e4):
        wanted = readable_kernels.burden(glue, factor)
        np.testing.assert_allclose(glue.burden(factor), wanted, rtol=1e-9, atol=1e-9 * wanted.max())


def test_a_pulling_place_pulls_and_its_surroundings_press(solid):
    model, glue = unloaded(solid, "full", regions=(replace(BELOW, stress=STRESS),))
    stress = glue.residual_stress()
    inside = BELOW.weight(model.face_centers) > 0.0
    assert 0.1 * STRESS < stress[inside].mean() < STRESS
    assert stress[~inside].mean() < 0.0
    across = np.sign(model.cells.centers[model.pairs, 0])
    crossing = across[:, 0] != across[:, 1]
    sign = across[crossing, 1]
    pull = stress[crossing] * model.areas[crossing] * model.normals[crossing, 0] * sign
    # Of a hundred newtons that pull, few are left: normal stress alone misses the shear of slanted faces.
    assert abs(pull.sum()) < 0.1 * np.abs(pull).sum()


def test_a_uniform_stress_relaxes(solid):
    painted = PaintedField(SLAB.points, SLAB.faces, np.ones(len(SLAB.points)))
    _, glue = unloaded(solid, "full", painted_stress=painted, prior_stress=STRESS)
    assert np.abs(glue.residual_stress()).mean() < 0.02 * STRESS


def test_point_bonds_solve_the_papers_equation(solid):
    """J W J^T lambda = -J W Q - k C."""
    model, glue = unloaded(solid, "point", regions=(replace(BELOW, stress=STRESS),))
    matrix = model.bonds.matrix().toarray()
    multipliers = np.linalg.solve(matrix, -model.misfit)
    np.testing.assert_allclose(
        glue.burden(0.0), np.maximum(-multipliers, multipliers / 8.0), atol=1e-2 * np.abs(multipliers).max()
    )
    inside = model.misfit > 0.0
    assert (inside == (BELOW.weight(model.face_centers) > 0.0)).all()
    assert multipliers[inside].mean() < 0.0


@pytest.mark.parametrize("bonds", ["full", "point"])
def test_broken_bonds_lose_it(solid, bonds):
    model, glue = unloaded(solid, bonds, regions=(replace(BELOW, stress=STRESS),))
    inside = np.flatnonzero(BELOW.weight(model.face_centers) > 0.0)
    glue.remove(inside)
    assert (glue.burden(0.0)[inside] == 0.0).all()


@pytest.mark.parametrize("kind", ["full", "point"])
@pytest.mark.parametrize("pressed", [False, True], ids=["impact", "pressure"])
def test_a_body_that_its_own_stress_breaks_breaks_under_any_load(solid, kind, pressed):
    """The critical load is 0. A load of 1 N breaks the body."""
    torn = replace(BELOW, radius=1.0, stress=100e6), replace(BELOW, center=np.array([0.05, 0.0, 0.0]), stress=-200e6)
    settings = Settings.of(noise=0.0, dust_volume=0.0, regions=torn, **KINDS[kind])
    model = table.build(solid, EVEN, settings)
    top = PressedFaces(np.array([[-0.05, 0.0, 0.01]]), np.array([[0.0, 0.0, -1.0]]))
    load = replace(impact(), faces=top) if pressed else impact()
    assert table.critical_force(model, settings, [load]) == 0.0
    still = method.RigidMotion(np.zeros(3), np.zeros(3))
    assert table.strike(model, settings, still, [load]).piece_count > 1
