"""Pushes of deformable bodies on rigid ones, as loads that may break these."""

from __future__ import annotations

import numpy as np

from ...data.impact import STEADY, Impact
from ...methods import pushes
from ...numerics.rotations import length, matrices
from ...rigid.contacts import PATCH_CELLS, rest_point
from ..rigid_fragment import RigidFragment
from ..rigid_timeline import Timeline


class PushLoads:
    """The largest push of deformable bodies on each rigid fragment since the last frame.

    A push lasts longer than the elastic vibrations of a rigid body, so it is a steady load.

    Args:
        timeline: The run of the rigid bodies.

    Notes:
        Own (docs/decisions/coupling.md).

    Example:
        Without pushes nothing breaks.

        >>> PushLoads(timeline=None).apply(0)
    """

    def __init__(self, timeline: Timeline):
        self._timeline = timeline
        self._largest: dict[int, Impact] = {}

    def note(self, fragment: RigidFragment, impulses: np.ndarray, seconds: float) -> None:
        """Note the pushes on a living fragment in one step.

        Args:
            fragment: The fragment.
            impulses: (COLUMNS,) sum of the impulses on it; see ``pushes``.
            seconds: Length of the step.
        """
        scene = self._timeline.scene
        row, force = scene.fragment_row(fragment.key), length(impulses[pushes.FORCE]) / seconds
        known = self._largest.get(row)
        if not force > 0.0 or (known is not None and known.contact_force >= force):
            return
        pose, (place, radius) = scene.world.pose(fragment.key), pushes.patch_of(impulses)
        self._largest[row] = Impact(
            rest_point(pose, fragment.properties.center, place),
            matrices(pose[3:]).T @ impulses[pushes.FORCE],
            0.5 * force * STEADY,
            STEADY,
            max(radius, PATCH_CELLS * fragment.cell_size),
            load_factor=scene.violence(row),
        )

    def apply(self, row: int) -> None:
        """Break the fragments whose largest push is above their critical load, on a frame from the first one."""
        loads, self._largest = self._largest, {}
        for fragment_row in sorted(loads):
            self._timeline.load(fragment_row, loads[fragment_row], row)
