"""What presses on a body beside gravity and obstacles: moving air, and blows that somebody placed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....data.impact import PAPER_SCHEDULE, Impact
from ..mesh import Mesh
from .impact_pressure import ImpactPressure


@dataclass(frozen=True)
class _Blow:
    pressing: ImpactPressure
    start: float
    duration: float


class Loads:
    """Forces on the nodes of a mesh that cracks divide."""

    def __init__(self) -> None:
        self._air = np.zeros((0, 3))
        self._blows: list[_Blow] = []

    @property
    def until(self) -> float:
        """s, when the last blow is over."""
        return max((blow.start + blow.duration for blow in self._blows), default=-np.inf)

    def blow(self, forces: np.ndarray) -> None:
        """Let air push the nodes that there are with (N, 3) N from now on; those that cracks add it does not."""
        self._air = forces

    def strike(self, mesh: Mesh, impact: Impact, size: float, carries_stress: np.ndarray, time: float) -> None:
        """Let a blow begin.

        Args:
            mesh: As it is now.
            impact: Its point is in rest space, its direction in the world.
            size: m, of an element.
            carries_stress: (N,) bool, nodes of elements that bear stress.
            time: s, now.
        """
        pressing = ImpactPressure(mesh, [impact], size)
        pressing.find_patches(mesh, carries_stress)
        self._blows.append(_Blow(pressing, time, impact.duration))

    def divided(self, mesh: Mesh, carries_stress: np.ndarray) -> None:
        """Take in what cracks have changed."""
        for blow in self._blows:
            blow.pressing.find_patches(mesh, carries_stress)

    def forces(self, mesh: Mesh, time: float, seconds: float) -> np.ndarray:
        """(N, 3) N, the mean over the next so many ``seconds``."""
        result, pressed = np.zeros_like(mesh.position), np.empty_like(mesh.position)
        result[: len(self._air)] = self._air
        self._blows = [blow for blow in self._blows if blow.start + blow.duration > time]
        for blow in self._blows:
            blow.pressing.press(mesh, pressed, seconds)
            result += PAPER_SCHEDULE.load((time + 0.5 * seconds - blow.start) / blow.duration) * pressed
        return result
