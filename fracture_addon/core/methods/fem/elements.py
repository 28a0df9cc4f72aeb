"""Linear tetrahedra with Green strain: strain, stress, forces, energy (O'Brien and Hodgins 1999, section 3).

The strain in the paper (eq. 1) is twice Green strain, and its force (eq. 27) has the matching factor 1/2. This module
uses Green strain E = (F^T F - 1) / 2 and the second Piola-Kirchhoff stress S = lambda tr(E) + 2 mu E. Here lambda and
mu are the Lame constants. The paper's sigma is 2 S. The force on a node is minus the gradient of the energy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...data.material import Material


@dataclass(frozen=True)
class Law:
    """Constitutive law of a linear, viscous material. With grain, fibres stiffen it along one direction.

    Attributes:
        dilation: Lame's lambda, Pa.
        rigidity: Lame's mu (the shear modulus), Pa.
        dilation_damping: phi in the paper, Pa s.
        rigidity_damping: psi in the paper, Pa s.
        density: kg/m3.
        given: Whether the material gives the viscosities.
        fibre: Stiffness that the fibres add along the grain, Pa.
        fibre_damping: Viscosity that the fibres add along the grain, Pa s.
    """

    dilation: float
    rigidity: float
    dilation_damping: float
    rigidity_damping: float
    density: float
    given: bool = False
    fibre: float = 0.0
    fibre_damping: float = 0.0

    @property
    def wave_speed(self) -> float:
        """Speed of longitudinal waves along the fibres, sqrt((lambda + 2 mu + fibre) / rho), m/s. None is faster."""
        return float(np.sqrt((self.dilation + 2.0 * self.rigidity + self.fibre) / self.density))


def law_of(material: Material, damping_time: float = 0.0) -> Law:
    """Return the law of a material.

    If the material gives no viscosities, they are the stiffnesses times ``damping_time``. The Young's modulus E of a
    material with grain is that along it. Across the grain it is E over ``Material.stiffness_ratio``, and fibres add the
    rest along the grain: they resist strain in their direction alone (docs/decisions/grain.md).

    Args:
        material: Its Lame constants, Pa, viscosities, Pa s, and density, kg/m3.
        damping_time: s.

    Returns:
        The law.

    Notes:
        O'Brien and Hodgins 1999, equations 7 and 8.

    Example:
        Porcelain has a Young's modulus of 70 GPa, a Poisson's ratio of 0.22 and no viscosities: mu = E / 2 (1 + nu).

        >>> from ...data.material import PORCELAIN
        >>> law = law_of(PORCELAIN, damping_time=1e-6)
        >>> modulus = law.rigidity * 2 * (1 + PORCELAIN.poisson_ratio)
        >>> round(modulus / 1e9, 6), round(law.rigidity_damping / law.rigidity, 9)
        (70.0, 1e-06)
    """
    ratio, given = material.stiffness_ratio, material.damping_time > 0.0
    across = replace(material, young_modulus=material.young_modulus / ratio)
    fibre = material.young_modulus - across.young_modulus
    dilation, rigidity = across.first_lame, across.shear_modulus
    viscosities = dilation * damping_time, rigidity * damping_time
    if given:
        viscosities = material.dilation_damping / ratio, material.rigidity_damping / ratio
        damping_time = material.damping_time
    return Law(dilation, rigidity, *viscosities, material.density, given, fibre, fibre * damping_time)


def shape_gradients(basis: np.ndarray) -> np.ndarray:
    """Return the gradients of the four shape functions. Their sum is zero.

    Args:
        basis: (E, 3, 3) inverse rest edge matrices, 1/m.

    Returns:
        (E, 4, 3) 1/m.

    Notes:
        O'Brien and Hodgins 1999, equation 16.

    Example:
        >>> shape_gradients(np.eye(3)[None])[0].tolist()
        [[-1.0, -1.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    return np.concatenate([-basis.sum(axis=1, keepdims=True), basis], axis=1)


def deformation_gradients(values: np.ndarray, elements: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Return the derivatives of nodal values by material coordinates.

    Args:
        values: (N, 3) positions, m, or velocities, m/s.
        elements: (E, 4) nodes.
        basis: (E, 3, 3) inverse rest edge matrices, 1/m.

    Returns:
        (E, 3, 3) deformation gradients, or their rates, 1/s.

    Notes:
        O'Brien and Hodgins 1999, equations 21 and 22.

    Example:
        A tetrahedron with unit edges is twice as long along X.

        >>> corners = np.array([[0.0, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> deformation_gradients(corners, np.array([[0, 1, 2, 3]]), np.eye(3)[None])[0].tolist()
        [[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    corners = values[elements]
    return np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2) @ basis


def strains(gradients: np.ndarray) -> np.ndarray:
    """Return Green strain: half of the printed strain.

    Args:
        gradients: (E, 3, 3) deformation gradients.

    Returns:
        (E, 3, 3) (F^T F - 1) / 2.

    Notes:
        O'Brien and Hodgins 1999, equation 1.

    Example:
        A stretch of 10 % along X: (1.1^2 - 1) / 2.

        >>> strains(np.diag([1.1, 1.0, 1.0])[None]).round(6)[0].diagonal().tolist()
        [0.105, 0.0, 0.0]
    """
    return 0.5 * (np.swapaxes(gradients, 1, 2) @ gradients - np.eye(3))


def strain_rates(gradients: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Return the rate of Green strain: half of the printed rate.

    Args:
        gradients: (E, 3, 3) deformation gradients.
        rates: (E, 3, 3) their rates, 1/s.

    Returns:
        (E, 3, 3) 1/s.

    Notes:
        O'Brien and Hodgins 1999, equation 3.

    Example:
        A body that rotates has no strain rate; one that doubles its length in 1 s has 1/s.

        >>> spin, growth = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 0]]), np.diag([1.0, 0, 0])
        >>> rates = strain_rates(np.stack([np.eye(3)] * 2), np.stack([spin, growth]))
        >>> bool(rates[0].any()), rates[1].diagonal().tolist()
        (False, [1.0, 0.0, 0.0])
    """
    product = np.swapaxes(gradients, 1, 2) @ rates
    return 0.5 * (product + np.swapaxes(product, 1, 2))


def linear_stress(strain: np.ndarray, dilation: float, rigidity: float) -> np.ndarray:
    """Return lambda tr(E) 1 + 2 mu E.

    Args:
        strain: (E, 3, 3) strain E, or its rate, 1/s.
        dilation: lambda, Pa, or phi, Pa s.
        rigidity: mu, Pa, or psi, Pa s.

    Returns:
        (E, 3, 3) Pa.

    Notes:
        O'Brien and Hodgins 1999, equations 7 and 8.

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
    fibres: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the elastic plus viscous stress of each element.

    Args:
        law: The material.
        position: (N, 3) m.
        velocity: (N, 3) m/s.
        elements: (E, 4).
        basis: (E, 3, 3) inverse rest edge matrices, 1/m.
        stiffness_share: (E,) factors on the stiffness of the law.
        damping_share: (E,) factors on the viscosity of the law.
        plastic_strain: (E, 3, 3) subtracted from the strain.
        fibres: (E, 3) unit directions of the grain in rest space; ``None`` or (0, 3) without grain.

    Returns:
        (E, 3, 3) second Piola-Kirchhoff stress S, Pa; (E, 3, 3) deformation gradients F.

    Notes:
        O'Brien and Hodgins 1999, equation 4; O'Brien and Hodgins 2000 (CACM) for the plastic strain.

    Example:
        A tetrahedron is stretched by 10 % along X: 0.105 (lambda + 2 mu) with lambda = mu = 1 GPa.

        >>> corners, law = np.array([[0.0, 0, 0], [1.1, 0, 0], [0, 1, 0], [0, 0, 1]]), Law(1e9, 1e9, 0.0, 0.0, 1.0)
        >>> element = np.array([[0, 1, 2, 3]]), np.eye(3)[None], np.ones(1), np.ones(1), np.zeros((1, 3, 3))
        >>> stress, _ = stresses(law, corners, 0.0 * corners, *element)
        >>> (stress[0].diagonal() / 1e6).round(6).tolist()
        [315.0, 105.0, 105.0]
    """
    gradients = deformation_gradients(position, elements, basis)
    rates = strain_rates(gradients, deformation_gradients(velocity, elements, basis))
    strain = strains(gradients) - plastic_strain
    elastic = linear_stress(strain, law.dilation, law.rigidity)
    viscous = linear_stress(rates, law.dilation_damping, law.rigidity_damping)
    if fibres is not None and len(fibres):
        along = fibres[:, :, None] * fibres[:, None, :]
        elastic += law.fibre * np.einsum("eij,eij->e", along, strain)[:, None, None] * along
        viscous += law.fibre_damping * np.einsum("eij,eij->e", along, rates)[:, None, None] * along
    return stiffness_share[:, None, None] * elastic + damping_share[:, None, None] * viscous, gradients


def elastic_energy(
    law: Law,
    position: np.ndarray,
    elements: np.ndarray,
    basis: np.ndarray,
    volume: np.ndarray,
    stiffness_share: np.ndarray,
    plastic_strain: np.ndarray,
    fibres: np.ndarray | None = None,
) -> float:
    """Compute the elastic energy of elements: half of stress times strain, over the volume.

    Args:
        law: The material.
        position: (N, 3) m.
        elements: (E, 4).
        basis: (E, 3, 3) inverse rest edge matrices, 1/m.
        volume: (E,) m3, at rest.
        stiffness_share: (E,) factors on the stiffness of the law.
        plastic_strain: (E, 3, 3) subtracted from the strain.
        fibres: (E, 3) unit directions of the grain in rest space; ``None`` or (0, 3) without grain.

    Returns:
        J.

    Notes:
        O'Brien and Hodgins 1999, a quarter of equation 9, because their strain and stress are twice these.

    Example:
        A tetrahedron of 1/6 m3 is stretched by 10 % along X: 0.105^2 (lambda / 2 + mu) / 6 with lambda = mu = 1 GPa.

        >>> corners, law = np.array([[0.0, 0, 0], [1.1, 0, 0], [0, 1, 0], [0, 0, 1]]), Law(1e9, 1e9, 0.0, 0.0, 1.0)
        >>> element = np.array([[0, 1, 2, 3]]), np.eye(3)[None], np.full(1, 1 / 6), np.ones(1), np.zeros((1, 3, 3))
        >>> round(elastic_energy(law, corners, *element) / 1e3, 3)
        2756.25
    """
    strain = strains(deformation_gradients(position, elements, basis)) - plastic_strain
    density = np.einsum("eij,eij->e", linear_stress(strain, law.dilation, law.rigidity), strain)
    if fibres is not None and len(fibres):
        density += law.fibre * np.einsum("ei,eij,ej->e", fibres, strain, fibres) ** 2
    return 0.5 * float(np.einsum("e,e,e->", volume, stiffness_share, density))


def corner_forces(stress: np.ndarray, gradients: np.ndarray, basis: np.ndarray, volume: np.ndarray) -> np.ndarray:
    """Return the forces of elements on their corners, -vol F S grad N.

    Args:
        stress: S, (E, 3, 3) Pa.
        gradients: F, (E, 3, 3).
        basis: (E, 3, 3) inverse rest edge matrices, 1/m.
        volume: (E,) m3, at rest.

    Returns:
        (E, 4, 3) N.

    Notes:
        O'Brien and Hodgins 1999, equations 24 to 27, with their sign.

    Example:
        Tension of 6 Pa along X in a tetrahedron of 1/6 m3 pulls its far corner back with 1 N.

        >>> forces = corner_forces(np.diag([6.0, 0, 0])[None], np.eye(3)[None], np.eye(3)[None], np.full(1, 1 / 6))
        >>> (forces[0, :, 0] + 0.0).tolist()
        [1.0, -1.0, 0.0, 0.0]
    """
    product = gradients @ stress
    return -volume[:, None, None] * (shape_gradients(basis) @ np.swapaxes(product, 1, 2))


def node_sums(corner_values: np.ndarray, elements: np.ndarray, node_count: int) -> np.ndarray:
    """Sum values of corners at the nodes.

    Args:
        corner_values: (E, 4, 3).
        elements: (E, 4) nodes.
        node_count: N.

    Returns:
        (N, 3).

    Example:
        >>> node_sums(np.ones((2, 4, 3)), np.array([[0, 1, 2, 3], [1, 2, 3, 4]]), 5)[:, 0].tolist()
        [1.0, 2.0, 2.0, 2.0, 1.0]
    """
    flat = corner_values.reshape(-1, 3)
    return np.stack([np.bincount(elements.ravel(), column, node_count) for column in flat.T], axis=1)
