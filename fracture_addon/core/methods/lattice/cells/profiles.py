"""Lattices of deformed cells (Norton et al. 1991, "Geometric modeling"), and ropes and sheets (Sweeney et al. 1991).

Slabs, thick surfaces of revolution and thickened patches have a smooth outside where cubes have stairs. Where corners
coincide, as on an axis, cells are wedges with repeated corners.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ....data.errors import InvalidMeshError
from ....data.thin import evenly_along, point_normals
from ....numerics.components import components
from ..model import Lattice
from .cells import CORNERS, corner_volumes, hexahedron_volumes, lattice_of_cells

# Nodes nearer than this share of the whole's size are one.
WELD_SHARE = 1e-7
# A corner's parallelepiped below zero by this share of its cell is no rounding.
FOLDED = 1e-6


def slab(size, counts, kind: str = "face") -> Lattice:
    """A block with one corner at the origin.

    Args:
        size: (3,) m.
        counts: (3,) cells along each side.
        kind: See ``cells.CELL_KINDS``.
    """
    grid = np.stack(np.meshgrid(*(np.arange(count + 1) for count in counts), indexing="ij"), axis=-1)
    return _solid(grid * (np.asarray(size, float) / counts), kind)


def revolved(outer, inner, segments: int, layers: int, kind: str = "fitted") -> Lattice:
    """The thick surface of revolution about Z between two profile curves.

    Args:
        outer: (N, 2) radius and height, m, as from ``evenly_along``.
        inner: (N, 2), the points that those of the outer one face. Where both are on the axis the solid is closed.
        segments: Cells around.
        layers: Cells from the inner profile to the outer.
        kind: See ``cells.CELL_KINDS``.
    """
    share = np.linspace(0.0, 1.0, layers + 1)[:, None, None]
    profiles = (1.0 - share) * np.asarray(inner, float) + share * np.asarray(outer, float)
    angles = np.linspace(0.0, 2.0 * np.pi, segments + 1)
    radius, height = np.broadcast_arrays(profiles[..., :1], profiles[..., 1:], subok=False)
    points = [
        radius * np.cos(angles),
        radius * np.sin(angles),
        np.broadcast_to(height, (*height.shape[:2], segments + 1)),
    ]
    return _solid(np.stack(points, axis=-1), kind)


def swept(curve, radius: float, across: int, kind: str = "fitted") -> Lattice:
    """A solid bar of round section along a curve, such as a handle.

    A square grid is drawn over the disc; its corner cells have a flat angle, which makes a straight bar of four cells
    across pull 28 % too stiffly.

    Args:
        curve: (N, 3) m; cells lie between its points.
        radius: m.
        across: Cells from side to side.
        kind: See ``cells.CELL_KINDS``.
    """
    curve = np.asarray(curve, float)
    along = np.gradient(curve, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    side = np.empty_like(along)
    side[0] = np.cross(along[0], np.eye(3)[np.argmin(np.abs(along[0]))])
    for row in range(1, len(curve)):
        # What was across stays across, and does not turn around the curve.
        side[row] = side[row - 1] - along[row] * (side[row - 1] @ along[row])
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    u, v = np.meshgrid(*2 * [np.linspace(-1.0, 1.0, across + 1)], indexing="ij")
    # A square grid drawn over a disc.
    over, up = u * np.sqrt(1.0 - 0.5 * v**2), v * np.sqrt(1.0 - 0.5 * u**2)
    frame = np.stack([side, np.cross(along, side)], axis=1)
    section = np.einsum("uvk,nki->uvni", np.stack([over, up], axis=-1), frame)
    return _solid(curve + radius * section, kind)


def thickened(points, quads, thickness: float, layers: int = 1, kind: str = "fitted") -> Lattice:
    """A sheet given a thickness, half to either side along the normals of its points.

    Args:
        points: (P, 3) m.
        quads: (Q, 4); a triangle repeats its last corner. They may be open, and are wound alike.
        thickness: m.
        layers: Cells through the thickness.
        kind: See ``cells.CELL_KINDS``.
    """
    points, quads = _welded(np.asarray(points, float), np.asarray(quads))
    normals = point_normals(points, quads)
    shares = np.linspace(-0.5, 0.5, layers + 1)
    stacked = (points[:, None] + thickness * shares[:, None] * normals[:, None]).reshape(-1, 3)
    # Corner 4 i + 2 j + k: around the quad i and j, through the thickness k.
    around = quads[:, [0, 3, 1, 2]] * (layers + 1)
    cells = [np.stack([around + layer, around + layer + 1], axis=-1).reshape(-1, 8) for layer in range(layers)]
    return _hexahedra(stacked, np.concatenate(cells), kind)


def thickened_patches(nets, thickness: float, counts, layers: int = 1, kind: str = "fitted") -> Lattice:
    """Bicubic Bezier patches given a thickness; patches that share edges hang together.

    Args:
        nets: (M, 4, 4, 3) control points, m.
        thickness: m.
        counts: (2,) cells along both parameters of each patch.
        layers: Cells through the thickness.
        kind: See ``cells.CELL_KINDS``.
    """
    return thickened(*patch_quads(nets, counts), thickness, layers, kind)


def sheet(points, quads, thickness: float) -> Lattice:
    """A membrane without stiffness in bending: edges and diagonals of quads.

    Args:
        points: (P, 3) m.
        quads: (Q, 4); a triangle repeats its last corner.
        thickness: m.
    """
    points, quads = _welded(np.asarray(points, float), np.asarray(quads))
    points, quads = _laid_out(points, quads)
    a, b, c, d = np.moveaxis(points[quads], 1, 0)
    # The mean over both ways to divide a quad that is not flat.
    halves = [(b - a, c - a), (c - a, d - a), (b - a, d - a), (c - b, d - b)]
    areas = 0.25 * sum(np.linalg.norm(np.cross(*half), axis=1) for half in halves)
    return lattice_of_cells(points, quads, thickness * areas, "sheet")


def rope(points, radius: float) -> Lattice:
    """A rope along (N, 3) points, m, with a round section of ``radius``, m."""
    points = np.asarray(points, float)
    segments = np.stack([np.arange(len(points) - 1), np.arange(1, len(points))], axis=1)
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    return lattice_of_cells(points, segments, np.pi * radius**2 * lengths, "rope", regular=True)


def bezier_curve(controls, count: int) -> np.ndarray:
    """(count, D) points at even distances along cubic Bezier curves end to end, of (3 n + 1, D) control points."""
    controls = np.asarray(controls, float)
    pieces = [
        _bernstein(np.linspace(0.0, 1.0, 64)) @ controls[start : start + 4] for start in range(0, len(controls) - 1, 3)
    ]
    return evenly_along(np.concatenate(pieces), count)


def patch_quads(nets, counts) -> tuple[np.ndarray, np.ndarray]:
    """(P, 3) points and (Q, 4) quads of (M, 4, 4, 3) Bezier patches divided into ``counts`` along both parameters."""
    across, along = (_bernstein(np.linspace(0.0, 1.0, count + 1)) for count in counts)
    points = np.einsum("ua,vb,mabi->muvi", across, along, np.asarray(nets, float))
    rows = np.arange(points[..., 0].size).reshape(points.shape[:-1])
    quads = np.stack([rows[:, :-1, :-1], rows[:, 1:, :-1], rows[:, 1:, 1:], rows[:, :-1, 1:]], axis=-1)
    return points.reshape(-1, 3), quads.reshape(-1, 4)


def _bernstein(parameter: np.ndarray) -> np.ndarray:
    """(N, 4) weights of the control points of a cubic."""
    t, s = parameter, 1.0 - parameter
    return np.stack([s**3, 3.0 * s**2 * t, 3.0 * s * t**2, t**3], axis=1)


def _solid(grid: np.ndarray, kind: str) -> Lattice:
    """Cells between the points of an (I, J, K, 3) grid; where its ends coincide it is closed."""
    cubes = np.argwhere(np.ones(np.array(grid.shape[:3]) - 1, bool))
    cells = np.ravel_multi_index(tuple(np.moveaxis(cubes[:, None] + CORNERS, -1, 0)), grid.shape[:3])
    return _hexahedra(*_welded(grid.reshape(-1, 3), cells), kind, cubes.sum(axis=1) % 2)


def _hexahedra(points: np.ndarray, cells: np.ndarray, kind: str, parity=None) -> Lattice:
    points, cells = _laid_out(points, cells)
    volumes = hexahedron_volumes(points[cells])
    if volumes.sum() < 0.0:
        # Left-handed all over: corners change places along the last axis.
        cells, volumes = cells.reshape(-1, 4, 2)[..., ::-1].reshape(-1, 8), -volumes
    folded = int((corner_volumes(points[cells]).min(axis=1) < -FOLDED * volumes).sum())
    if folded:
        raise InvalidMeshError(
            f"{folded} of {len(cells)} cells of the lattice are turned inside out; make it thinner, or its cells larger"
        )
    spans = points[cells[:, [4, 2, 1]]] - points[cells[:, :1]]
    lengths = np.linalg.norm(spans, axis=2)
    cube = np.allclose(lengths, lengths.mean(), rtol=1e-9) and np.allclose(volumes, lengths.mean() ** 3, rtol=1e-9)
    return lattice_of_cells(points, cells, volumes, kind, parity=parity, regular=cube)


def _welded(points: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points that coincide made one."""
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    pairs = cKDTree(points).query_pairs(WELD_SHARE * size, output_type="ndarray")
    number = components(pairs, len(points))
    _, first = np.unique(number, return_index=True)
    return points[first], number[cells]


def _laid_out(points: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Used points only, slab by slab along the longest side: what is near in space is near in memory."""
    used, rows = np.unique(cells, return_inverse=True)
    points, cells = points[used], rows.reshape(cells.shape)
    thickness = np.median(np.linalg.norm(points[cells[:, -1]] - points[cells[:, 0]], axis=1))
    axes = np.argsort(np.ptp(points, axis=0), kind="stable")
    slabs = np.floor((points - points.min(axis=0))[:, axes] / thickness).astype(np.int64)
    order = np.lexsort((points[:, axes[0]], slabs[:, 1], slabs[:, 2]))
    number = np.empty(len(points), np.int64)
    number[order] = np.arange(len(points))
    return points[order], number[cells]
