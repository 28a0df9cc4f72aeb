"""Dust of a break that is kept as points: each cell of a dust fragment becomes a ball.

All balls of a fragment have the volume of dust that the cut left, which differs from that of the cells, because the cut
smooths crack faces and merges slivers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.arrays import ReadOnlyArrays
from ..data.solid import SolidModel, cell_centers, cell_volumes
from ..numerics.rotations import matrices
from ..rigid.rigid_properties import RigidProperties


@dataclass(frozen=True)
class DustBurst(ReadOnlyArrays):
    """Dust of one fragment, a ball for each cell.

    Attributes:
        body: Row of the job's bodies.
        birth_row: First frame with the dust, from the job's first frame.
        positions: (N, 3) m, world.
        velocities: (N, 3) m/s.
        spins: (N, 3) rad/s.
        volumes: (N,) m3.
    """

    body: int
    birth_row: int
    positions: np.ndarray
    velocities: np.ndarray
    spins: np.ndarray
    volumes: np.ndarray


def dust_of_cells(
    solid: SolidModel,
    cells: np.ndarray,
    properties: RigidProperties,
    pose: np.ndarray,
    velocity: np.ndarray,
    spin: np.ndarray,
    share: float = 1.0,
) -> tuple[np.ndarray, ...]:
    """Divide a rigid fragment into its cells, which keep its momentum.

    Args:
        solid: Solid that the cells belong to.
        cells: (N,) rows of the solid's cells.
        properties: Properties of the fragment.
        pose: (7,) pose of its centre of mass.
        velocity: (3,) m/s of its centre of mass.
        spin: (3,) rad/s.
        share: Volume of the dust over that of the cells.

    Returns:
        Positions (N, 3) m, velocities (N, 3) m/s, spins (N, 3) rad/s and volumes (N,) m3.

    Notes:
        Own: rigid motion, v + omega x r.

    Example:
        Two cells turn about Z at 1 rad/s. Their centres are 0.25 m from the axis.

        >>> from ..data.solid import from_cells
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> solid = from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], [])
        >>> body = RigidProperties(800.0, np.array([0.0, 0.25, 0.25]), np.eye(3))
        >>> turning = np.array([0.0, 0, 0, 1, 0, 0, 0]), np.zeros(3), np.array([0.0, 0.0, 1.0])
        >>> dust_of_cells(solid, np.arange(2), body, *turning)[1].tolist()
        [[0.0, -0.25, 0.0], [0.0, 0.25, 0.0]]
    """
    corners = solid.cells[cells]
    arms = (cell_centers(solid.points, corners) - properties.center) @ matrices(pose[3:]).T
    spins = np.tile(spin, (len(cells), 1))
    return pose[:3] + arms, velocity + np.cross(spins, arms), spins, share * cell_volumes(solid.points, corners)
