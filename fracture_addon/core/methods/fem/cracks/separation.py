"""Where and in what plane a node comes apart: the separation tensor (O'Brien and Hodgins 1999, section 4).

The tensor is a force, and under uniform tension sigma exactly sigma times the area that a node stands for across it,
A = 1/2 sum vol |n . grad N|, inside and on free faces. Divided by that area its largest eigenvalue is a tension in
pascals, which does not depend on the mesh.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..elements import shape_gradients

# Smallest eigenvalue of a force's square that is told from nothing: eq. 28 has no direction for a null vector.
TINY = 1e-300


@dataclass(frozen=True)
class Separation:
    """What pulls at each node.

    Attributes:
        force: (N,) N, largest eigenvalue of the separation tensor.
        normal: (N, 3) its direction, unit, in the world: across the crack's plane.
        area: (N,) m2 that the node stands for across that direction.
    """

    force: np.ndarray
    normal: np.ndarray
    area: np.ndarray

    def tension(self, area_floor) -> np.ndarray:
        """(N,) Pa; areas below ``area_floor`` (a number or (N,) m2) count as that, lest slivers breed cracks."""
        return self.force / np.maximum(self.area, area_floor)


def split_stress(stress: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Tensile and compressive parts (E, 3, 3) of symmetric stresses (eq. 29 and 30)."""
    values, vectors = np.linalg.eigh(stress)
    tensile = np.einsum("eik,ek,ejk->eij", vectors, np.maximum(values, 0.0), vectors)
    return tensile, stress - tensile


def square(vector: np.ndarray) -> np.ndarray:
    """(..., 3, 3) m(a) = a a^T / |a|, nothing for a null vector (eq. 28)."""
    length = np.sqrt(np.maximum((vector * vector).sum(axis=-1), TINY))
    return vector[..., :, None] * vector[..., None, :] / length[..., None, None]


def separation_tensors(
    tensile: np.ndarray, compressive: np.ndarray, elements: np.ndarray, node_count: int
) -> np.ndarray:
    """Separation tensor of each node (eq. 32).

    Args:
        tensile: (E, 4, 3) forces on corners by the tensile part of the stress, N.
        compressive: (E, 4, 3) by the other part.
        elements: (E, 4).
        node_count: N.

    Returns:
        (N, 3, 3) N. A positive eigenvalue is a pull that other pulls balance.
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
    """Largest eigenvalue, direction and area of each node.

    Args:
        tensors: (N, 3, 3) from ``separation_tensors``.
        elements: (E, 4).
        basis: (E, 3, 3) 1/m.
        volume: (E,) m3.
        gradients: (E, 3, 3) deformation gradients, which carry directions from the material to the world.
    """
    values, vectors = np.linalg.eigh(tensors)
    normal = vectors[:, :, 2]
    carried = shape_gradients(basis) @ np.swapaxes(gradients, 1, 2)
    across = np.abs(np.einsum("ecj,ecj->ec", carried, normal[elements])) * (0.5 * volume)[:, None]
    area = np.bincount(elements.ravel(), across.ravel(), len(tensors))
    return Separation(np.maximum(values[:, 2], 0.0), normal, area)


def direction_metric(direction: np.ndarray, factor: np.ndarray | float) -> np.ndarray:
    """(..., 3, 3) D = 1 + (factor^-1/2 - 1) d d^T: D zeta D counts tension along d for 1 / factor of it.

    Args:
        direction: (..., 3) of any length.
        factor: Strength along it over strength across it, a number or (...,).
    """
    unit = np.asarray(direction, float)
    unit = unit / np.linalg.norm(unit, axis=-1, keepdims=True)
    share = np.asarray(factor, float) ** -0.5 - 1.0
    return np.eye(3) + share[..., None, None] * unit[..., :, None] * unit[..., None, :]


def grain_metric(grain: np.ndarray, ratio: float) -> np.ndarray:
    """(..., 3, 3) metric of a grain (..., 3), which is ``ratio`` times as strong as what is across it.

    Uniaxial tension at the angle t to the grain then breaks at s_along s_across / (s_along sin^2 t + s_across cos^2 t),
    which is Hankinson's rule, and the plane leans towards the grain.
    """
    return direction_metric(grain, ratio)


def carried(metric: np.ndarray, gradients: np.ndarray) -> np.ndarray:
    """(N, 3, 3) metrics turned with the material, R D R^T, by the rotations in its deformation gradients (N, 3, 3)."""
    first, _, last = np.linalg.svd(gradients)
    rotations = first @ last
    # What is turned inside out has no rotation; the reflection along its weakest axis is taken back.
    first[..., 2] *= np.sign(np.linalg.det(rotations))[:, None]
    rotations = first @ last
    return rotations @ metric @ np.swapaxes(rotations, 1, 2)
