"""Small scenes that reach tuned constants which the recordings of ``tests.recordings`` do not reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from fracture_addon.core.data.job import Body, Collider, Job
from fracture_addon.core.data.material import Material
from fracture_addon.core.data.placed_fields import PaintedField
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.data.wind import Wind
from fracture_addon.core.meshing.thin import ropes, sheets
from tests import recordings, shapes

PAPER = Material("Paper", 700.0, 1e7, 0.25, 4e4, 1e6, 1e3, strength_variation=0.1)
METAL = Material("Metal", 2700.0, 7e10, 0.33, 3e8, 1e9, 3e7, yield_strength=3e7, hardening=1e9, plastic_limit=0.3)
RUBBER = Material("Rubber", 1000.0, 1e6, 0.25, 1e9, 1e9, 1e9, strength_variation=0.0)
BLADE = Collider("Blade", shapes.moved(shapes.box((0.02, 0.2, 0.02)), offset=(0.0, 0.0, 0.02)))


def _with_method(job: Job, **settings) -> Job:
    bodies = tuple(replace(body, settings=body.settings.changed(**settings)) for body in job.bodies)
    return replace(job, bodies=bodies)


def _pushed(method: str) -> Job:
    """Two soft bricks fall on a blade that rises."""
    job = recordings._soft_bricks(method=method, cell_count=150 if method == "fem" else 400)
    center = BLADE.surface.points.mean(axis=0)
    rows = np.linspace(0.0, 0.03, 6)
    track = np.array([[*center[:2], center[2] + height, 1.0, 0.0, 0.0, 0.0] for height in rows])
    return replace(job, glues=(), colliders=(*job.colliders, replace(BLADE, track=track)))


def _thin(kind: str, **settings) -> Job:
    """A sheet or shell of 0.3 m, held along one side, in a strong wind."""
    ticks = np.linspace(0.0, 0.3, 4)
    points = np.array([[x, y, 0.5] for y in ticks for x in ticks])
    corner = np.array([4 * row + column for row in range(3) for column in range(3)])
    faces = np.concatenate([corner[:, None] + [0, 1, 5], corner[:, None] + [0, 5, 4]])
    surface = Surface(points, faces)
    skin, thin = sheets.sheet(surface, 0.004, 864, kind)
    held = PaintedField(skin.points, skin.faces, (skin.points[:, 0] < 0.01).astype(float))
    body = Body("Sheet", skin, PAPER, recordings.SOFT.changed(pinned=held, **settings), thin=thin)
    wind = Wind("uniform", direction=np.array([1.0, 0.2, 0.3]), speed=20.0, gusts=0.5)
    return Job((body,), (recordings.FLOOR,), 1, 8, winds=(wind,))


def _rope() -> Job:
    """A rope of 1 m, held at one end, in a strong wind."""
    thin = ropes.rope(np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 1.0]]), np.array([[0, 1]]), 0.02, 150)
    skin = ropes.skin(thin)
    held = PaintedField(skin.points, skin.faces, (skin.points[:, 0] < 0.05).astype(float))
    body = Body("Rope", skin, PAPER, recordings.SOFT.changed(pinned=held), thin=thin)
    return Job((body,), (recordings.FLOOR,), 1, 8, winds=(Wind("uniform", speed=20.0),))


def _softened() -> Job:
    """Two bricks of rubber whose stiffness falls to zero."""
    job, track = recordings._soft_bricks(), np.array([1.0, 0.5, 0.0, 0.0, 0.0, 0.0])
    bodies = tuple(replace(body, material=RUBBER, stiffness_track=track) for body in job.bodies)
    return replace(job, bodies=bodies, glues=())


def _metal() -> Job:
    settings = recordings.SOFT.changed(method="fem", cell_count=150, softening=3e3)
    surface = shapes.box((0.1, 0.05, 0.05), (0.0, 0.0, 0.04))
    body = Body("Brick", surface, METAL, settings, velocity=20.0 * recordings.DOWN)
    return Job((body,), (recordings.FLOOR,), 1, 4)


def _bouncing() -> Job:
    """A brick of rubber falls on the floor and bounces."""
    job = recordings._soft_elements()
    bodies = tuple(replace(body, material=RUBBER) for body in job.bodies)
    return replace(job, bodies=bodies, frame_end=10)


def _overlapping() -> Job:
    job = recordings._several_bodies()
    lower = job.bodies[1]
    other = replace(lower, name="Other", surface=shapes.moved(lower.surface, offset=(0.096, 0.0, 0.0)))
    return replace(job, bodies=(*job.bodies, other))


def _islands(**settings) -> Job:
    sizes = np.linspace(0.03, 0.08, 4)
    parts = [shapes.box((0.1, 0.1, size), (0.15 * row, 0.0, size / 2.0)) for row, size in enumerate(sizes)]
    return recordings._impact(surface=shapes.joined(*parts), islands="separate", strength=10.0, **settings)


JOBS: dict[str, Callable[[], Job]] = {
    "lattice dropped slowly": lambda: recordings._dropped("lattice", 2.5, cell_count=2000),
    "lattice cubes dropped slowly": lambda: recordings._dropped("lattice", 2.5, cell_count=2000, lattice="cubes"),
    "lattice on a blade": lambda: _pushed("lattice"),
    "lattice sheet in the wind": lambda: _thin("sheet"),
    "lattice shell in the wind": lambda: _thin("shell"),
    "lattice rope in the wind": _rope,
    "lattice softened": _softened,
    "fem on a blade": lambda: _pushed("fem"),
    "fem tempered": lambda: recordings._impact(method="fem", cell_count=200, tempering=5e7),
    "fem metal": _metal,
    "fem bouncing": _bouncing,
    "fem fragments come to rest": lambda: replace(recordings._soft_elements(), frame_end=16),
    "fem several bodies": lambda: _with_method(recordings._several_bodies(), method="fem", cell_count=150),
    "network wanted count out of reach": lambda: recordings._impact(piece_count=60, cell_count=300, dust_volume=0.02),
    "network forecast": lambda: _with_method(recordings._several_bodies(), impact_fineness=3.0),
    "overlapping bodies": _overlapping,
    "islands, wanted count": lambda: _islands(piece_count=12),
    "islands, few cells": lambda: _islands(cell_count=150),
    "debris far": lambda: recordings._impact(dust="debris", dust_volume=0.05, strength=60.0, cell_count=1500),
}
# Broken without simulation.
AT_REST: dict[str, Callable[[], Job]] = {
    "network broken at rest": lambda: recordings._impact(strength=0.2),
    "network divided at rest": lambda: Job(
        (Body("Slab", shapes.box((0.16, 0.1, 0.04)), recordings.PORCELAIN, recordings.BRITTLE.changed(piece_count=20)),)
    ),
}
