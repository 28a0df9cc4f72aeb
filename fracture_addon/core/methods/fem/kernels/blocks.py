"""Elements in blocks of ``LANES``, laid out for vector instructions.

Within a block, each component of all elements is contiguous: component ``k`` of element ``lane`` is at
``k * LANES + lane``, with offsets that are known at compile time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numba
import numpy as np
from numba import njit

from ..elements import Law
from ..state import Mesh
from .symmetric import OPTIONS

# Number of elements in a block: enough for vector instructions. Larger blocks are not faster.
LANES = 32
# Number of parts of loops over blocks and nodes, for any number of threads. Work arrays are created once per part, and
# sums do not depend on the number of threads. With 8 to 320 parts, fragments stay the same; rounding differs.
PARTS = 16
# Number of elements per thread from which a further thread saves time. From 100 to 20,000 all recordings keep their
# bytes.
ELEMENTS_A_THREAD = 1000
# Rows and columns of the six components of a symmetric tensor: xx yy zz yz xz xy.
SIX = ([0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1])
# Index among the six components of each entry of the full tensor.
SIX_OF = np.array([[0, 5, 4], [5, 1, 3], [4, 3, 2]])


class Blocks(NamedTuple):
    """Some elements of a mesh in B blocks; the padding of the last block has zero volume.

    Attributes:
        nodes: (B * LANES, 4) int32.
        basis: (B * 9 * LANES,) 1/m, rows of ``Store.basis``.
        plastic_strain: (B * 6 * LANES,).
        volume: (B * LANES,) m3.
        fibres: (B * 3 * LANES,) unit directions of the grain in rest space; empty without grain.
    """

    nodes: np.ndarray
    basis: np.ndarray
    plastic_strain: np.ndarray
    volume: np.ndarray
    fibres: np.ndarray


class Sharing(NamedTuple):
    """Weights of the stress that elements of thin walls share, see ``walls``; empty arrays if no element shares.

    Attributes:
        own: (B * LANES,) share of its own stress that an element uses.
        given: (B * LANES,) m3, weight of an element's stress at each of its corners.
        taken: (B * LANES,) weight of each corner's stress in an element.
        inverse: (N,) 1/m3, 1 over the sum of weights at a node.
        bias: (N, 6) Pa, subtracted from the mean stress of a node since a crack divided it: xx yy zz yz xz xy.
    """

    own: np.ndarray
    given: np.ndarray
    taken: np.ndarray
    inverse: np.ndarray
    bias: np.ndarray


def blocks_of(mesh: Mesh, rows: np.ndarray) -> Blocks:
    """Return the blocks of the elements ``rows`` (A,), in their order."""
    return Blocks(
        filled_up(mesh.elements[rows]),
        in_lanes(mesh.basis[rows].reshape(-1, 9)),
        plastic_lanes(mesh, rows),
        filled_up(mesh.volume[rows]),
        in_lanes(mesh.fibres_of(rows)),
    )


def plastic_lanes(mesh: Mesh, rows: np.ndarray) -> np.ndarray:
    """Return the (B * 6 * LANES,) plastic strain of the elements ``rows``."""
    return in_lanes(mesh.plastic_strain[rows][:, SIX[0], SIX[1]])


def filled_up(values: np.ndarray) -> np.ndarray:
    """Pad ``values`` (A, ...) with zeros to (B * LANES, ...)."""
    result = np.zeros((-(-len(values) // LANES) * LANES, *values.shape[1:]), values.dtype)
    result[: len(values)] = values
    return result


def in_lanes(values: np.ndarray) -> np.ndarray:
    """Arrange values (A, K) in blocks: (B * K * LANES,)."""
    padded = filled_up(values)
    return np.ascontiguousarray(np.swapaxes(padded.reshape(-1, LANES, values.shape[1]), 1, 2)).ravel()


def constants(law: Law) -> np.ndarray:
    """Return the (6,) constants of a law for kernels: lambda, mu (Pa), phi, psi (Pa s), those of fibres (Pa, Pa s)."""
    return np.array(
        [law.dilation, law.rigidity, law.dilation_damping, law.rigidity_damping, law.fibre, law.fibre_damping]
    )


def law_from(constants: np.ndarray, like: Law) -> Law:
    """Return the law with given constants (6,), and the density of another one."""
    dilation, rigidity, dilation_damping, rigidity_damping, fibre, fibre_damping = constants.tolist()
    return Law(
        dilation=dilation,
        rigidity=rigidity,
        dilation_damping=dilation_damping,
        rigidity_damping=rigidity_damping,
        density=like.density,
        given=like.given,
        fibre=fibre,
        fibre_damping=fibre_damping,
    )


def without_viscosity(constants: np.ndarray) -> np.ndarray:
    """Return the constants (6,) of a law without its viscosities."""
    return constants * [1.0, 1.0, 0.0, 0.0, 1.0, 0.0]


@contextmanager
def threads_for(element_count: int) -> Iterator[None]:
    """Limit the number of threads to one per ``ELEMENTS_A_THREAD`` elements; more would only wait."""
    before = numba.get_num_threads()
    numba.set_num_threads(max(1, min(before, element_count // ELEMENTS_A_THREAD)))
    try:
        yield
    finally:
        numba.set_num_threads(before)


@njit(cache=True, **OPTIONS)
def _place(component: int, lane: np.uintp) -> np.uintp:
    """Return the index of a component of an element in its block; unsigned indices need no check for negative ones."""
    return np.uintp(component * LANES) + lane
