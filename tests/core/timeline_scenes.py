"""A block, a floor, a ball and impacts for tests of the timeline, with a way of breaking that is quick."""

from __future__ import annotations

import numpy as np

from fracture_addon.core.data.job import AuthoredImpact, Body, Collider, Job, Settings
from fracture_addon.core.data.material import PORCELAIN
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.numerics.rotations import matrices
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes

SETTINGS = Settings.of(method="halving", cell_count=500, break_depth=1)
FLOOR = Collider("floor", Surface([[-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0]], [[0, 1, 2], [0, 2, 3]]))
WEIGHTLESS = np.zeros(3)
DOWN = np.array([0.0, 0.0, -1.0])


def block(height=0.0, **values) -> Body:
    surface = shapes.box((0.1, 0.06, 0.08), (0.0, 0.0, height + 0.04))
    values = {"material": PORCELAIN, "settings": SETTINGS, **values}
    return Body("block", surface, **values)


def ball(speed: float, mass: float = 0.2) -> Collider:
    """Comes along X and hits the middle of a block that stands on the origin."""
    surface = shapes.moved(shapes.icosphere(0.02), offset=(-0.2, 0.0, 0.04))
    return Collider("ball", surface, "sphere", mass=mass, velocity=np.array([speed, 0.0, 0.0]))


def tap(strength: float, frame: int = 2) -> AuthoredImpact:
    return AuthoredImpact(frame, np.array([0.0, 0.0, 0.08]), DOWN, strength)


def run(*bodies, colliders=(), frames=12, **values):
    return simulate(Job(tuple(bodies), tuple(colliders), 1, frames, **values), lambda stage, share: None)


def velocities(poses, rate=24.0):
    return np.diff(poses[:, :3], axis=0) * rate


def lowest(fragment, row):
    pose = fragment.poses[row]
    return (fragment.surface.points @ matrices(pose[3:]).T + pose[:3])[:, 2].min()
