"""The rest state of a lattice: point masses joined by springs, grouped in cells."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...data.arrays import frozen


@dataclass(frozen=True)
class Lattice:
    """The rest state of particles, ropes, sheets and solids.

    Attributes:
        points: (N, 3) m, rest positions of the nodes.
        volumes: (N,) m3, the volume that each node represents.
        bonds: (B, 2) int32, the two nodes of each bond, the smaller first. Rows are sorted by first and second node.
        rest_lengths: (B,) m.
        stiffness: (B,) m, spring constant over Young's modulus.
        cells: (K, W) int32, nodes of each cell: 8 of a cube, 4 of a tetrahedron or a quad, 2 of a rope segment. Where
            parts of several kinds are joined, shorter rows end with -1. A wedge repeats nodes.
        cell_bonds: (L,) int32, rows of ``bonds``, cell after cell. The bonds of cell k start at ``cell_starts[k]``.
        cell_starts: (K + 1,) int32.
        part_starts: (S + 1,) int32, first node of each part. A part is a range of nodes. Bonds and cells belong to the
            part of their smallest node, and so are ranges too.
        part_dimensions: (S,) int32, 1 for a rope, 2 for a sheet, 3 for a solid. By default every part is a solid.
    """

    points: np.ndarray
    volumes: np.ndarray
    bonds: np.ndarray
    rest_lengths: np.ndarray
    stiffness: np.ndarray
    cells: np.ndarray
    cell_bonds: np.ndarray
    cell_starts: np.ndarray
    part_starts: np.ndarray
    part_dimensions: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))

    def __post_init__(self) -> None:
        if not len(self.part_dimensions):
            object.__setattr__(self, "part_dimensions", np.full(len(self.part_starts) - 1, 3))
        float_shapes = {"points": (-1, 3), "volumes": (-1,), "rest_lengths": (-1,), "stiffness": (-1,)}
        for name, shape in float_shapes.items():
            object.__setattr__(self, name, frozen(getattr(self, name), np.float64, *shape))
        integer_shapes = {
            "bonds": (-1, 2),
            "cell_bonds": (-1,),
            "cell_starts": (-1,),
            "part_starts": (-1,),
            "part_dimensions": (-1,),
        }
        for name, shape in integer_shapes.items():
            object.__setattr__(self, name, frozen(getattr(self, name), np.int32, *shape))
        object.__setattr__(self, "cells", frozen(self.cells, np.int32, -1, np.shape(self.cells)[-1]))

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.points)

    @property
    def bond_count(self) -> int:
        """Number of bonds."""
        return len(self.bonds)


def bond_cells(cell_bonds: np.ndarray, cell_starts: np.ndarray, bond_count: int) -> tuple[np.ndarray, np.ndarray]:
    """List the cells of each bond.

    Args:
        cell_bonds: (L,) int32, see ``Lattice``.
        cell_starts: (K + 1,) int32, see ``Lattice``.
        bond_count: B.

    Returns:
        (L,) int32, the cells of all bonds, bond after bond, and (B + 1,) int32, the first row of each bond.

    Example:
        Cell 0 has the bonds 0 and 1, cell 1 the bonds 1 and 2.

        >>> [rows.tolist() for rows in bond_cells(np.array([0, 1, 1, 2]), np.array([0, 2, 4]), 3)]
        [[0, 0, 1, 1], [0, 1, 3, 4]]
    """
    owners = np.repeat(np.arange(len(cell_starts) - 1, dtype=np.int32), np.diff(cell_starts))
    order = np.argsort(cell_bonds, kind="stable")
    return owners[order], np.searchsorted(cell_bonds[order], np.arange(bond_count + 1)).astype(np.int32)
