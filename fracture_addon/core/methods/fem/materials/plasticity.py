"""Plastic flow: plastic strain is subtracted from the total strain before the stress is computed (CACM 2000)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit, prange

from ....data.material import Material
from ..elements import deformation_gradients, strains
from ..kernels.symmetric import OPTIONS


@dataclass(frozen=True)
class Flow:
    """Yield criterion. Strains are Frobenius norms of deviatoric strains.

    Attributes:
        start: Elastic strain at which the material yields.
        hardening: Increase of this strain per plastic strain.
        limit: Largest plastic strain.
    """

    start: float
    hardening: float
    limit: float


def flow_of(material: Material) -> Flow | None:
    """Return the von Mises criterion with linear hardening; ``None`` for a material that breaks before it yields."""
    if material.yield_strength == 0.0:
        return None
    # The von Mises stress is sqrt(3/2) times the norm of the stress deviator, which is 2 G times the norm of the
    # elastic strain deviator. The equivalent plastic strain is sqrt(2/3) times the norm of the plastic strain.
    twice = 2.0 * material.shear_modulus
    start = material.yield_strength / (np.sqrt(1.5) * twice)
    return Flow(start, 2.0 / 3.0 * material.hardening / twice, np.sqrt(1.5) * material.plastic_limit)


def deviators(tensors: np.ndarray) -> np.ndarray:
    """Return the deviatoric part of tensors (E, 3, 3)."""
    return tensors - np.trace(tensors, axis1=1, axis2=2)[:, None, None] / 3.0 * np.eye(3)


def flowed(
    flow: Flow, position: np.ndarray, elements: np.ndarray, basis: np.ndarray, plastic_strain: np.ndarray
) -> np.ndarray:
    """Return the plastic strain of each element after it has flowed until it meets the yield criterion.

    The excess of the elastic strain deviator moves to the plastic strain in its own direction. Hardening raises the
    yield strain meanwhile. The volume does not flow.

    Args:
        flow: Yield criterion.
        position: (N, 3) m.
        elements: (E, 4).
        basis: (E, 3, 3) 1/m.
        plastic_strain: (E, 3, 3) before.

    Returns:
        (E, 3, 3).
    """
    elastic = deviators(strains(deformation_gradients(position, elements, basis)) - plastic_strain)
    size = np.linalg.norm(elastic, axis=(1, 2))
    before = np.linalg.norm(deviators(plastic_strain), axis=(1, 2))
    excess = (size - flow.start - flow.hardening * before) / (1.0 + flow.hardening)
    # At the limit the element is elastic again.
    excess = np.minimum(np.maximum(excess, 0.0), np.maximum(flow.limit - before, 0.0))
    share = np.divide(excess, size, out=np.zeros_like(size), where=size > 0.0)
    return plastic_strain + share[:, None, None] * elastic


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
    """Compute ``flowed`` for the elements ``rows`` (A,), in place in ``plastic_strain`` (E, 3, 3)."""
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
