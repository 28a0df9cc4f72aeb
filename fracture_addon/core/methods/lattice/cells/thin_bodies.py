"""Build lattices of ropes, sheets and shells, and cells around them for the visible surface.

The nodes of a rope or a sheet lie on its centre line or middle surface. The visible surface is bound to control points
around the nodes, which rotate with the line or the surface. A shell has nodes on both sides, which are its control
points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ....data.solid import SolidModel, cell_volumes, from_cells
from ....data.thin import Thin, point_normals
from ....geometry.quads import border
from ....meshing.thin.ropes import across, chains
from ....numerics.random_streams import rng
from ..lattice import Lattice
from .cells import QUAD_DIAGONALS, QUAD_EDGES, SHELL, SHELL_PAIRS, cell_shares, lattice_of_cells

# Share of a shell's membrane stiffness in the springs from side to side. They resist shear between the sides: a shell
# in a strong wind moves 3.8, 3.5 and 3.3 mm at 0.17, 0.33 and 0.67. They do not resist bending, which a larger distance
# of the sides makes up for.
CROSS_SHARE = 1.0 / 3.0
# Thickness of the cells that are cut, in thicknesses of the shell, and its smallest value in lengths of an edge. From
# 0.02 to 4, recordings keep their bytes; from 0.01 to 100 edges, a torn sheet keeps its 13 fragments.
CELL_THICKNESS, SMALLEST_CELL_THICKNESS = 2.0, 1.0
# Largest random offset of the points of cells from their nodes, in lengths of an edge. Without it, cracks would follow
# the artist's edges. From 0.002 to 0.2 a torn sheet keeps its 13 fragments; at 0.4 cells overlap, and the cut fails.
OFFSET = 0.2
# Where cells would be turned inside out, at a sharp bend or beside a short edge, these distances are multiplied by this
# factor until they are not, down to a share at which cells lie on the nodes. A teapot's spout of 266 quads, with a wall
# of 6 mm and bends of 5 mm, needs 0.17 to 0.33 in three seeds.
CLOSER, SMALLEST_SHARE = 0.8, 1e-3
# Width of the ring of padding around the rim, in lengths of an edge. From 0.015 to 150 a torn sheet keeps its 13
# fragments.
RIM = 1.5
# Control points around a node of a rope (its cells need exactly four), and their distance over its thickness. From 0.75
# to 150 a rope in a strong wind moves by the same 222 mm.
RING_POINTS, RING_DISTANCE = 4, 1.5
# Smallest length or square that counts as nonzero.
TINY = 1e-300


@dataclass(frozen=True)
class ThinSolid(SolidModel):
    """Cells around a rope, a sheet or a shell, for labels and for cutting.

    Attributes:
        thin: The thin body.
        lattice: Its lattice.
        corners: (C, 4) rows of ``control_points`` of each cell.
        owners: (C,) cell of the lattice that contains each cell.
        carriers: (M,) node of each control point.
    """

    thin: Thin
    lattice: Lattice
    corners: np.ndarray
    owners: np.ndarray
    carriers: np.ndarray

    @property
    def is_membrane(self) -> bool:
        """Whether the lattice consists of quads in a middle surface."""
        return not self.thin.is_line and not self.thin.resists_bending

    def control_points(
        self, nodes: np.ndarray, frames: list[np.ndarray] | None = None, weights: float | np.ndarray = 1.0
    ) -> np.ndarray:
        """Compute the points that the visible surface is bound to.

        Args:
            nodes: (N, 3) m.
            frames: First axis of each rope's frame at the previous moment. The list starts empty, and each call updates
                it. Without it ropes may twist between calls.
            weights: (K,) weights of the lattice's cells, small for torn ones, so that these do not rotate intact ones.

        Returns:
            (M, 3) m.
        """
        return CONTROL_POINTS[self.thin.kind](self.thin, nodes, frames, weights)


def _points_on_both_sides(
    thin: Thin, nodes: np.ndarray, frames: list[np.ndarray] | None, weights: float | np.ndarray
) -> np.ndarray:
    offsets = 0.5 * thin.thickness[:, None] * point_normals(nodes, thin.cells, weights)
    return np.concatenate([nodes - offsets, nodes + offsets])


def _rings(thin: Thin, nodes: np.ndarray, frames: list[np.ndarray] | None, weights: float | np.ndarray) -> np.ndarray:
    result = []
    for row, chain in enumerate(chains(thin.cells)):
        previous = frames[row] if frames is not None and row < len(frames) else None
        axes = across(nodes[chain], previous)
        if frames is not None:
            frames[row:] = [axes[0, 0], *frames[row + 1 :]]
        offsets = np.stack([axes[:, 0], axes[:, 1], -axes[:, 0], -axes[:, 1]], axis=1)
        distance = RING_DISTANCE * thin.thickness[chain, None, None]
        result.append((nodes[chain][:, None] + distance * offsets).reshape(-1, 3))
    return np.concatenate(result)


def _nodes(thin: Thin, nodes: np.ndarray, frames: list[np.ndarray] | None, weights: float | np.ndarray) -> np.ndarray:
    return nodes


# The points that the visible surface is bound to, by ``Thin.kind``.
CONTROL_POINTS = {"rope": _rings, "sheet": _points_on_both_sides, "shell": _nodes}


def discretise_thin(thin: Thin, seed: int) -> ThinSolid:
    """Build the lattice of a thin body and the cells around it.

    Args:
        thin: A rope, a sheet or a shell.
        seed: Seed of the random offset of cells from the artist's edges.

    Returns:
        Cells for labels and cutting, with the lattice.

    Notes:
        Sweeney et al. 1991, section 3.

    Example:
        A rope of 2 m with a diameter of 10 cm has the volume pi d^2 / 4 L.

        >>> rope = Thin("rope", [[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1], [1, 2]], [0.1, 0.1, 0.1])
        >>> solid = discretise_thin(rope, seed=0)
        >>> solid.lattice.bonds.tolist(), round(float(solid.lattice.volumes.sum()), 6)
        ([[0, 1], [1, 2]], 0.015708)
    """
    return _rope_solid(thin) if thin.is_line else _sheet_solid(thin, seed)


def _rope_solid(thin: Thin) -> ThinSolid:
    """Build a rope with prisms around its segments."""
    first, second = thin.points[thin.cells[:, 0]], thin.points[thin.cells[:, 1]]
    section = np.pi * (0.5 * thin.thickness[thin.cells].mean(axis=1)) ** 2
    volumes = section * np.linalg.norm(second - first, axis=1)
    lattice = lattice_of_cells(thin.points, thin.cells, volumes, "rope", regular=True)
    rows = {tuple(sorted(pair)): row for row, pair in enumerate(thin.cells.tolist())}
    carriers: list[np.ndarray] = []
    prisms, owners = [], []
    for chain in chains(thin.cells):
        start = sum(len(item) for item in carriers)
        carriers.append(np.repeat(chain, RING_POINTS))
        ring = start + RING_POINTS * np.arange(len(chain) - 1)[:, None]
        for triangle in ([0, 1, 2], [0, 2, 3]):
            prisms.append(np.concatenate([ring + triangle, ring + RING_POINTS + triangle], axis=1))
            owners.append(
                [rows[tuple(sorted(pair))] for pair in zip(chain[:-1].tolist(), chain[1:].tolist(), strict=True)]
            )
    cells = _tetrahedra(np.concatenate(prisms))
    return _solid_of(thin, lattice, cells, np.repeat(np.concatenate(owners), 3), np.concatenate(carriers))


def _sheet_solid(thin: Thin, seed: int) -> ThinSolid:
    """Build a sheet or a shell with prisms around its quads."""
    count, quads = len(thin.points), thin.cells.astype(np.int64)
    normals = point_normals(thin.points, quads)
    # A slab between offset points would have another volume where the sheet is curved, and a negative one at a crease.
    corners = thin.points[quads]
    halves = np.cross(corners[:, [1, 2]] - corners[:, :1], corners[:, [2, 3]] - corners[:, :1])
    volumes = 0.5 * np.linalg.norm(halves, axis=2).sum(axis=1) * thin.thickness[quads].mean(axis=1)
    if thin.resists_bending:
        lattice, carriers = _shell(thin, normals, volumes), np.arange(2 * count)
    else:
        lattice, carriers = lattice_of_cells(thin.points, quads, volumes, "sheet"), np.tile(np.arange(count), 2)
    triangles, owners = _triangles(quads)
    prisms = np.concatenate([triangles, triangles + count], axis=1)
    solid = _solid_of(thin, lattice, _tetrahedra(prisms), np.repeat(owners, 3), carriers)
    return _enlarged(solid, normals, seed)


def _shell(thin: Thin, normals: np.ndarray, volumes: np.ndarray) -> Lattice:
    """Build a shell as two braced membranes, at the distance that gives the bending stiffness E t^3 / 12.

    The membrane stiffness is that of a sheet in the middle surface. Each spring of the sheet is divided among one on
    each side and two from side to side. The latter do not resist bending, so the sides lie at +-t / sqrt(12 (1 -
    CROSS_SHARE)). The springs that keep the sides apart are as stiff as the edges, so that the time step does not
    depend on the thickness.
    """
    quads = thin.cells.astype(np.int64)
    offsets = thin.thickness[:, None] / np.sqrt(12.0 * (1.0 - CROSS_SHARE)) * normals
    points = np.concatenate([thin.points - offsets, thin.points + offsets])
    # Corner 4 i + 2 j + k: (i, j) around the quad, on side k.
    cells = np.stack([quads[:, [0, 3, 1, 2]], quads[:, [0, 3, 1, 2]] + len(normals)], axis=-1).reshape(-1, 8)
    flat, _ = cell_shares(thin.points, quads, "sheet")
    spans = thin.points[quads[:, np.concatenate([QUAD_EDGES, QUAD_DIAGONALS])]]
    squares = np.maximum(np.einsum("kwi,kwi->kw", *2 * [spans[:, :, 1] - spans[:, :, 0]]), TINY)
    constants = flat * np.where(squares > TINY, 1.0 / squares, 0.0)
    parts = 0.5 * np.array([1.0 - CROSS_SHARE, 1.0 - CROSS_SHARE, CROSS_SHARE, CROSS_SHARE])
    constants = (constants[:, :, None] * parts).reshape(len(quads), -1)
    posts = np.repeat(constants[:, : 4 * len(QUAD_EDGES) : 4].mean(axis=1, keepdims=True), 4, axis=1)
    constants = np.concatenate([constants, posts], axis=1)
    lengths = points[cells[:, SHELL_PAIRS]]
    lengths = np.einsum("kwi,kwi->kw", *2 * [lengths[:, :, 1] - lengths[:, :, 0]])
    return lattice_of_cells(points, cells, volumes, SHELL, shares=constants * lengths)


def _enlarged(solid: ThinSolid, normals: np.ndarray, seed: int) -> ThinSolid:
    """Enlarge cells around the visible surface: thicker, offset from the artist's edges, with padding at the rim."""
    thin, quads, count = solid.thin, solid.thin.cells.astype(np.int64), len(normals)
    start, end = quads.ravel(), np.roll(quads, -1, axis=1).ravel()
    real = start != end
    lengths = np.linalg.norm(thin.points[end] - thin.points[start], axis=1)
    edge = np.bincount(start[real], lengths[real], count) / np.maximum(np.bincount(start[real], minlength=count), 1)
    random = rng(seed, "sheet cells")
    offsets = OFFSET * edge[:, None] * random.uniform(-1.0, 1.0, (count, 3))
    offsets -= np.einsum("ni,ni->n", offsets, normals)[:, None] * normals
    rim = border(quads)
    # Outward direction in the sheet: normal to the rim's edges and to the sheet's normal.
    outward = np.zeros((count, 3))
    across_edge = np.cross(thin.points[rim[:, 1]] - thin.points[rim[:, 0]], normals[rim[:, 0]])
    for column in (0, 1):
        np.add.at(outward, rim[:, column], across_edge)
    outward /= np.maximum(np.linalg.norm(outward, axis=1, keepdims=True), TINY)
    outer = np.unique(rim[:, :2])
    number = np.full(count, -1)
    number[outer] = count + np.arange(len(outer))
    nodes = np.concatenate([np.arange(count), outer])
    thickness = np.maximum(0.5 * CELL_THICKNESS * thin.thickness, 0.5 * SMALLEST_CELL_THICKNESS * edge)
    total = len(nodes)
    ring = np.stack([rim[:, 1], rim[:, 0], number[rim[:, 0]], number[rim[:, 1]]], axis=1)
    padding, _ = _triangles(ring)
    padding = _tetrahedra(np.concatenate([padding, padding + total], axis=1))
    # The points of the far side come after those of the ring on the near side.
    cells = np.where(solid.corners >= count, solid.corners - count + total, solid.corners)

    def points(shares: np.ndarray) -> np.ndarray:
        middle = thin.points + shares[:, None] * offsets
        middle = np.concatenate([middle, (middle + RIM * edge[:, None] * outward)[outer]])
        half = ((shares * thickness)[:, None] * normals)[nodes]
        return np.concatenate([middle - half, middle + half])

    spread = from_cells(_unfolded(points, np.concatenate([cells, padding]), np.tile(nodes, 2), count), cells, padding)
    parts = (spread.points, spread.cells, spread.padding_cells, spread.faces, spread.face_cells)
    return ThinSolid(*parts, solid.thin, solid.lattice, solid.corners, solid.owners, solid.carriers)


