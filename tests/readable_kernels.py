"""Readable NumPy versions of compiled kernels; tests compare both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fracture_addon.core.data.arrays import sum_by
from fracture_addon.core.fields import noise
from fracture_addon.core.fields.strength import SHEAR_SHARE
from fracture_addon.core.methods.lattice.cells.stiffness import (
    CONTRACTION,
    REGULARISATION,
    SQUARED_NORM,
    SWEEPS,
    TOLERANCE,
)
from fracture_addon.core.methods.lattice.fracture import lengths
from fracture_addon.core.methods.lattice.model import Model
from fracture_addon.core.methods.lattice.state import State
from fracture_addon.core.methods.lattice.tension import LAME
from fracture_addon.core.methods.network.bonds.full_bonds import FullBonds
from fracture_addon.core.methods.network.full_glue import FullGlue
from fracture_addon.core.methods.rigid_components import Cells, RigidComponents


def components_by_label(cells: Cells, part: np.ndarray, count: int) -> RigidComponents:
    """Compute ``rigid_components.components_by_label``."""
    masses = np.bincount(part, cells.masses, count)
    centers = sum_by(part, cells.masses[:, None] * cells.centers, count) / masses[:, None]
    arms = cells.centers - centers[part]
    spread = np.einsum("ci,ci->c", arms, arms)[:, None, None] * np.eye(3) - arms[:, :, None] * arms[:, None]
    inertias = sum_by(part, (cells.inertias + cells.masses[:, None, None] * spread).reshape(-1, 9), count)
    return RigidComponents(part.astype(np.int32), masses, centers, inertias.reshape(-1, 3, 3))


def accelerations(parts: RigidComponents, cells: Cells, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute ``RigidComponents.accelerations``."""
    part = parts.part_of_cell
    arms = cells.centers - parts.centers[part]
    linear = sum_by(part, forces, len(parts.masses)) / parts.masses[:, None]
    torques = sum_by(part, np.cross(arms, forces), len(parts.masses))
    angular = np.linalg.solve(parts.inertias, torques[..., None])[..., 0]
    return linear[part] + np.cross(angular[part], arms), angular


def find_pairs(
    positions: np.ndarray, radii: np.ndarray, component: np.ndarray, skin: float, within: bool
) -> np.ndarray:
    """Find the pairs of ``find_pairs`` by comparing every two nodes; the order differs."""
    first, second = np.triu_indices(len(positions), 1)
    distance = np.linalg.norm(positions[first] - positions[second], axis=1)
    near = distance < np.minimum(radii[first], radii[second]) + skin
    near &= within | (component[first] != component[second])
    return np.stack([first[near], second[near]], axis=1).astype(np.int32)


def tension(model: Model, state: State) -> np.ndarray:
    """Compute ``lattice.tension.tension``."""
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


def bond_forces(
    positions: np.ndarray,
    velocities: np.ndarray,
    bonds: np.ndarray,
    rest_lengths: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
) -> np.ndarray:
    """Compute the bond forces of ``springs.bond_forces``: k (l - l0) + d dl/dt along each bond pulls its ends together.

    Args:
        positions: (N, 3) m.
        velocities: (N, 3) m/s.
        bonds: (B, 2).
        rest_lengths: (B,) m.
        stiffness: (B,) N/m.
        damping: (B,) N s/m.

    Returns:
        (N, 3) N, the force on each node.
    """
    first, second = bonds.T
    span = positions[second] - positions[first]
    length = np.linalg.norm(span, axis=1)
    direction = span / length[:, None]
    rate = np.einsum("bi,bi->b", velocities[second] - velocities[first], direction)
    pull = (stiffness * (length - rest_lengths) + damping * rate)[:, None] * direction
    forces = np.zeros_like(positions)
    np.add.at(forces, first, pull)
    np.add.at(forces, second, -pull)
    return forces


