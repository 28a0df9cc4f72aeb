"""The equations of a semi-implicit step with rigid bodies that are joined to the finite elements."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.sparse import block_diag, coo_array, csr_array

from ...rigid_joints import RigidJoints
from ..implicit import Equations


class RigidEquations:
    """Free rigid bodies as two more nodes each: the change of their velocity, and of their spin.

    A tie pulls at its gap at the end of the step, linear in the changes: the equations of the nodes get
    h^2 G^T k G du = h (f - G^T k (g + h G u)), with the gap g, the stiffness k, and the gap G du that changes du give.

    Args:
        joints: The joints.
        starts: First node of each deformable body; the nodes of the bodies follow one another.

    Notes:
        Own (docs/decisions/rigid_joints.md). Baraff and Witkin 1998, eq. 6, for the implicit step.

    Example:
        A node of 1 kg is 1 mm below a body of 1 kg that holds it with 1 kN/m. In 10 ms both get h k g / (1 + 2 h^2 k).

        >>> from types import SimpleNamespace
        >>> from ....data.motion import Motion
        >>> from ...joint_ties import Ties
        >>> from ..implicit import solve
        >>> around = SimpleNamespace(colliders=[None], centers=[np.zeros(3)])
        >>> one, zero = np.zeros(1, int), np.zeros((1, 3))
        >>> ties = Ties(one, one, one, zero, np.array([[0.0, 0, 1]]), np.array([2.0]), np.array([1e3]), zero[0, :1])
        >>> joints = RigidJoints([ties], around, 1e6)
        >>> joints.begin([Motion(np.array([0.0, 0, 0, 1, 0, 0, 0]), *zero, *zero, 1.0, np.eye(3))], zero[0], 0.01)
        >>> node = Equations(csr_array(np.eye(3)), np.eye(3)[None], zero, zero, np.zeros(1, bool), zero)
        >>> rigid = RigidEquations(joints, {0: 0})
        >>> change = solve(rigid.added_to(node, np.array([[0.0, 0.0, -1e-3]]), 0.01))
        >>> change[:, 2].round(5).tolist(), rigid.finish(change, 0.01)
        ([0.00833, -0.00833, 0.0], False)
    """

    def __init__(self, joints: RigidJoints, starts: Mapping[int, int]):
        self._joints, ties = joints, joints.ties
        first = np.zeros(max(starts) + 1, np.int64)
        first[list(starts)] = list(starts.values())
        self._nodes = first[ties.rows] + ties.nodes
        tied = [owner for owner in joints.frames if (ties.owners == owner).any()]
        self._free = [owner for owner in tied if joints.frames[owner].is_free]
        self._frames = [joints.frames[owner] for owner in tied]
        self.holds = len(self._free) < len(tied)

    def added_to(self, equations: Equations, places: np.ndarray, seconds: float) -> Equations:
        """Return equations with those of the ties and of the rigid bodies; the bodies move at their velocities.

        Args:
            equations: Those of the deformable bodies.
            places: (N, 3) m, places of their nodes after a step without changes of velocity.
            seconds: Time step h, s.
        """
        joints, count = self._joints, len(places)
        for frame in self._frames:
            frame.move(seconds)
        self._points = joints.points()
        self._gaps = self._points - places[self._nodes]
        self._changes = self._change_of_gaps(count)
        weighted = self._changes.multiply(np.repeat(joints.stiffness, 3)[:, None])
        stiffness = csr_array(self._changes.T @ weighted)
        masses, pushes = self._rigid_masses(seconds)
        own = seconds**2 * stiffness
        system = block_diag([equations.system, *masses], format="csr") + own
        right = np.concatenate([equations.right, pushes]) - seconds * (weighted.T @ self._gaps.ravel()).reshape(-1, 3)
        diagonal = np.concatenate([equations.diagonal, masses]) + _diagonal_blocks(own)
        more = np.zeros((len(masses), 3))
        return Equations(
            csr_array(system),
            diagonal,
            right,
            np.concatenate([equations.relative, more]),
            np.concatenate([equations.held, np.zeros(len(masses), bool)]),
            np.concatenate([equations.prescribed, more]),
        )

    def finish(self, change: np.ndarray, seconds: float) -> bool:
        """Move the rigid bodies by the solution (N + 2 R, 3), m/s and rad/s; return whether a tie broke."""
        gaps = self._gaps + seconds * (self._changes @ change.ravel()).reshape(-1, 3)
        own = change[len(change) - 2 * len(self._free) :]
        for owner, velocity, spin in zip(self._free, own[::2], own[1::2], strict=True):
            frame = self._joints.frames[owner]
            frame.velocity += velocity
            frame.spin += spin
            frame.move(seconds, velocity - 0.5 * seconds * frame.gravity, spin)
        return self._joints.take(-self._joints.stiffness[:, None] * gaps, self._points, seconds)

    def _change_of_gaps(self, count: int) -> csr_array:
        """Return the gaps (3 T, 3 (N + 2 R)) that unit velocities and spins give in a unit time."""
        ties, size = np.arange(len(self._nodes)), len(self._nodes)
        blocks = [(ties, self._nodes, np.tile(-np.eye(3), (size, 1, 1)))]
        for number, owner in enumerate(self._free):
            rows = np.flatnonzero(self._joints.ties.owners == owner)
            arms = self._points[rows] - self._joints.frames[owner].place
            column = np.full(len(rows), count + 2 * number)
            blocks.append((rows, column, np.tile(np.eye(3), (len(rows), 1, 1))))
            # spin x arm
            blocks.append((rows, column + 1, np.cross(np.eye(3)[None], arms[:, None], axis=2).swapaxes(1, 2)))
        row, column = (
            np.concatenate([(3 * item[place][:, None, None] + axes).ravel() for item in blocks])
            for place, axes in ((0, _AXES.T), (1, _AXES))
        )
        values = np.concatenate([item[2].ravel() for item in blocks])
        shape = 3 * size, 3 * (count + 2 * len(self._free))
        return csr_array(coo_array((values, (row, column)), shape=shape))

    def _rigid_masses(self, seconds: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the masses (2 R, 3, 3) in kg and inertias in kg m2, and the impulses (2 R, 3) N s of gravity."""
        masses, pushes = [np.empty((0, 3, 3))], [np.empty((0, 3))]
        for owner in self._free:
            frame = self._joints.frames[owner]
            mass = 1.0 / frame.motion.inverse_mass
            masses.append(np.stack([mass * np.eye(3), np.linalg.inv(frame.motion.inverse_inertia)]))
            pushes.append(np.stack([seconds * mass * frame.gravity, np.zeros(3)]))
        return np.concatenate(masses), np.concatenate(pushes)


# Place of each entry of a block along its columns.
_AXES = np.tile(np.arange(3), (3, 1))


def _diagonal_blocks(matrix: csr_array) -> np.ndarray:
    """Return the (N, 3, 3) diagonal blocks of a (3 N, 3 N) matrix."""
    entries = matrix.tocoo()
    row, column = entries.coords
    kept = row // 3 == column // 3
    result = np.zeros((matrix.shape[0] // 3, 3, 3))
    np.add.at(result, (row[kept] // 3, row[kept] % 3, column[kept] % 3), entries.data[kept])
    return result
