"""Capabilities of the lattice method."""

from __future__ import annotations

from ..capabilities import Capabilities

CAPABILITIES = Capabilities(
    deformable=True, thin=True, glue=True, keyed_stiffness=True, checkpoints=True, self_collision=True
)
