"""Capabilities of the lattice method."""

from __future__ import annotations

from ..capabilities import (
    NOT_LATTICE,
    ONLY_DEFORMABLE,
    ONLY_DEFORMABLE_LATTICE,
    ONLY_ELEMENTS,
    ONLY_NETWORK,
    ONLY_RIGID,
    Capabilities,
)

_ALWAYS = ONLY_NETWORK | ONLY_ELEMENTS | NOT_LATTICE | {"compressive_strength": "Springs break under tension only"}

CAPABILITIES = Capabilities(
    unused_by_rigid=_ALWAYS | ONLY_DEFORMABLE_LATTICE | ONLY_DEFORMABLE,
    unused_by_deformable=_ALWAYS | ONLY_RIGID | {"poisson_ratio": "Springs always have 0.25"},
    unused_by_thin={"toughness": "Not deformable ropes, sheets and shells"},
    deformable=True,
    thin=True,
)
