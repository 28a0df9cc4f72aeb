"""How bodies would move on: noted before every step, and made rows of numpy where something touched them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import rapier3d as rapier

from .units import Units


class FreeFlight(Mapping[int, tuple[np.ndarray, np.ndarray]]):
    """Velocity and angular velocity, (3,) each, by key, as they will be after a step in which nothing touches."""

    def __init__(self, bodies: Mapping[int, rapier.RigidBody], units: Units, gain: np.ndarray):
        """Note how bodies move.

        Args:
            bodies: By their keys.
            units: Of their world.
            gain: (3,) m/s, that those which move freely fall faster after the step.
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
