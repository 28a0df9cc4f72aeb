"""Calibration by trial (Norton et al. 1991, "Breakage tuning"): small cylinders dropped over a range of thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...data.material import Material
from ...data.trials import Trial
from . import advance
from .cells import profiles
from .cells.thresholds import softened, strength_stretch, weibull_defects
from .contact.obstacles import Obstacle
from .state import model_of

# Of the cylinder: radius, wall and height over its radius, segments round, layers of cubes along.
WALL, HEIGHT, SEGMENTS, LAYERS = 0.2, 1.0, 28, 5
# Passages of a wave from end to end that are followed behind the first touch, and where the fall begins.
PASSAGES, LEAN = 30.0, 0.35
# Pieces below this share of the mass are crumbs. It crumbles when they have more than so much, and survives when one
# piece has more than so much.
CRUMB, CRUMBLED, SURVIVED = 0.01, 0.35, 0.97
# Thresholds over that of the material, from weak to strong.
FACTORS = tuple(np.geomspace(0.1, 10.0, 9).tolist())


def drop_cylinders(
    material: Material,
    softening: float,
    speed: float,
    radius: float = 0.1,
    *,
    factors: Sequence[float] = FACTORS,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> list[Trial]:
    """Let a leaning cylinder hit a floor once for each of some thresholds.

    Args:
        material: What it is made of.
        softening: What its stiffness is divided by.
        speed: m/s at which it hits.
        radius: m.
        factors: Of the thresholds.
        seed: Of the defects.
        progress: Called with a share from 0 to 1.
    """
    trials = []
    for number, factor in enumerate(factors):
        trials.append(_drop(material, softening, speed, radius, factor, seed))
        if progress:
            progress((number + 1) / len(factors))
    return trials


def _drop(material: Material, softening: float, speed: float, radius: float, factor: float, seed: int) -> Trial:
    levels = np.linspace(0.0, HEIGHT * radius, LAYERS + 1)
    outer, inner = (np.stack([np.full(LAYERS + 1, edge), levels], axis=1) for edge in (radius, (1.0 - WALL) * radius))
    lattice = profiles.revolved(outer, inner, SEGMENTS, 1)
    variation = np.ones(lattice.bond_count)
    if material.strength_variation > 0.0:
        random = np.random.default_rng([seed, SEGMENTS])
        variation = weibull_defects(variation, 1.2 / material.strength_variation, random)
    sound = softened(strength_stretch(material), softening)
    model = model_of(
        lattice,
        material.density,
        material.young_modulus / softening,
        thresholds=factor * sound * variation,
        evened=0.02,
    )
    rate = 0.9 / model.largest_step
    normal = np.array([np.sin(LEAN), 0.0, np.cos(LEAN)])
    lowest = lattice.points[np.argmin(lattice.points @ normal)]
    floor = Obstacle(lowest, normal, stiffness=rate**2 * model.masses, damping=0.4 * rate * model.masses)
    state = advance.initial_state(model, velocity=-speed * normal)
    wave = np.sqrt(1.2 * material.young_modulus / softening / material.density)
    step = advance.checked_step(model, None)
    count = int(PASSAGES * HEIGHT * radius / wave / step)
    advance.run(model, state, advance.Surroundings(obstacles=(floor,)), step, count)
    shares = np.bincount(state.component, model.masses) / model.masses.sum()
    crumbs, largest = float(shares[shares < CRUMB].sum()), float(shares.max())
    outcome = "crumbles" if crumbs > CRUMBLED else "survives" if largest > SURVIVED else "breaks"
    return Trial(factor, outcome, largest, crumbs)
