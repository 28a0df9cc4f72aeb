"""The artist's impacts on deformable bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...data.impact import Impact
from ...data.job import AuthoredImpact, Job
from ...methods.whole_shot import WholeShot
from ...rigid import contacts
from ..authored_impacts import duration
from ..rigid_fragment import Breakable


class AuthoredImpacts:
    """The artist's impacts. Their strength is a multiple of the critical load of the body on the first frame.

    Args:
        job: A job of deformable bodies only.
        breakables: Its bodies.
    """

    def __init__(self, job: Job, breakables: Sequence[Breakable]):
        self._job, self._breakables = job, breakables

    def start(self, frame: int, shot: WholeShot) -> None:
        """Start the impacts of a frame on the bodies; the frame counts from the job's first frame."""
        for row, body in enumerate(self._job.bodies):
            for authored in body.impacts:
                strength = authored.strength * body.settings.cracks.violence
                if authored.frame == self._job.frame_start + frame and strength > 0.0:
                    self._strike(row, authored, strength, shot)

    def _strike(self, row: int, authored: AuthoredImpact, strength: float, shot: WholeShot) -> None:
        """Start an impact whose peak force is ``strength`` times the critical load."""
        item, body, target = self._breakables[row], self._job.bodies[row], shot.target(row)
        nearest = int(np.argmin(np.linalg.norm(target.current - authored.point, axis=1)))
        rotation = _best_rotation(target.rest, target.current, target.weights)
        seconds = duration(body, item.surface.diagonal, target.mass)
        radius = authored.radius or contacts.PATCH_CELLS * target.spacing
        direction = rotation.T @ np.asarray(authored.direction, float)
        at_rest = Impact(target.rest[nearest], direction, 1.0, seconds, radius)
        critical, pulse = shot.critical(row, at_rest)
        impulse = 0.5 * strength * critical * pulse
        impact = replace(at_rest, point=authored.point, direction=authored.direction, impulse=impulse, duration=pulse)
        shot.strike(row, impact, at_rest.point)


def _best_rotation(rest: np.ndarray, current: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the rotation (3, 3) that takes rest points (N, 3) nearest to the current ones, by least squares."""
    arms = [points - np.average(points, axis=0, weights=weights) for points in (rest, current)]
    left, _, right = np.linalg.svd((weights[:, None] * arms[1]).T @ arms[0])
    left[:, 2] *= np.sign(np.linalg.det(left @ right))
    return left @ right
