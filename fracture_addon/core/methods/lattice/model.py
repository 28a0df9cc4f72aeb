"""The constant data of lattices: masses, springs and strengths, and the lattice of a solid."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from ...data.arrays import ReadOnlyArrays, frozen
from ...data.material import Material
from ...data.settings.settings import ModelSettings
from ...data.solid import SolidModel, cell_volumes, face_vectors
from ...numerics.leapfrog import step_factor
from ..rigid_components import Cells, cells_of
from .cells import thresholds
from .cells.discretise import CubeSolid
from .cells.tetrahedra import lattice_of_tetrahedra
from .cells.thin_bodies import ThinSolid
from .forces.runs import Runs, runs_of
from .forces.stable_step import largest_stable_step, redistributed_masses
from .joints import Joints, part_of, parts_of_bonds, with_joints
from .lattice import Lattice, bond_cells

# Damping of the fastest vibration, over its critical damping, of a material without damping. At 0.05, 0.1 and 0.2 glued
# bricks break into 24 fragments each, and a sheet in a strong wind into 13, 14 and 15 in the mean of three seeds.
DAMPING_RATIO = 0.1
# The same ratio for a body during impacts. It removes waves shorter than a few cells, which are a discretisation error.
# A dropped tile breaks into 12, 14 and 9 fragments at 0.15, 0.3 and 0.6, and stays whole at 30.
BODY_DAMPING_RATIO = 0.3
# Largest damping ratio of the fastest vibration where the material gives the damping, as for finite elements. At 2, 4
# and 8 the step is 0.24, 0.12 and 0.06 of the undamped one.
MAX_DAMPING_RATIO = 4.0
# Share of the mass that may move to the lightest nodes, which would otherwise limit the time step. A dropped tile
# breaks into 13, 14 and 12 fragments at 0.01, 0.02 and 0.04; at 2 only 6.
MOVED_MASS_SHARE = 0.02
# Length of a bond over the edge of a cube above which it is a diagonal. Face diagonals have sqrt(2).
LONGEST_EDGE = 1.2
# Square of the longitudinal wave speed over E / rho: (lambda + 2 mu) / E = 6 / 5 at Poisson's ratio 1/4.
WAVE_MODULUS = 1.2


@dataclass(frozen=True)
class Model(ReadOnlyArrays):
    """The constant data of lattices that move and break.

    Attributes:
        lattice: Rest state of any number of bodies.
        masses: (N,) kg.
        stiffness: (B,) N/m.
        damping: (B,) N s/m, along the bond.
        thresholds: (B,) stretch over rest length at which a bond breaks; ``inf`` means never.
        fixed: (N,) bool, nodes that do not move.
        contact_radii: (N,) m, distance below which a node repels others: the rest distance of the nearest node.
        contact_stiffness: (N,) N/m, the smallest stiffness of the node's bonds.
        contact_friction: Coulomb coefficient between nodes in contact.
        self_collision: (N,) bool, nodes that also repel nodes of their own connected component.
        yield_stretch: Stretch beyond which the rest length creeps, one value or (B,); ``inf`` for a brittle body.
        creep_rate: 1/s, share of the excess stretch that creeps per second, one value or (B,).
        damping_ratio: Smallest damping of the fastest vibration over its critical damping.
        largest_step: s, the stability limit. With a larger step the energy grows without bound.
        runs: Order of the bonds in the kernels.
        bonds_cells, bond_starts: Cells of each bond; see ``lattice.bond_cells``.
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
    damping_ratio: float
    largest_step: float
    runs: Runs = field(repr=False)
    bonds_cells: np.ndarray = field(repr=False)
    bond_starts: np.ndarray = field(repr=False)


