"""The data of lattices that vary in time."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .forces.runs import CHUNKS


@dataclass
class Contacts:
    """Pairs of nodes that may touch.

    Attributes:
        pairs: (P, 2) int32.
        reference: (N, 3) m, node positions when the list was built. Empty where no neighbour grid was needed.
    """

    pairs: np.ndarray
    reference: np.ndarray

    @staticmethod
    def none() -> Contacts:
        """Return a list without pairs."""
        return Contacts(np.empty((0, 2), np.int32), np.empty((0, 3)))


@dataclass
class Scratch:
    """Arrays that the kernels overwrite.

    Attributes:
        partial: (C, N, 3) N, bond forces of each run.
        outer: (N, 3) N, all other forces.
    """

    partial: np.ndarray
    outer: np.ndarray

    @classmethod
    def of(cls, node_count: int) -> Scratch:
        """Return arrays for ``node_count`` nodes."""
        return cls(np.empty((CHUNKS, node_count, 3)), np.empty((node_count, 3)))


@dataclass
class State:
    """The data that vary in time. Arrays are changed in place.

    Attributes:
        positions, velocities: (N, 3) m and m/s.
        rest_lengths: (B,) m; creep changes them.
        alive: (B,) bool, bonds that are not broken.
        valid: (K,) bool, cells without a broken bond.
        component: (N,) int32, connected component of each node.
        stiffness, damping, limits: (B,) N/m, N s/m and m. Broken bonds have 0, 0 and ``inf``. A bond breaks when it is
            longer than its limit.
        threshold_factors: (B,) threshold over that of sound material: below 1 ahead of a crack, above 1 beside it.
        ahead_weights: (B,) 0 to 1, how much a bond continues the latest crack that it is ahead of.
        ahead_times, beside_times: (B,) s, time of the latest break that a bond is ahead of, or beside.
        contacts: Pairs of nodes that may repel each other.
        scratch: Arrays that the kernels overwrite.
        time: s.
    """

    positions: np.ndarray
    velocities: np.ndarray
    rest_lengths: np.ndarray
    alive: np.ndarray
    valid: np.ndarray
    component: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    limits: np.ndarray
    threshold_factors: np.ndarray
    ahead_weights: np.ndarray
    ahead_times: np.ndarray
    beside_times: np.ndarray
    contacts: Contacts
    scratch: Scratch = field(repr=False, compare=False)
    time: float = 0.0
