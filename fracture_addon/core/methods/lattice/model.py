"""Point masses joined by springs, in cells: what stays the same while a lattice moves and breaks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.arrays import frozen


@dataclass(frozen=True)
class Lattice:
    """The rest state of particles, ropes, sheets and solids alike.

    Attributes:
        points: (N, 3) m, of the nodes at rest.
        volumes: (N,) m3 that each node stands for.
        bonds: (B, 2) int32, nodes of a bond, the smaller first; sorted by first and second node.
        rest_lengths: (B,) m.
        stiffness: (B,) m, spring constant over Young's modulus.
        cells: (K, W) int32, nodes of a cell: 8 of a cube, 4 of a tetrahedron or a quad, 2 of a rope's segment; the
            rest -1 where parts of several kinds are joined. A wedge repeats nodes.
        cell_bonds: (L,) int32 rows of ``bonds``, cell after cell; those of cell k start at ``cell_starts[k]``.
        cell_starts: (K + 1,) int32.
        part_starts: (S + 1,) int32, first node of each sub-object: a range each. Bonds and cells belong to the part of
            their smallest node, and are ranges too.
        part_dimensions: (S,) int32, 1 of a rope, 2 of a sheet, 3 of a solid; 3 where nothing is said.
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
    part_dimensions: np.ndarray | None = None

    def __post_init__(self):
        if self.part_dimensions is None:
            object.__setattr__(self, "part_dimensions", np.full(len(self.part_starts) - 1, 3))
        shapes = {"points": (-1, 3), "volumes": (-1,), "rest_lengths": (-1,), "stiffness": (-1,)}
        for name, shape in shapes.items():
            object.__setattr__(self, name, frozen(getattr(self, name), np.float64, *shape))
        shapes = {
            "bonds": (-1, 2),
            "cell_bonds": (-1,),
            "cell_starts": (-1,),
            "part_starts": (-1,),
            "part_dimensions": (-1,),
        }
        for name, shape in shapes.items():
            object.__setattr__(self, name, frozen(getattr(self, name), np.int32, *shape))
        object.__setattr__(self, "cells", frozen(self.cells, np.int32, -1, np.shape(self.cells)[-1]))

    @property
    def node_count(self) -> int:
        """Number of point masses."""
        return len(self.points)

    @property
    def bond_count(self) -> int:
        """Number of springs."""
        return len(self.bonds)
