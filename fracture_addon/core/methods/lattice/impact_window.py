"""The impact window: simulate a body as a lattice during an impact, while it can break.

The body is free. The window covers the pulse of an impactor and a few passages of the elastic wave after it. The
modulus is the real one. Softening would save nothing, because pulse and passages take the same number of steps at any
modulus.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...data.impact import Impact, deflected
from ...data.progress import ShareProgress
from ..contact_patch import patch_forces, takes_load
from ..rigid_components import masses_of
from . import advance
from .fracture import fracture
from .impactor import Impactor, SteadyLoad, impactor_at
from .model import BodyModel
from .state import State
from .tension import bond_overloads

# Limits of the pulse in passages of the wave through the body; the peak force is kept. A shorter pulse crushes the
# contact before the wave reaches the rest of the body. A longer one takes more steps, and bends slender bodies by up to
# a quarter more: a bar breaks at 750 N under a pulse of 8 passages, and at 590 to 630 N under pulses of 20 to 60
# (docs/equations.md).
SHORTEST_PULSE, LONGEST_PULSE = 4.0, 8.0
# Passages that the window continues after the pulse. From 1 to 200 the numbers of fragments stay the same; at 0.02 a
# dropped tile breaks into 13 instead of 14.
PASSAGES_AFTER = 2.0
# Time for which bonds beside a broken one have the lower threshold of a crack tip, in passages of the wave from node to
# node. Later they lie beside the crack faces. Measured on a jar of 6,000 cells at 1.5, 2.5 and 5 times the critical
# load: 4, 6 and 10 % of the volume becomes dust, and without a limit of time 4, 7 and 13 % (docs/equations.md).
TIP_SPACINGS = 6.0
# Share of an impactor's force on detached nodes above which the force is distributed again. From 1e-5 to 0.1 the
# numbers of fragments stay the same.
LOST_SHARE = 1e-3
# Time between searches for breaks, in passages of the wave from node to node. Cracks are not faster than the stress
# that drives them. Searching twice or four times as often does not change the amount of dust (docs/equations.md).
SEARCH_INTERVAL = 1.0
# Number of searches for the largest tension during a pulse that breaks nothing. Tensions only rise and fall with the
# pulse. From 100 to 4,000 all recordings keep their bytes.
SEARCHES_PER_PULSE = 200


@dataclass
class ImpactResult:
    """The result of an impact window.

    Attributes:
        state: State at the end.
        overload: Largest tension over threshold that any bond had.
        momentum_share: Momentum of the impacts over the momentum of the impactors.
        work: J done by the impactors.
    """

    state: State
    overload: float
    momentum_share: float
    work: float


def follow(
    body: BodyModel,
    impacts: Sequence[Impact],
    *,
    breaking: bool,
    progress: ShareProgress | None = None,
    watch: Callable[[State, float], None] | None = None,
) -> ImpactResult:
    """Simulate simultaneous impacts on a body at rest.

    Args:
        body: The body.
        impacts: At least one.
        breaking: Whether bonds may break. Otherwise the response is linear in the load.
        progress: Called with the finished share of the window, 0 to 1.
        watch: Called after each search for breaks, with the state and the finished share.

    Returns:
        State at the end, and the largest tension over threshold.

    Notes:
        Norton et al. 1991, for the milliseconds of an impact. Own: bonds break by tension instead of stretch, and an
        ``Impactor`` pushes instead of a prescribed force.

    Example:
        Without breaks, twice the impulse has twice the tension.

        >>> from ...data.material import PORCELAIN
        >>> from ...data.settings.settings import Settings
        >>> from ...data.solid import from_cells
        >>> from .model import build
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> body = build(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN, Settings())
        >>> taps = [Impact([-1, 0, 0], [1, 0, 0], impulse, duration=5e-3, radius=1.0) for impulse in (1.0, 2.0)]
        >>> one, two = (follow(body, [tap], breaking=False).overload for tap in taps)
        >>> round(two / one, 3)
        2.0
    """
    model = body.model
    state = advance.initial_state(model)
    if any(impact.deflection is not None for impact in impacts):
        state.positions += deflected(impacts, model.lattice.points)
    # This function searches for breaks itself, at intervals and by tension instead of length.
    state.limits[:] = np.inf
    step = advance.checked_step(model, None)
    pulse = pulse_of(body, impacts)
    interval = SEARCH_INTERVAL * body.spacing / body.wave_speed
    count = max(int((interval if breaking else max(interval, pulse / SEARCHES_PER_PULSE)) / step), 1)
    impactors, share = _impactors(body, state, impacts, pulse)
    # Time until which each node is at a crack tip.
    tips = np.zeros(model.lattice.node_count)
    overload, end = 0.0, pulse + PASSAGES_AFTER * body.passage
    while state.time < end:
        _advance(body, state, impactors, step, count)
        overloads, largest = _overloads(body, state, tips)
        overload = max(overload, largest)
        if breaking and largest > 1.0:
            rows = np.flatnonzero(state.alive & (overloads > 1.0))
            broken = fracture(model, state, rows)
            tips[model.lattice.bonds[broken]] = state.time + TIP_SPACINGS * body.spacing / body.wave_speed
            _redistribute(body, state, impactors)
        if watch:
            watch(state, state.time / end)
        if progress:
            progress(min(state.time / end, 1.0))
    return ImpactResult(state, overload, share, sum(impactor.work for impactor in impactors))


def pulse_of(body: BodyModel, impacts: Sequence[Impact]) -> float:
    """Compute the duration of the impactors' pulse, s: that of the longest impact, within the limits for a pulse."""
    longest = max(impact.duration for impact in impacts)
    return float(np.clip(longest, SHORTEST_PULSE * body.passage, LONGEST_PULSE * body.passage))


