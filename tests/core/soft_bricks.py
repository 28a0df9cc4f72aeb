"""Bricks that deform, and runs of them."""

from dataclasses import replace

from fracture_addon.core.data.job import Body, Collider, Job, Settings
from fracture_addon.core.data.material import Material
from fracture_addon.core.data.surface import Surface
from fracture_addon.core.timeline.timeline import simulate
from tests import shapes

RUBBER = Material("Rubber", 1000.0, 1e6, 0.25, 1e9, 1e9, 1e9, strength_variation=0.0)
CHALK = Material("Chalk", 1500.0, 1e6, 0.25, 2e4, 1e6, 1e3, strength_variation=0.1)
SOFT = Settings.of(
    method="lattice", dynamics="deformable", lattice="cubes", softening=1.0, cell_count=600, noise=0.0, seed=2
)
FLOOR = Collider("Floor", Surface([[-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0]], [[0, 1, 2], [0, 2, 3]]))
BELOW = replace(FLOOR, surface=shapes.moved(FLOOR.surface, offset=(0.0, 0.0, -9.0)))


def brick(center=(0.0, 0.0, 0.1), material=RUBBER, size=(0.1, 0.05, 0.05), **settings):
    return Body("brick", shapes.box(size, center), material, SOFT.changed(**settings))


def run(bodies, frames=12, **parts):
    return simulate(Job(tuple(bodies), frame_start=1, frame_end=frames, **parts), lambda *_: None)


def middles(deformed):
    return deformed.points.mean(axis=1).astype(float)
