"""A solid as a lattice with strengths: the model of the lattice method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.arrays import freeze_arrays
from ...data.material import Material
from ...data.settings.settings import ModelSettings
from ...data.solid import SolidModel, face_vectors
from ...fields.strength import WEAKEST, grain_directions, grain_factor, noise, placed_factor
from ..rigid_parts import Cells, cells_of
from .cells import thresholds
from .cells.discretise import CubeSolid
from .cells.tetrahedra import lattice_of_tetrahedra
from .cells.thin_bodies import ThinSolid
from .model import Lattice
from .state import Model, model_of

# Damping of the fastest vibration over its critical damping. It removes waves shorter than a few cells, which are a
# discretisation error. Chosen; not measured.
DAMPING_RATIO = 0.3
# Share of the mass that may move to the lightest nodes, which would otherwise limit the time step. Chosen; not
# measured.
MOVED_MASS_SHARE = 0.02
# Random stream of the settings' seed for defects.
SEED_STREAM = 3
# Smallest volume of a bond over the mean, for the size of its defects. Chosen; not measured.
SMALLEST_SHARE = 0.01
# Weibull modulus times the relative standard deviation of the strength: m = 1.2 / scatter approximates Weibull's law.
WEIBULL_FACTOR = 1.2
# Square of the longitudinal wave speed over E / rho: (lambda + 2 mu) / E = 6 / 5 at Poisson's ratio 1/4.
WAVE_MODULUS = 1.2


@dataclass(frozen=True, eq=False)
class Body:
    """The constant data of a body during impacts.

    Attributes:
        model: Its lattice; thresholds are those of sound material.
        tip_share: Threshold at a crack tip over that of sound material. At a tip toughness counts, not strength.
        nodes: Nodes of the lattice as small rigid bodies.
        solid: The solid whose cells receive fragment labels.
        corners: (C, 4) control points of the solid's cells; see ``control_points``.
        owners: (C,) cell of the lattice that contains each cell of the solid.
        cells: Cells of the solid as rigid bodies.
        areas: (F,) m2 of the solid's shared faces.
        spacing: m, median length of a bond.
        wave_speed: m/s, longitudinal.
    """

    model: Model
    tip_share: float
    nodes: Cells
    solid: SolidModel
    corners: np.ndarray
    owners: np.ndarray
    cells: Cells
    areas: np.ndarray
    spacing: float
    wave_speed: float

    def __post_init__(self) -> None:
        freeze_arrays(self)

    def control_points(
        self, nodes: np.ndarray, frames: list[np.ndarray] | None = None, weights: float | np.ndarray = 1.0
    ) -> np.ndarray:
        """Compute the (M, 3) points, m, that the surface is bound to, of nodes at (N, 3).

        They are the nodes themselves, or those of ``ThinSolid.control_points``.
        """
        return self.solid.control_points(nodes, frames, weights) if isinstance(self.solid, ThinSolid) else nodes

    @property
    def carriers(self) -> np.ndarray:
        """(M,) node of each control point."""
        return self.solid.carriers if isinstance(self.solid, ThinSolid) else np.arange(self.model.lattice.node_count)

    @property
    def passage(self) -> float:
        """Seconds that a longitudinal wave takes along the diagonal of the body's bounding box."""
        return float(np.linalg.norm(np.ptp(self.model.lattice.points, axis=0))) / self.wave_speed


def build(solid: SolidModel, material: Material, settings: ModelSettings) -> Body:
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
) -> Body:
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
    spacing = float(np.median(lattice.rest_lengths))
    sound = thresholds.strength_stretch(material)
    tip = thresholds.breaking_stretch(material, spacing)
    model = model_of(
        lattice,
        material.density,
        material.young_modulus,
        thresholds=sound * _variation(lattice, material, settings),
        damping_ratio=DAMPING_RATIO,
        contact_friction=material.friction,
        moved_mass_share=MOVED_MASS_SHARE,
    )
    # The moment of inertia of a node is that of a cube with the spacing as its edge.
    inertias = (model.masses * spacing**2 / 6.0)[:, None, None] * np.eye(3)
    areas = np.linalg.norm(face_vectors(solid), axis=1)
    return Body(
        model,
        tip / sound,
        Cells(lattice.points, model.masses, inertias),
        solid,
        corners,
        np.asarray(owners, np.int32),
        cells,
        areas,
        spacing,
        float(np.sqrt(WAVE_MODULUS * material.young_modulus / material.density)),
    )


def _scaled(cells: Cells, shares: np.ndarray) -> Cells:
    """Scale the masses of cells by (C,) shares."""
    return Cells(cells.centers, shares * cells.masses, shares[:, None, None] * cells.inertias)


def _variation(lattice: Lattice, material: Material, settings: ModelSettings) -> np.ndarray:
    """Compute the (B,) thresholds over that of sound material, from defects, noise, grain and placed fields."""
    factors = np.ones(lattice.bond_count)
    first, second = lattice.points[lattice.bonds[:, 0]], lattice.points[lattice.bonds[:, 1]]
    middles = 0.5 * (first + second)
    if material.strength_variation > 0.0:
        # In an isotropic lattice the sum of k l^2 over all bonds is 6 E V.
        volumes = lattice.stiffness * lattice.rest_lengths**2 / 6.0
        volumes = np.maximum(volumes, SMALLEST_SHARE * volumes.mean())
        random = np.random.default_rng([settings.seed, SEED_STREAM])
        factors *= thresholds.weibull_defects(volumes, WEIBULL_FACTOR / material.strength_variation, random)
    if settings.strength.noise > 0.0:
        wavelength = settings.strength.noise_size * float(np.linalg.norm(np.ptp(lattice.points, axis=0)))
        factors *= 1.0 + settings.strength.noise * noise(middles, settings, wavelength)
    factors = np.maximum(factors, WEAKEST)
    if material.grain_strength_ratio > 1.0:
        grain = grain_directions(middles, settings.strength.grain, settings.strength.grains)
        factors *= grain_factor(second - first, grain, material.grain_strength_ratio)
    return factors * placed_factor(middles, np.stack([first, second], axis=1), settings)
