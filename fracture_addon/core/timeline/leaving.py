"""Waiting fragments that go in a painted order, or because a fragment beside them has left."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.spatial import cKDTree

from ..data.settings.motion import MotionSettings
from ..data.surface import joined
from ..fields.painting import weights_at
from .rigid_fragment import RigidFragment


def due_frame(settings: MotionSettings, fragment: RigidFragment) -> float:
    """Compute the frame on which a fragment goes in the painted order.

    Args:
        settings: Settings of its body.
        fragment: The fragment.

    Returns:
        The frame, not rounded: the first one for the weight 1, near the last one for a small weight. The largest weight
        on the surface of the fragment counts. Infinite if it is 0, or without a painted order.

    Notes:
        Own: linear in the weight.

    Example:
        >>> due_frame(MotionSettings(), None)
        inf
    """
    if settings.order is None:
        return math.inf
    weight = float(weights_at(settings.order, joined(fragment.surfaces).points).max())
    first, last = settings.order_start, settings.order_end
    return first + (1.0 - weight) * (last - first) if weight > 0.0 else math.inf


def beside(waiting: Sequence[RigidFragment], left: Sequence[RigidFragment]) -> list[RigidFragment]:
    """Return the waiting fragments that were beside a fragment which has left.

    Args:
        waiting: Waiting fragments of a body.
        left: Fragments of the same body.

    Returns:
        Those with a point within one cell size of a point of ``left`` in rest space.

    Notes:
        Own: fragments of which one was remeshed share no points, so the distance decides.

    Example:
        >>> beside([], [])
        []
    """
    if not waiting or not left:
        return []
    tree = cKDTree(np.concatenate([_points(fragment) for fragment in left]))

    def is_near(fragment: RigidFragment) -> bool:
        distances, _ = tree.query(_points(fragment), distance_upper_bound=fragment.cell_size)
        return bool(np.isfinite(distances).any())

    return [fragment for fragment in waiting if is_near(fragment)]


def _points(fragment: RigidFragment) -> np.ndarray:
    """Return the points (P, 3) m of the cells of a fragment, rest space."""
    return fragment.solid.points[np.unique(fragment.solid.cells[fragment.cells])]
