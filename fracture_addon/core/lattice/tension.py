"""What pulls at a bond: stress along it, rather than bare stretch."""

from __future__ import annotations

import numpy as np
from numba import njit

from .dynamics import lengths

# Of central forces at Poisson's ratio 1/4: both Lame constants over Young's modulus.
LAME = 0.4


def tension_readable(model, state) -> np.ndarray:
    """(B,) stress along each bond over Young's modulus: a stretch, corrected for what is only the bulge of pressure.

    Hooke's law at Poisson's ratio 1/4, 0.4 (trace of strain + 2 stretch), with the trace from the mean stretch of the
    bonds at both ends: equal to the stretch under uniaxial tension, and zero across uniaxial pressure, where the
    stretch is not.
    """
    stretch = lengths(model, state) / state.rest_lengths - 1.0
    weight = state.stiffness * state.rest_lengths**2
    first, second = model.lattice.bonds.T
    count = model.lattice.node_count
    total, weights = (
        np.bincount(first, values, count) + np.bincount(second, values, count) for values in (weight * stretch, weight)
    )
    # The mean over all directions of n . strain . n is a third of the trace.
    trace = 3.0 * total / np.maximum(weights, np.finfo(float).tiny)
    return LAME * (0.5 * (trace[first] + trace[second]) + 2.0 * stretch)


def tension(model, state) -> np.ndarray:
    """The same, compiled."""
    bonds = (model.lattice.bonds, state.rest_lengths, state.stiffness)
    return _tension_kernel(state.positions, *bonds, np.empty(len(state.alive)))


@njit(cache=True, error_model="numpy")
def _tension_kernel(x, bonds, rest_lengths, stiffness, result):
    total, weights = np.zeros(len(x)), np.zeros(len(x))
    for bond in range(len(bonds)):
        a, b = bonds[bond, 0], bonds[bond, 1]
        d0, d1, d2 = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        stretch = np.sqrt(d0 * d0 + d1 * d1 + d2 * d2) / rest_lengths[bond] - 1.0
        weight = stiffness[bond] * rest_lengths[bond] ** 2
        result[bond] = stretch
        total[a] += weight * stretch
        total[b] += weight * stretch
        weights[a] += weight
        weights[b] += weight
    for node in range(len(x)):
        total[node] = 3.0 * total[node] / weights[node] if weights[node] > 0.0 else 0.0
    for bond in range(len(bonds)):
        trace = 0.5 * (total[bonds[bond, 0]] + total[bonds[bond, 1]])
        result[bond] = LAME * (trace + 2.0 * result[bond])
    return result
