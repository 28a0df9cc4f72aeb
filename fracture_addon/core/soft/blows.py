"""The artist's blows on bodies that deform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .. import method
from ..impact import Impact, hertz_duration
from ..job import AuthoredImpact, Job
from ..rigid import contacts
from ..run.piece import Breakable

# Closing speed that sets the duration of a blow, m/s.
SPEED = 5.0


class Blows:
    """When they fall, and how hard: by what the body as it was on the first frame bears there.

    Args:
        job: Of deformable bodies only.
        breakables: Its bodies, ready.
    """

    def __init__(self, job: Job, breakables: Sequence[Breakable]):
        self._job, self._breakables = job, breakables

    def fall(self, frame: int, soft) -> None:
        """Let those of a frame, from the job's first on, begin."""
        for row, body in enumerate(self._job.bodies):
            for authored in body.impacts:
                if authored.frame == self._job.frame_start + frame:
                    self._strike(row, authored, soft)

    def _strike(self, row: int, authored: AuthoredImpact, soft) -> None:
        item, body = self._breakables[row], self._job.bodies[row]
        now, rest = soft.nodes(row)[0], item.model.model.lattice.points
        nearest = int(np.argmin(np.linalg.norm(now - authored.point, axis=1)))
        turn = _turn(rest, now, item.model.model.masses)
        radius = authored.radius or contacts.PATCH_CELLS * item.model.spacing
        duration = hertz_duration(
            float(item.model.model.masses.sum()),
            contacts.CURVATURE_SHARE * item.surface.diagonal,
            contacts.effective_modulus(body.material, None),
            SPEED,
        )
        at_rest = Impact(rest[nearest], turn.T @ np.asarray(authored.direction, float), 1.0, duration, radius)
        least, pulse = method.named("lattice").least_blow(item.model, body.settings, at_rest)
        peak = body.settings.violence * authored.strength * least
        impulse = 0.5 * peak * pulse
        impact = replace(at_rest, point=authored.point, direction=authored.direction, impulse=impulse, duration=pulse)
        soft.strike(row, impact, pulse)


def _turn(rest: np.ndarray, now: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """(3, 3) rotation that takes points at rest nearest to where they are."""
    arms = [points - np.average(points, axis=0, weights=masses) for points in (rest, now)]
    left, _, right = np.linalg.svd((masses[:, None] * arms[1]).T @ arms[0])
    left[:, 2] *= np.sign(np.linalg.det(left @ right))
    return left @ right
