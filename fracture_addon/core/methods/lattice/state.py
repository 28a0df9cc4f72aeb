"""Lattices with a mass, a stiffness and a threshold, and what varies while they move and break."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.spatial import cKDTree

from ...data.arrays import frozen
from .contact.collisions import Contacts
from .forces.springs import CHUNKS, Runs, runs_of
from .forces.stable_step import largest_stable_step
from .fracture import bond_cells
from .model import Lattice

# The fastest vibration of a body without damping of its own is damped by this share of the critical damping.
DAMPING_RATIO = 0.1


@dataclass(frozen=True)
class Model:
    """What stays the same while lattices move and break.

    Attributes:
        lattice: Rest state, of any number of bodies.
        masses: (N,) kg.
        stiffness: (B,) N/m.
        damping: (B,) N s/m, along the bond.
        thresholds: (B,) stretch over rest length at which a bond breaks; ``inf`` for never.
        fixed: (N,) bool, nodes that are held where they are.
        contact_radii: (N,) m, at which a node repels others: no more than the nearest rest distance.
        contact_stiffness: (N,) N/m, no more than that of the bonds.
        contact_friction: Coulomb's coefficient between pieces.
        self_collision: (N,) bool, nodes that repel others of their own connected component too.
        yield_stretch: Stretch beyond which the rest length creeps, of all or (B,); ``inf`` for a brittle body.
        creep_rate: 1/s, of the stretch beyond that, of all or (B,).
        largest_step: s; integration with larger ones gains energy without bound.
        runs: Of the bonds, for the kernels.
        bonds_cells, bond_starts: Cells of each bond.
        partial: Scratch of the kernels: forces of the bonds.
        outer: Scratch of the kernels: all other forces.
    """

    lattice: Lattice
    masses: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    thresholds: np.ndarray
    fixed: np.ndarray
    contact_radii: np.ndarray
    contact_stiffness: np.ndarray
    contact_friction: float
    self_collision: np.ndarray
    yield_stretch: float | np.ndarray
    creep_rate: float | np.ndarray
    largest_step: float
    runs: Runs = field(repr=False)
    bonds_cells: np.ndarray = field(repr=False)
    bond_starts: np.ndarray = field(repr=False)
    partial: np.ndarray = field(repr=False, compare=False)
    outer: np.ndarray = field(repr=False, compare=False)


@dataclass
class State:
    """What varies. Arrays are changed in place.

    Attributes:
        positions, velocities: (N, 3) m and m/s.
        rest_lengths: (B,) m; creep changes them.
        alive: (B,) bool, bonds that hold.
        valid: (K,) bool, cells none of whose bonds broke.
        component: (N,) int32, what hangs together.
        stiffness, damping, limits: (B,) N/m, N s/m, m: those of bonds that hold, and 0, 0, ``inf``.
        contacts: Pairs of nodes that may repel each other.
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
    contacts: Contacts
    time: float = 0.0


def model_of(
    lattice: Lattice,
    density,
    young_modulus,
    *,
    thresholds=np.inf,
    damping_ratio: float = DAMPING_RATIO,
    fixed=None,
    contact_scale: float = 1.0,
    contact_friction: float = 0.5,
    self_collision: bool | np.ndarray = False,
    yield_stretch: float | np.ndarray = np.inf,
    creep_rate: float | np.ndarray = 0.0,
    evened: float = 0.0,
) -> Model:
    """A model of a lattice.

    Args:
        lattice: Its rest state.
        density: kg/m3, of all nodes or (N,).
        young_modulus: Pa, of all bonds or (B,).
        thresholds: Stretch over rest length at which bonds break, of all or (B,).
        damping_ratio: Damping of the fastest vibration over its critical damping; slower ones have less, in proportion.
        fixed: (N,) bool, or nothing.
        contact_scale: Radius of repulsion over the nearest rest distance. Above 1 a break adds energy from nothing.
        contact_friction: See ``Model``.
        self_collision: Of all nodes or (N,); see ``Model``.
        yield_stretch: See ``Model``.
        creep_rate: See ``Model``.
        evened: Share of the mass that may move to the lightest nodes; see ``evened_masses``.
    """
    bonds = lattice.bonds
    stiffness = young_modulus * lattice.stiffness
    masses = evened_masses(lattice, np.broadcast_to(density, lattice.node_count) * lattice.volumes, stiffness, evened)
    fixed = np.zeros(lattice.node_count, bool) if fixed is None else fixed
    runs = runs_of(bonds, lattice.node_count)
    bonds_cells, bond_starts = bond_cells(lattice.cell_bonds, lattice.cell_starts, lattice.bond_count)
    undamped = largest_stable_step(lattice, masses, stiffness, fixed, 0.0)
    # Damping in proportion to the stiffness: d = beta k gives the ratio beta omega / 2, with omega = 2 / step.
    damping = damping_ratio * undamped * stiffness
    nearest = cKDTree(lattice.points).query(lattice.points, k=2)[0][:, 1] if lattice.node_count > 1 else np.ones(1)
    softest = np.full(lattice.node_count, np.inf)
    holding = stiffness > 0.0
    for end in bonds[holding].T:
        np.minimum.at(softest, end, stiffness[holding])
    softest[np.isinf(softest)] = softest.min(initial=0.0) if holding.any() else 0.0
    return Model(
        lattice,
        frozen(masses, np.float64),
        frozen(stiffness, np.float64),
        frozen(damping, np.float64),
        frozen(np.broadcast_to(thresholds, lattice.bond_count), np.float64),
        frozen(fixed, bool),
        frozen(contact_scale * nearest, np.float64),
        frozen(softest, np.float64),
        contact_friction,
        frozen(np.broadcast_to(self_collision, lattice.node_count), bool),
        yield_stretch,
        creep_rate,
        undamped * (np.hypot(1.0, damping_ratio) - damping_ratio),
        runs,
        bonds_cells,
        bond_starts,
        np.empty((CHUNKS, lattice.node_count, 3)),
        np.empty((lattice.node_count, 3)),
    )


def evened_masses(lattice: Lattice, masses: np.ndarray, stiffness: np.ndarray, share: float) -> np.ndarray:
    """(N,) kg with a floor under nodes that are lighter than their springs are stiff: they alone keep the step short.

    Args:
        lattice: Its bonds.
        masses: (N,) kg.
        stiffness: (B,) N/m.
        share: Of the whole mass that may be moved from all other nodes to those.
    """
    # 2 / omega for every node, by the bound omega^2 <= 2 sum k / m.
    need = np.bincount(lattice.bonds.ravel(), np.repeat(stiffness, 2), lattice.node_count)
    low, high = 0.0, float((masses / np.maximum(need, 1e-300)).max())
    for _ in range(50):
        middle = 0.5 * (low + high)
        if np.maximum(masses, middle * need).sum() > (1.0 + share) * masses.sum():
            high = middle
        else:
            low = middle
    floored = np.maximum(masses, low * need)
    return floored * (masses.sum() / floored.sum())
