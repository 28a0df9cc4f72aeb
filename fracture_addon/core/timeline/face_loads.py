"""Loads on faces of a fragment: the common part of blasts and pressures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.cluster.vq import kmeans2
from scipy.spatial import cKDTree

from ..data.arrays import ReadOnlyArrays, lengths, sum_by
from ..data.impact import Impact
from ..data.solid import SolidModel, cell_centers
from ..geometry.farthest_points import farthest_points
from ..methods.method import Break, RigidMotion
from ..rigid.rigid_properties import cell_properties

# Most patches of one body. The load of a pane over its critical load is 9.0, 8.2, 8.1, 8.3 and 8.3 with 6, 12, 24, 48
# and 96; counts of fragments scatter (docs/decisions/blasts.md).
MOST_PATCHES = 24
# Rounds of Lloyd's method that even out the patches. With 2 and 16 the load of the pane is 8.2 and 8.0.
ROUNDS = 4


@dataclass(frozen=True)
class FaceLoad(ReadOnlyArrays):
    """A load on faces of one fragment, in its rest space.

    Attributes:
        impacts: The load as simultaneous impacts on a few patches.
        points: (F, 3) m, centres of the loaded faces.
        impulses: (F, 3) N s, impulses on them; with a ``distance``, the forces, N.
        distance: m, over which gas pushes the fragments with these forces; 0 if the impulses are known.
    """

    impacts: Sequence[Impact]
    points: np.ndarray
    impulses: np.ndarray
    distance: float = 0.0


def patches(
    points: np.ndarray, areas: np.ndarray, loads: np.ndarray, radius: float
) -> Iterator[tuple[np.ndarray, np.ndarray, float]]:
    """Divide loaded faces into at most ``MOST_PATCHES`` patches of about the same size.

    Args:
        points: (F, 3) m, centres of the faces.
        areas: (F,) m2.
        loads: (F, 3) forces or impulses on the faces.
        radius: m, smallest radius of a patch.

    Yields:
        Of each patch, its faces (F,) bool, the middle (3,) m of its load, and the radius of a disk of its area, m.

    Notes:
        Gonzalez 1985: farthest points as centres; Lloyd 1982: rounds that even the patches out.

    Example:
        Two pairs of faces, far from each other.

        >>> points = np.array([[0.0, 0, 0], [0.1, 0, 0], [5, 0, 0], [5.1, 0, 0]])
        >>> found = patches(points, np.full(4, 0.5), np.ones((4, 3)), radius=0.5)
        >>> sorted((float(middle[0].round(2)), int(faces.sum())) for faces, middle, _ in found)
        [(0.05, 2), (5.05, 2)]
    """
    count = int(np.clip(areas.sum() / (np.pi * radius**2), 1, MOST_PATCHES))
    centers = points[farthest_points(points, count)]
    patch, weights = kmeans2(points, centers, ROUNDS, minit="matrix")[1], lengths(loads)
    for row in np.unique(patch):
        faces = patch == row
        if loads[faces].sum(axis=0).any():
            middle = weights[faces] @ points[faces] / weights[faces].sum()
            yield faces, middle, float(np.sqrt(areas[faces].sum() / np.pi))


def thrown(result: Break, solid: SolidModel, density: float, motion: RigidMotion, load: FaceLoad) -> Break:
    """Return the result with the momentum and angular momentum that a load gives to the faces of each fragment.

    A pressure wave continues to push a wall after the wall breaks. The load of an impact ends with its contact.
    Gas pushes all fragments for the same time, so that no momentum is gained. Their kinetic energy is the work of the
    net forces on them over ``load.distance``. A body that gas does not break keeps its motion.

    Args:
        result: Result of the method, broken or not.
        solid: Solid of the fragment that was loaded, for a result without its own.
        density: Density of a solid without a mixture of materials, kg/m3.
        motion: Motion of the fragment before the load, rest orientation.
        load: The load.

    Returns:
        The result with the velocities after the load.

    Notes:
        Own (docs/decisions/blasts.md, docs/decisions/pressures.md).

    Example:
        One of two cells of 400 kg gets 800 N s at its centre.

        >>> from ..data.solid import from_cells
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> solid = from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], [])
        >>> apart = Break(np.arange(2), *np.zeros((2, 2, 3)), 1.0, 1, 0, 0.0, np.ones(2, bool))
        >>> load = FaceLoad((), np.array([[0.25, 0.25, 0.25]]), np.array([[800.0, 0.0, 0.0]]))
        >>> thrown(apart, solid, 2400.0, RigidMotion(*np.zeros((2, 3))), load).velocity.round(6).tolist()
        [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]]
    """
    solid, count = result.solid or solid, len(result.velocity)
    densities = np.full(solid.cell_count, density) if solid.mixture is None else solid.mixture.densities
    centers = cell_centers(solid.points, solid.cells)
    middle = cell_properties(solid.points, solid.cells, densities).center
    labels = result.fragment_of_cell[cKDTree(centers).query(load.points)[1]]
    momentum, gains, spins = sum_by(labels, load.impulses, count), np.empty((count, 3)), np.empty((count, 3))
    rigid, energy = np.empty((count, 3)), 0.0
    for label in range(count):
        cells, faces = result.fragment_of_cell == label, labels == label
        own = cell_properties(solid.points, solid.cells[cells], densities[cells])
        turn = np.cross(load.points[faces] - own.center, load.impulses[faces]).sum(axis=0)
        gains[label], spins[label] = momentum[label] / own.mass, own.inverse_inertia @ turn
        rigid[label] = motion.velocity + np.cross(motion.angular_velocity, own.center - middle)
        energy += 0.5 * float(momentum[label] @ gains[label] + turn @ spins[label])
    seconds = 1.0
    if load.distance > 0.0:
        seconds = np.sqrt(load.distance * lengths(momentum).sum() / energy) if result.broken and energy > 0.0 else 0.0
    return replace(result, velocity=rigid + seconds * gains, angular_velocity=motion.angular_velocity + seconds * spins)
