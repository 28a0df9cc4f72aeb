"""Stress that a body has without a load: surface in compression, core in tension, as in tempered glass."""

from __future__ import annotations

import numpy as np

from ...data.material import Material
from ...data.solid import CELL_FACES, appears_once
from ...data.surface import Surface
from ...geometry.nearest import nearest
from .advance import Leapfrog
from .cracks.stress_release import wall_thickness
from .elements import Law
from .mesh import Mesh

# Where stress is taken in an element: this share of one corner, and as much of each of the others as is left.
QUADRATURE = 0.5854102
# Steps between two looks at the kinetic energy, and looks at most until a body is taken to be at rest.
STEPS, MOST_LOOKS = 10, 400
# Of the largest kinetic energy on the way: what is below is rest.
REST = 1e-8


def temper(mesh: Mesh, law: Law, step: float, material: Material, compression: float) -> None:
    """Give a mesh the stress of thermal tempering and let it come to rest.

    The parabola compression (3/2 z^2 - 1/2), from the middle of the wall (z = 0) to its surface, as strain that was
    frozen in: what would be longer at the surface is held by the core.

    Args:
        mesh: At rest, changed in place.
        law: Its material.
        step: s, of its motion.
        material: The same, for E and Poisson's ratio.
        compression: Of the surface, Pa.
    """
    rows = np.flatnonzero(~mesh.ghost)
    corners = mesh.rest[mesh.elements[rows]]
    others = (1.0 - QUADRATURE) / 3.0
    points = (QUADRATURE - others) * corners + others * corners.sum(axis=1, keepdims=True)
    depth = nearest(_boundary(mesh, rows), points.reshape(-1, 3))[2].reshape(-1, 4)
    height = 1.0 - np.minimum(2.0 * depth / wall_thickness(mesh), 1.0)
    stress = compression * (1.5 * height**2 - 0.5).mean(axis=1)
    # In a wall strain that is held back in both of its directions bears E / (1 - nu) of it.
    strain = stress * (1.0 - material.poisson_ratio) / material.young_modulus
    mesh.plastic_strain[rows] = strain[:, None, None] * np.eye(3)
    _settle(mesh, Leapfrog(mesh, law, step))


def _settle(mesh: Mesh, motion: Leapfrog) -> None:
    """Let a mesh move, and stop it whenever it has given away more energy than it takes (kinetic damping)."""
    before = most = 0.0
    for _ in range(MOST_LOOKS):
        motion.advance(np.zeros(STEPS))
        energy = float(mesh.mass @ (mesh.velocity**2).sum(axis=1))
        most = max(most, energy)
        if energy < before:
            mesh.velocity[:] = 0.0
            if before < REST * most:
                break
            energy = 0.0
        before = energy
    mesh.velocity[:] = 0.0


def _boundary(mesh: Mesh, rows: np.ndarray) -> Surface:
    """The faces that no two elements share."""
    faces = mesh.rest_node[mesh.elements[rows]][:, CELL_FACES].reshape(-1, 3)
    return Surface(mesh.rest, faces[appears_once(faces)])