def _impactors(body: BodyModel, state: State, impacts: Sequence[Impact], pulse: float) -> tuple[list[Impactor], float]:
    """Build impactors at first contact; also return the momentum of the impacts over that of the impactors.

    Impacts of one direction are the patches of one collision. One plate pushes all of them. A steady pressure has no
    plate, and its momentum does not count. The force of a vibration is in its deflection.
    """
    if all(impact.faces is not None for impact in impacts):
        force = sum(impact.peak_force for impact in impacts if impact.deflection is None)
        weights = _weights(body, state, impacts)
        return [SteadyLoad(impacts, 0.0, 0.0, weights, largest_force=force, rise=pulse)], 0.0
    plates: dict[bytes, list[Impact]] = {}
    for impact in impacts:
        plates.setdefault(impact.direction.tobytes(), []).append(impact)
    impactors, total = [], 0.0
    for plate in plates.values():
        impactor, momentum = impactor_at(body.nodes, _weights(body, state, plate), plate, pulse)
        impactors.append(impactor)
        total += momentum
    return impactors, float(sum(impact.impulse for impact in impacts) / total)


def _advance(body: BodyModel, state: State, impactors: Sequence[Impactor], step: float, count: int) -> None:
    """Advance body and impactors by ``count`` steps under constant impactor forces."""
    forces = np.asarray(sum(impactor.force * impactor.weights for impactor in impactors))
    before = state.positions.copy()
    advance.advance(body.model, state, advance.Surroundings(node_forces=forces), step, count)
    displacements = state.positions - before
    for impactor in impactors:
        impactor.advance(displacements, step * count)


def _overloads(body: BodyModel, state: State, tips: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the (B,) stress of each bond over its strength, and the largest; springs of a joint have that of it."""
    joints = body.joints
    if joints is None:
        return bond_overloads(body.model, state, tips, body.tip_shares)
    overloads, largest = bond_overloads(body.model, state, tips, body.tip_shares, joints.inside)
    of_joints = joints.overloads(body.model.lattice, state, tips)
    overloads[joints.bonds] = of_joints[joints.owners]
    return overloads, max(largest, float(of_joints.max(initial=0.0)))


def _redistribute(body: BodyModel, state: State, impactors: Sequence[Impactor]) -> None:
    """Move the force of impactors from detached nodes to the material behind them."""
    detached = ~takes_load(body.nodes, masses_of(body.nodes, state.component))
    for impactor in impactors:
        if np.abs(impactor.weights[detached]).sum() > LOST_SHARE:
            impactor.weights = _weights(body, state, impactor.impacts)


def _weights(body: BodyModel, state: State, impacts: Sequence[Impact]) -> np.ndarray:
    return patch_forces(body.nodes, masses_of(body.nodes, state.component), impacts, body.spacing)
