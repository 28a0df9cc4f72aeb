"""Capabilities of the finite-element method."""

from __future__ import annotations

from ..capabilities import Capabilities

CAPABILITIES = Capabilities(deformable=True, tempering=True, grain=True, plasticity=True, locks_in_bending=True)
