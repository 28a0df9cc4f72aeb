"""Keyed stiffness of deformable finite elements: sag, frequency, load at a break, and a leap."""

from dataclasses import replace

import numpy as np
import pytest

from fracture_addon.core.data.job import Body, Job, Settings
from fracture_addon.core.data.material import Material
from fracture_addon.core.data.placed_fields import PaintedField
from fracture_addon.core.meshing.filling.tetrahedralize import tetrahedralize
from fracture_addon.core.methods.fem import method as fem
from fracture_addon.core.methods.fem.deformable.shot import Shot
from fracture_addon.core.methods.fem.deformable.together import Together
from fracture_addon.core.methods.fem.materials.softening import stiffened
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes
from tests.core.soft_bricks import FLOOR

RUBBER = Material("Rubber", 1000.0, 1e7, 0.3, 1e9, 1e10, 1e8, strength_variation=0.0)
SETTINGS = Settings.of(method="fem", dynamics="deformable", softening=1.0, noise=0.0)
BAR = (0.2, 0.03, 0.03)


def held(size, axis, track, cells, material=RUBBER, **settings):
    """Return a box that is pinned at one end of an axis, with keyed stiffness."""
    surface = shapes.divided(shapes.box(size))
    end = surface.points[:, axis] * (1.0 if axis == 2 else -1.0)
    pins = PaintedField(surface.points, surface.faces, (end > 0.08).astype(float))
    return Body(
        "bar",
        surface,
        material,
        SETTINGS.changed(pinned=pins, cell_count=cells, **settings),
        stiffness_track=np.array(track),
    )


def sag(body, frames, rate=24.0):
    """Return the (T,) m by which the free end of a bar along X sags."""
    shown = simulate(Job((body,), frame_end=frames, frame_rate=rate), lambda *_: None).deformed[0].points
    return (shown[0] - shown)[:, shown[0, :, 0] > 0.099, 2].mean(axis=1)


@pytest.mark.parametrize("cells", [100, 300])
def test_the_sag_of_a_cantilever_is_inverse_to_its_stiffness(cells):
    """Measured, stiffness times sag over those without a key: 0.997 to 1.002."""
    ends = [sag(held(BAR, 0, np.full(16, key), cells, time_steps="implicit"), 16)[-1] for key in (1.0, 0.25)]
    assert 0.25 * ends[1] == pytest.approx(ends[0], rel=0.01)


def frequency(path, rate):
    """Return the frequency, Hz, of a vibration (T,) that decays, with the least square error."""
    time = np.arange(len(path)) / rate
    errors = []
    found = np.linspace(4.0, 25.0, 1051)
    for value in found:
        cos, sin = np.cos(2.0 * np.pi * value * time), np.sin(2.0 * np.pi * value * time)
        basis = np.stack([cos, sin, np.ones_like(time), time * cos, time * sin], axis=1)
        fitted = basis @ np.linalg.lstsq(basis, path, rcond=None)[0]
        errors.append(((fitted - path) ** 2).sum())
    return found[np.argmin(errors)]


@pytest.mark.parametrize(("cells", "steps"), [(100, "auto"), (100, "explicit"), (200, "auto")])
def test_a_key_halves_the_frequency_at_a_quarter_of_the_stiffness(cells, steps):
    """Measured, frequency before the key over that after it: 1.97 to 2.00 at 100 to 500 elements."""
    keys = np.repeat([1.0, 0.25], 60)
    path = sag(held(BAR, 0, keys, cells, time_steps=steps), 120, rate=240.0)
    assert frequency(path[:60], 240.0) / frequency(path[60:], 240.0) == pytest.approx(2.0, rel=0.03)


@pytest.mark.parametrize("cells", [100, 300])
def test_a_softer_bar_breaks_at_the_same_strain(cells):
    """It can carry twice its weight. Measured: it breaks at 0.5 of its stiffness, or between 0.4 and 0.5."""
    weak = replace(RUBBER, tensile_strength=2.0 * 1000.0 * 9.81 * 0.18)
    gravity = np.multiply.outer(np.minimum(np.arange(10) / 8.0, 1.0), [0.0, 0.0, -9.81])
    counts = []
    for key in (0.65, 0.35):
        job = Job((held(BAR[::-1], 2, np.full(10, key), cells, weak),), frame_end=10, gravity_track=gravity)
        counts.append(simulate(job, lambda *_: None).report["bodies"][0]["fragments"])
    assert counts[0] == 1 < counts[1]


@pytest.mark.parametrize("cells", [150, 300])
def test_a_body_sags_and_springs_up(cells):
    """Norton et al. 1991, figure 6. Measured: it leaps 88 and 94 mm."""
    leaps = []
    for key in (1.0, 0.01):
        keys = np.ones(20)
        keys[7:11] = key
        jelly = replace(RUBBER, young_modulus=1e5)
        block = Body("block", shapes.box((0.1, 0.1, 0.2), (0.0, 0.0, 0.1)), jelly, SETTINGS.changed(cell_count=cells))
        job = Job((replace(block, stiffness_track=keys),), (FLOOR,), frame_end=20)
        leaps.append(simulate(job, lambda *_: None).deformed[0].points[11:, :, 2].min(axis=1).max())
    assert leaps[0] < 1e-3
    assert leaps[1] > 0.03


def test_a_key_above_one_keeps_explicit_steps_stable():
    """A bar of nine times the stiffness is one of a stiffer material."""
    paths, damped = [], replace(RUBBER, dilation_damping=30.0, rigidity_damping=30.0)
    for key, material in ((9.0, damped), (1.0, stiffened(damped, 9.0))):
        body = held(BAR, 0, [key], 100, material, time_steps="explicit")
        shot = Shot(
            fem.build(tetrahedralize(body.surface, 100, 0), material, body.settings), body, (), np.zeros((0, 3))
        )
        shot.set_stiffness(key)
        Together({0: shot}).advance(0.011, np.array([0.0, 0.0, -9.81]), (), {})
        paths.append(shot.mesh.position[:, 2] - shot.mesh.rest[:, 2])
    assert np.abs(paths[1]).max() > 2e-4
    np.testing.assert_allclose(paths[0], paths[1], atol=0.02 * np.abs(paths[1]).max())
