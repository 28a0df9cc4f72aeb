"""Capabilities of the finite-element method."""

from __future__ import annotations

from ..capabilities import Capabilities

CAPABILITIES = Capabilities(
    reads=frozenset(
        {
            "impact_schedule",
            "contact",
            "separation_force",
            "tempering",
            "softening",
            "threshold",
            "compressive_strength",
        }
    ),
    deformable=True,
    plastic=True,
    locks_in_bending=True,
)