@dataclass(frozen=True, eq=False)
class BodyModel(ReadOnlyArrays):
    """The constant data of a body during impacts.

    Attributes:
        model: Its lattice; thresholds are those of sound material.
        tip_shares: (B,) threshold at a crack tip over that of sound material. At a tip toughness counts, not strength.
        nodes: Nodes of the lattice as small rigid bodies.
        solid: The solid whose cells receive fragment labels.
        corners: (C, 4) control points of the solid's cells; see ``control_points``.
        owners: (C,) cell of the lattice that contains each cell of the solid.
        cells: Cells of the solid as rigid bodies.
        areas: (F,) m2 of the solid's shared faces.
        spacing: m, median length of a bond, or the edge of the cubes.
        wave_speed: m/s, longitudinal.
        joints: Joints between objects, if the body joins several.
    """

    model: Model
    tip_shares: np.ndarray
    nodes: Cells
    solid: SolidModel
    corners: np.ndarray
    owners: np.ndarray
    cells: Cells
    areas: np.ndarray
    spacing: float
    wave_speed: float
    joints: Joints | None = None

    def control_points(
        self, nodes: np.ndarray, frames: list[np.ndarray] | None = None, weights: float | np.ndarray = 1.0
    ) -> np.ndarray:
        """Compute the (M, 3) points, m, that the surface is bound to, of nodes at (N, 3).

        They are the nodes themselves, or those of ``ThinSolid.control_points``.
        """
        return self.solid.control_points(nodes, frames, weights) if isinstance(self.solid, ThinSolid) else nodes

    @property
    def carriers(self) -> np.ndarray:
        """Node (M,) of each control point."""
        return self.solid.carriers if isinstance(self.solid, ThinSolid) else np.arange(self.model.lattice.node_count)

    @property
    def passage(self) -> float:
        """Seconds that a longitudinal wave takes along the diagonal of the body's bounding box."""
        return float(np.linalg.norm(np.ptp(self.model.lattice.points, axis=0))) / self.wave_speed


def build(solid: SolidModel, material: Material, settings: ModelSettings) -> BodyModel:
    """Build the lattice of a solid.

    Args:
        solid: Its tetrahedra become cells and their edges bonds. A ``CubeSolid`` or ``ThinSolid`` contains a lattice.
        material: Density, stiffness, strength, toughness, scatter and grain.
        settings: Seed, noise and grain.
    """
    if isinstance(solid, CubeSolid):
        cells = _scaled(cells_of(solid, material), solid.fractions[solid.cube_of_cell])
        return body_of(solid, cells, solid.lattice, solid.cells, solid.cube_of_cell, material, settings)
    cells = cells_of(solid, material)
    if isinstance(solid, ThinSolid):
        return body_of(solid, cells, solid.lattice, solid.corners, solid.owners, material, settings)
    lattice, corners = lattice_of_tetrahedra(solid)
    return body_of(solid, cells, lattice, corners, np.arange(solid.cell_count), material, settings)


def body_of(
    solid: SolidModel,
    cells: Cells,
    lattice: Lattice,
    corners: np.ndarray,
    owners: np.ndarray,
    material: Material,
    settings: ModelSettings,
) -> BodyModel:
    """Build a body from a lattice and a solid whose cells subdivide those of the lattice.

    Args:
        solid: The solid whose cells receive fragment labels.
        cells: Its cells as rigid bodies.
        lattice: The lattice that moves.
        corners: (C, 4) control points of the solid's cells.
        owners: (C,) cell of the lattice that contains each cell of the solid.
        material: See ``build``.
        settings: See ``build``.
    """
    spacing = _spacing(lattice, in_cubes=isinstance(solid, CubeSolid))
    joints, values = None, _values(lattice, material, settings, spacing)
    if solid.mixture is not None:
        lattice, joints, values = _joined(lattice, corners, solid, material, spacing)
    model = model_of(
        lattice,
        values.density,
        material.young_modulus,
        thresholds=values.thresholds,
        damping_ratio=BODY_DAMPING_RATIO,
        damping_time=values.damping_time,
        contact_friction=material.friction,
        moved_mass_share=MOVED_MASS_SHARE,
    )
    # The moment of inertia of a node is that of a cube with the spacing as its edge.
    inertias = (model.masses * spacing**2 / 6.0)[:, None, None] * np.eye(3)
    areas = np.linalg.norm(face_vectors(solid), axis=1)
    return BodyModel(
        model=model,
        tip_shares=frozen(values.tip_shares, np.float64),
        nodes=Cells(lattice.points, model.masses, inertias),
        solid=solid,
        corners=corners,
        owners=np.asarray(owners, np.int32),
        cells=cells,
        areas=areas,
        spacing=spacing,
        wave_speed=float(np.sqrt(WAVE_MODULUS * material.young_modulus / material.density)),
        joints=joints,
    )


