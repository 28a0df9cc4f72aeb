"""The artist's blows on bodies that deform."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...data.impact import Impact, hertz_duration
from ...data.job import AuthoredImpact, Job
from ...rigid import contacts
from ..piece import Breakable

# Closing speed that sets the duration of a blow, m/s.
SPEED = 5.0


@dataclass(frozen=True)
class Struck:
    """A body as a blow finds it.

    Attributes:
        rest, now: (N, 3) m, its nodes at rest and as they are.
        masses: (N,) kg, how much each node counts for the way that the body is turned.
        mass: kg.
        spacing: m, of cells.
        least: Peak force, N, that it bears of a blow in rest space, and the pulse, s.
        strike: Lets a blow begin; its point and direction are in the world, and the second point (3,) in rest space.
    """

    rest: np.ndarray
    now: np.ndarray
    masses: np.ndarray
    mass: float
    spacing: float
    least: Callable[[Impact], tuple[float, float]]
    strike: Callable[[Impact, np.ndarray], None]


class Blows:
    """When they fall, and how hard: by what the body as it was on the first frame bears there.

    Args:
        job: Of deformable bodies only.
        breakables: Its bodies, ready.
    """

    def __init__(self, job: Job, breakables: Sequence[Breakable]):
        self._job, self._breakables = job, breakables

    def fall(self, frame: int, struck: Callable[[int], Struck]) -> None:
        """Let those of a frame, from the job's first on, begin; ``struck`` tells of the body in a row."""
        for row, body in enumerate(self._job.bodies):
            for authored in body.impacts:
                strength = authored.strength * body.settings.violence
                if authored.frame == self._job.frame_start + frame and strength > 0.0:
                    self._strike(row, authored, struck(row))

    def _strike(self, row: int, authored: AuthoredImpact, struck: Struck) -> None:
        item, body = self._breakables[row], self._job.bodies[row]
        nearest = int(np.argmin(np.linalg.norm(struck.now - authored.point, axis=1)))
        turn = _turn(struck.rest, struck.now, struck.masses)
        duration = hertz_duration(
            struck.mass,
            contacts.CURVATURE_SHARE * item.surface.diagonal,
            contacts.effective_modulus(body.material, None),
            SPEED,
        )
        radius = authored.radius or contacts.PATCH_CELLS * struck.spacing
        at_rest = Impact(struck.rest[nearest], turn.T @ np.asarray(authored.direction, float), 1.0, duration, radius)
        least, pulse = struck.least(at_rest)
        impulse = 0.5 * body.settings.violence * authored.strength * least * pulse
        impact = replace(at_rest, point=authored.point, direction=authored.direction, impulse=impulse, duration=pulse)
        struck.strike(impact, at_rest.point)


def _turn(rest: np.ndarray, now: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """(3, 3) rotation that takes points at rest nearest to where they are."""
    arms = [points - np.average(points, axis=0, weights=masses) for points in (rest, now)]
    left, _, right = np.linalg.svd((masses[:, None] * arms[1]).T @ arms[0])
    left[:, 2] *= np.sign(np.linalg.det(left @ right))
    return left @ right
