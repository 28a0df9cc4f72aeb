"""Linear tetrahedra with Green strain: strain, stress, forces, energy (O'Brien and Hodgins 1999, section 3).

The paper's strain (eq. 1) is twice Green's, and its force (eq. 27) has the half that goes with that. Here both are
Green's own: E = (F^T F - 1) / 2 and the second Piola-Kirchhoff stress S = lambda tr(E) + 2 mu E, so that lambda and mu
are the Lame constants, the paper's sigma is 2 S, and a node's force is minus the gradient of the energy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.material import Material


@dataclass(frozen=True)
class Law:
    """An isotropic, linear, viscous material.

    Attributes:
        dilation: Lame's lambda, Pa.
        rigidity: Lame's mu, Pa.
        dilation_damping: The paper's phi, Pa s.
        rigidity_damping: The paper's psi, Pa s.
        density: kg/m3.
    """

    dilation: float
    rigidity: float
    dilation_damping: float
    rigidity_damping: float
    density: float

    @property
    def wave_speed(self) -> float:
        """Of longitudinal waves, the fastest there are: sqrt((lambda + 2 mu) / rho), m/s."""
        return float(np.sqrt((self.dilation + 2.0 * self.rigidity) / self.density))


def law_of(material: Material, damping_time: float = 0.0) -> Law:
    """The law of a material; its viscosity is its stiffness times ``damping_time`` (s)."""
    modulus, ratio = material.young_modulus, material.poisson_ratio
    dilation = modulus * ratio / ((1.0 + ratio) * (1.0 - 2.0 * ratio))
    rigidity = material.shear_modulus
    return Law(dilation, rigidity, dilation * damping_time, rigidity * damping_time, material.density)


def shape_gradients(basis: np.ndarray) -> np.ndarray:
    """(E, 4, 3) gradients of all four shape functions; they add up to nothing."""
    return np.concatenate([-basis.sum(axis=1, keepdims=True), basis], axis=1)


def deformation_gradients(values: np.ndarray, elements: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """(E, 3, 3) partial derivatives of nodal ``values`` (N, 3) by material coordinates (eq. 21 and 22)."""
    corners = values[elements]
    return np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2) @ basis


def strains(gradients: np.ndarray) -> np.ndarray:
    """(E, 3, 3) Green strain of (E, 3, 3) deformation gradients: half of the paper's (eq. 1)."""
    return 0.5 * (np.swapaxes(gradients, 1, 2) @ gradients - np.eye(3))


def strain_rates(gradients: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """(E, 3, 3) rate of Green strain: half of the paper's (eq. 3)."""
    product = np.swapaxes(gradients, 1, 2) @ rates
    return 0.5 * (product + np.swapaxes(product, 1, 2))


def linear_stress(strain: np.ndarray, dilation: float, rigidity: float) -> np.ndarray:
    """Lame's law (eq. 7 and 8): lambda tr(E) 1 + 2 mu E."""
    return dilation * np.trace(strain, axis1=1, axis2=2)[:, None, None] * np.eye(3) + 2.0 * rigidity * strain


def stresses(
    law: Law,
    position: np.ndarray,
    velocity: np.ndarray,
    elements: np.ndarray,
    basis: np.ndarray,
    stiffness_share: np.ndarray,
    damping_share: np.ndarray,
    plastic_strain: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Elastic and viscous stress of each element (eq. 4).

    Args:
        law: The material.
        position: (N, 3) m.
        velocity: (N, 3) m/s.
        elements: (E, 4).
        basis: (E, 3, 3) inverse rest edge matrices, 1/m (eq. 16).
        stiffness_share: (E,) factors to the law's stiffness.
        damping_share: (E,) factors to its viscosity.
        plastic_strain: (E, 3, 3) that bears no stress.

    Returns:
        (E, 3, 3) second Piola-Kirchhoff stress S, Pa; (E, 3, 3) deformation gradients F.
    """
    gradients = deformation_gradients(position, elements, basis)
    rates = strain_rates(gradients, deformation_gradients(velocity, elements, basis))
    elastic = linear_stress(strains(gradients) - plastic_strain, law.dilation, law.rigidity)
    viscous = linear_stress(rates, law.dilation_damping, law.rigidity_damping)
    return stiffness_share[:, None, None] * elastic + damping_share[:, None, None] * viscous, gradients


def corner_forces(stress: np.ndarray, gradients: np.ndarray, basis: np.ndarray, volume: np.ndarray) -> np.ndarray:
    """(E, 4, 3) forces that elements exert on their corners, N: -vol F S grad N (eq. 27, with its sign)."""
    product = gradients @ stress
    return -volume[:, None, None] * (shape_gradients(basis) @ np.swapaxes(product, 1, 2))


def node_sums(corner_values: np.ndarray, elements: np.ndarray, node_count: int) -> np.ndarray:
    """(N, 3) sums over corners of ``corner_values`` (E, 4, 3)."""
    flat = corner_values.reshape(-1, 3)
    return np.stack([np.bincount(elements.ravel(), column, node_count) for column in flat.T], axis=1)


def elastic_energy(
    law: Law,
    position: np.ndarray,
    elements: np.ndarray,
    basis: np.ndarray,
    volume: np.ndarray,
    stiffness_share: np.ndarray,
    plastic_strain: np.ndarray,
) -> float:
    """Stored energy, J: half of stress times strain over the volume (a quarter of the paper's eq. 9)."""
    strain = strains(deformation_gradients(position, elements, basis)) - plastic_strain
    stress = linear_stress(strain, law.dilation, law.rigidity)
    return 0.5 * float(np.einsum("e,e,eij,eij->", volume, stiffness_share, stress, strain))
