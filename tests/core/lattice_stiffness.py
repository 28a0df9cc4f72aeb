"""Stiffness of lattices."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.linalg import spsolve


def matrix(lattice):
    """Stiffness of the lattice at rest for Young's modulus 1, a sparse (3 N, 3 N) matrix."""
    first, second = lattice.bonds.T
    along = (lattice.points[second] - lattice.points[first]) / lattice.rest_lengths[:, None]
    signed = np.concatenate([-along, along], axis=1)
    blocks = lattice.stiffness[:, None, None] * signed[:, :, None] * signed[:, None, :]
    freedoms = (3 * lattice.bonds[:, :, None] + np.arange(3)).reshape(-1, 6)
    rows, columns = np.repeat(freedoms, 6, axis=1), np.tile(freedoms, (1, 6))
    return coo_array((blocks.ravel(), (rows.ravel(), columns.ravel())), shape=(3 * lattice.node_count,) * 2).tocsr()


def pulled(lattice, low, high, section):
    """Young's modulus from a pull along X between nodes beyond two planes, free to contract; and the displacements."""
    total, x = matrix(lattice), lattice.points[:, 0]
    ends = (x <= low + 1e-9) | (x >= high - 1e-9)
    held = np.zeros((lattice.node_count, 3), bool)
    held[ends, 0] = True
    strain, length = 1e-3, x[x >= high - 1e-9].min() - x[x <= low + 1e-9].max()
    moved = np.zeros((lattice.node_count, 3))
    moved[x >= high - 1e-9, 0] = strain * length
    free, flat = ~held.ravel(), moved.ravel()
    inner = total[free][:, free].tocsc()
    # What moves freely is held by a spring too soft to matter.
    inner.setdiag(inner.diagonal() + 1e-9 * inner.diagonal().mean())
    flat[free] = spsolve(inner, -(total[free][:, ~free] @ flat[~free]))
    force = (total @ flat).reshape(-1, 3)[x >= high - 1e-9, 0].sum()
    return force / strain / section, flat.reshape(-1, 3)
