"""Lattices of ropes, sheets and shells, and cells around them for what is seen of them.

A rope's node is a point of its middle, a sheet's too; what is seen is bound to places around the nodes, which turn with
the line or the surface. A shell has nodes on both sides, and what is seen is bound to these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....data.solid import SolidModel, from_cells
from ....data.thin import Thin, point_normals
from ....geometry.quads import border
from ....meshing.thin.ropes import across, chains
from ..model import Lattice
from .cells import QUAD_DIAGONALS, QUAD_EDGES, SHELL, SHELL_PAIRS, cell_shares, hexahedron_volumes, lattice_of_cells

SEED_STREAM = 5
# Share of a shell's stiffness in its plane that is in the springs across, from side to side.
BRACED = 1.0 / 3.0
# Cells that are cut are thicker than what is seen: this over its thickness, and at least this over an edge.
ROOM, LEAST_ROOM = 2.0, 1.0
# Points of cells that are cut lie so far beside their nodes, over an edge: cracks do not run along the artist's edges.
ASIDE = 0.2
# A ring of padding around the rim is so wide, over an edge.
RIM = 1.5
# Places around a rope's node, and how far away they are over its thickness.
PLACES, AWAY = 4, 1.5


@dataclass(frozen=True)
class ThinSolid(SolidModel):
    """Cells around something thin, to be labelled and cut.

    Attributes:
        thin: What it is.
        lattice: What moves.
        corners: (C, 4) rows of ``places`` of each cell.
        owners: (C,) cell of the lattice that each is a part of.
        carriers: (M,) node that each place belongs to.
    """

    thin: Thin
    lattice: Lattice
    corners: np.ndarray
    owners: np.ndarray
    carriers: np.ndarray

    def places(self, nodes: np.ndarray, before: list[np.ndarray] | None = None, whole=1.0) -> np.ndarray:
        """(M, 3) m, what the surface is bound to, of nodes at (N, 3).

        Args:
            nodes: m.
            before: Which way ropes were turned a moment ago, taken along from call to call; empty at first.
            whole: (K,) weights of the lattice's cells: what is torn should not turn what is whole.
        """
        thin = self.thin
        if thin.kind == "shell":
            return nodes
        if thin.kind == "sheet":
            offsets = 0.5 * thin.thickness[:, None] * point_normals(nodes, thin.cells, whole)
            return np.concatenate([nodes - offsets, nodes + offsets])
        result = []
        for row, chain in enumerate(chains(thin.cells)):
            known = before is not None and row < len(before)
            frames = across(nodes[chain], before[row] if known else None)
            if before is not None:
                before[row:] = [frames[0, 0], *before[row + 1 :]]
            offsets = np.stack([frames[:, 0], frames[:, 1], -frames[:, 0], -frames[:, 1]], axis=1)
            distance = AWAY * thin.thickness[chain, None, None]
            result.append((nodes[chain][:, None] + distance * offsets).reshape(-1, 3))
        return np.concatenate(result)


def discretise_thin(thin: Thin, seed: int) -> ThinSolid:
    """The lattice of something thin, and cells around it.

    Args:
        thin: A rope, a sheet or a shell.
        seed: Of where cracks run beside the artist's edges.
    """
    return _around_rope(thin) if thin.kind == "rope" else _around_sheet(thin, seed)


def _around_rope(thin: Thin) -> ThinSolid:
    first, second = thin.points[thin.cells[:, 0]], thin.points[thin.cells[:, 1]]
    section = np.pi * (0.5 * thin.thickness[thin.cells].mean(axis=1)) ** 2
    volumes = section * np.linalg.norm(second - first, axis=1)
    lattice = lattice_of_cells(thin.points, thin.cells, volumes, "rope", regular=True)
    rows = {tuple(sorted(pair)): row for row, pair in enumerate(thin.cells.tolist())}
    carriers, prisms, owners = [], [], []
    for chain in chains(thin.cells):
        start = sum(map(len, carriers))
        carriers.append(np.repeat(chain, PLACES))
        ring = start + PLACES * np.arange(len(chain) - 1)[:, None]
        for triangle in ([0, 1, 2], [0, 2, 3]):
            prisms.append(np.concatenate([ring + triangle, ring + PLACES + triangle], axis=1))
            owners.append(
                [rows[tuple(sorted(pair))] for pair in zip(chain[:-1].tolist(), chain[1:].tolist(), strict=True)]
            )
    cells = _tetrahedra(np.concatenate(prisms))
    return _solid_of(thin, lattice, cells, np.repeat(np.concatenate(owners), 3), np.concatenate(carriers))


def _around_sheet(thin: Thin, seed: int) -> ThinSolid:
    count, quads = len(thin.points), thin.cells.astype(np.int64)
    normals = point_normals(thin.points, quads)
    corners = np.stack([thin.points[quads] + side * normals[quads] for side in (-0.5, 0.5)], axis=2)
    volumes = hexahedron_volumes(corners[:, [0, 3, 1, 2]].reshape(-1, 8, 3)) * thin.thickness[quads].mean(axis=1)
    if thin.kind == "sheet":
        lattice, carriers = lattice_of_cells(thin.points, quads, volumes, "sheet"), np.tile(np.arange(count), 2)
    else:
        lattice, carriers = _shell(thin, normals, volumes), np.arange(2 * count)
    triangles, owners = _triangles(quads)
    prisms = np.concatenate([triangles, triangles + count], axis=1)
    solid = _solid_of(thin, lattice, _tetrahedra(prisms), np.repeat(owners, 3), carriers)
    return _spread_out(solid, normals, seed)


def _shell(thin: Thin, normals: np.ndarray, volumes: np.ndarray) -> Lattice:
    """Two membranes as far apart as gives the stiffness in bending, braced against each other.

    The stiffness in the plane is that of the sheet in its middle: each of its springs is shared among one on either
    side and two across. These do not feel bending, so the sides lie at +-t / sqrt(12 (1 - BRACED)) for E t^3 / 12. What
    holds the sides apart is as stiff as their edges: the step in time does not depend on the thickness.
    """
    quads = thin.cells.astype(np.int64)
    offsets = thin.thickness[:, None] / np.sqrt(12.0 * (1.0 - BRACED)) * normals
    points = np.concatenate([thin.points - offsets, thin.points + offsets])
    # Corner 4 i + 2 j + k: around the quad i and j, on side k.
    cells = np.stack([quads[:, [0, 3, 1, 2]], quads[:, [0, 3, 1, 2]] + len(normals)], axis=-1).reshape(-1, 8)
    flat, _ = cell_shares(thin.points, quads, "sheet")
    spans = thin.points[quads[:, np.concatenate([QUAD_EDGES, QUAD_DIAGONALS])]]
    squares = np.maximum(np.einsum("kwi,kwi->kw", *2 * [spans[:, :, 1] - spans[:, :, 0]]), 1e-300)
    constants = flat * np.where(squares > 1e-300, 1.0 / squares, 0.0)
    parts = 0.5 * np.array([1.0 - BRACED, 1.0 - BRACED, BRACED, BRACED])
    constants = (constants[:, :, None] * parts).reshape(len(quads), -1)
    posts = np.repeat(constants[:, : 4 * len(QUAD_EDGES) : 4].mean(axis=1, keepdims=True), 4, axis=1)
    constants = np.concatenate([constants, posts], axis=1)
    lengths = points[cells[:, SHELL_PAIRS]]
    lengths = np.einsum("kwi,kwi->kw", *2 * [lengths[:, :, 1] - lengths[:, :, 0]])
    return lattice_of_cells(points, cells, volumes, SHELL, shares=constants * lengths)


def _spread_out(solid: ThinSolid, normals: np.ndarray, seed: int) -> ThinSolid:
    """The same cells with room around what is seen: thicker, aside of the artist's edges, and a ring around the rim."""
    thin, quads, count = solid.thin, solid.thin.cells.astype(np.int64), len(normals)
    start, end = quads.ravel(), np.roll(quads, -1, axis=1).ravel()
    real = start != end
    lengths = np.linalg.norm(thin.points[end] - thin.points[start], axis=1)
    edge = np.bincount(start[real], lengths[real], count) / np.maximum(np.bincount(start[real], minlength=count), 1)
    random = np.random.default_rng([seed, SEED_STREAM])
    aside = ASIDE * edge[:, None] * random.uniform(-1.0, 1.0, (count, 3))
    aside -= np.einsum("ni,ni->n", aside, normals)[:, None] * normals
    rim = border(quads)
    # Out of the rim, in the sheet: across its edges and its normal.
    outward = np.zeros((count, 3))
    across_edge = np.cross(thin.points[rim[:, 1]] - thin.points[rim[:, 0]], normals[rim[:, 0]])
    for column in (0, 1):
        np.add.at(outward, rim[:, column], across_edge)
    outward /= np.maximum(np.linalg.norm(outward, axis=1, keepdims=True), 1e-300)
    middle = thin.points + aside
    outer = np.unique(rim[:, :2])
    number = np.full(count, -1)
    number[outer] = count + np.arange(len(outer))
    middle = np.concatenate([middle, (middle + RIM * edge[:, None] * outward)[outer]])
    beside = np.concatenate([np.arange(count), outer])
    room = (np.maximum(0.5 * ROOM * thin.thickness, 0.5 * LEAST_ROOM * edge)[:, None] * normals)[beside]
    total = len(middle)
    ring = np.stack([rim[:, 1], rim[:, 0], number[rim[:, 0]], number[rim[:, 1]]], axis=1)
    padding, _ = _triangles(ring)
    padding = _tetrahedra(np.concatenate([padding, padding + total], axis=1))
    # The cells' points on the far side come behind the ring's on the near one.
    cells = np.where(solid.corners >= count, solid.corners - count + total, solid.corners)
    spread = from_cells(np.concatenate([middle - room, middle + room]), cells, padding)
    parts = (spread.points, spread.cells, spread.padding_cells, spread.faces, spread.face_cells)
    return ThinSolid(*parts, solid.thin, solid.lattice, solid.corners, solid.owners, solid.carriers)


