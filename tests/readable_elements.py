"""Readable NumPy versions of the kernels of finite elements; tests compare both."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from fracture_addon.core.methods.fem.cracks.separation import Separation
from fracture_addon.core.methods.fem.elements import (
    deformation_gradients,
    shape_gradients,
    strains,
)
from fracture_addon.core.methods.fem.materials.plasticity import Flow

# Smallest squared length of a force treated as nonzero, N2: eq. 28 has no direction for a null vector.
TINY = 1e-300


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


def flowed_with_grain(
    flow: Flow,
    fibres: np.ndarray,
    position: np.ndarray,
    elements: np.ndarray,
    basis: np.ndarray,
    plastic_strain: np.ndarray,
) -> np.ndarray:
    """Return the plastic strain (E, 3, 3) as ``flowed`` does, with ``fibres`` (E, 3) along the grain.

    A backward Euler step: the elastic strain that is left lies on the yield surface, and the plastic strain grows along
    the gradient of the yield function there.
    """
    elastic = deviators(strains(deformation_gradients(position, elements, basis)) - plastic_strain)
    before = np.linalg.norm(deviators(plastic_strain), axis=(1, 2))
    result = plastic_strain.copy()
    for row, fibre in enumerate(fibres):
        unit = np.sqrt(1.5) * (np.outer(fibre, fibre) - np.eye(3) / 3.0)
        along = (elastic[row] * unit).sum() * unit
        rest = elastic[row] - along

        def left(multiplier: float, along: np.ndarray = along, rest: np.ndarray = rest) -> np.ndarray:
            return np.stack([along / (1.0 + multiplier / flow.along**2), rest / (1.0 + multiplier)])

        def excess(multiplier: float, row: int = row, left=left) -> float:
            parts = left(multiplier)
            grown = np.linalg.norm(elastic[row] - parts.sum(axis=0))
            size = np.linalg.norm(parts[0] / flow.along + parts[1])
            return size - flow.start - flow.hardening * (before[row] + grown)

        if excess(0.0) > 0.0:
            result[row] += elastic[row] - left(brentq(excess, 0.0, 1e9, xtol=1e-14)).sum(axis=0)
    return result


def square(vector: np.ndarray) -> np.ndarray:
    """Return m(a) = a a^T / |a|, (..., 3, 3), and zero for a null vector (eq. 28)."""
    length = np.sqrt(np.maximum((vector * vector).sum(axis=-1), TINY))
    return vector[..., :, None] * vector[..., None, :] / length[..., None, None]


def separation_tensors(
    tensile: np.ndarray, compressive: np.ndarray, elements: np.ndarray, node_count: int
) -> np.ndarray:
    """Compute the separation tensor of each node (eq. 32).

    Args:
        tensile: (E, 4, 3) forces on corners from the tensile part of the stress, N.
        compressive: (E, 4, 3) forces on corners from the compressive part, N.
        elements: (E, 4).
        node_count: N.

    Returns:
        (N, 3, 3) N. A positive eigenvalue is a balanced pull.

    Notes:
        O'Brien and Hodgins 1999, equations 28 and 32. Forces are balanced where their sum is zero: only that part
        separates a node.

    Example:
        Two elements pull their common node in opposite directions with 3 N.

        >>> import numpy as np
        >>> tensile = np.zeros((2, 4, 3))
        >>> tensile[:, 0, 0] = -3.0, 3.0
        >>> elements = np.array([[0, 1, 2, 3], [0, 4, 5, 6]])
        >>> np.diag(separation_tensors(tensile, np.zeros_like(tensile), elements, 7)[0])
        array([3., 0., 0.])
    """
    result = np.zeros((node_count, 3, 3))
    np.add.at(result, elements, square(tensile) - square(compressive))
    for forces, sign in ((tensile, -1.0), (compressive, 1.0)):
        total = np.zeros((node_count, 3))
        np.add.at(total, elements, forces)
        result += sign * square(total)
    return 0.5 * result


def separation(
    tensors: np.ndarray, elements: np.ndarray, basis: np.ndarray, volume: np.ndarray, gradients: np.ndarray
) -> Separation:
    """Compute the largest eigenvalue, its direction and the area of each node.

    Args:
        tensors: (N, 3, 3) N, from ``separation_tensors``.
        elements: (E, 4).
        basis: (E, 3, 3) 1/m.
        volume: (E,) m3.
        gradients: (E, 3, 3) deformation gradients, which map directions from the material to the world.
    """
    values, vectors = np.linalg.eigh(tensors)
    normal = vectors[:, :, 2]
    in_world = shape_gradients(basis) @ np.swapaxes(gradients, 1, 2)
    across = np.abs(np.einsum("ecj,ecj->ec", in_world, normal[elements])) * (0.5 * volume)[:, None]
    area = np.bincount(elements.ravel(), across.ravel(), len(tensors))
    return Separation(np.maximum(values[:, 2], 0.0), normal, area)
