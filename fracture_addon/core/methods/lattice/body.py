"""A solid as a lattice with strengths, ready to be struck."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...data.job import Settings
from ...data.material import Material
from ...data.solid import SolidModel, face_vectors
from ...fields.strength import WEAKEST, grain_factor, noise, placed_factor
from ..rigid_parts import Cells, cells_of
from .cells import thresholds
from .cells.discretise import CubeSolid
from .cells.tetrahedra import lattice_of_tetrahedra
from .cells.thin_bodies import ThinSolid
from .model import Lattice
from .state import Model, model_of

# Damping of the fastest vibration over its critical damping: waves shorter than a few cells are an artefact.
DAMPING_RATIO = 0.3
# Share of the mass that may move to the lightest nodes, which alone would keep the time step short.
EVENED_SHARE = 0.02
SEED_STREAM = 3
# Bonds that stand for less than this share of the mean volume have no smaller defects than one that has it.
SMALLEST_SHARE = 0.01


@dataclass(frozen=True)
class Body:
    """What stays the same while a body is struck.

    Attributes:
        model: Its lattice; thresholds are those of sound material.
        tip_share: Threshold at a crack's tip over that of sound material: there toughness counts, not strength.
        nodes: The lattice's nodes as small rigid bodies.
        solid: What is labelled in the end.
        corners: (C, 4) places of the solid's cells: nodes, or what goes along with those of something thin.
        owners: (C,) the lattice's cell that each of the solid's cells is a part of.
        cells: The solid's cells as rigid bodies.
        areas: (F,) m2 of the solid's shared faces.
        spacing: m between nodes.
        wave_speed: m/s.
        critical_forces: N, those of blows that were looked into before, by where, which way, how long and how wide.
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
    critical_forces: dict[tuple, float] = field(default_factory=dict, repr=False, compare=False)

    def places(self, nodes: np.ndarray, before: list[np.ndarray] | None = None, whole=1.0) -> np.ndarray:
        """(M, 3) m, what the surface is bound to, of nodes at (N, 3): these, or see ``ThinSolid.places``."""
        return self.solid.places(nodes, before, whole) if isinstance(self.solid, ThinSolid) else nodes

    @property
    def carriers(self) -> np.ndarray:
        """(M,) the node that each place belongs to."""
        return self.solid.carriers if isinstance(self.solid, ThinSolid) else np.arange(self.model.lattice.node_count)

    @property
    def passage(self) -> float:
        """Seconds that a wave takes through the body's diagonal."""
        return float(np.linalg.norm(np.ptp(self.model.lattice.points, axis=0))) / self.wave_speed


def build(solid: SolidModel, material: Material, settings: Settings) -> Body:
    """The lattice of a solid.

    Args:
        solid: Its tetrahedra become cells, their edges bonds; or its cubes, where it has some; or what it is around.
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
    solid: SolidModel, cells: Cells, lattice: Lattice, corners, owners, material: Material, settings: Settings
) -> Body:
    """A body of a lattice and the solid whose cells its cells are divided into.

    Args:
        solid: What is labelled in the end.
        cells: Its cells as rigid bodies.
        lattice: What moves.
        corners: (C, 4) places of the solid's cells.
        owners: (C,) cells of the lattice that the solid's cells are parts of.
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
        evened=EVENED_SHARE,
    )
    # A node is a cube of its spacing when it turns.
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
        float(np.sqrt(1.2 * material.young_modulus / material.density)),
    )


def _scaled(cells: Cells, shares: np.ndarray) -> Cells:
    return Cells(cells.centers, shares * cells.masses, shares[:, None, None] * cells.inertias)


def _variation(lattice: Lattice, material: Material, settings: Settings) -> np.ndarray:
    """(B,) threshold over that of the sound material: defects, noise in space, grain, and what is placed."""
    factors = np.ones(lattice.bond_count)
    first, second = lattice.points[lattice.bonds[:, 0]], lattice.points[lattice.bonds[:, 1]]
    places = 0.5 * (first + second)
    if material.strength_variation > 0.0:
        # Springs of an isotropic lattice share 6 E V among them (k l^2 summed).
        volumes = lattice.stiffness * lattice.rest_lengths**2 / 6.0
        volumes = np.maximum(volumes, SMALLEST_SHARE * volumes.mean())
        random = np.random.default_rng([settings.seed, SEED_STREAM])
        factors *= thresholds.weibull_defects(volumes, 1.2 / material.strength_variation, random)
    if settings.noise > 0.0:
        wavelength = settings.noise_size * float(np.linalg.norm(np.ptp(lattice.points, axis=0)))
        factors *= 1.0 + settings.noise * noise(places, settings, wavelength)
    factors = np.maximum(factors, WEAKEST)
    if material.grain_strength_ratio > 1.0:
        factors *= grain_factor(second - first, settings.grain, material.grain_strength_ratio)
    return factors * placed_factor(places, np.stack([first, second], axis=1), settings)
