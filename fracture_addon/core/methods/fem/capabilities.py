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
            "yield_strength",
            "hardening",
            "plastic_limit",
        }
    ),
    deformable=True,
    locks_in_bending=True,
)
