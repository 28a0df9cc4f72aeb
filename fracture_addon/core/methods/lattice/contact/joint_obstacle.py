"""Joints of lattices with rigid bodies, in the steps of the lattices."""

from __future__ import annotations

import numpy as np

from ...rigid_joints import RigidJoints


class JointObstacle:
    """Joints that act on the nodes in each step, as ``SpringContact`` does.

    Attributes:
        joints: The joints; all nodes are in row 0.
    """

    def __init__(self, joints: RigidJoints):
        self.joints = joints

    def start_step(self) -> None:
        """Start a step, and forget the forces of one that was not finished."""
        self.joints.start_step()

    def push(self, positions: np.ndarray, velocities: np.ndarray, forces: np.ndarray, share: float = 1.0) -> None:
        """Add the forces of the ties to ``forces`` (N, 3) N, with a weight in the step."""
        self.joints.add_forces({0: positions}, {0: forces}, share)

    def apply_friction(self, positions: np.ndarray, velocities: np.ndarray, masses: np.ndarray, step: float) -> None:
        """Ties have no friction."""

    def finish_step(self, step: float) -> None:
        """Move the rigid bodies by a step, s, and break ties."""
        self.joints.finish_step(step)
