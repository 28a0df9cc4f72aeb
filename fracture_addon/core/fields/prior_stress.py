"""Prior stress: the stress of a body without a load, placed or painted (k C of Smith et al. 2001, section 3.1).

It is the stress of material that shrank, by drying or cooling, in surroundings that do not give way. A method lets the
body come to rest: the surroundings give way in part, and bear the opposite stress. Where all of a body has the same
prior stress, it shrinks, and nothing of it is left.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from ..data.settings.settings import ModelSettings
from .painting import weights_at

SomeSettings = TypeVar("SomeSettings", bound=ModelSettings)


def largest_prior_stress(settings: ModelSettings) -> float:
    """Return the largest absolute prior stress of a region, or at full paint, Pa; 0 for none."""
    strength = settings.strength
    painted = 0.0 if strength.painted_stress is None else abs(strength.prior_stress)
    return max([painted, *(abs(region.stress) for region in strength.regions)])


def has_prior_stress(settings: ModelSettings) -> bool:
    """Return whether a region or paint gives a body prior stress."""
    return largest_prior_stress(settings) > 0.0


def prior_stress(points: np.ndarray, settings: ModelSettings) -> np.ndarray:
    """Return the prior stress at points: equal in all directions, tension positive. Places add up.

    Args:
        points: (N, 3) m.
        settings: Regions, painted stress and ``prior_stress``.

    Returns:
        (N,) Pa.

    Notes:
        The k C of Smith et al. 2001, section 3.1.

    Example:
        >>> from ..data.placed_fields import Region
        >>> settings = ModelSettings().changed(regions=(Region(np.zeros(3), 0.1, stress=2e6, softness=0.0),))
        >>> prior_stress(np.array([[0.0, 0.0, 0.05], [0.0, 0.0, 0.2]]), settings).tolist()
        [2000000.0, 0.0]
    """
    strength, stress = settings.strength, np.zeros(len(points))
    for region in strength.regions:
        if region.stress != 0.0:
            stress += region.stress * region.weight(points)
    if strength.painted_stress is not None:
        stress += strength.prior_stress * weights_at(strength.painted_stress, points)
    return stress


def without_prior_stress(settings: SomeSettings) -> SomeSettings:
    """Return the settings without tempering and prior stress: a break releases them."""
    regions = tuple(replace(region, stress=0.0) for region in settings.strength.regions)
    return settings.changed(tempering=0.0, painted_stress=None, regions=regions)