class _Values(NamedTuple):
    """Values of the nodes and bonds of a lattice.

    Attributes:
        density: kg/m3, one value or (N,).
        thresholds: (B,) stretch over rest length at which bonds break.
        tip_shares: (B,) threshold at a crack tip over that of sound material.
        damping_time: s, one value or (B,).
    """

    density: float | np.ndarray
    thresholds: np.ndarray
    tip_shares: np.ndarray
    damping_time: float | np.ndarray


def _values(lattice: Lattice, material: Material, settings: ModelSettings, spacing: float, part: int = 0) -> _Values:
    """Return the values of one material; ``part`` is the number of the object among joined ones."""
    sound = thresholds.strength_stretch(material)
    tip = thresholds.breaking_stretch(material, spacing)
    factors = thresholds.variation(lattice, material, settings, part)
    return _Values(material.density, sound * factors, np.full(lattice.bond_count, tip / sound), material.damping_time)


def _joined(
    lattice: Lattice, corners: np.ndarray, solid: SolidModel, material: Material, spacing: float
) -> tuple[Lattice, Joints, _Values]:
    """Return the lattice of several objects with their joints, and its values; see ``with_joints``.

    ``material`` is that of the whole: its modulus is the unit of the stiffness.
    """
    mixture = solid.mixture
    assert mixture is not None
    part_of_bond = parts_of_bonds(lattice, corners, mixture)
    stretches, tips, damping, stiffness = (np.zeros(lattice.bond_count) for _ in range(4))
    for number in np.unique(part_of_bond).tolist():
        part, rows = mixture.parts[number], np.flatnonzero(part_of_bond == number)
        own = part.material.without_flow()
        values = _values(part_of(lattice, rows), own, part.settings, spacing, number)
        stretches[rows], tips[rows], damping[rows] = values.thresholds, values.tip_shares, values.damping_time
        stiffness[rows] = lattice.stiffness[rows] * own.young_modulus / material.young_modulus
    quarters = np.repeat(0.25 * mixture.densities * cell_volumes(solid.points, solid.cells), 4)
    density = np.bincount(corners.ravel(), quarters, lattice.node_count) / lattice.volumes
    joined, joints, rows = with_joints(replace(lattice, stiffness=stiffness), corners, solid, material.young_modulus)
    # The stress of joints is computed from all of their springs together, so their own thresholds have no effect.
    whole = [np.full(joined.bond_count, value) for value in (float(np.median(stretches)), 1.0, 0.0)]
    for of_all, of_objects in zip(whole, (stretches, tips, damping), strict=True):
        of_all[rows] = of_objects
    return joined, joints, _Values(density, *whole)


def _spacing(lattice: Lattice, *, in_cubes: bool) -> float:
    """Return the median length of a bond, m, or the edge of the cubes where diagonals outnumber edges."""
    median, shortest = float(np.median(lattice.rest_lengths)), float(lattice.rest_lengths.min())
    return shortest if in_cubes and median > LONGEST_EDGE * shortest else median


def _scaled(cells: Cells, shares: np.ndarray) -> Cells:
    """Scale the masses of cells by (C,) shares."""
    return Cells(cells.centers, shares * cells.masses, shares[:, None, None] * cells.inertias)


