"""Capabilities of the network method."""

from __future__ import annotations

from ..capabilities import (
    NO_VIBRATIONS,
    ONLY_DEFORMABLE,
    ONLY_DEFORMABLE_LATTICE,
    ONLY_ELEMENTS,
    ONLY_LATTICE,
    Capabilities,
)

CAPABILITIES = Capabilities(
    unused_by_rigid=ONLY_LATTICE | ONLY_DEFORMABLE_LATTICE | ONLY_ELEMENTS | ONLY_DEFORMABLE | NO_VIBRATIONS,
    dents=True,
    stretched_cells=True,
    needs_padding=False,
)
