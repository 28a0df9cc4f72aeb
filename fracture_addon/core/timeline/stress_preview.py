"""Stress preview: stress and cracks in each body of a job during the first impact on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.spatial import cKDTree

from ..data.errors import SettingsError
from ..data.impact import Impact
from ..data.job import Job
from ..data.progress import Progress, ShareProgress, part_of
from ..data.settings.settings import ModelSettings
from ..data.solid import SolidModel, cell_centers
from ..data.stress_window import BodyStress, Stresses
from ..fields.strength import placed_factor
from ..methods import table
from ..methods.method import Break, RigidMotion
from . import islands
from .breaking import Breaker
from .cache import NO_CACHE, Cache
from .deformable.run import deformable_rows
from .impact_forecast import refine_at_impacts
from .preparation import check, prepare_all
from .rigid_fragment import Breakable, RigidFragment
from .rigid_timeline import Timeline

# Share of the progress after preparation, and after the run. They affect only the progress bar.
PREPARED, SIMULATED = 0.3, 0.6


def preview_stress(job: Job, progress: Progress, cache: Cache = NO_CACHE) -> Stresses:
    """Compute stress and cracks in each body during the impact that first breaks it, or else the strongest one.

    Of an object that is split into islands, the island with the first impact is shown.

    Args:
        job: The scene.
        progress: Called with the name of the stage and the share of the whole run that is done.
        cache: Results of earlier runs.

    Raises:
        SettingsError: A body is deformable: it has no impact window.
        FractureError: As in ``timeline.simulate``.
    """
    check(job)
    deformable = deformable_rows(job)
    if deformable:
        raise SettingsError(
            f"'{job.bodies[deformable[0]].name}' is deformable, and the stress preview needs a single impact; "
            "set Dynamics to Rigid"
        )
    count = len(job.bodies)
    job, owners = islands.split(replace(job, bonds=()))
    job = refine_at_impacts(job, progress)
    breakables = prepare_all(job, part_of(progress, 0.0, PREPARED), cache)
    timeline = Timeline(job, breakables, part_of(progress, PREPARED, SIMULATED), cache)
    recorder = timeline.breaker = FirstImpacts(breakables, cache, job.frame_start)
    timeline.run(until=recorder.is_complete)
    struck = []
    for row in range(len(job.bodies)):

        def report_stress(share: float, row: int = row) -> None:
            share = SIMULATED + (1.0 - SIMULATED) * (row + share) / len(job.bodies)
            progress(f"Computing stress in '{job.bodies[row].name}'", share)

        struck.append(recorder.body_stress(row, report_stress))
    return Stresses(tuple(_first(struck, owners == body) for body in range(count)))


def _first(struck: Sequence[BodyStress | None], selected: np.ndarray) -> BodyStress | None:
    found = [body for body, mine in zip(struck, selected, strict=True) if mine and body is not None]
    return min(found, key=lambda body: body.frame, default=None)


def unbroken_whole(cell_count: int) -> Break:
    """Return the result of an impact that changes nothing in a body of ``cell_count`` cells."""
    nothing = np.zeros((1, 3))
    return Break(
        fragment_of_cell=np.zeros(cell_count, np.int32),
        velocity=nothing,
        angular_velocity=nothing,
        load_factor=0.0,
        solve_count=0,
        dust_count=0,
        dust_volume=0.0,
        kept=np.ones(1, bool),
    )


class FirstImpacts(Breaker):
    """A breaker that records the first impact that breaks each body. It does not compute the break of the last one."""

    def __init__(self, breakables: Sequence[Breakable], cache: Cache, frame_start: int):
        super().__init__(breakables, cache)
        self._first: dict[int, tuple[int, Sequence[Impact]]] = {}
        self._strongest: dict[int, tuple[int, Sequence[Impact]]] = {}
        self._collision: Sequence[Impact] = ()
        self._frame = frame_start - 1

    def start_frame(self) -> None:
        """Count the frame, and call ``Breaker.start_frame``."""
        super().start_frame()
        self._frame += 1

    def is_complete(self) -> bool:
        """Return whether the first impact on every body is recorded."""
        return len(self._first) == len(self.breakables)

    def would_break(self, fragment: RigidFragment, impacts: Sequence[Impact]) -> bool:
        """Record the strongest impacts, and call ``Breaker.would_break``. A collision shows on the next frame."""
        self._collision = impacts
        self._note(fragment, self._frame + 1, impacts)
        return super().would_break(fragment, impacts)

    def strike(
        self,
        fragment: RigidFragment,
        motion: RigidMotion,
        impacts: Sequence[Impact],
        progress: ShareProgress | None = None,
    ) -> Break:
        """Record the first impact, and call ``Breaker.strike``. Break nothing once all bodies are recorded.

        ``would_break`` has checked a collision; a blast, a grip or an impact of the artist may be too weak.
        """
        if fragment.depth == 0 and fragment.body not in self._first:
            is_checked = impacts is self._collision
            if not is_checked and not (result := super().strike(fragment, motion, impacts, progress)).broken:
                self._note(fragment, self._frame, impacts)
                return result
            self._first[fragment.body] = self._frame + (impacts is self._collision), impacts
        if self.is_complete():
            return unbroken_whole(len(fragment.cells))
        return super().strike(fragment, motion, impacts, progress)

    def _note(self, fragment: RigidFragment, frame: int, impacts: Sequence[Impact]) -> None:
        """Keep the strongest impacts on a whole body, for one that does not break."""
        if fragment.depth == 0 and _force(impacts) > _force(self._strongest.get(fragment.body, (0, ()))[1]):
            self._strongest[fragment.body] = frame, impacts

    def body_stress(self, body: int, progress: ShareProgress) -> BodyStress | None:
        """Compute stress and cracks in a body during its recorded impact; ``None`` without one."""
        frame, impacts = self._first.get(body) or self._strongest.get(body, (0, ()))
        breakable = self.breakables[body]
        settings, material = breakable.body.settings, breakable.body.material
        if _force(impacts) == 0.0:
            return None
        window = table.stress_window(
            breakable.prepared.model, breakable.solid, settings, impacts, progress, breakable.prepared.solver
        )
        factor = local_strengths(window.rest, breakable.solid, settings)
        return BodyStress(frame, table.strength(breakable.prepared.model, material, settings), factor, window)


def local_strengths(points: np.ndarray, solid: SolidModel, settings: ModelSettings) -> np.ndarray:
    """Return the strength at points over that of the material, by placed and painted fields.

    Args:
        points: (P, 3) m, on or in a solid.
        solid: Solid with F shared faces.
        settings: Planes, sheets, regions, alternations and painted strength.

    Returns:
        (P,) that of the nearest shared face; 1 for a solid of one cell.

    Notes:
        Own: ``fields.strength.placed_factor``. Scatter, noise and grain are left out: they would hide what is painted.

    Example:
        >>> from ..data.placed_fields import Region
        >>> from ..data.solid import from_cells
        >>> points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
        >>> solid = from_cells(points, [[0, 1, 2, 3], [1, 2, 3, 4]], [])
        >>> weak = ModelSettings().changed(regions=(Region(np.full(3, 1.0 / 3.0), 0.1, strength=0.5),))
        >>> local_strengths(np.zeros((1, 3)), solid, weak).tolist()
        [0.5]
    """
    if not solid.face_count:
        return np.ones(len(points))
    centers = solid.points[solid.faces].mean(axis=1)
    pairs = cell_centers(solid.points, solid.cells)[solid.face_cells]
    return placed_factor(centers, pairs, settings)[cKDTree(centers).query(points)[1]]


def _force(impacts: Sequence[Impact]) -> float:
    return max((impact.peak_force for impact in impacts), default=0.0)