def _solid_of(thin: Thin, lattice: Lattice, cells: np.ndarray, owners: np.ndarray, carriers: np.ndarray) -> ThinSolid:
    bare = ThinSolid(
        np.empty((0, 3)), *(np.empty((0, width)) for width in (4, 4, 3, 2)), thin, lattice, cells, owners, carriers
    )
    solid = from_cells(bare.places(lattice.points), cells, np.empty((0, 4)))
    parts = (solid.points, solid.cells, solid.padding_cells, solid.faces, solid.face_cells)
    return ThinSolid(*parts, thin, lattice, cells, owners, carriers)


def _triangles(quads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(T, 3) halves of quads, and the quad of each; a triangle has one half only."""
    halves = quads[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)
    kept = np.flatnonzero((halves != np.roll(halves, -1, axis=1)).all(axis=1))
    return halves[kept], kept // 2


def _tetrahedra(prisms: np.ndarray) -> np.ndarray:
    """(3 P, 4) of (P, 6) prisms, whose last three points face the first; neighbours agree on the sides they share.

    The diagonal of a side goes from the point with the smaller number at the bottom to the one with the larger at the
    top.
    """
    order = np.argsort(prisms[:, :3], axis=1)
    bottom, top = np.take_along_axis(prisms[:, :3], order, 1), np.take_along_axis(prisms[:, 3:], order, 1)
    a, b, c = bottom.T
    d, e, f = top.T
    return np.stack([np.stack([a, b, c, f], 1), np.stack([a, b, e, f], 1), np.stack([a, d, e, f], 1)], axis=1).reshape(
        -1, 4
    )
