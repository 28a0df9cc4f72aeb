"""Tension in the surface of thin walls, where bending stress is largest.

In a wall a few elements thick, the stress of a single element is mostly parasitic shear, and the separation tensor at
a node says little about the wall. The triangles of its surface, however, stretch like the wall. The tension of a
surface node is therefore the mean, over the triangles around it, of the plane stress of their stretch. Plane stress
holds because no force acts on a free surface.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from ....data.arrays import ReadOnlyArrays
from .blocks import SIX_OF
from .symmetric import OPTIONS, _largest

# Sums of a node: area, and six components of stress times area.
SUMS = 7


@dataclass(frozen=True)
class Skin(ReadOnlyArrays):
    """Tension of nodes on the surface of thin walls.

    Attributes:
        tension: (N,) Pa, largest principal stress; 0 in compression and off these surfaces.
        normal: (N, 3) its unit direction in world space.
        area: (N,) m2, three times the surface area of a node; 0 off these surfaces.
    """

    tension: np.ndarray
    normal: np.ndarray
    area: np.ndarray


@njit(cache=True, **OPTIONS)
def _skin_kernel(
    skin: np.ndarray,
    rows: np.ndarray,
    fibres: np.ndarray,
    stiffness: np.ndarray,
    law: np.ndarray,
    rest: np.ndarray,
    position: np.ndarray,
    elements: np.ndarray,
    plastic_strain: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Add area, and world stress times area, of surface triangles to the ``sums`` (N, SUMS) of their nodes."""
    plane = 2.0 * law[0] * law[1] / (law[0] + 2.0 * law[1])
    e, n, f, g = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for row in range(len(rows)):
        element = rows[row]
        for corner in range(4):
            if not (skin[element] >> corner) & 1:
                continue
            a, b = elements[element, (corner + 1) % 4], elements[element, (corner + 2) % 4]
            c = elements[element, (corner + 3) % 4]
            length = square = along = 0.0
            for k in range(3):
                e[k], n[k] = rest[b, k] - rest[a, k], rest[c, k] - rest[a, k]
                length += e[k] * e[k]
            length = np.sqrt(length)
            for k in range(3):
                e[k] /= length
                along += e[k] * n[k]
            # Orthonormal axes in the triangle's plane: e along the first edge, n across it.
            for k in range(3):
                n[k] -= along * e[k]
                square += n[k] * n[k]
            height = np.sqrt(square)
            ee = nn = en = 0.0
            for k in range(3):
                n[k] /= height
                f[k] = (position[b, k] - position[a, k]) / length
                g[k] = (position[c, k] - position[a, k] - along * f[k]) / height
                ee, nn, en = ee + f[k] * f[k], nn + g[k] * g[k], en + f[k] * g[k]
            ee, nn, en = 0.5 * (ee - 1.0), 0.5 * (nn - 1.0), 0.5 * en
            for k in range(3):
                for m in range(3):
                    frozen = plastic_strain[element, k, m]
                    ee, nn, en = ee - e[k] * frozen * e[m], nn - n[k] * frozen * n[m], en - e[k] * frozen * n[m]
            mean = plane * (ee + nn)
            area = 0.5 * length * height
            scale = area * stiffness[row]
            see, snn = scale * (mean + 2.0 * law[1] * ee), scale * (mean + 2.0 * law[1] * nn)
            sen = 2.0 * scale * law[1] * en
            if len(fibres) > 0:
                # The part of the fibres in the plane of the triangle.
                p = fibres[row, 0] * e[0] + fibres[row, 1] * e[1] + fibres[row, 2] * e[2]
                q = fibres[row, 0] * n[0] + fibres[row, 1] * n[1] + fibres[row, 2] * n[2]
                pull = scale * law[4] * (p * p * ee + q * q * nn + 2.0 * p * q * en)
                see, snn, sen = see + p * p * pull, snn + q * q * pull, sen + p * q * pull
            for node in (a, b, c):
                sums[node, 0] += area
                sums[node, 1] += see * f[0] * f[0] + snn * g[0] * g[0] + 2.0 * sen * f[0] * g[0]
                sums[node, 2] += see * f[1] * f[1] + snn * g[1] * g[1] + 2.0 * sen * f[1] * g[1]
                sums[node, 3] += see * f[2] * f[2] + snn * g[2] * g[2] + 2.0 * sen * f[2] * g[2]
                sums[node, 4] += see * f[1] * f[2] + snn * g[1] * g[2] + sen * (f[1] * g[2] + f[2] * g[1])
                sums[node, 5] += see * f[0] * f[2] + snn * g[0] * g[2] + sen * (f[0] * g[2] + f[2] * g[0])
                sums[node, 6] += see * f[0] * f[1] + snn * g[0] * g[1] + sen * (f[0] * g[1] + f[1] * g[0])


@njit(cache=True, **OPTIONS)
def _principal_kernel(sums: np.ndarray, tension: np.ndarray, normal: np.ndarray) -> None:
    """Write the largest principal stress (N,), Pa, and its direction (N, 3) from the ``sums`` (N, SUMS) of nodes."""
    for node in range(len(sums)):
        area = sums[node, 0]
        if area > 0.0:
            xx, yy, zz, yz, xz, xy = sums[node, 1:]
            largest, x, y, z = _largest(xx, yy, zz, yz, xz, xy)
            tension[node] = max(largest, 0.0) / area
            normal[node, 0], normal[node, 1], normal[node, 2] = x, y, z


def scaled(sums: np.ndarray, nodes: np.ndarray, metric: np.ndarray) -> Skin:
    """Compute the tension with metrics (K, 3, 3) of ``nodes`` (K,), see ``separation.direction_metric``.

    Args:
        sums: (N, SUMS) of all nodes.
        nodes: (K,) nodes with area.
        metric: (K, 3, 3) in world space.
    """
    stress = (sums[nodes, 1:] / sums[nodes, :1])[:, SIX_OF]
    values, vectors = np.linalg.eigh(metric @ stress @ metric)
    along = np.einsum("kij,kj->ki", metric, vectors[:, :, 2])
    tension, normal = np.zeros(len(sums)), np.zeros((len(sums), 3))
    tension[nodes] = np.maximum(values[:, 2], 0.0)
    normal[nodes] = along / np.linalg.norm(along, axis=1, keepdims=True)
    return Skin(tension, normal, sums[:, 0])
