"""The separation tensor: where and in what plane a node cracks (O'Brien and Hodgins 1999, section 4).

The tensor is a force. Under uniform tension sigma its largest eigenvalue is exactly sigma A, inside the body and on
free faces, where A = 1/2 sum vol |n . grad N| is the area of the node across the direction n. Divided by A it is a
tension in pascals that does not depend on the mesh.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....data.arrays import ReadOnlyArrays


@dataclass(frozen=True)
class Separation(ReadOnlyArrays):
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
    """Split symmetric stresses into their tensile and compressive parts.

    Args:
        stress: (E, 3, 3) Pa.

    Returns:
        (E, 3, 3) and (E, 3, 3) Pa. Their sum is the stress.

    Notes:
        O'Brien and Hodgins 1999, equations 28 to 30.

    Example:
        >>> tensile, compressive = split_stress(np.diag([3e6, -2e6, 0.0])[None])
        >>> tensile[0].diagonal().tolist(), compressive[0].diagonal().tolist()
        ([3000000.0, 0.0, 0.0], [0.0, -2000000.0, 0.0])
    """
    values, vectors = np.linalg.eigh(stress)
    tensile = np.einsum("eik,ek,ejk->eij", vectors, np.maximum(values, 0.0), vectors)
    return tensile, stress - tensile


def direction_metric(direction: np.ndarray, factor: np.ndarray | float) -> np.ndarray:
    """Return the metric D = 1 + (factor^-1/2 - 1) d d^T, with d the unit vector along ``direction``.

    With the separation tensor zeta, D zeta D has the tension along d divided by ``factor``.

    Args:
        direction: (..., 3) of any length.
        factor: Strength along the direction over strength across it, a number or (...,).

    Returns:
        (..., 3, 3).

    Notes:
        Own form of the anisotropic material of O'Brien and Hodgins 2000 (CACM).

    Example:
        >>> direction_metric([2.0, 0.0, 0.0], 4.0).tolist()
        [[0.5, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    unit = np.asarray(direction, float)
    unit = unit / np.linalg.norm(unit, axis=-1, keepdims=True)
    share = np.asarray(factor, float) ** -0.5 - 1.0
    return np.eye(3) + share[..., None, None] * unit[..., :, None] * unit[..., None, :]


def grain_metric(grain: np.ndarray, ratio: float) -> np.ndarray:
    """Return the metric of wood, ``ratio`` times as strong along its grain as across.

    Uniaxial tension at the angle t to the grain then breaks at s_along s_across / (s_along sin^2 t + s_across cos^2 t).
    The crack plane turns towards the grain.

    Args:
        grain: (..., 3) direction of the grain.
        ratio: Strength along the grain over strength across.

    Returns:
        (..., 3, 3).

    Notes:
        Hankinson 1921.

    Example:
        Unit tension at 45 degrees to the grain, four times as strong along as across, in units of the strength across:
        (1 / 4 + 1) / 2.

        >>> tension = np.full((2, 2), 0.5)
        >>> metric = grain_metric(np.array([1.0, 0.0, 0.0]), 4.0)[:2, :2]
        >>> round(float(np.linalg.eigvalsh(metric @ tension @ metric)[-1]), 9)
        0.625
    """
    return direction_metric(grain, ratio)


def rotated(metric: np.ndarray, gradients: np.ndarray) -> np.ndarray:
    """Rotate metrics with the material: R D R^T, with R the rotation of the deformation gradient.

    Metrics stay as they are where a gradient is not finite. The check of the positions then reports the divergence.

    Args:
        metric: D, (N, 3, 3).
        gradients: (N, 3, 3) deformation gradients.

    Returns:
        (N, 3, 3).

    Notes:
        The rotation is that of the polar decomposition (Higham 1986).

    Example:
        A body turns by a right angle about Z and grows to twice its size.

        >>> turn = 2.0 * np.array([[[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]])
        >>> rotated(np.diag([4.0, 1.0, 1.0])[None], turn)[0].diagonal().round(9).tolist()
        [1.0, 4.0, 1.0]
    """
    finite = np.isfinite(gradients).all(axis=(1, 2), keepdims=True)
    first, _, last = np.linalg.svd(np.where(finite, gradients, np.eye(3)))
    rotations = first @ last
    # An inverted element has no rotation. The reflection along its axis of least stretch is removed.
    first[..., 2] *= np.sign(np.linalg.det(rotations))[:, None]
    rotations = first @ last
    return rotations @ metric @ np.swapaxes(rotations, 1, 2)
