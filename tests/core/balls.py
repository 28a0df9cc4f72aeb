"""Balls at the cells of solids, and worlds to put them in."""

from __future__ import annotations

import numpy as np

from fracture_addon.core.data.surface import Surface
from fracture_addon.core.rigid import collision_shape
from fracture_addon.core.rigid.rigid_properties import cell_properties
from fracture_addon.core.rigid.world import World

DOWN = np.array([0.0, 0.0, -9.81])
STILL = np.zeros(3)
# Size of the cup, m. Balls may miss a corner by a thousandth of it.
SIZE = 0.15


def sheet(size: float, height: float = 0.0) -> Surface:
    return Surface(
        np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * size + [0, 0, height], [[0, 1, 2], [0, 2, 3]]
    )


def balls_of(solid, cells, count=1000):
    """The surface around cells, and the balls inside it."""
    surface, outer = collision_shape.boundary(solid.points, solid.cells[cells])
    middles, _ = collision_shape.inspheres(solid.points, solid.cells[cells[outer]])
    return surface, *collision_shape.balls(surface, middles, surface.points, count, SIZE)


def add_cells(world, solid, cells, velocity=STILL, turn=STILL, height=0.0, friction=0.5):
    properties = cell_properties(solid.points, solid.cells[cells], 2400.0)
    x, y, z = properties.center
    pose = np.array([x, y, z + height, 1.0, 0.0, 0.0, 0.0])
    balls = balls_of(solid, cells)[1:]
    return world.add_balls(properties, *balls, pose, velocity, turn, friction=friction, restitution=0.1), properties


def world_of(solid, gravity=DOWN):
    return World(gravity, float(np.linalg.norm(np.ptp(solid.points[solid.cells.ravel()], axis=0))), 0.1)
