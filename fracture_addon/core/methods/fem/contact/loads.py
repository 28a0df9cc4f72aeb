"""External loads on a body: wind, and impacts that the artist placed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....data.impact import PAPER_SCHEDULE, Impact
from ..state import Mesh
from .impact_pressure import ImpactPressure


@dataclass(frozen=True)
class _TimedImpact:
    """An impact with its start and duration, s."""

    pressure: ImpactPressure
    start: float
    duration: float


class Loads:
    """Forces on the nodes of a mesh that cracks divide."""

    def __init__(self) -> None:
        self._wind = np.zeros((0, 3))
        self._impacts: list[_TimedImpact] = []

    @property
    def until(self) -> float:
        """Time at which the last impact ends, s; minus infinity without one."""
        return max((item.start + item.duration for item in self._impacts), default=-np.inf)

    def set_wind(self, forces: np.ndarray) -> None:
        """Set the wind forces (N, 3) N on the present nodes; nodes that cracks add get none."""
        self._wind = forces

    def start_impact(self, mesh: Mesh, impact: Impact, size: float, carries_stress: np.ndarray, time: float) -> None:
        """Start an impact.

        Args:
            mesh: The mesh now.
            impact: Its point is in rest space, its direction in world space.
            size: Size of an element, m.
            carries_stress: (N,) bool, nodes of elements that carry stress.
            time: Now, s.
        """
        pressure = ImpactPressure(mesh, [impact], size)
        pressure.find_patches(mesh, carries_stress)
        self._impacts.append(_TimedImpact(pressure, time, impact.duration))

    def refresh(self, mesh: Mesh, carries_stress: np.ndarray) -> None:
        """Find the loaded nodes again after cracks changed the mesh."""
        for item in self._impacts:
            item.pressure.find_patches(mesh, carries_stress)

    def forces(self, mesh: Mesh, time: float, seconds: float) -> np.ndarray:
        """Return the (N, 3) forces in the middle of the next ``seconds``, N."""
        result, peak = np.zeros_like(mesh.position), np.empty_like(mesh.position)
        result[: len(self._wind)] = self._wind
        self._impacts = [item for item in self._impacts if item.start + item.duration > time]
        for item in self._impacts:
            item.pressure.press(mesh, peak, seconds)
            result += PAPER_SCHEDULE.load((time + 0.5 * seconds - item.start) / item.duration) * peak
        return result
