"""The constant model of lattices, with masses and strengths, and the state that varies in time."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.spatial import cKDTree

from ...data.arrays import freeze_arrays, frozen
from .forces.springs import CHUNKS, Runs, runs_of
from .forces.stable_step import largest_stable_step
from .fracture import bond_cells
from .model import Lattice

# Default damping of the fastest vibration, over its critical damping. Chosen; not measured.
DAMPING_RATIO = 0.1
# Bisections in ``redistributed_masses``. They give the mass floor to 2^-50 of its upper bound.
BISECTIONS = 50


@dataclass(frozen=True)
class Model:
    """The constant data of lattices that move and break.

    Attributes:
        lattice: Rest state of any number of bodies.
        masses: (N,) kg.
        stiffness: (B,) N/m.
        damping: (B,) N s/m, along the bond.
        thresholds: (B,) stretch over rest length at which a bond breaks; ``inf`` means never.
        fixed: (N,) bool, nodes that do not move.
        contact_radii: (N,) m, the distance at which a node repels others. It is at most the nearest rest distance.
        contact_stiffness: (N,) N/m, at most the stiffness of the node's bonds.
        contact_friction: Coulomb coefficient between nodes in contact.
        self_collision: (N,) bool, nodes that also repel nodes of their own connected component.
        yield_stretch: Stretch beyond which the rest length creeps, one value or (B,); ``inf`` for a brittle body.
        creep_rate: 1/s, share of the excess stretch that creeps per second, one value or (B,).
        largest_step: s, the stability limit. With a larger step the energy grows without bound.
        runs: Order of the bonds in the kernels.
        bonds_cells, bond_starts: Cells of each bond; see ``fracture.bond_cells``.
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

    def __post_init__(self) -> None:
        freeze_arrays(self)


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
    def none(node_count: int) -> Contacts:
        """Return a list without pairs."""
        return Contacts(np.empty((0, 2), np.int32), np.empty((0, 3)))


@dataclass(frozen=True)
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
        """Return arrays for so many nodes."""
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
    contacts: Contacts
    scratch: Scratch = field(repr=False, compare=False)
    time: float = 0.0


def model_of(
    lattice: Lattice,
    density: float | np.ndarray,
    young_modulus: float | np.ndarray,
    *,
    thresholds: float | np.ndarray = np.inf,
    damping_ratio: float = DAMPING_RATIO,
    fixed: np.ndarray | None = None,
    contact_scale: float = 1.0,
    contact_friction: float = 0.5,
    self_collision: bool | np.ndarray = False,
    yield_stretch: float | np.ndarray = np.inf,
    creep_rate: float | np.ndarray = 0.0,
    moved_mass_share: float = 0.0,
) -> Model:
    """Build the model of a lattice.

    Args:
        lattice: Rest state.
        density: kg/m3, one value or (N,).
        young_modulus: Pa, one value or (B,).
        thresholds: Stretch over rest length at which bonds break, one value or (B,).
        damping_ratio: Damping of the fastest vibration over its critical damping. Damping is proportional to stiffness,
            so that the ratio of a slower vibration is smaller in proportion to its frequency.
        fixed: (N,) bool, nodes that do not move; none by default.
        contact_scale: Contact radius over the nearest rest distance. Above 1 a break creates energy.
        contact_friction: See ``Model``.
        self_collision: One value or (N,); see ``Model``.
        yield_stretch: See ``Model``.
        creep_rate: See ``Model``.
        moved_mass_share: Share of the mass that may move to the lightest nodes; see ``redistributed_masses``.

    Returns:
        The model. Its ``largest_step`` comes from ``stable_step.largest_stable_step``.
    """
    bonds = lattice.bonds
    stiffness = young_modulus * lattice.stiffness
    masses = np.broadcast_to(density, lattice.node_count) * lattice.volumes
    masses = redistributed_masses(lattice, masses, stiffness, moved_mass_share)
    fixed = np.zeros(lattice.node_count, bool) if fixed is None else fixed
    runs = runs_of(bonds, lattice.node_count)
    bonds_cells, bond_starts = bond_cells(lattice.cell_bonds, lattice.cell_starts, lattice.bond_count)
    undamped = largest_stable_step(lattice, masses, stiffness, fixed, 0.0)
    # Damping d = beta k has the ratio beta omega / 2, and the fastest vibration has omega = 2 / step.
    damping = damping_ratio * undamped * stiffness
    nearest = cKDTree(lattice.points).query(lattice.points, k=2)[0][:, 1] if lattice.node_count > 1 else np.ones(1)
    softest = np.full(lattice.node_count, np.inf)
    stiff = stiffness > 0.0
    for end in bonds[stiff].T:
        np.minimum.at(softest, end, stiffness[stiff])
    softest[np.isinf(softest)] = softest.min(initial=0.0) if stiff.any() else 0.0
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
    )


def redistributed_masses(lattice: Lattice, masses: np.ndarray, stiffness: np.ndarray, share: float) -> np.ndarray:
    """Move mass to the nodes that limit the time step: those that are light for the stiffness of their springs.

    The total mass stays the same. Finite element codes call this mass scaling.

    Args:
        lattice: Supplies the bonds.
        masses: (N,) kg.
        stiffness: (B,) N/m.
        share: Largest share of the total mass that may move.

    Returns:
        (N,) kg.
    """
    # A node's frequency has the bound omega^2 <= 2 sum k / m, so that equal m / sum k means equal steps.
    stiffness_sums = np.bincount(lattice.bonds.ravel(), np.repeat(stiffness, 2), lattice.node_count)
    low, high = 0.0, float((masses / np.maximum(stiffness_sums, 1e-300)).max())
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if np.maximum(masses, middle * stiffness_sums).sum() > (1.0 + share) * masses.sum():
            high = middle
        else:
            low = middle
    floored = np.maximum(masses, low * stiffness_sums)
    return floored * (masses.sum() / floored.sum())
