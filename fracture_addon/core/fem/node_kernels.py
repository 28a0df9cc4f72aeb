"""Flat, parallel passes over nodes: the separation tensor and the leapfrog step, gathered from corners of elements."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .blocks import LANES
from .element_kernels import _corner_forces_kernel, _inverse_length
from .symmetric import FAST, _largest


@njit(cache=True, **FAST)
def corner_rows(elements, rows, node_count):
    """Corners around each node, in rising order.

    Args:
        elements: (E, 4).
        rows: (A,) elements that count.
        node_count: N.

    Returns:
        (N + 1,) starts; (4 A,) corners ``4 * i + k`` of element ``rows[i]``.
    """
    starts = np.zeros(node_count + 1, np.int64)
    for i in range(len(rows)):
        for k in range(4):
            starts[elements[rows[i], k] + 1] += 1
    for node in range(node_count):
        starts[node + 1] += starts[node]
    fill = starts[:-1].copy()
    corners = np.empty(4 * len(rows), np.int64)
    for i in range(len(rows)):
        for k in range(4):
            node = elements[rows[i], k]
            corners[fill[node]] = 4 * i + k
            fill[node] += 1
    return starts, corners


@njit(cache=True, **FAST)
def _suspects_kernel(starts, corners, sizes, least):
    """Nodes with an element around them whose stress is at least ``least[node]``, and the blocks of their elements."""
    nodes, blocks = np.empty(len(starts) - 1, np.int64), np.empty(len(sizes) // LANES, np.int64)
    wanted = np.zeros(len(blocks), np.bool_)
    node_count = block_count = 0
    for node in range(len(starts) - 1):
        largest = 0.0
        for row in range(starts[node], starts[node + 1]):
            largest = max(largest, sizes[corners[row] >> 2])
        if largest > least[node]:
            nodes[node_count] = node
            node_count += 1
            for row in range(starts[node], starts[node + 1]):
                wanted[(corners[row] >> 2) // LANES] = True
    for block in range(len(blocks)):
        if wanted[block]:
            blocks[block_count] = block
            block_count += 1
    return nodes[:node_count], blocks[:block_count]


@njit(cache=True, parallel=True, **FAST)
def _separation_kernel(starts, corners, nodes, tensile, compressive, areas, metric, value, normal, area):
    """Largest eigenvalue, its direction and area of each of ``nodes``; see ``separation.separation``.

    ``metric`` (K, 3, 3) is applied on both sides of the tensors, see ``separation.direction_metric``.
    """
    for j in prange(len(nodes)):
        node = nodes[j]
        xx = yy = zz = yz = xz = xy = 0.0
        px = py = pz = cx = cy = cz = 0.0
        for row in range(starts[node], starts[node + 1]):
            corner = np.uintp(corners[row])
            x, y, z, s = tensile[corner, 0], tensile[corner, 1], tensile[corner, 2], tensile[corner, 3]
            u, v, w = compressive[corner, 0], compressive[corner, 1], compressive[corner, 2]
            t = -compressive[corner, 3]
            px, py, pz, cx, cy, cz = px + x, py + y, pz + z, cx + u, cy + v, cz + w
            xx, yy, zz = xx + s * x * x + t * u * u, yy + s * y * y + t * v * v, zz + s * z * z + t * w * w
            yz, xz, xy = yz + s * y * z + t * v * w, xz + s * x * z + t * u * w, xy + s * x * y + t * u * v
        s, t = -_inverse_length(px, py, pz), _inverse_length(cx, cy, cz)
        xx, yy, zz = xx + s * px * px + t * cx * cx, yy + s * py * py + t * cy * cy, zz + s * pz * pz + t * cz * cz
        yz, xz, xy = yz + s * py * pz + t * cy * cz, xz + s * px * pz + t * cx * cz, xy + s * px * py + t * cx * cy
        a, b, c = metric[j, 0], metric[j, 1], metric[j, 2]
        r00, r01, r02 = (
            a[0] * xx + a[1] * xy + a[2] * xz,
            a[0] * xy + a[1] * yy + a[2] * yz,
            a[0] * xz + a[1] * yz + a[2] * zz,
        )
        r10, r11, r12 = (
            b[0] * xx + b[1] * xy + b[2] * xz,
            b[0] * xy + b[1] * yy + b[2] * yz,
            b[0] * xz + b[1] * yz + b[2] * zz,
        )
        r20, r21, r22 = (
            c[0] * xx + c[1] * xy + c[2] * xz,
            c[0] * xy + c[1] * yy + c[2] * yz,
            c[0] * xz + c[1] * yz + c[2] * zz,
        )
        largest, x, y, z = _largest(
            r00 * a[0] + r01 * a[1] + r02 * a[2],
            r10 * b[0] + r11 * b[1] + r12 * b[2],
            r20 * c[0] + r21 * c[1] + r22 * c[2],
            r10 * c[0] + r11 * c[1] + r12 * c[2],
            r00 * c[0] + r01 * c[1] + r02 * c[2],
            r00 * b[0] + r01 * b[1] + r02 * b[2],
        )
        x, y, z = (
            a[0] * x + b[0] * y + c[0] * z,
            a[1] * x + b[1] * y + c[1] * z,
            a[2] * x + b[2] * y + c[2] * z,
        )
        scale = _inverse_length(x, y, z)
        normal[node, 0], normal[node, 1], normal[node, 2] = scale * x, scale * y, scale * z
        x, y, z = scale * x, scale * y, scale * z
        total = 0.0
        for row in range(starts[node], starts[node + 1]):
            corner = np.uintp(corners[row])
            total += abs(x * areas[corner, 0] + y * areas[corner, 1] + z * areas[corner, 2])
        value[node] = max(0.5 * largest, 0.0)
        area[node] = total


@njit(cache=True, parallel=True, **FAST)
def _advance_kernel(starts, corners, forces, load, amplitude, mass, dt, most_speed, position, velocity):
    """A leapfrog step of each node under its corners' ``forces`` and ``amplitude`` times its ``load`` (N, 3)."""
    for node in prange(len(starts) - 1):
        if mass[node] > 0.0:
            x, y, z = amplitude * load[node, 0], amplitude * load[node, 1], amplitude * load[node, 2]
            for row in range(starts[node], starts[node + 1]):
                corner = np.uintp(corners[row])
                x, y, z = (
                    x + forces[corner, 0],
                    y + forces[corner, 1],
                    z + forces[corner, 2],
                )
            scale = dt / mass[node]
            velocity[node, 0] += scale * x
            velocity[node, 1] += scale * y
            velocity[node, 2] += scale * z
            u, v, w = velocity[node, 0], velocity[node, 1], velocity[node, 2]
            squared = u * u + v * v + w * w
            if squared > most_speed * most_speed:
                scale = most_speed / np.sqrt(squared)
                velocity[node, 0], velocity[node, 1], velocity[node, 2] = scale * u, scale * v, scale * w
            position[node, 0] += dt * velocity[node, 0]
            position[node, 1] += dt * velocity[node, 1]
            position[node, 2] += dt * velocity[node, 2]


@njit(cache=True, **FAST)
def _leapfrog_kernel(
    starts, corners, blocks, stiffness, damping, law, mass, load, amplitudes, dt, most_speed, forces, position, velocity
):
    """As many leapfrog steps as there are ``amplitudes``."""
    for amplitude in amplitudes:
        _corner_forces_kernel(position, velocity, blocks, stiffness, damping, law, forces)
        _advance_kernel(
            starts, corners, forces.reshape((-1, 3)), load, amplitude, mass, dt, most_speed, position, velocity
        )
