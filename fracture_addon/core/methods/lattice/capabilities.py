"""Capabilities of the lattice method."""

from __future__ import annotations

from ..capabilities import Capabilities

CAPABILITIES = Capabilities(
    reads=frozenset({"lattice", "softening", "threshold", "creep", "yield_share", "self_collision"}),
    deformable=True,
    thin=True,
    glue=True,
    keyed_stiffness=True,
    checkpoints=True,
)
