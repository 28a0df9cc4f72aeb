"""Capabilities of the network method."""

from __future__ import annotations

from ..capabilities import Capabilities

CAPABILITIES = Capabilities(tempering=True, density=True, grain=True, crack_growth=True, needs_padding=False)