def model_of(
    lattice: Lattice,
    density: float | np.ndarray,
    young_modulus: float | np.ndarray,
    *,
    thresholds: float | np.ndarray = np.inf,
    damping_ratio: float = DAMPING_RATIO,
    damping_time: float | np.ndarray = 0.0,
    fixed: np.ndarray | None = None,
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
        damping_time: s, damping over stiffness of the bonds, one value or (B,), limited so that the ratio is at most
            ``MAX_DAMPING_RATIO``. Bonds with 0 have ``damping_ratio`` instead.
        fixed: (N,) bool, nodes that do not move; none by default.
        contact_friction: See ``Model``.
        self_collision: One value or (N,); see ``Model``.
        yield_stretch: See ``Model``.
        creep_rate: See ``Model``.
        moved_mass_share: Share of the mass that may move to the lightest nodes; see ``redistributed_masses``.

    Returns:
        The model. Its ``largest_step`` comes from ``stable_step.largest_stable_step``.

    Notes:
        Norton et al. 1991, "Internal forces" and "Collision detection": the contact radius of a node is the rest
        distance of the nearest node, so that a break adds no energy.

    Example:
        A rope of 1 m with a section of 10 cm2 and 1 MPa has the stiffness E A / L, and half of its mass at each end.

        >>> from .cells.cells import lattice_of_cells
        >>> rope = np.array([[0.0, 0, 0], [1, 0, 0]]), np.array([[0, 1]]), np.array([1e-3])
        >>> model = model_of(lattice_of_cells(*rope, "rope", regular=True), density=1000.0, young_modulus=1e6)
        >>> model.stiffness.tolist(), model.masses.tolist(), model.contact_radii.tolist()
        ([1000.0], [0.5, 0.5], [1.0, 1.0])
    """
    bonds = lattice.bonds
    stiffness = young_modulus * lattice.stiffness
    masses = np.broadcast_to(density, lattice.node_count) * lattice.volumes
    masses = redistributed_masses(lattice, masses, stiffness, moved_mass_share)
    fixed = np.zeros(lattice.node_count, bool) if fixed is None else fixed
    runs = runs_of(bonds, lattice.node_count)
    bonds_cells, bond_starts = bond_cells(lattice.cell_bonds, lattice.cell_starts, lattice.bond_count)
    undamped = largest_stable_step(lattice, masses, stiffness, fixed)
    # Damping d = beta k has the ratio beta omega / 2, and the fastest vibration has omega = 2 / step.
    times = np.broadcast_to(damping_time, lattice.bond_count)
    ratios = np.where(times > 0.0, np.minimum(times / undamped, MAX_DAMPING_RATIO), damping_ratio)
    # Where all nodes are fixed, nothing vibrates.
    damping = ratios * undamped * stiffness if np.isfinite(undamped) else np.zeros(lattice.bond_count)
    nearest = cKDTree(lattice.points).query(lattice.points, k=2)[0][:, 1] if lattice.node_count > 1 else np.ones(1)
    softest = np.full(lattice.node_count, np.inf)
    stiff = stiffness > 0.0
    for end in bonds[stiff].T:
        np.minimum.at(softest, end, stiffness[stiff])
    softest[np.isinf(softest)] = softest.min(initial=0.0) if stiff.any() else 0.0
    return Model(
        lattice=lattice,
        masses=frozen(masses, np.float64),
        stiffness=frozen(stiffness, np.float64),
        damping=frozen(damping, np.float64),
        thresholds=frozen(np.broadcast_to(thresholds, lattice.bond_count), np.float64),
        fixed=frozen(fixed, bool),
        contact_radii=frozen(nearest, np.float64),
        contact_stiffness=frozen(softest, np.float64),
        contact_friction=contact_friction,
        self_collision=frozen(np.broadcast_to(self_collision, lattice.node_count), bool),
        yield_stretch=yield_stretch,
        creep_rate=creep_rate,
        damping_ratio=float(ratios.min(initial=MAX_DAMPING_RATIO)),
        largest_step=undamped * float(step_factor(ratios.max(initial=0.0))),
        runs=runs,
        bonds_cells=bonds_cells,
        bond_starts=bond_starts,
    )
