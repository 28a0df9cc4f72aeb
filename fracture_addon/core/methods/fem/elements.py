"""Linear tetrahedra with Green strain: strain, stress, forces, energy (O'Brien and Hodgins 1999, section 3).

The strain in the paper (eq. 1) is twice Green strain, and its force (eq. 27) has the matching factor 1/2. This module
uses Green strain E = (F^T F - 1) / 2 and the second Piola-Kirchhoff stress S = lambda tr(E) + 2 mu E. Here lambda and
mu are the Lame constants. The paper's sigma is 2 S. The force on a node is minus the gradient of the energy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.material import Material


@dataclass(frozen=True)
class Law:
    """Constitutive law of an isotropic, linear, viscous material.

    Attributes:
        dilation: Lame's lambda, Pa.
        rigidity: Lame's mu (the shear modulus), Pa.
        dilation_damping: phi in the paper, Pa s.
        rigidity_damping: psi in the paper, Pa s.
        density: kg/m3.
        given: Whether the material gives the viscosities.
    """

    dilation: float
    rigidity: float
    dilation_damping: float
    rigidity_damping: float
    density: float
    given: bool = False

    @property
    def wave_speed(self) -> float:
        """Speed of longitudinal waves, sqrt((lambda + 2 mu) / rho), m/s. No other wave is faster."""
        return float(np.sqrt((self.dilation + 2.0 * self.rigidity) / self.density))


def law_of(material: Material, damping_time: float = 0.0) -> Law:
    """Return the law of a material.

    If the material gives no viscosities, they are the Lame constants times ``damping_time``, s.
    """
    dilation, rigidity = material.first_lame, material.shear_modulus
    if material.damping_time > 0.0:
        return Law(dilation, rigidity, material.dilation_damping, material.rigidity_damping, material.density, True)
    return Law(dilation, rigidity, dilation * damping_time, rigidity * damping_time, material.density)


def shape_gradients(basis: np.ndarray) -> np.ndarray:
    """Return the (E, 4, 3) gradients of the four shape functions, 1/m. Their sum is zero."""
    return np.concatenate([-basis.sum(axis=1, keepdims=True), basis], axis=1)


def deformation_gradients(values: np.ndarray, elements: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Return the (E, 3, 3) derivatives of nodal ``values`` (N, 3) by material coordinates (eq. 21 and 22)."""
    corners = values[elements]
    return np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2) @ basis


def strains(gradients: np.ndarray) -> np.ndarray:
    """Return the (E, 3, 3) Green strain of (E, 3, 3) deformation gradients: half of the paper's strain (eq. 1).

    Example:
        >>> strains(np.diag([1.1, 1.0, 1.0])[None]).round(6)[0].diagonal().tolist()
        [0.105, 0.0, 0.0]
    """
    return 0.5 * (np.swapaxes(gradients, 1, 2) @ gradients - np.eye(3))


def strain_rates(gradients: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Return the (E, 3, 3) rate of Green strain, 1/s: half of the paper's rate (eq. 3).

    Args:
        gradients: (E, 3, 3) deformation gradients.
        rates: (E, 3, 3) their rates, 1/s.
    """
    product = np.swapaxes(gradients, 1, 2) @ rates
    return 0.5 * (product + np.swapaxes(product, 1, 2))


def linear_stress(strain: np.ndarray, dilation: float, rigidity: float) -> np.ndarray:
    """Return lambda tr(E) 1 + 2 mu E (eq. 7 and 8), (E, 3, 3) Pa.

    Args:
        strain: (E, 3, 3) strain E.
        dilation: lambda, Pa.
        rigidity: mu, Pa.

    Example:
        >>> linear_stress(np.diag([0.001, 0.0, 0.0])[None], 1e9, 2e9)[0].diagonal().tolist()
        [5000000.0, 1000000.0, 1000000.0]
    """
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
    """Compute the elastic plus viscous stress of each element (eq. 4).

    Args:
        law: The material.
        position: (N, 3) m.
        velocity: (N, 3) m/s.
        elements: (E, 4).
        basis: (E, 3, 3) inverse rest edge matrices, 1/m (eq. 16).
        stiffness_share: (E,) factors on the stiffness of the law.
        damping_share: (E,) factors on the viscosity of the law.
        plastic_strain: (E, 3, 3) subtracted from the strain.

    Returns:
        (E, 3, 3) second Piola-Kirchhoff stress S, Pa; (E, 3, 3) deformation gradients F.
    """
    gradients = deformation_gradients(position, elements, basis)
    rates = strain_rates(gradients, deformation_gradients(velocity, elements, basis))
    elastic = linear_stress(strains(gradients) - plastic_strain, law.dilation, law.rigidity)
    viscous = linear_stress(rates, law.dilation_damping, law.rigidity_damping)
    return stiffness_share[:, None, None] * elastic + damping_share[:, None, None] * viscous, gradients


def corner_forces(stress: np.ndarray, gradients: np.ndarray, basis: np.ndarray, volume: np.ndarray) -> np.ndarray:
    """Return the (E, 4, 3) forces of elements on their corners, -vol F S grad N, N (eq. 27, with its sign)."""
    product = gradients @ stress
    return -volume[:, None, None] * (shape_gradients(basis) @ np.swapaxes(product, 1, 2))


def node_sums(corner_values: np.ndarray, elements: np.ndarray, node_count: int) -> np.ndarray:
    """Sum ``corner_values`` (E, 4, 3) at the nodes; the result is (N, 3)."""
    flat = corner_values.reshape(-1, 3)
    return np.stack([np.bincount(elements.ravel(), column, node_count) for column in flat.T], axis=1)
