"""Forces of joints between objects on the nodes of a mesh."""

from __future__ import annotations

import numpy as np
from numba import njit

from .symmetric import OPTIONS


@njit(cache=True, **OPTIONS)
def _pull_kernel(
    nodes: np.ndarray,
    weights: np.ndarray,
    normals: np.ndarray,
    stiffness: np.ndarray,
    holds: np.ndarray,
    position: np.ndarray,
    load: np.ndarray,
) -> None:
    """Add the forces of joints to ``load`` (N, 3) N.

    A joint is a spring between two points; the point of its second object has the weights 4 to 7, that of the first one
    0 to 3 with the opposite sign, so that the weighted sum of positions is the way from the first point to the second.

    Args:
        nodes: (J, 8) four nodes in the first object and four in the second.
        weights: (J, 8), the first four negative.
        normals: (J, 3) unit, present normals.
        stiffness: (J, 2) N/m, along the normal and across it.
        holds: (J,) bool; a broken joint only carries pressure.
        position: (N, 3) m.
        load: (N, 3) N, changed.
    """
    for joint in range(len(nodes)):
        x = y = z = 0.0
        for corner in range(8):
            node, weight = nodes[joint, corner], weights[joint, corner]
            x += weight * position[node, 0]
            y += weight * position[node, 1]
            z += weight * position[node, 2]
        a, b, c = normals[joint, 0], normals[joint, 1], normals[joint, 2]
        opening = a * x + b * y + c * z
        if opening > 0.0 and not holds[joint]:
            continue
        across = stiffness[joint, 1] if holds[joint] else 0.0
        along = (stiffness[joint, 0] - across) * opening
        x, y, z = across * x + along * a, across * y + along * b, across * z + along * c
        for corner in range(8):
            node, weight = nodes[joint, corner], weights[joint, corner]
            load[node, 0] -= weight * x
            load[node, 1] -= weight * y
            load[node, 2] -= weight * z
