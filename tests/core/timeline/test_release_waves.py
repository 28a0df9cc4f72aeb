"""Fragments of a tile with and without the motion of release waves."""

from __future__ import annotations

import numpy as np

from fracture_addon.core.data.job import AuthoredImpact, Body, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.recording import NEVER
from fracture_addon.core.methods.network import method
from tests import shapes
from tests.core.timeline_scenes import DOWN, FLOOR, WEIGHTLESS, run, velocities

TILE = shapes.box((0.2, 0.2, 0.006))
SPEED = 4.4
RELEASE_SPEED = PORCELAIN.tensile_strength / np.sqrt(PORCELAIN.young_modulus * PORCELAIN.density)


def dropped(seed):
    """Fragments of a tilted tile that hits the floor on its edge, without gravity."""
    cosine, sine = np.cos(0.3), np.sin(0.3)
    tile = shapes.moved(TILE, rotation=[[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]])
    tile = shapes.moved(tile, offset=(0.0, 0.0, 0.01 - tile.points[:, 2].min()))
    return fragments_of(tile, seed, colliders=(FLOOR,), velocity=np.array([0.0, 0.0, -SPEED]))


def struck(seed):
    """Fragments of a tile that an impact breaks in its middle, without gravity."""
    return fragments_of(TILE, seed, impacts=(AuthoredImpact(1, np.array([0.0, 0.0, 0.003]), DOWN, 3.0),))


def fragments_of(tile, seed, colliders=(), **values):
    settings = Settings.of(cell_count=800, seed=seed, break_depth=1)
    body = Body("tile", tile, PORCELAIN, settings, **values)
    recording = run(body, colliders=colliders, frames=6, gravity=WEIGHTLESS)
    return [item for item in recording.fragments if item.death_frame == NEVER]


def gap(fragments):
    """Median growth of the distance between two large fragments in the plane of the tile, m."""
    whole = sum(item.mass for item in fragments)
    large = [item for item in fragments if item.mass > 0.02 * whole]
    rest, end = (
        np.array(places) for places in zip(*((item.center, item.poses[-1, :3]) for item in large), strict=True)
    )
    pairs = np.triu_indices(len(large), 1)
    return np.median((distances(end[:, :2]) - distances(rest[:, :2]))[pairs])


def distances(places):
    return np.linalg.norm(places[:, None] - places, axis=-1)


def test_release_waves_drive_large_fragments_apart(monkeypatch):
    found = [gap(struck(seed)) for seed in range(3)]
    monkeypatch.setattr(method, "release", lambda model, state, result: result)
    assert np.mean(found) > 1.4 * np.mean([gap(struck(seed)) for seed in range(3)])


def test_no_fragment_is_much_faster_than_the_fall_and_the_release():
    for seed in range(3):
        fragments = dropped(seed)
        assert len(fragments) > 1
        for item in fragments:
            speed = np.linalg.norm(velocities(item.poses), axis=1).max()
            assert speed <= 2.0 * SPEED + RELEASE_SPEED
