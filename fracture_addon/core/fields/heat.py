"""Conduction of heat in a solid whose surface a hotter or colder fluid touches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.sparse.linalg import cg

from ..data.arrays import ReadOnlyArrays, lengths
from ..data.errors import SolverDivergedError
from ..data.solid import SolidModel, cell_edge, cell_volumes, oriented, outer_faces
from ..data.surface import Surface, area_vectors, wall_thickness
from ..geometry.refinement import refined

# Most divisions of each cell, and cells that the second division may not exceed. A wall is often one cell thick, and
# its temperature is curved. The stress of a plate of 1,500 cells at the Biot numbers 1 and 5, over that of the series,
# is 1.04 and 1.05, 1.09 and 1.14, 1.09 and 1.15 with one, two and three divisions.
MOST_DIVISIONS, MOST_CELLS = 2, 150_000
# Steps from one of the given times to the next. At the same places, 2, 4 and 8 give 1.07 and 1.12, 1.09 and 1.14, 1.10
# and 1.15.
STEPS = 4
# Relative residual of the temperatures, far below the error of the cells, 1 to 2 %.
RESIDUAL = 1e-5
# Volume of a cell over the mean below which it conducts no heat. It prevents a division by zero in flat cells.
LEAST_VOLUME = 1e-6
# First time over that in which heat crosses the wall, and most ratio of one time to the one before. At the same places,
# ratios of 6, 2.2 and 1.5 give 1.01 and 1.09, 1.09 and 1.14, 1.10 and 1.15.
FIRST_TIME, RATIO = 1e-3, 2.2


@dataclass(frozen=True)
class HeatMesh(ReadOnlyArrays):
    """Smaller cells of a solid for its temperature.

    Attributes:
        points: (N, 3) m.
        cells: (D, 4) rows of ``points``; positive volumes.
        volumes: (D,) m3.
        owners: (D,) the cell of the solid that contains each cell.
        faces: (S, 3) rows of ``points``, outer faces.
        areas: (S,) m2.
    """

    points: np.ndarray
    cells: np.ndarray
    volumes: np.ndarray
    owners: np.ndarray
    faces: np.ndarray
    areas: np.ndarray

    @classmethod
    def of(cls, solid: SolidModel) -> HeatMesh:
        """Divide the cells of a solid, at least once, so that the middles of its edges have a temperature."""
        used, cells = np.unique(solid.cells, return_inverse=True)
        points, cells, divisions = solid.points[used], cells.reshape(-1, 4), 0
        while divisions == 0 or (divisions < MOST_DIVISIONS and 8 * len(cells) <= MOST_CELLS):
            points, cells = refined(points, cells)
            divisions += 1
        cells = oriented(points, cells)
        faces = outer_faces(cells)[0]
        owners = np.repeat(np.arange(solid.cell_count), 8**divisions)
        areas = lengths(area_vectors(Surface(points, faces)))
        return cls(points, cells, cell_volumes(points, cells), owners, faces, areas)

    @property
    def wall(self) -> float:
        """Thickness of the wall, m; a third of the edge of a cube."""
        return wall_thickness(float(self.volumes.sum()), float(self.areas.sum()))

    def times(self, conductivities: np.ndarray, capacities: np.ndarray, transfer: float) -> np.ndarray:
        """Return times (T,), s, among which the stress of heat or cold is largest.

        Args:
            conductivities: (C,) k, W/(m K), of the cells of the solid.
            capacities: (C,) c, J/(m3 K), heat capacity per volume.
            transfer: h, W/(m2 K).

        Returns:
            Times at even ratios. Until the last, heat has crossed the wall w and its surface: c w^2 / k + c w / h. In
            the first, it enters by half of an edge of the cells.
        """
        edge = float(cell_edge(self.volumes.mean()))
        crossing = self.wall**2 * float((capacities / conductivities).max())
        first = max(FIRST_TIME * crossing, (0.5 * edge) ** 2 * float((capacities / conductivities).min()))
        last = crossing + self.wall * float(capacities.max()) / transfer
        first = min(first, last / RATIO)
        return np.geomspace(first, last, int(np.ceil(np.log(last / first) / np.log(RATIO))) + 1)


def warming(
    mesh: HeatMesh, conductivities: np.ndarray, capacities: np.ndarray, transfers: np.ndarray, times: np.ndarray
) -> Iterator[np.ndarray]:
    """Yield the rise of temperature of a solid at several times after a fluid touches it, which is 1 K hotter.

    Args:
        mesh: Cells of the solid.
        conductivities: (C,) W/(m K) of the C cells of the solid.
        capacities: (C,) J/(m3 K), heat capacity per volume.
        transfers: (S,) W/(m2 K), heat flow into each outer face per area and difference of temperatures; 0 where the
            fluid does not touch it.
        times: (T,) s, rising.

    Yields:
        (N,) K at the points of the mesh, 0 to 1.

    Raises:
        SolverDivergedError: The temperatures do not converge.

    Notes:
        Linear finite elements with lumped capacities and backward Euler steps (Zienkiewicz and Taylor 2000, The Finite
        Element Method, volume 1); at the surface, Newton's law of cooling.

    Example:
        A fluid touches one face of a tetrahedron; in the end all of it has the temperature of the fluid.

        >>> from ..data.solid import from_cells
        >>> mesh = HeatMesh.of(from_cells([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]], []))
        >>> transfers = 5.0 * (mesh.points[mesh.faces, 2] == 0.0).all(axis=1)
        >>> one = np.ones(1)
        >>> early, late = warming(mesh, one, one, transfers, np.array([0.01, 10.0]))
        >>> bool(early[0] > early[3] > 0.0), float(late.min().round(3))
        (True, 1.0)
    """
    count, solid = len(mesh.points), mesh.volumes > LEAST_VOLUME * mesh.volumes.mean()
    cells, volumes, owners = mesh.cells[solid], mesh.volumes[solid], mesh.owners[solid]
    edges = mesh.points[cells[:, 1:]] - mesh.points[cells[:, :1]]
    slopes = np.linalg.inv(edges).transpose(0, 2, 1)
    slopes = np.concatenate([-slopes.sum(axis=1, keepdims=True), slopes], axis=1)
    flows = np.einsum("dai,dbi,d->dab", slopes, slopes, volumes * conductivities[owners])
    rows, columns = np.repeat(cells, 4, axis=1).ravel(), np.tile(cells, (1, 4)).ravel()
    taken = np.bincount(mesh.faces.ravel(), np.repeat(transfers * mesh.areas / 3.0, 3), count)
    conduction = csr_array(coo_array((flows.ravel(), (rows, columns)), (count, count))) + diags_array(taken)
    heat = np.bincount(mesh.cells.ravel(), np.repeat(0.25 * mesh.volumes * capacities[mesh.owners], 4), count)
    temperature, now = np.zeros(count), 0.0
    for time in times:
        rate = heat * STEPS / (time - now)
        matrix = csr_array(conduction + diags_array(rate))
        scaling = diags_array(1.0 / matrix.diagonal())
        for _ in range(STEPS):
            temperature, failed = cg(matrix, rate * temperature + taken, temperature, rtol=RESIDUAL, M=scaling)
            if failed:
                raise SolverDivergedError(f"the temperatures of {count} points do not converge; change Detail or Seed")
        yield temperature
        now = time
