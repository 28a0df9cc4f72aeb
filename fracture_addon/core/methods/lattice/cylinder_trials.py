"""Find thresholds by trial: drop small cylinders over a range of thresholds (Norton et al. 1991, "Breakage tuning")."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...data.material import Material
from ...data.progress import ShareProgress
from ...data.trial_results import Trial
from ...fields.strength import WEIBULL_FACTOR
from ...numerics.random_streams import rng
from ..obstacle import Obstacle
from . import advance
from .cells import profiles
from .cells.thresholds import softened, strength_stretch, weibull_defects
from .contact.spring_contact import SpringContact
from .model import WAVE_MODULUS, model_of

# Wall thickness and height of the cylinder over its radius (Norton et al. 1991, figure 3).
WALL, HEIGHT = 0.2, 1.0
# Cells around the cylinder and along it (figure 3). They are nearly cubes. With half or twice as many they are not, and
# the cylinder crumbles at every threshold.
SEGMENTS, LAYERS = 28, 5
# Simulated time after first contact, in passages of the wave along the cylinder. With 15 two of 18 trials end
# differently; 60 gives the same bytes.
PASSAGES = 30.0
# Tilt of the cylinder's axis from the floor's normal, radians, so that it lands on an edge. At half and twice the
# tilt, limits move by at most one of nine thresholds.
TILT = 0.35
# Fragments below this share of the mass are dust. 0.005 and 0.02 give the same bytes.
DUST_SHARE = 0.01
# The cylinder crumbles if dust has more than this share of the mass. At half and twice the share, the limit between
# crumbling and breaking moves by at most one of nine thresholds.
CRUMBLED = 0.35
# The cylinder survives if its largest fragment has more than this share of the mass. 0.78 gives the same bytes.
SURVIVED = 0.97
# Factors of the material's threshold, from weak to strong.
FACTORS = tuple(np.geomspace(0.1, 10.0, 9).tolist())
# Rate of the floor's springs, sqrt(stiffness / mass), times the largest step, and their damping over rate times mass.
# At 0.72 and 0.95, and at half and twice the damping, limits move by at most one of nine thresholds.
FLOOR_RATE, FLOOR_DAMPING = 0.9, 0.4
# Share of the mass that may move to the lightest nodes. From 2e-4 to 2 at most one of 18 trials ends differently.
MOVED_MASS_SHARE = 0.02


def drop_cylinders(
    material: Material,
    softening: float,
    speed: float,
    radius: float = 0.1,
    *,
    factors: Sequence[float] = FACTORS,
    seed: int = 0,
    progress: ShareProgress | None = None,
) -> list[Trial]:
    """Drop a tilted cylinder on a floor, once for each threshold.

    Args:
        material: Material of the cylinder.
        softening: Divisor of its stiffness.
        speed: m/s at impact.
        radius: m.
        factors: Factors of the material's threshold, one for each trial.
        seed: Seed of the defects.
        progress: Called with the finished share, 0 to 1.

    Returns:
        One trial for each factor.

    Notes:
        Norton et al. 1991, "Breakage tuning", figure 3.

    Example:
        >>> from ...data.material import PORCELAIN
        >>> [trial.outcome for trial in drop_cylinders(PORCELAIN, 1000.0, 3.0, factors=(0.01, 100.0))]
        ['crumbles', 'survives']
    """
    trials = []
    for number, factor in enumerate(factors):
        trials.append(_drop(material, softening, speed, radius, factor, seed))
        if progress:
            progress((number + 1) / len(factors))
    return trials


def _drop(material: Material, softening: float, speed: float, radius: float, factor: float, seed: int) -> Trial:
    """Drop one cylinder and classify the result by the shares of its fragments."""
    levels = np.linspace(0.0, HEIGHT * radius, LAYERS + 1)
    outer, inner = (np.stack([np.full(LAYERS + 1, edge), levels], axis=1) for edge in (radius, (1.0 - WALL) * radius))
    lattice = profiles.revolved(outer, inner, SEGMENTS, 1)
    variation = np.ones(lattice.bond_count)
    if material.strength_variation > 0.0:
        random = rng(seed, "trial cylinders")
        variation = weibull_defects(variation, WEIBULL_FACTOR / material.strength_variation, random)
    threshold = softened(strength_stretch(material), softening)
    model = model_of(
        lattice,
        material.density,
        material.young_modulus / softening,
        thresholds=factor * threshold * variation,
        moved_mass_share=MOVED_MASS_SHARE,
    )
    rate = FLOOR_RATE / model.largest_step
    normal = np.array([np.sin(TILT), 0.0, np.cos(TILT)])
    lowest = lattice.points[np.argmin(lattice.points @ normal)]
    floor = SpringContact(
        Obstacle.plane(lowest, normal), stiffness=rate**2 * model.masses, damping=FLOOR_DAMPING * rate * model.masses
    )
    state = advance.initial_state(model, velocity=-speed * normal)
    wave_speed = np.sqrt(WAVE_MODULUS * material.young_modulus / softening / material.density)
    step = advance.checked_step(model, None)
    count = int(PASSAGES * HEIGHT * radius / wave_speed / step)
    advance.run(model, state, advance.Surroundings(obstacles=(floor,)), step, count)
    shares = np.bincount(state.component, model.masses) / model.masses.sum()
    dust, largest = float(shares[shares < DUST_SHARE].sum()), float(shares.max())
    outcome = "crumbles" if dust > CRUMBLED else "survives" if largest > SURVIVED else "breaks"
    return Trial(factor, outcome, largest, dust)
