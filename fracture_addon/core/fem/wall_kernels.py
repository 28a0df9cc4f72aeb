"""Parallel twin of ``walls.shared_stress`` and the forces that come of it."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from .blocks import LANES, PARTS, _place
from .element_kernels import _corners, _edges, _gradient, _products, _rates, _stress
from .symmetric import FAST


@njit(cache=True, **FAST)
def _shared_forces_kernel(
    position, velocity, starts, corners, blocks, shared, stiffness, damping, law, own, means, forces
):
    """Forces on corners as of ``element_kernels._corner_forces_kernel``, where elements share stress.

    Room is needed for stresses of elements, ``own`` (B * LANES, 6), and of nodes, ``means`` (N, 6).
    """
    _own_kernel(position, velocity, blocks, stiffness, damping, law, own)
    _means_kernel(starts, corners, own, shared.given, shared.inverse, means)
    _borne_kernel(position, blocks, shared, own, means, forces)


@njit(cache=True, parallel=True, **FAST)
def _own_kernel(position, velocity, blocks, stiffness, damping, law, own):
    """Write the stresses of elements."""
    count = len(blocks.volume) // LANES
    for part in prange(PARTS):
        edges, rates = np.empty(9 * LANES), np.empty(9 * LANES)
        gradients, stresses = np.empty(9 * LANES), np.empty(6 * LANES)
        for block in range(part * count // PARTS, (part + 1) * count // PARTS):
            start = np.uintp(block * LANES)
            _edges(position, blocks.nodes, start, edges)
            _rates(velocity, blocks.nodes, start, law, rates)
            _stress(edges, rates, blocks, start, stiffness, damping, law, gradients, stresses)
            for index in range(LANES):
                lane = np.uintp(index)
                for component in range(6):
                    own[start + lane, component] = stresses[_place(component, lane)]


@njit(cache=True, parallel=True, **FAST)
def _means_kernel(starts, corners, own, given, inverse, means):
    """Write the mean stress around each node."""
    for node in prange(len(starts) - 1):
        xx = yy = zz = yz = xz = xy = 0.0
        for row in range(starts[node], starts[node + 1]):
            element = np.uintp(corners[row] >> 2)
            share = given[element]
            xx, yy, zz = xx + share * own[element, 0], yy + share * own[element, 1], zz + share * own[element, 2]
            yz, xz, xy = yz + share * own[element, 3], xz + share * own[element, 4], xy + share * own[element, 5]
        share = inverse[node]
        means[node, 0], means[node, 1], means[node, 2] = share * xx, share * yy, share * zz
        means[node, 3], means[node, 4], means[node, 5] = share * yz, share * xz, share * xy


@njit(cache=True, parallel=True, **FAST)
def _borne_kernel(position, blocks, shared, own, means, forces):
    """Write the forces of elements on their corners by the stress that they bear."""
    count = len(blocks.volume) // LANES
    for part in prange(PARTS):
        edges, products = np.empty(9 * LANES), np.empty(9 * LANES)
        gradients, stresses = np.empty(9 * LANES), np.empty(6 * LANES)
        for block in range(part * count // PARTS, (part + 1) * count // PARTS):
            start = np.uintp(block * LANES)
            _edges(position, blocks.nodes, start, edges)
            _gradients(edges, blocks.basis, start, gradients)
            _borne(shared, own, means, blocks.nodes, start, stresses)
            _products(gradients, stresses, blocks, start, products)
            _corners(products, start, forces)


@njit(cache=True, **FAST)
def _gradients(edges, basis, start, gradients):
    base = np.uintp(9) * start
    for index in range(LANES):
        lane = np.uintp(index)
        f00, f01, f02, f10, f11, f12, f20, f21, f22 = _gradient(edges, basis, base, lane)
        gradients[_place(0, lane)], gradients[_place(1, lane)], gradients[_place(2, lane)] = f00, f01, f02
        gradients[_place(3, lane)], gradients[_place(4, lane)], gradients[_place(5, lane)] = f10, f11, f12
        gradients[_place(6, lane)], gradients[_place(7, lane)], gradients[_place(8, lane)] = f20, f21, f22


@njit(cache=True, **FAST)
def _borne(shared, own, means, nodes, start, stresses):
    """Write what is left of a block's own stresses, and what is taken from their corners."""
    for index in range(LANES):
        lane = np.uintp(index)
        row = start + lane
        a, b = np.uintp(nodes[row, 0]), np.uintp(nodes[row, 1])
        c, d = np.uintp(nodes[row, 2]), np.uintp(nodes[row, 3])
        left, taken = shared.own[row], shared.taken[row]
        for component in range(6):
            around = means[a, component] + means[b, component] + means[c, component] + means[d, component]
            stresses[_place(component, lane)] = left * own[row, component] + taken * around


@njit(cache=True, **FAST)
def _supported_kernel(starts, corners, nodes, most, tension, result):
    """Write the tension (N,) of each node, or ``most`` times the largest of its neighbours where that is less."""
    for node in range(len(starts) - 1):
        largest = 0.0
        if tension[node] > 0.0:
            for row in range(starts[node], starts[node + 1]):
                for other in nodes[corners[row] >> 2]:
                    if other != node:
                        largest = max(largest, tension[other])
        result[node] = min(tension[node], most * largest)
