"""A method for tests: an impact above a set force halves the solid in a plane through the mean of the impact points."""

from __future__ import annotations

import numpy as np

from fracture_addon.core.data.material import Material
from fracture_addon.core.data.solid import SolidModel, cell_centers
from fracture_addon.core.methods.method import Break, Method, Solver
from fracture_addon.core.methods.rigid_components import cells_of
from fracture_addon.core.rigid.rigid_properties import cell_properties

# Pascals: the critical force is this times the square of the solid's size, so that fragments are weaker.
STRENGTH = 2e5


def build(solid, material, settings):
    return solid, material


def critical_force(model, settings, impacts, progress=None, solver=None):
    solid, _ = model
    return STRENGTH * np.ptp(solid.points[solid.cells.ravel()], axis=0).max() ** 2


def strike(model, settings, motion, impacts, *, progress=None, watch=None, solver=None):
    solid, material = model
    whole = cell_properties(solid.points, solid.cells, material.density)
    load = sum(impact.peak_force for impact in impacts) / critical_force(model, settings, None)
    centers = cell_centers(solid.points, solid.cells)
    axis = np.cross(impacts[0].direction, [0.3, 0.9, 0.1])
    side = (centers - np.mean([impact.point for impact in impacts], axis=0)) @ axis
    if load < 1.0 or (side < 0).all() or (side > 0).all():
        label = np.zeros(len(centers), np.int32)
    else:
        label = (side > np.median(side) if settings.pieces.piece_count else side > 0).astype(np.int32)
    parts = [
        cell_properties(solid.points, solid.cells[label == row], material.density) for row in range(label.max() + 1)
    ]
    # Both halves are pushed as the whole would be, and keep its spin.
    impulse = sum(impact.impulse * impact.direction for impact in impacts)
    velocity = [
        motion.velocity + np.cross(motion.angular_velocity, part.center - whole.center) + impulse / whole.mass
        for part in parts
    ]
    angular = [motion.angular_velocity] * len(parts)
    return Break(label, np.array(velocity), np.array(angular), load, 1, 0, 0.0, np.ones(len(parts), bool))


class Halving(Method[tuple[SolidModel, Material], Solver]):
    """The interface is complete with these: a method takes one package and one row of the table."""

    build = staticmethod(build)
    critical_force = staticmethod(critical_force)
    strike = staticmethod(strike)

    def solver(self, model):
        return Solver()

    def cells(self, model):
        return cells_of(*model)

    def stress_window(self, model, solid, settings, impacts, progress=None, *, solver=None):
        raise NotImplementedError("no test asks for its stress")
