"""Total momentum and angular momentum of several fragments, and the rigid motion that changes them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..rigid.rigid_properties import RigidProperties


class FragmentGroup:
    """Several fragments, with their total mass and inertia.

    Attributes:
        masses: (N,) kg.
        inertias: (N, 3, 3) kg m2, of each about its centre of mass.
        center: (3,) m, common centre of mass.
        arms: (N, 3) m, from it to the centres of mass of the fragments.
        mass: kg, of all.
        inertia: (3, 3) kg m2, of all about ``center``.
    """

    def __init__(self, fragments: Sequence[RigidProperties]):
        self.masses = np.array([fragment.mass for fragment in fragments])
        self.inertias = np.array([fragment.inertia for fragment in fragments])
        centers = np.array([fragment.center for fragment in fragments])
        self.mass = self.masses.sum()
        self.center = self.masses @ centers / self.mass
        self.arms = centers - self.center
        second = np.einsum("n,ni,nj->ij", self.masses, self.arms, self.arms)
        self.inertia = self.inertias.sum(axis=0) + np.trace(second) * np.eye(3) - second

    def momenta(self, velocities: np.ndarray, spins: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the momentum (3,) N s, and the angular momentum (3,) N m s about ``center``.

        Args:
            velocities: (N, 3) m/s, of the centres of mass.
            spins: (N, 3) rad/s.
        """
        momenta = self.masses[:, None] * velocities
        angular = np.einsum("nij,nj->i", self.inertias, spins) + np.cross(self.arms, momenta).sum(axis=0)
        return momenta.sum(axis=0), angular

    def rigid_motion(self, momentum: np.ndarray, angular: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return velocity (3,) m/s of ``center`` and spin (3,) rad/s of one rigid body with these momenta."""
        return momentum / self.mass, np.linalg.solve(self.inertia, angular)

    def with_momenta(
        self, velocities: np.ndarray, spins: np.ndarray, momentum: np.ndarray, angular: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Add a rigid motion to the fragments, so that they have the wanted momenta.

        Of all changes with that effect, the rigid motion has the least kinetic energy.

        Args:
            velocities: (N, 3) m/s, of the centres of mass.
            spins: (N, 3) rad/s.
            momentum: (3,) N s, wanted.
            angular: (3,) N m s, wanted, about ``center``.

        Returns:
            Velocities (N, 3) m/s and spins (N, 3) rad/s.

        Notes:
            Own use of the principle of least constraint (Gauss 1829).

        Example:
            Two balls of 1 kg fly apart; together they get 4 N s.

            >>> balls = [RigidProperties(1.0, np.array([x, 0.0, 0.0]), np.eye(3)) for x in (-1.0, 1.0)]
            >>> apart = np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
            >>> both = FragmentGroup(balls).with_momenta(apart, 0.0 * apart, np.array([4.0, 0.0, 0.0]), np.zeros(3))
            >>> both[0][:, 0].tolist()
            [1.0, 3.0]
        """
        own, own_angular = self.momenta(velocities, spins)
        velocity, spin = self.rigid_motion(momentum - own, angular - own_angular)
        return velocities + velocity + np.cross(spin, self.arms), spins + spin
