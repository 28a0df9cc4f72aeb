"""The artist's impacts on deformable bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...data.impact import Impact, hertz_duration
from ...data.job import AuthoredImpact, Job
from ...rigid import contacts
from ..rigid_fragment import Breakable

# m/s, closing speed that sets the duration of an artist's impact. Chosen; the duration depends on its fifth root only
# (Hertz).
AUTHORED_SPEED = 5.0


@dataclass(frozen=True)
class ImpactTarget:
    """A deformable body at the time of an impact.

    Attributes:
        rest: (N, 3) m, its nodes in rest space.
        current: (N, 3) m, its nodes now.
        weights: (N,) kg, weights of the nodes for the body's rotation.
        mass: kg.
        spacing: m, size of the cells.
        critical: Returns the critical peak force, N, and the pulse, s, of an impact in rest space.
        strike: Starts an impact in the world; its second argument is the point (3,) m in rest space.
    """

    rest: np.ndarray
    current: np.ndarray
    weights: np.ndarray
    mass: float
    spacing: float
    critical: Callable[[Impact], tuple[float, float]]
    strike: Callable[[Impact, np.ndarray], None]


class AuthoredImpacts:
    """The artist's impacts. Their strength is a multiple of the critical load of the body on the first frame.

    Args:
        job: A job of deformable bodies only.
        breakables: Its bodies.
    """

    def __init__(self, job: Job, breakables: Sequence[Breakable]):
        self._job, self._breakables = job, breakables

    def start(self, frame: int, target: Callable[[int], ImpactTarget]) -> None:
        """Start the impacts of a frame.

        Args:
            frame: Frame from the job's first frame.
            target: Returns the state of the body in a row.
        """
        for row, body in enumerate(self._job.bodies):
            for authored in body.impacts:
                strength = authored.strength * body.settings.violence
                if authored.frame == self._job.frame_start + frame and strength > 0.0:
                    self._strike(row, authored, target(row))

    def _strike(self, row: int, authored: AuthoredImpact, target: ImpactTarget) -> None:
        item, body = self._breakables[row], self._job.bodies[row]
        nearest = int(np.argmin(np.linalg.norm(target.current - authored.point, axis=1)))
        rotation = _best_rotation(target.rest, target.current, target.weights)
        duration = hertz_duration(
            target.mass,
            contacts.CURVATURE_SHARE * item.surface.diagonal,
            contacts.effective_modulus(body.material, None),
            AUTHORED_SPEED,
        )
        radius = authored.radius or contacts.PATCH_CELLS * target.spacing
        direction = rotation.T @ np.asarray(authored.direction, float)
        at_rest = Impact(target.rest[nearest], direction, 1.0, duration, radius)
        critical, pulse = target.critical(at_rest)
        impulse = 0.5 * body.settings.violence * authored.strength * critical * pulse
        impact = replace(at_rest, point=authored.point, direction=authored.direction, impulse=impulse, duration=pulse)
        target.strike(impact, at_rest.point)


def _best_rotation(rest: np.ndarray, current: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the rotation (3, 3) that takes rest points (N, 3) nearest to the current ones, by least squares."""
    arms = [points - np.average(points, axis=0, weights=weights) for points in (rest, current)]
    left, _, right = np.linalg.svd((weights[:, None] * arms[1]).T @ arms[0])
    left[:, 2] *= np.sign(np.linalg.det(left @ right))
    return left @ right
