"""Elements in blocks of ``LANES``, laid out so that compiled loops work on several of them at once.

Within a block a quantity of all its elements is one after another: entry ``lane`` of component ``k`` is at
``k * LANES + lane``, with offsets that the compiler knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numba
import numpy as np
from numba import njit

from ..elements import Law
from ..mesh import Mesh
from .symmetric import FAST

# Enough that compilers take the trouble; more gain nothing.
LANES = 32
# Loops over blocks and nodes are divided into so many parts, whatever the number of threads: what each thread needs for
# itself is made a few times instead of once a block, and sums over parts are the same with any number of them.
PARTS = 16
# Another thread is worth waiting for from so many elements on; what comes of it is the same.
ELEMENTS_A_THREAD = 1000
# Components of a symmetric tensor in a block: xx yy zz yz xz xy.
SIX = ([0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1])
# Where the entries of the whole tensor are among them.
SIX_OF = np.array([[0, 5, 4], [5, 1, 3], [4, 3, 2]])


class Blocks(NamedTuple):
    """Some elements of a mesh, B blocks in all; what fills up the last one has no volume.

    Attributes:
        nodes: (B * LANES, 4) int32.
        basis: (B * 9 * LANES,) 1/m, rows of ``Store.basis``.
        plastic_strain: (B * 6 * LANES,).
        volume: (B * LANES,) m3.
    """

    nodes: np.ndarray
    basis: np.ndarray
    plastic_strain: np.ndarray
    volume: np.ndarray


def blocks_of(mesh: Mesh, rows: np.ndarray) -> Blocks:
    """The elements ``rows`` (A,), in their order."""
    return Blocks(
        filled_up(mesh.elements[rows]),
        in_lanes(mesh.basis[rows].reshape(-1, 9)),
        plastic_lanes(mesh, rows),
        filled_up(mesh.volume[rows]),
    )


def plastic_lanes(mesh: Mesh, rows: np.ndarray) -> np.ndarray:
    """(B * 6 * LANES,) plastic strain of the elements ``rows``."""
    return in_lanes(mesh.plastic_strain[rows][:, SIX[0], SIX[1]])


def filled_up(values: np.ndarray) -> np.ndarray:
    """(B * LANES, ...) with nothing in the rows beyond those of ``values`` (A, ...)."""
    result = np.zeros((-(-len(values) // LANES) * LANES, *values.shape[1:]), values.dtype)
    result[: len(values)] = values
    return result


def in_lanes(values: np.ndarray) -> np.ndarray:
    """(B * K * LANES,) from (A, K)."""
    padded = filled_up(values)
    return np.ascontiguousarray(np.swapaxes(padded.reshape(-1, LANES, values.shape[1]), 1, 2)).ravel()


def constants(law: Law) -> np.ndarray:
    """(4,) the numbers of a law, for kernels."""
    return np.array([law.dilation, law.rigidity, law.dilation_damping, law.rigidity_damping])


@contextmanager
def threads_for(element_count: int) -> Iterator[None]:
    """No more threads than there is work for: waiting for one another takes longer."""
    most = numba.get_num_threads()
    numba.set_num_threads(max(1, min(most, element_count // ELEMENTS_A_THREAD)))
    try:
        yield
    finally:
        numba.set_num_threads(most)


@njit(cache=True, **FAST)
def _place(component, lane):
    """Where a component of an element is in its block; unsigned, which spares checks for counting from the end."""
    return np.uintp(component * LANES) + lane