def fitted_shares(spans: np.ndarray, start: np.ndarray, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Compute ``stiffness.fitted_shares``."""
    target = CONTRACTION[dimension]
    shares, residuals = np.tile(np.asarray(start, float), (len(spans), 1)), np.empty(len(spans))
    for cell, span in enumerate(spans):
        length = np.linalg.norm(span, axis=1)
        direction = np.divide(span, length[:, None], out=np.zeros_like(span), where=length[:, None] > 0.0)
        gram = (direction @ direction.T) ** 4
        share = shares[cell]
        share[length == 0.0] = 0.0
        for _ in range(SWEEPS):
            change = 0.0
            for row in np.flatnonzero(length):
                missing = target - gram[row] @ share + REGULARISATION * (start[row] - share[row])
                better = max(share[row] + missing / (1.0 + REGULARISATION), 0.0)
                change, share[row] = max(change, abs(better - share[row])), better
            if change < TOLERANCE:
                break
        left = share @ gram @ share - 2.0 * target * share.sum() + SQUARED_NORM[dimension]
        residuals[cell] = np.sqrt(max(left, 0.0) / SQUARED_NORM[dimension])
    return shares, residuals


def turbulence(points: np.ndarray, seed: int, wavelength: float, octaves: int) -> np.ndarray:
    """Compute ``noise.turbulence``."""
    gains = noise.GAIN ** np.arange(octaves)
    values = np.zeros(len(points))
    for octave, gain in enumerate(gains):
        scaled = np.asarray(points, float) * (2.0**octave / wavelength)
        values += gain / gains.sum() * _octave(scaled, noise._octave_seed(seed, octave))
    return values


def _octave(points: np.ndarray, seed: int) -> np.ndarray:
    base = np.floor(points)
    offset = points - base
    fade = offset**3 * (offset * (offset * 6.0 - 15.0) + 10.0)
    values = np.zeros(len(points))
    for corner in np.ndindex(2, 2, 2):
        i, j, k = (base.astype(np.int64) + corner).T
        gradient = noise._GRADIENTS[noise._hash(i, j, k, seed) % len(noise._GRADIENTS)]
        weight = np.where(corner, fade, 1.0 - fade).prod(axis=1)
        values += weight * ((offset - corner) * gradient).sum(axis=1)
    return values


def cellular(scaled: np.ndarray, seed: int) -> np.ndarray:
    """Compute ``noise.cellular`` of points over the spacing."""
    base = np.floor(scaled).astype(np.int64)
    nearest = np.full(len(scaled), np.inf)
    for step in np.ndindex(3, 3, 3):
        cube = base + np.array(step) - 1
        i, j, k = cube.T
        jitter = np.stack([noise._hash(i, j, k, 3 * seed + axis) / 0x7FFFFFFF for axis in range(3)], axis=1)
        nearest = np.minimum(nearest, ((cube + jitter - scaled) ** 2).sum(axis=1))
    return np.sqrt(nearest)


def stiffness_blocks(bonds: FullBonds) -> np.ndarray:
    """Return J^T C^-1 J (F, 12, 12) of each bond, N/m, with a third of the area at each quadrature point.

    C^-1 = G/h I + (E - G)/h n n^T + k g g^T is the traction per jump, Pa/m, with the stiffness k of fibres along g.
    ``FullBonds.add_stiffness`` adds the blocks.
    """
    jumps, shear = bonds.jumps(), bonds.shear_stiffness[:, None, None]
    along = bonds.normals[:, :, None] * bonds.normals[:, None, :]
    traction = shear * np.eye(3) + (bonds.normal_stiffness[:, None, None] - shear) * along
    if bonds.fibres is not None:
        grain = bonds.fibres.directions
        traction += bonds.fibres.stiffness[:, None, None] * grain[:, :, None] * grain[:, None, :]
    weighted = traction * (bonds.areas / 3.0)[:, None, None]
    return np.einsum("fqia,fij,fqjb->fab", jumps, weighted, jumps, optimize=True)


def burden(glue: FullGlue, factor: float = 1.0) -> np.ndarray:
    """Compute ``FullGlue.burden``."""
    displacement = factor * glue.equilibrium.displacement + glue._residual_displacement
    rows = np.arange(len(glue._alive))
    bonds = replace(glue._bonds, arms=glue._burden_arms)
    traction = bonds.traction_vectors(displacement, rows, glue._misfit)
    normal = np.einsum("fqi,fi->fq", traction, glue._bonds.normals)
    shear = np.linalg.norm(traction - normal[..., None] * glue._bonds.normals[:, None], axis=2)
    if glue._prestress is not None:
        normal = normal + glue._prestress
    pressure = -normal / glue._compression_factor[:, None]
    tension = np.where(normal > 0.0, np.sqrt(normal**2 + SHEAR_SHARE * shear**2), pressure)
    return np.where(glue._alive, tension.max(axis=1), 0.0)
