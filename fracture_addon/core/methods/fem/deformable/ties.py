"""Glue between two deformable bodies: ties between points of their surfaces, which break by their stress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.sparse import csr_array

from ....geometry.facing import Facing
from ...joint_ties import share_that_holds, stable_stiffness
from ..elements import deformation_gradients
from ..places import Side
from ..state import Mesh

# Largest sum of the stiffness of ties at a node, times the square of the time step, over the mass of the node. With the
# vibrations of the elements, explicit steps stay stable below about 0.7.
STABLE = 0.25


class Ties:
    """Glue between two bodies. A tie is a spring of length zero between two points that are one point in rest space.

    Where the stress by tension and shear reaches the strength, a tie weakens as it opens further, and breaks. Pressure
    does not weaken it.

    Attributes:
        rows: Rows of the two bodies.
        ratio: Largest stress over strength at the last check.

    Args:
        rows: Rows of the two bodies.
        meshes: Their meshes, uncracked.
        area: Samples of the area over which the surfaces face each other in rest space; each is a tie.
        stiffness: (T,) Pa/m, stress per gap.
        strength: Pa, largest stress; a number or (T,).
        step: s, explicit time step.
        width: m, opening that breaks a tie; 0 to break it at its strength.

    Notes:
        Own (docs/decisions/element_glue.md). Sweeney et al. 1991, section 5.3, add bonds between near nodes.

    Example:
        Two elements with a common face of 1/2 m2, glued by ties with 1 MPa. A gap of 1 mm pulls with 500 N.

        >>> from ....data.solid import from_cells
        >>> from ....data.surface import Surface
        >>> from ....geometry.facing import contact_area
        >>> from ..state import from_solid
        >>> left, right = np.array([[-1.0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1]]), np.array([[1.0, 0, 0]] * 4)
        >>> right[1:] = left[1:]
        >>> meshes = [from_solid(from_cells(points, [order], []), 1000.0)
        ...     for points, order in ((left, [0, 1, 2, 3]), (right, [0, 2, 1, 3]))]
        >>> faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
        >>> surfaces = Surface(left, faces), Surface(right, np.flip(faces, axis=1))
        >>> area = contact_area(*surfaces, distance=0.01)
        >>> ties = Ties((0, 1), meshes, area, np.full(len(area.areas), 1e6), 1e4, 1e-9)
        >>> meshes[1].position[:, 0] += 1e-3
        >>> loads = {0: np.zeros((4, 3)), 1: np.zeros((4, 3))}
        >>> ties.add_forces(loads)
        >>> [load[:, 0].sum().round(3).item() for load in loads.values()]
        [500.0, -500.0]
    """

    def __init__(
        self,
        rows: tuple[int, int],
        meshes: Sequence[Mesh],
        area: Facing,
        stiffness: np.ndarray,
        strength: float | np.ndarray,
        step: float,
        width: float = 0.0,
    ):
        points = 0.5 * (area.first + area.second)
        self.rows, self.ratio = rows, 0.0
        self._sides = [Side.of(row, mesh, points) for row, mesh in zip(rows, meshes, strict=True)]
        self._limits, self._normals = strength * area.areas, area.normals
        self._stiffness = self._stable(stiffness * area.areas, step)
        self._numbers, self._share, self._width = np.arange(len(points)), np.ones(len(points)), width

    @property
    def count(self) -> int:
        """Number of ties that hold."""
        return len(self._numbers)

    @property
    def elements(self) -> dict[int, np.ndarray]:
        """Elements (T,) of each of the two bodies at the ties that hold."""
        return {side.row: side.elements for side in self._sides}

    def nodes(self, row: int) -> np.ndarray:
        """Return the nodes of a body at the ties that hold."""
        return np.unique(np.concatenate([np.empty(0, int), *(item.nodes.ravel() for item in self._of(row))]))

    def add_forces(self, loads: Mapping[int, np.ndarray]) -> None:
        """Add the forces of the ties to the loads (N, 3) N on the nodes of each body."""
        forces = (self._share * self._stiffness)[:, None] * self._gaps()
        for side, sign in zip(self._sides, (-1.0, 1.0), strict=True):
            load, nodes = loads[side.row], side.nodes.ravel()
            values = (sign * side.weights[:, :, None] * forces[:, None]).reshape(-1, 3)
            for axis in range(3):
                load[:, axis] += np.bincount(nodes, values[:, axis], len(load))

    def stiffness(self, starts: Mapping[int, int], count: int) -> csr_array:
        """Return the stiffness (N, N) N/m of the ties for each axis.

        Args:
            starts: First node of each body; the nodes of the bodies follow one another.
            count: N, number of all nodes.
        """
        tie = np.repeat(np.arange(self.count), 4)
        nodes = np.concatenate([side.nodes.ravel() + starts[side.row] for side in self._sides])
        first, second = (side.weights.ravel() for side in self._sides)
        shape = self.count, count
        gaps = csr_array((np.concatenate([first, -second]), (np.concatenate([tie, tie]), nodes)), shape=shape)
        return csr_array(gaps.T @ gaps.multiply((self._share * self._stiffness)[:, None]))

    def find(self) -> None:
        """Find the elements at the ties again, after cracks have divided them."""
        self._sides = [side.found() for side in self._sides]

    def check(self) -> bool:
        """Weaken and break ties; return whether one broke."""
        gaps, normals = self._gaps(), self._present_normals()
        opening = np.einsum("ti,ti->t", gaps, normals)
        sliding = gaps - opening[:, None] * normals
        # The gap points from the second body to the first, and the normal from the first to the second.
        size = np.sqrt(np.minimum(opening, 0.0) ** 2 + (sliding**2).sum(axis=1))
        forces = self._share * self._stiffness * size
        self.ratio = float((forces / self._limits).max(initial=0.0))
        widths = np.full(self.count, self._width)
        self._share = share_that_holds(self._share, forces, self._limits, self._stiffness, widths)
        if not self._share.min(initial=1.0) <= 0.0:
            return False
        self._keep(self._share > 0.0)
        return True

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return the ties that hold; see ``restore``."""
        return {"numbers": self._numbers, "share": self._share}

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> None:
        """Continue from a ``snapshot``, after the meshes."""
        self._keep(np.isin(self._numbers, snapshot["numbers"]))
        self._share = np.array(snapshot["share"])
        self.find()

    def _of(self, row: int) -> list[Side]:
        return [side for side in self._sides if side.row == row]

    def _keep(self, holds: np.ndarray) -> None:
        self._sides = [side.without(holds) for side in self._sides]
        self._limits, self._normals, self._stiffness, self._numbers, self._share = (
            values[holds] for values in (self._limits, self._normals, self._stiffness, self._numbers, self._share)
        )

    def _gaps(self) -> np.ndarray:
        """Return the (T, 3) m from the point of the second body to that of the first."""
        first, second = (side.of_nodes(side.mesh.position) for side in self._sides)
        return first - second

    def _present_normals(self) -> np.ndarray:
        """Return the (T, 3) normals from the first body to the second, which turn with the first one's elements."""
        side = self._sides[0]
        mesh = side.mesh
        gradients = deformation_gradients(mesh.position, side.nodes, mesh.basis[side.elements])
        a, b, c = np.moveaxis(gradients, 2, 0)
        cofactors = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=2)
        turned = np.einsum("tij,tj->ti", cofactors, self._normals)
        return turned / np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-300)

    def _stable(self, stiffness: np.ndarray, step: float) -> np.ndarray:
        """Return the stiffness (T,) N/m of the ties, lowered where an explicit ``step`` (s) would not be stable."""
        result, sums = stiffness, _sum_of_shares(self._sides)[:, None]
        for side in self._sides:
            largest = STABLE / step**2 * np.where(side.mesh.mass > 0.0, side.mesh.mass, np.inf)
            shares = np.abs(side.weights) * sums
            result = np.minimum(result, stable_stiffness(stiffness, side.nodes, shares, largest))
        return result


def _sum_of_shares(sides: Sequence[Side]) -> np.ndarray:
    """Return the (T,) sums of the sizes of all weights of each tie."""
    return np.abs(np.concatenate([side.weights for side in sides], axis=1)).sum(axis=1)
