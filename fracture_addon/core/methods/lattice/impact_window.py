"""The elastic window: a struck body as a lattice, for the moment in which it can break.

The body floats free while a striker runs into it, and for a few passages of the wave behind that. Its real modulus is
kept: the pulse and the passages take the same number of steps at any stiffness, so that softening would save nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...data.impact import Impact
from ..contact_patch import bearing, patch_forces
from ..method import Progress
from ..rigid_parts import masses_of
from . import advance
from .body import Body
from .state import State
from .striker import Striker, striker_at
from .tension import demand

# A pulse lasts at least and at most so many passages of the wave, at the same peak force. A shorter one would crush
# what it touches before the rest of the body knows; a longer one would take more steps, to bend what is slender by up
# to a quarter more.
LEAST_PASSAGES, MOST_PASSAGES = 4.0, 8.0
# Passages that are followed behind the pulse.
PASSAGES_AFTER = 2.0
# Bonds beside a broken one bear what a crack's tip does while the wave goes so many spacings. A crack that has not gone
# on by then is none any more: what it has left behind is its flanks, and were they as weak all would end as powder.
TIP_SPACINGS = 6.0
# A striker's load is spread anew when more than this share of it lies on what came off.
LOST_SHARE = 1e-3
# Breaks are looked for when the wave has gone this share of the way from node to node: cracks are no faster than the
# stress that drives them.
LOOK_SHARE = 1.0
# Where nothing breaks tensions only rise and fall with the pulse: it is enough to look so many times while that lasts.
MEASURES = 200


@dataclass
class Outcome:
    """What a window came to.

    Attributes:
        state: At its end.
        burden: Greatest tension over the threshold of any bond.
        momentum_share: Momentum of the impacts over the one that the strikers bring.
        work: J that the strikers did.
    """

    state: State
    burden: float
    momentum_share: float
    work: float


def follow(
    body: Body,
    impacts: Sequence[Impact],
    violence: float,
    *,
    breaking: bool,
    progress: Progress | None = None,
    watch: Callable[[State, float], None] | None = None,
) -> Outcome:
    """Let impacts fall together on a body at rest.

    Args:
        body: The body.
        impacts: At least one.
        violence: Scales their loads.
        breaking: Whether bonds break; else the answer is linear in the load.
        progress: Called with a share from 0 to 1.
        watch: Called after each look for breaks, with the state and the share of the window that is over.
    """
    model = body.model
    state = advance.initial_state(model)
    # Breaks are looked for here, at intervals and by tension.
    state.limits[:] = np.inf
    step = advance.checked_step(model, None)
    pulse = pulse_of(body, impacts)
    look = LOOK_SHARE * body.spacing / body.wave_speed
    count = max(int((look if breaking else max(look, pulse / MEASURES)) / step), 1)
    strikers, share = _strikers(body, state, impacts, violence, pulse)
    # Until when each node is at the tip of a crack.
    tips = np.zeros(model.lattice.node_count)
    burden, end = 0.0, pulse + PASSAGES_AFTER * body.passage
    while state.time < end:
        _advance(body, state, strikers, step, count)
        demands, greatest = demand(model, state, tips, body.tip_share)
        burden = max(burden, greatest)
        if breaking and greatest > 1.0:
            rows = np.flatnonzero(state.alive & (demands > 1.0))
            broken = advance.fracture(model, state, rows)
            tips[model.lattice.bonds[broken]] = state.time + TIP_SPACINGS * body.spacing / body.wave_speed
            _shift(body, state, strikers)
        if watch:
            watch(state, state.time / end)
        if progress:
            progress(min(state.time / end, 1.0))
    return Outcome(state, burden, share, sum(striker.work for striker in strikers))


def pulse_of(body: Body, impacts: Sequence[Impact]) -> float:
    """Seconds that a striker pushes for, in place of the impacts' own durations."""
    longest = max(impact.duration for impact in impacts)
    return float(np.clip(longest, LEAST_PASSAGES * body.passage, MOST_PASSAGES * body.passage))


def _strikers(body: Body, state: State, impacts, violence: float, pulse: float) -> tuple[list[Striker], float]:
    """Strikers at first touch, and the momentum of the impacts over that of the strikers."""
    strikers, brought = [], 0.0
    for impact in impacts:
        weights = _weights(body, state, impact)
        striker, momentum = striker_at(body.nodes, weights, impact, violence * impact.peak_force, pulse)
        strikers.append(striker)
        brought += momentum
    return strikers, float(sum(impact.impulse for impact in impacts) / brought)


def _advance(body: Body, state: State, strikers: Sequence[Striker], step: float, count: int) -> None:
    pushes = sum(striker.force * striker.weights for striker in strikers)
    before = state.positions.copy()
    advance.advance(body.model, state, advance.Surroundings(pushes=pushes), step, count)
    moved = state.positions - before
    for striker in strikers:
        striker.follow(moved, step * count)


def _shift(body: Body, state: State, strikers: Sequence[Striker]) -> None:
    """Let strikers push on what is behind, where something came off under them."""
    off = ~bearing(body.nodes, masses_of(body.nodes, state.component))
    for striker in strikers:
        if np.abs(striker.weights[off]).sum() > LOST_SHARE:
            striker.weights = _weights(body, state, striker.impact)


def _weights(body: Body, state: State, impact: Impact) -> np.ndarray:
    return patch_forces(body.nodes, masses_of(body.nodes, state.component), [impact], body.spacing)
