"""Velocities of bodies after a step without contacts, for the bodies that touch something in that step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import rapier3d as rapier

from .units import Units


class FreeFlight(Mapping[int, tuple[np.ndarray, np.ndarray]]):
    """Velocity (3,) m/s and angular velocity (3,) rad/s after a step without contacts, by key of the body."""

    def __init__(self, bodies: Mapping[int, rapier.RigidBody], units: Units, gain: np.ndarray):
        """Store the velocities before the step.

        Args:
            bodies: Bodies by their keys.
            units: Units of their world.
            gain: (3,) m/s, velocity that dynamic bodies gain by gravity in the step.
        """
        self._units, self._gain = units, gain
        self._before = {key: (body.linvel, body.angvel, body.is_dynamic) for key, body in bodies.items()}

    def __getitem__(self, key: int) -> tuple[np.ndarray, np.ndarray]:
        linear, turn, falls = self._before[key]
        velocity = self._units.metres(linear)
        return velocity + self._gain if falls else velocity, np.array(turn.to_tuple())

    def __contains__(self, key: object) -> bool:
        return key in self._before

    def __iter__(self) -> Iterator[int]:
        return iter(self._before)

    def __len__(self) -> int:
        return len(self._before)
