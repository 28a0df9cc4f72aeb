"""Capabilities of the finite-element method."""

from __future__ import annotations

from ..capabilities import (
    ONLY_DEFORMABLE,
    ONLY_DEFORMABLE_ELEMENTS,
    ONLY_DEFORMABLE_LATTICE,
    ONLY_LATTICE,
    ONLY_NETWORK,
    ONLY_RIGID,
    Capabilities,
)

_ALWAYS = ONLY_NETWORK | ONLY_LATTICE | ONLY_DEFORMABLE_LATTICE

CAPABILITIES = Capabilities(
    unused_by_rigid=_ALWAYS | ONLY_DEFORMABLE | ONLY_DEFORMABLE_ELEMENTS,
    unused_by_deformable=_ALWAYS | ONLY_RIGID | {"dust": "Dust always merges in finite elements"},
    deformable=True,
    plastic=True,
    locks_in_bending=True,
)
