"""Pieces that keep each other out: nodes of different components repel (Norton et al. 1991, "Collision detection").

Pairs are listed with a skin, and the list serves until nodes have moved that far against each other. Bonds that broke
inside a component are pairs too: what is left of a broken bond still repels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from .neighbour_grid import find_pairs

# Of the largest radius of contact.
SKIN = 0.3


@dataclass
class Contacts:
    """Pairs of nodes that may touch.

    Attributes:
        pairs: (P, 2) int32.
        reference: (N, 3) m, where nodes were when the list was made; empty where no grid was needed.
    """

    pairs: np.ndarray
    reference: np.ndarray

    @staticmethod
    def none(node_count: int) -> Contacts:
        """No pairs at all."""
        return Contacts(np.empty((0, 2), np.int32), np.empty((0, 3)))


def renew(model, state) -> None:
    """Make the list of pairs anew."""
    several = len(state.component) > 0 and state.component.max() > 0
    skin = SKIN * float(model.contact_radii.max())
    pairs, reference = np.empty((0, 2), np.int32), np.empty((0, 3))
    within = bool(model.self_collision.any())
    if several or within:
        reference = state.positions.copy()
        pairs = find_pairs(state.positions, model.contact_radii, state.component, skin, within)
    if within:
        inside = state.component[pairs[:, 0]] == state.component[pairs[:, 1]]
        pairs = pairs[~inside | model.self_collision[pairs].all(axis=1)]
        pairs = pairs[~_bonded(pairs, model.lattice.bonds[state.alive], len(state.component))]
    broken = model.lattice.bonds[~state.alive]
    inside = state.component[broken[:, 0]] == state.component[broken[:, 1]]
    # Those of nodes that repel their own component are among the pairs already.
    pairs = np.concatenate([pairs, broken[inside & ~model.self_collision[broken].all(axis=1)]])
    state.contacts = Contacts(pairs, reference)


def keep_up(model, state) -> None:
    """Renew the list if it may miss a pair: when nodes moved against each other by more than the skin.

    A common motion of all nodes (free fall) does not count.
    """
    if len(state.contacts.reference) and _is_old(model, state):
        renew(model, state)


def take_in(model, state, rows: np.ndarray) -> None:
    """Add the bonds (rows) that broke just now.

    What else the break has parted was no nearer at rest than nodes repel each other: the list as it is serves until
    nodes have moved by the skin.
    """
    contacts = state.contacts
    apart = state.component.max(initial=0) > 0 or model.self_collision.any()
    if apart and (not len(contacts.reference) or _is_old(model, state)):
        renew(model, state)
    else:
        pairs = np.concatenate([contacts.pairs, model.lattice.bonds[rows]])
        state.contacts = Contacts(pairs, contacts.reference)


def add_forces(model, state, positions, forces) -> None:
    """Add to (N, 3) ``forces`` the repulsion of pairs that touch, with nodes at (N, 3) ``positions``."""
    if len(state.contacts.pairs):
        _push_kernel(positions, state.contacts.pairs, model.contact_radii, model.contact_stiffness, forces)


def rub(model, state, step: float) -> None:
    """Let pairs that touch slow down each other's sliding, by no more than stops it; see ``Obstacle.rub``."""
    if len(state.contacts.pairs) and model.contact_friction > 0.0:
        inverse_masses = np.where(model.fixed, 0.0, 1.0 / model.masses)
        bodies = (inverse_masses, model.contact_radii, model.contact_stiffness)
        impulse = model.contact_friction * step
        _rub_kernel(state.positions, state.velocities, state.contacts.pairs, *bodies, impulse)


def energy(model, state) -> float:
    """Joules in the springs between nodes that touch."""
    first, second = state.contacts.pairs.T
    distance = np.linalg.norm(state.positions[second] - state.positions[first], axis=1)
    radius = np.minimum(model.contact_radii[first], model.contact_radii[second])
    stiffness = np.minimum(model.contact_stiffness[first], model.contact_stiffness[second])
    return 0.5 * float(stiffness @ np.maximum(radius - distance, 0.0) ** 2)


def _is_old(model, state) -> bool:
    return _spread(state.positions, state.contacts.reference) > SKIN * float(model.contact_radii.max())


def _bonded(pairs: np.ndarray, bonds: np.ndarray, node_count: int) -> np.ndarray:
    def keys(rows):
        ordered = np.sort(rows, axis=1).astype(np.int64)
        return ordered[:, 0] * node_count + ordered[:, 1]

    return np.isin(keys(pairs), keys(bonds))


@njit(cache=True, error_model="numpy")
def _spread(positions, reference):
    """Upper bound on how far any two nodes moved against each other: the diagonal of all displacements' box."""
    total = 0.0
    for axis in range(3):
        low, high = np.inf, -np.inf
        for node in range(len(positions)):
            moved = positions[node, axis] - reference[node, axis]
            low, high = min(low, moved), max(high, moved)
        total += (high - low) ** 2
    return np.sqrt(total)


@njit(cache=True, error_model="numpy")
def _touch(x, a, b, radii, stiffness):
    """Push between two nodes, newtons (0 apart), and the direction from the first to the second."""
    radius = min(radii[a], radii[b])
    d0, d1, d2 = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    square = d0 * d0 + d1 * d1 + d2 * d2
    if square >= radius * radius or square == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    distance = np.sqrt(square)
    push = min(stiffness[a], stiffness[b]) * (radius - distance)
    return push, d0 / distance, d1 / distance, d2 / distance


@njit(cache=True, error_model="numpy")
def _push_kernel(x, pairs, radii, stiffness, forces):
    for row in range(len(pairs)):
        a, b = pairs[row, 0], pairs[row, 1]
        push, d0, d1, d2 = _touch(x, a, b, radii, stiffness)
        if push > 0.0:
            forces[b, 0] += push * d0
            forces[b, 1] += push * d1
            forces[b, 2] += push * d2
            forces[a, 0] -= push * d0
            forces[a, 1] -= push * d1
            forces[a, 2] -= push * d2


@njit(cache=True, error_model="numpy")
def _rub_kernel(x, v, pairs, inverse_masses, radii, stiffness, friction):
    for row in range(len(pairs)):
        a, b = pairs[row, 0], pairs[row, 1]
        push, d0, d1, d2 = _touch(x, a, b, radii, stiffness)
        both = inverse_masses[a] + inverse_masses[b]
        if push == 0.0 or both == 0.0:
            continue
        u0, u1, u2 = v[b, 0] - v[a, 0], v[b, 1] - v[a, 1], v[b, 2] - v[a, 2]
        rate = u0 * d0 + u1 * d1 + u2 * d2
        s0, s1, s2 = u0 - rate * d0, u1 - rate * d1, u2 - rate * d2
        sliding = np.sqrt(s0 * s0 + s1 * s1 + s2 * s2)
        if sliding == 0.0:
            continue
        impulse = min(friction * push / sliding, 1.0 / both)
        first, second = impulse * inverse_masses[a], impulse * inverse_masses[b]
        v[a, 0] += first * s0
        v[a, 1] += first * s1
        v[a, 2] += first * s2
        v[b, 0] -= second * s0
        v[b, 1] -= second * s1
        v[b, 2] -= second * s2
