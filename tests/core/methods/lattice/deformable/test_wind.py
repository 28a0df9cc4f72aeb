"""Wind on the surfaces of lattices, and still air on thin ones."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.job import Body
from fracture_addon.core.data.material import Material
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.data.wind import Wind
from fracture_addon.core.fields.airflow import AIR_DENSITY, DRAG
from fracture_addon.core.meshing.thin.sheets import sheet
from tests.core.soft_bricks import FLOOR, RUBBER, SOFT, brick, middles, run


def test_wind_moves_a_light_body_and_not_a_heavy_one():
    impact = (Wind("uniform", direction=np.array([1.0, 0.0, 0.0]), speed=8.0),)
    moved = []
    for density in (50.0, 5000.0):
        leaf = brick((0.0, 0.0, 0.5), replace(RUBBER, density=density), (0.01, 0.1, 0.1), cell_count=300)
        middle = middles(run([leaf], 8, colliders=(FLOOR,), winds=impact).deformed[0])
        moved.append(middle[-1, 0] - middle[0, 0])
    assert moved[0] > 0.3
    assert 0.0 < moved[1] < 0.1 * moved[0]


# m, of a strip that falls.
WIDTH, LENGTH, THICKNESS = 0.1, 0.3, 0.001


def strip(mass_per_area, tilt, kind="shell"):
    """A strip 20 m above the ground, turned about its long axis."""
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, 6) * WIDTH, np.linspace(-0.5, 0.5, 10) * LENGTH, indexing="ij")
    points = np.stack([x * np.cos(tilt), y, 20.0 + x * np.sin(tilt)], axis=-1).reshape(-1, 3)
    rows = np.arange(60).reshape(6, 10)
    quads = np.stack([rows[:-1, :-1], rows[1:, :-1], rows[1:, 1:], rows[:-1, 1:]], axis=-1).reshape(-1, 4)
    surface = Surface(points, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]))
    skin, thin = sheet(surface, THICKNESS, 200, kind)
    # Soft, for long time steps: with 2e7 Pa the strips flutter and tumble alike.
    foil = Material("Foil", mass_per_area / THICKNESS, 1e6, 0.25, 1e10, 1e10, 1e9, strength_variation=0.0)
    return Body("strip", skin, foil, SOFT.changed(), thin=thin)


def fall(body, frames):
    """Heights of the middle, and the vertical part of the unit normal, on each frame."""
    points = run([body], frames).deformed[0].points.astype(float)
    rest = points[0] - points[0].mean(axis=0)
    arms = points - points.mean(axis=1, keepdims=True)
    normals = np.cross(*(np.einsum("p,tpi->ti", rest[:, axis], arms) for axis in (0, 1)))
    return points.mean(axis=1)[:, 2], normals[:, 2] / np.linalg.norm(normals, axis=1)


@pytest.mark.parametrize("kind", ["sheet", "shell"])
def test_still_air_slows_a_flat_strip(kind):
    mass, frames = 0.02, 3
    heights, _ = fall(strip(mass, 0.0, kind), frames + 1)
    limit = np.sqrt(2.0 * 9.81 * mass / (AIR_DENSITY * DRAG))
    expected = limit**2 / 9.81 * np.log(np.cosh(9.81 * frames / 24.0 / limit))
    assert heights[0] - heights[-1] == pytest.approx(expected, rel=0.02)
    assert expected < 0.7 * 0.5 * 9.81 * (frames / 24.0) ** 2


# Belmonte et al. 1998: strips flutter below a Froude number of 0.67 +- 0.05 and tumble above.
@pytest.mark.parametrize("tilt", [0.2, 1.0])
@pytest.mark.parametrize(("froude", "tumbles"), [(0.35, False), (0.55, False), (0.8, True), (1.0, True)])
def test_a_strip_flutters_or_tumbles_as_its_froude_number_predicts(froude, tumbles, tilt):
    _, upright = fall(strip(froude**2 * AIR_DENSITY * WIDTH, tilt), 64 if tumbles else 96)
    turns_over = np.count_nonzero(np.diff(np.sign(upright)))
    if tumbles:
        assert turns_over > 0
    else:
        assert turns_over == 0
        swings = np.count_nonzero(np.diff(np.sign(np.diff(upright))))
        assert swings >= 6


@pytest.mark.parametrize("kind", ["sheet", "shell"])
@pytest.mark.parametrize("speed", [40.0, 100.0])
def test_a_storm_carries_a_light_strip_along_and_no_faster(speed, kind):
    """The force of the air is held for some steps, in which it could throw a light face back and forth."""
    storm = (Wind("uniform", direction=np.array([0.0, 0.0, 1.0]), speed=speed),)
    points = run([strip(0.02, 0.3, kind)], 6, winds=storm).deformed[0].points.astype(float)
    risen = np.diff(points.mean(axis=1)[:, 2]) * 24.0
    assert 0.8 * speed < risen[-1] < 1.05 * speed
    assert np.abs(np.diff(points, axis=0)).max() * 24.0 < 2.0 * speed
