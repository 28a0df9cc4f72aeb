"""The load at which the next bond of a network fails."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...data.impact import Impact
from ...data.progress import ShareProgress
from ...data.settings.settings import StrikeSettings
from .advance import initial_state
from .glue import Glue
from .model import Model
from .state import State

# Largest factor on the present load in the search for the critical load; a body that holds it counts as unbreakable.
MOST_TIMES = 1e18


def critical_force(
    model: Model,
    settings: StrikeSettings,
    impacts: Sequence[Impact],
    progress: ShareProgress | None = None,
    solver: Glue | None = None,
) -> float:
    """Return the sum of the peak forces of rigid contacts, N, at which ``impacts`` first break a bond; one solve.

    The compliance of the body lowers the peak force. A rigid contact therefore needs a higher one.
    """
    impact_load, state = initial_state(model, impacts, settings, solver)
    rigid = impact_load.schedule.peak * sum(impact.contact_force for impact in impacts)
    return next_failure(state) * rigid / impact_load.peak


def next_failure(state: State) -> float:
    """Return the load at which the next bond fails, N; infinite if none does, 0 if the prestress alone breaks one.

    Stress is linear in the load. The result is therefore the present load over the largest ratio of stress to strength.
    With prestress, bisection finds it without a further solve.

    Args:
        state: State of the network under any load.

    Returns:
        N.

    Notes:
        Own: exact for a linear body, where Smith et al. 2001 raise the load in steps.

    Example:
        The bond has twice the strength that a load of 1 N demands.

        >>> from ...data.material import PORCELAIN
        >>> from ...data.settings.settings import Settings
        >>> from ...data.solid import from_cells
        >>> from .model import build
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> model = build(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN, Settings())
        >>> impact = Impact([-1, 0, 0], [1, 0, 0], impulse=1.0, duration=1e-3, radius=1.0)
        >>> state = initial_state(model, [impact], Settings())[1]
        >>> state.strengths = 2.0 * state.burden()
        >>> round(next_failure(state), 9)
        2.0
    """
    if not state.glue.is_prestressed:
        demand = state.demand(1.0)
        return state.load / demand if demand > 0.0 else math.inf
    low, high = 0.0, 1.0
    while state.demand(high) < 1.0:
        low, high = high, 2.0 * high
        if high > MOST_TIMES:
            return math.inf
    if low == 0.0 and state.demand(0.0) >= 1.0:
        return 0.0
    while high - low > 1e-9 * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if state.demand(middle) < 1.0 else (low, middle)
    return state.load * high
