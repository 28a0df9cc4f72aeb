"""The separation tensor: where and in what plane a node cracks (O'Brien and Hodgins 1999, section 4).

The tensor is a force. Under uniform tension sigma its largest eigenvalue is exactly sigma A, inside the body and on
free faces, where A = 1/2 sum vol |n . grad N| is the area of the node across the direction n. Divided by A it is a
tension in pascals that does not depend on the mesh.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..elements import shape_gradients

# Smallest squared length of a force treated as nonzero, N2: eq. 28 has no direction for a null vector.
TINY = 1e-300


@dataclass(frozen=True)
class Separation:
    """Largest eigenvalue of the separation tensor of each node.

    Attributes:
        force: (N,) N, largest eigenvalue.
        normal: (N, 3) its unit eigenvector in world space, the normal of the crack plane.
        area: (N,) m2, area of the node across that direction.
    """

    force: np.ndarray
    normal: np.ndarray
    area: np.ndarray

    def tension(self, area_floor: float | np.ndarray) -> np.ndarray:
        """Return the (N,) tension in Pa.

        Args:
            area_floor: Smallest area, m2, a number or (N,). Without it slivers would start cracks.
        """
        return self.force / np.maximum(self.area, area_floor)


def split_stress(stress: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split symmetric stresses (E, 3, 3) into their tensile and compressive parts, (E, 3, 3) each (eq. 29 and 30)."""
    values, vectors = np.linalg.eigh(stress)
    tensile = np.einsum("eik,ek,ejk->eij", vectors, np.maximum(values, 0.0), vectors)
    return tensile, stress - tensile


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


def direction_metric(direction: np.ndarray, factor: np.ndarray | float) -> np.ndarray:
    """Return D = 1 + (factor^-1/2 - 1) d d^T, (..., 3, 3): D zeta D counts tension along d as 1 / factor of it.

    Args:
        direction: (..., 3) of any length.
        factor: Strength along the direction over strength across it, a number or (...,).
    """
    unit = np.asarray(direction, float)
    unit = unit / np.linalg.norm(unit, axis=-1, keepdims=True)
    share = np.asarray(factor, float) ** -0.5 - 1.0
    return np.eye(3) + share[..., None, None] * unit[..., :, None] * unit[..., None, :]


def grain_metric(grain: np.ndarray, ratio: float) -> np.ndarray:
    """Return the (..., 3, 3) metric of wood with its grain along (..., 3), ``ratio`` times as strong along as across.

    Uniaxial tension at the angle t to the grain then breaks at s_along s_across / (s_along sin^2 t + s_across cos^2 t),
    which is Hankinson's rule. The crack plane turns towards the grain.
    """
    return direction_metric(grain, ratio)


def rotated(metric: np.ndarray, gradients: np.ndarray) -> np.ndarray:
    """Rotate metrics (N, 3, 3) with the material: R D R^T, with R the rotation of deformation gradients (N, 3, 3).

    Metrics stay as they are where a gradient is not finite. The check of the positions then reports the divergence.
    """
    finite = np.isfinite(gradients).all(axis=(1, 2), keepdims=True)
    first, _, last = np.linalg.svd(np.where(finite, gradients, np.eye(3)))
    rotations = first @ last
    # An inverted element has no rotation. The reflection along its axis of least stretch is removed.
    first[..., 2] *= np.sign(np.linalg.det(rotations))[:, None]
    rotations = first @ last
    return rotations @ metric @ np.swapaxes(rotations, 1, 2)
