"""Collisions between fragments: nodes of different components repel (Norton et al. 1991, "Collision detection").

The pair list has a skin (a Verlet list): it stays valid until two nodes have moved relative to each other by the skin.
The ends of a bond that broke inside a component are a pair too, so that they still repel.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..model import Model
from ..state import Contacts, State
from .neighbour_grid import find_pairs

# Skin of the pair list over the largest contact radius. A larger one finds pairs less often but tests more of them;
# the order of sums changes. At 0.15, 0.3 and 0.6, fragments stay the same, and glued bricks move 64, 63 and 63 mm.
SKIN = 0.3


def renew(model: Model, state: State) -> None:
    """Build the pair list from the present positions.

    Args:
        model: Contact radii, m, and self-collision.
        state: Its ``contacts`` are replaced.

    Notes:
        Norton et al. 1991, "Collision detection": nodes of different components, and of the same one with
        self-collision. Verlet 1967: the skin of the list.

    Example:
        A rope of two segments is cut in its first one. The ends of the cut are a pair.

        >>> from ..advance import initial_state
        >>> from ..cells.cells import lattice_of_cells
        >>> from ..fracture import fracture
        >>> from ..model import model_of
        >>> rope = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]]), np.array([[0, 1], [1, 2]]), np.full(2, 1e-3)
        >>> model = model_of(lattice_of_cells(*rope, "rope", regular=True), 1000.0, 1e6)
        >>> state = initial_state(model)
        >>> broken = fracture(model, state, np.array([0]))
        >>> renew(model, state)
        >>> state.contacts.pairs.tolist()
        [[0, 1]]
    """
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
    # The grid has already listed the pairs of nodes with self-collision.
    pairs = np.concatenate([pairs, broken[inside & ~model.self_collision[broken].all(axis=1)]])
    state.contacts = Contacts(pairs, reference)


def renew_if_moved(model: Model, state: State) -> None:
    """Renew the pair list when two nodes have moved relative to each other by more than the skin.

    A common motion of all nodes, such as free fall, does not count.
    """
    if len(state.contacts.reference) and _is_outdated(model, state):
        renew(model, state)


def add_broken_bonds(model: Model, state: State, rows: np.ndarray) -> None:
    """Add the ends of newly broken bonds to the pair list.

    All other nodes that the break separated have a rest distance above their contact radius. The list therefore stays
    valid until nodes have moved by the skin.

    Args:
        model: The lattice.
        state: Its ``contacts`` are replaced.
        rows: Bonds that broke.
    """
    contacts = state.contacts
    apart = state.component.max(initial=0) > 0 or model.self_collision.any()
    if apart and (not len(contacts.reference) or _is_outdated(model, state)):
        renew(model, state)
    else:
        pairs = np.concatenate([contacts.pairs, model.lattice.bonds[rows]])
        state.contacts = Contacts(pairs, contacts.reference)


def add_forces(model: Model, state: State, positions: np.ndarray, forces: np.ndarray) -> None:
    """Add the repulsion of touching pairs: stiffness times the depth by which two nodes are too near.

    Args:
        model: Contact radii, m, and stiffness, N/m.
        state: Supplies the pairs.
        positions: (N, 3) m.
        forces: (N, 3) N, changed in place.
    """
    if len(state.contacts.pairs):
        _push_kernel(positions, state.contacts.pairs, model.contact_radii, model.contact_stiffness, forces)


def apply_friction(model: Model, state: State, step: float) -> None:
    """Slow the sliding of touching pairs over a step.

    Args:
        model: Masses, contact radii and stiffness, and the coefficient of friction.
        state: Its velocities are changed.
        step: s.

    Notes:
        Norton et al. 1991: friction in proportion to the intrusion. Own: it stops sliding at most, and does not turn it
        round.

    Example:
        Two ends of a cut rope are 0.1 m too near: they repel with 1,000 N/m x 0.1 m. Friction is half of that. In 1 ms
        it takes 0.05 N s from the second node, which has 1 kg and slides at 1 m/s; the first one has 0.5 kg.

        >>> from ..advance import initial_state
        >>> from ..cells.cells import lattice_of_cells
        >>> from ..fracture import fracture
        >>> from ..model import model_of
        >>> rope = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]]), np.array([[0, 1], [1, 2]]), np.full(2, 1e-3)
        >>> model = model_of(lattice_of_cells(*rope, "rope", regular=True), 1000.0, 1e6, contact_friction=0.5)
        >>> state = initial_state(model)
        >>> broken = fracture(model, state, np.array([0]))
        >>> state.positions[1, 0], state.velocities[1, 1] = 0.9, 1.0
        >>> apply_friction(model, state, 0.001)
        >>> state.velocities[:2, 1].round(6).tolist()
        [0.1, 0.95]
    """
    if len(state.contacts.pairs) and model.contact_friction > 0.0:
        inverse_masses = np.where(model.fixed, 0.0, 1.0 / model.masses)
        bodies = (inverse_masses, model.contact_radii, model.contact_stiffness)
        impulse = model.contact_friction * step
        _friction_kernel(state.positions, state.velocities, state.contacts.pairs, *bodies, impulse)


def _is_outdated(model: Model, state: State) -> bool:
    return _relative_displacement(state.positions, state.contacts.reference) > SKIN * float(model.contact_radii.max())


def _bonded(pairs: np.ndarray, bonds: np.ndarray, node_count: int) -> np.ndarray:
    """Mark the pairs that an unbroken bond joins."""

    def keys(rows: np.ndarray) -> np.ndarray:
        ordered = np.sort(rows, axis=1).astype(np.int64)
        return ordered[:, 0] * node_count + ordered[:, 1]

    return np.isin(keys(pairs), keys(bonds))


@njit(cache=True, error_model="numpy")
def _relative_displacement(positions: np.ndarray, reference: np.ndarray) -> float:
    """Bound the relative displacement of any two nodes, m: the diagonal of the box of all displacements."""
    total = 0.0
    for axis in range(3):
        low, high = np.inf, -np.inf
        for node in range(len(positions)):
            moved = positions[node, axis] - reference[node, axis]
            low, high = min(low, moved), max(high, moved)
        total += (high - low) ** 2
    return np.sqrt(total)


@njit(cache=True, error_model="numpy")
def _touch(
    x: np.ndarray, a: int, b: int, radii: np.ndarray, stiffness: np.ndarray
) -> tuple[float, float, float, float]:
    """Compute the repulsion of two nodes, newtons (0 if apart), and the unit vector from the first to the second."""
    radius = min(radii[a], radii[b])
    d0, d1, d2 = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    square = d0 * d0 + d1 * d1 + d2 * d2
    if square >= radius * radius or square == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    distance = np.sqrt(square)
    push = min(stiffness[a], stiffness[b]) * (radius - distance)
    return push, d0 / distance, d1 / distance, d2 / distance


@njit(cache=True, error_model="numpy")
def _push_kernel(
    x: np.ndarray, pairs: np.ndarray, radii: np.ndarray, stiffness: np.ndarray, forces: np.ndarray
) -> None:
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
def _friction_kernel(
    x: np.ndarray,
    v: np.ndarray,
    pairs: np.ndarray,
    inverse_masses: np.ndarray,
    radii: np.ndarray,
    stiffness: np.ndarray,
    friction: float,
) -> None:
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
