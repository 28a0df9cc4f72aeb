"""Plastic flow: plastic strain is subtracted from the total strain before the stress is computed (CACM 2000)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit, prange

from ....data.material import Material
from ..kernels.symmetric import OPTIONS


@dataclass(frozen=True)
class Flow:
    """Yield criterion. All strains are Frobenius norms of deviatoric strains.

    Attributes:
        start: Elastic strain at which the material yields.
        hardening: Increase of this strain per plastic strain.
        limit: Largest plastic strain.
    """

    start: float
    hardening: float
    limit: float


def flow_of(material: Material) -> Flow | None:
    """Return the von Mises criterion with linear hardening; ``None`` for a material that breaks before it yields.

    Args:
        material: Yield strength and hardening, Pa, and largest plastic strain.

    Returns:
        The criterion in strains.

    Notes:
        von Mises 1913; O'Brien and Hodgins 2000 (CACM) for the subtraction of plastic strain.

    Example:
        Under uniaxial tension at the yield strength, the norm of the strain deviator is Y / (sqrt(3/2) 2 G).

        >>> from dataclasses import replace
        >>> from ....data.material import PORCELAIN
        >>> metal = replace(PORCELAIN, yield_strength=10e6)
        >>> round(float(flow_of(metal).start) * 2 * metal.shear_modulus * 1.5**0.5 / 1e6, 9), flow_of(PORCELAIN)
        (10.0, None)
    """
    if material.yield_strength == 0.0:
        return None
    # The von Mises stress is sqrt(3/2) times the norm of the stress deviator, which is 2 G times the norm of the
    # elastic strain deviator. The equivalent plastic strain is sqrt(2/3) times the norm of the plastic strain.
    twice = 2.0 * material.shear_modulus
    start = material.yield_strength / (np.sqrt(1.5) * twice)
    return Flow(start, 2.0 / 3.0 * material.hardening / twice, np.sqrt(1.5) * material.plastic_limit)


@njit(cache=True, parallel=True, **OPTIONS)
def _flow_kernel(
    start: float,
    hardening: float,
    limit: float,
    position: np.ndarray,
    elements: np.ndarray,
    basis: np.ndarray,
    rows: np.ndarray,
    plastic_strain: np.ndarray,
) -> None:
    """Let the elements ``rows`` (A,) flow until they meet the yield criterion.

    The excess of the elastic strain deviator moves to ``plastic_strain`` (E, 3, 3) in its own direction. Hardening
    raises the yield strain meanwhile. The volume does not flow.
    """
    for i in prange(len(rows)):
        row = rows[i]
        a, b, c, d = elements[row, 0], elements[row, 1], elements[row, 2], elements[row, 3]
        gradient, elastic = np.empty((3, 3)), np.empty((3, 3))
        for j in range(3):
            p, q, r = (
                position[b, j] - position[a, j],
                position[c, j] - position[a, j],
                position[d, j] - position[a, j],
            )
            for k in range(3):
                gradient[j, k] = p * basis[row, 0, k] + q * basis[row, 1, k] + r * basis[row, 2, k]
        total = plastic_total = 0.0
        for j in range(3):
            for k in range(3):
                strain = 0.5 * (
                    gradient[0, j] * gradient[0, k] + gradient[1, j] * gradient[1, k] + gradient[2, j] * gradient[2, k]
                )
                elastic[j, k] = strain - (0.5 if j == k else 0.0) - plastic_strain[row, j, k]
            total += elastic[j, j] / 3.0
            plastic_total += plastic_strain[row, j, j] / 3.0
        square = plastic_square = 0.0
        for j in range(3):
            elastic[j, j] -= total
            for k in range(3):
                square += elastic[j, k] ** 2
                plastic = plastic_strain[row, j, k] - (plastic_total if j == k else 0.0)
                plastic_square += plastic**2
        size, before = np.sqrt(square), np.sqrt(plastic_square)
        excess = (size - start - hardening * before) / (1.0 + hardening)
        excess = min(excess, limit - before)
        if excess > 0.0:
            for j in range(3):
                for k in range(3):
                    plastic_strain[row, j, k] += excess / size * elastic[j, k]
