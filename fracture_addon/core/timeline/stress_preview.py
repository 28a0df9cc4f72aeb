"""Looking inside the bodies of a job: as it runs up to the blow that first strikes each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..data.errors import SettingsError
from ..data.impact import Impact
from ..data.job import Job
from ..data.stress import Stresses, StruckBody
from ..methods import method, table
from ..methods.method import Break, RigidMotion
from . import islands
from .breaking import Breaker
from .cache import NOTHING_KEPT, Stages
from .deformable import together
from .impact_forecast import aimed
from .piece import Breakable, Piece
from .preparation import check, prepare
from .timeline import Timeline

Progress = Callable[[str, float], None]


def look_inside(job: Job, progress: Progress, stages: Stages = NOTHING_KEPT) -> Stresses:
    """Stress and cracks in each body during the blow that first breaks it, or else the hardest that it bears.

    Of an object whose parts are bodies of their own, that is the part which is struck first.

    Args:
        job: The scene.
        progress: Called with the stage's name and the share of the whole run that is done.
        stages: What earlier runs left.

    Raises:
        SettingsError: A body deforms for the whole shot: it has no window to look into.
        FractureError: As of ``timeline.simulate``.
    """
    check(job)
    if together.rows(job):
        raise SettingsError("what deforms for the whole shot has no single blow to look into; set Dynamics to Rigid")
    count = len(job.bodies)
    job, owners = islands.apart(job)
    job = aimed(job)
    breakables = [prepare(job, row, lambda stage, share: progress(stage, 0.3 * share), stages) for row in _rows(job)]
    timeline = Timeline(job, breakables, lambda stage, share: progress(stage, 0.3 + 0.3 * share), stages)
    witness = timeline.breaker = Witness(breakables, stages, job.frame_start)
    timeline.run(until=witness.has_seen_all)
    struck = []
    for row in _rows(job):

        def looking(share: float, row: int = row) -> None:
            progress(f"Looking inside '{job.bodies[row].name}'", 0.6 + 0.4 * (row + share) / len(job.bodies))

        struck.append(witness.struck(row, looking))
    return Stresses(tuple(_first(struck, owners == body) for body in range(count)))


def _first(struck: Sequence[StruckBody | None], chosen: np.ndarray) -> StruckBody | None:
    found = [body for body, mine in zip(struck, chosen, strict=True) if mine and body is not None]
    return min(found, key=lambda body: body.frame, default=None)


def _rows(job: Job) -> range:
    return range(len(job.bodies))


class Witness(Breaker):
    """Breaks bodies as they break in a run, and remembers the first blow on each; the last one need not break."""

    def __init__(self, breakables: Sequence[Breakable], stages: Stages, frame_start: int):
        super().__init__(breakables, stages)
        self._seen: dict[int, tuple[int, Sequence[Impact]]] = {}
        self._hardest: dict[int, tuple[int, Sequence[Impact]]] = {}
        self._collision: Sequence[Impact] = ()
        self._frame = frame_start - 1

    def start_frame(self) -> None:
        """As of ``Breaker``."""
        super().start_frame()
        self._frame += 1

    def has_seen_all(self) -> bool:
        """Whether every body has been struck."""
        return len(self._seen) == len(self.breakables)

    def is_enough(self, piece: Piece, impacts: Sequence[Impact]) -> bool:
        """As of ``Breaker``; what comes of a collision is seen from the next frame on."""
        self._collision = impacts
        if piece.depth == 0 and _force(impacts) > _force(self._hardest.get(piece.body, (0, ()))[1]):
            self._hardest[piece.body] = self._frame + 1, impacts
        return super().is_enough(piece, impacts)

    def strike(
        self, piece: Piece, motion: RigidMotion, impacts: Sequence[Impact], progress: method.Progress | None = None
    ) -> Break:
        """As of ``Breaker``; a blow that nothing more will be seen after breaks nothing."""
        if piece.depth == 0 and piece.body not in self._seen:
            self._seen[piece.body] = self._frame + (impacts is self._collision), impacts
        if self.has_seen_all():
            nothing = np.zeros((1, 3))
            whole = np.zeros(len(piece.cells), np.int32)
            return Break(whole, nothing, nothing, 0.0, 0, 0, 0.0, np.ones(1, bool))
        return super().strike(piece, motion, impacts, progress)

    def struck(self, body: int, progress: method.Progress) -> StruckBody | None:
        """What went on in a body; ``None`` where nothing struck it."""
        frame, impacts = self._seen.get(body) or self._hardest.get(body, (0, ()))
        breakable = self.breakables[body]
        settings, material = breakable.body.settings, breakable.body.material
        if not impacts or settings.violence == 0.0:
            return None
        window = table.stress_window(breakable.model, breakable.solid, settings, impacts, progress)
        return StruckBody(frame, table.strength(breakable.model, material, settings), window)


def _force(impacts: Sequence[Impact]) -> float:
    return max((impact.peak_force for impact in impacts), default=0.0)