def _unfolded(
    points: Callable[[np.ndarray], np.ndarray], cells: np.ndarray, nodes: np.ndarray, count: int
) -> np.ndarray:
    """Move points closer to their nodes where cells are turned inside out.

    Args:
        points: Returns the points (P, 3) m for (N,) shares of their distances from the nodes.
        cells: (C, 4) points of each cell.
        nodes: (P,) node of each point.
        count: Number N of nodes.

    Returns:
        (P, 3) m.
    """
    shares = np.full(count, SMALLEST_SHARE)
    outward = cell_volumes(points(shares), cells) > 0.0
    shares[:] = 1.0
    while True:
        folded = (cell_volumes(points(shares), cells) > 0.0) != outward
        rows = np.unique(nodes[cells[folded]])
        rows = rows[shares[rows] > SMALLEST_SHARE]
        if not len(rows):
            return points(shares)
        shares[rows] *= CLOSER


def _solid_of(thin: Thin, lattice: Lattice, cells: np.ndarray, owners: np.ndarray, carriers: np.ndarray) -> ThinSolid:
    """Build the solid of cells whose corners are control points."""
    empty_arrays = (np.empty((0, 3)), np.empty((0, 4)), np.empty((0, 4)), np.empty((0, 3)), np.empty((0, 2)))
    bare = ThinSolid(*empty_arrays, thin, lattice, cells, owners, carriers)
    solid = from_cells(bare.control_points(lattice.points), cells, np.empty((0, 4)))
    parts = (solid.points, solid.cells, solid.padding_cells, solid.faces, solid.face_cells)
    return ThinSolid(*parts, thin, lattice, cells, owners, carriers)


def _triangles(quads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split quads into (T, 3) triangles, and return the (T,) quad of each. A triangle stays one."""
    halves = quads[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)
    kept = np.flatnonzero((halves != np.roll(halves, -1, axis=1)).all(axis=1))
    return halves[kept], kept // 2


def _tetrahedra(prisms: np.ndarray) -> np.ndarray:
    """Split (P, 6) prisms into (3 P, 4) tetrahedra. The last three points of a prism lie opposite the first three.

    The diagonal of a side runs from the smaller point at the bottom to the larger point at the top, so that neighbours
    agree on their common side.
    """
    order = np.argsort(prisms[:, :3], axis=1)
    bottom, top = np.take_along_axis(prisms[:, :3], order, 1), np.take_along_axis(prisms[:, 3:], order, 1)
    a, b, c = bottom.T
    d, e, f = top.T
    return np.stack([np.stack([a, b, c, f], 1), np.stack([a, b, e, f], 1), np.stack([a, d, e, f], 1)], axis=1).reshape(
        -1, 4
    )
