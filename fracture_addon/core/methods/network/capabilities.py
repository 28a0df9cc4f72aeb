"""Capabilities of the network method."""

from __future__ import annotations

from ..capabilities import Capabilities

CAPABILITIES = Capabilities(
    reads=frozenset(
        {
            "bonds",
            "loading",
            "load_steps",
            "impact_schedule",
            "crack_function",
            "crack_growth",
            "crack_sharpness",
            "area_exponent",
            "volume_exponent",
            "density_noise",
            "painted_density",
            "tempering",
        }
    ),
    needs_padding=False,
)
