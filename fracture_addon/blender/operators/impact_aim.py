"""The impact that a pointer aims: its place, strength and radius, and the cracks that the worker finds for it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from mathutils import Vector

from ...core.data.crack_preview import BodyCracks
from ...core.data.errors import FractureError
from ...core.data.job import AuthoredImpact, Job
from ...core.data.readable import with_unit
from ...core.data.settings.settings import all_rows
from ..process.live_cracks import LiveCracks
from ..read.job import read_job_at_rest
from ..read.settings import plain
from ..setup import impacts
from ..setup.impact_pointer import STRENGTH, ImpactPointer
from ..setup.selected_settings import NAMES
from .availability import subject

# s, time after which a pointer counts as still.
STILL_SECONDS = 0.15
# Radius of the first disc over the size of the object. A matter of taste: the wheel changes it.
FIRST_RADIUS = 0.03
# Settings that may change while the tool runs: names of their fields, each with that of its property.
LIVE = {name: row.property or name for name, (row, _) in all_rows().items() if (row.property or name) in NAMES}
HINT = "Point at the object, drag to set the strength, wheel: radius, release: place the impact, Esc: cancel"


class ImpactAim:
    """An impact on the active object, before it is placed.

    Attributes:
        object: The object, which ``begin`` reads.
        pointer: The impact; ``None`` until the pointer was over the object.
        cracks: Cracks that arrived last; ``None`` before the first.
        error: Why cracks can no longer be computed; ``None`` while they can.
    """

    pointer: ImpactPointer | None = None
    cracks: BodyCracks | None = None
    error: FractureError | None = None

    def begin(self, context: Any) -> None:
        """Read the object.

        Raises:
            FractureError: It cannot be broken.
        """
        self.object = subject(context)
        job = read_job_at_rest(context, [self.object])
        group, frame = self.object.fracture, context.scene.frame_current
        frames = [item.impact_frame for item in (group, *group.more_impacts)]
        body = job.bodies[0]
        # Impacts on the same frame act together; the others do not act with the new one.
        now = tuple(impact for impact, at in zip(body.impacts, frames, strict=False) if at == frame)
        self._job = replace(job, bodies=(replace(body, impacts=now),))
        self._settings = self._settings_now()
        self._unit = context.scene.unit_settings.scale_length
        self._radius = FIRST_RADIUS * max(self.object.dimensions)
        self._live = LiveCracks()
        self._changed_at: float | None = None
        self._drag_from: tuple[float, ImpactPointer] | None = None
        self._is_over = False

    def question(self) -> Job:
        """Return the job of one frame with the impact under the pointer."""
        assert self.pointer is not None  # a question needs an impact
        pointer, body = self.pointer, self._job.bodies[0]
        impact = AuthoredImpact(
            self._job.frame_start,
            self._unit * _array(pointer.point),
            _array(pointer.inward),
            pointer.strength,
            self._unit * pointer.radius,
        )
        return replace(self._job, bodies=(replace(body, impacts=(*body.impacts, impact)),))

    def point_at(self, found: tuple[Vector, Vector] | None, x: float) -> None:
        """Move the pointer to a point of the surface and its inward normal; drag if pressed.

        Beside the object, ``found`` is ``None`` and the impact stays, so that the artist can change its settings.
        """
        if self._drag_from is not None:
            start, pointer = self._drag_from
            self._change(pointer.dragged(x - start))
            return
        self._is_over = found is not None
        if found is not None:
            strength = STRENGTH if self.pointer is None else self.pointer.strength
            self._change(ImpactPointer(*found, self._radius, strength))

    def press(self, x: float) -> None:
        """Begin to drag the strength, if the pointer is over the object."""
        self._drag_from = (x, self.pointer) if self._is_over and self.pointer is not None else None

    @property
    def is_pressed(self) -> bool:
        """Whether a drag began over the object."""
        return self._drag_from is not None

    def widen(self, steps: int) -> None:
        """Change the radius by steps of the wheel."""
        if self.pointer is not None:
            self._change(self.pointer.widened(steps))
            self._radius = self.pointer.radius

    def place(self, context: Any) -> None:
        """Add the impact to the object."""
        assert self.pointer is not None  # a drag began over the object
        impact = impacts.add(context, self.object, self.pointer.point, self.pointer.inward)
        impact.impact_strength, impact.impact_radius = self.pointer.strength, self.pointer.radius

    def tick(self, now: float) -> bool:
        """Request cracks if the pointer is still or a setting changed, and return whether new ones arrived.

        An error ends the requests and is stored in ``error``.
        """
        try:
            self._ask(now)
            answer = self._live.poll()
        except FractureError as error:
            self.error = error
            return False
        if answer is None or self.pointer is None:
            return False
        (self.cracks,) = answer.bodies
        return True

    def _ask(self, now: float) -> None:
        if self.pointer is None:
            return
        settings = self._settings_now()
        is_moved = settings == self._settings
        is_still = self._changed_at is not None and now - self._changed_at >= STILL_SECONDS
        if not is_moved:  # while a slider is dragged
            (body,) = self._job.bodies
            self._settings = settings
            self._job = replace(self._job, bodies=(replace(body, settings=body.settings.changed(**settings)),))
        elif not is_still:
            return
        self._changed_at = None
        # While a slider is dragged, whole patterns say more than the beginnings of many.
        self._live.ask(self.question(), at_once=is_moved)

    def _settings_now(self) -> dict[str, Any]:
        """Return the settings that the panel always shows, by the name of their field."""
        return {name: plain(getattr(self.object.fracture, shown)) for name, shown in LIVE.items()}

    def text(self) -> str:
        """Return the text of the header: strength, radius and number of pieces."""
        if self.pointer is None:
            return HINT
        parts = [f"Strength {self.pointer.strength:.3g} times the critical load"]
        if self.cracks is not None and self.cracks.critical_force:
            parts[0] += f", {with_unit(self.pointer.strength * self.cracks.critical_force, 'N')}"
        parts.append(f"radius {1e3 * self._unit * self.pointer.radius:.3g}\u00a0mm")
        if self.cracks is not None:
            count = self.cracks.piece_count
            parts.append(f"{count} pieces" if count > 1 else "it does not break" if count else "it breaks ...")
        elif self._live.is_busy:  # the first cracks take longest: the body gets its cells
            parts.append("computing the cracks ...")
        return "   |   ".join([*parts, HINT])

    def end(self) -> None:
        """End the worker's computation, if one runs."""
        self._live.close()

    def _change(self, pointer: ImpactPointer) -> None:
        if self.pointer is None or pointer != self.pointer:
            self.pointer, self._changed_at = pointer, time.monotonic()


def _array(vector: Vector) -> np.ndarray:
    return np.array(vector[:], float)
