"""Build lattices from profiles (Norton et al. 1991, "Geometric modeling"), and ropes and sheets (Sweeney et al. 1991).

Slabs, surfaces of revolution and thickened patches have deformed cells and a smooth outside, where cubes have stairs.
Where corners coincide, for example on an axis, cells are wedges with repeated corners.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from ....data.errors import InvalidMeshError
from ....data.thin import evenly_along, point_normals
from ....numerics.components import components
from ..lattice import Lattice
from .cells import CORNERS, corner_volumes, hexahedron_volumes, lattice_of_cells

# Distance over the diagonal of the bounding box at which points are merged. Chosen; not measured.
WELD_SHARE = 1e-7
# Negative corner volume over the cell's volume above which a cell counts as folded, not as a rounding error. Chosen;
# not measured.
FOLDED = 1e-6
# Points on each cubic Bezier curve for its arc length. Chosen; not measured.
CURVE_SAMPLES = 64


def slab(size: ArrayLike, counts: Sequence[int], kind: str = "face") -> Lattice:
    """Build a block with one corner at the origin.

    Args:
        size: (3,) m.
        counts: (3,) cells along each side.
        kind: See ``cells.CELL_KINDS``.
    """
    grid = np.stack(np.meshgrid(*(np.arange(count + 1) for count in counts), indexing="ij"), axis=-1)
    return _solid(grid * (np.asarray(size, float) / counts), kind)


def revolved(outer: ArrayLike, inner: ArrayLike, segments: int, layers: int, kind: str = "fitted") -> Lattice:
    """Build a thick surface of revolution about Z between two profile curves.

    Args:
        outer: (N, 2) radius and height, m, for example from ``evenly_along``.
        inner: (N, 2) the opposite point of each outer point, m. Where both lie on the axis, the solid is closed.
        segments: Number of cells around the axis.
        layers: Number of cells between the profiles.
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


def swept(curve: ArrayLike, radius: float, across: int, kind: str = "fitted") -> Lattice:
    """Build a solid bar of round section along a curve, such as a handle.

    A square grid is mapped to the disc. Its corner cells have an angle of 180 degrees, which makes a straight bar of
    four cells across 28 % too stiff in tension.

    Args:
        curve: (N, 3) m. There is one layer of cells between consecutive points.
        radius: m.
        across: Number of cells across the section.
        kind: See ``cells.CELL_KINDS``.
    """
    curve = np.asarray(curve, float)
    along = np.asarray(np.gradient(curve, axis=0))
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    side = np.empty_like(along)
    side[0] = np.cross(along[0], np.eye(3)[np.argmin(np.abs(along[0]))])
    for row in range(1, len(curve)):
        # Projection of the previous direction: the frame does not twist around the curve.
        side[row] = side[row - 1] - along[row] * (side[row - 1] @ along[row])
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    u, v = np.meshgrid(*2 * [np.linspace(-1.0, 1.0, across + 1)], indexing="ij")
    # Map the square grid to a disc.
    over, up = u * np.sqrt(1.0 - 0.5 * v**2), v * np.sqrt(1.0 - 0.5 * u**2)
    frame = np.stack([side, np.cross(along, side)], axis=1)
    section = np.einsum("uvk,nki->uvni", np.stack([over, up], axis=-1), frame)
    return _solid(curve + radius * section, kind)


def thickened(points: ArrayLike, quads: ArrayLike, thickness: float, layers: int = 1, kind: str = "fitted") -> Lattice:
    """Thicken a mesh by half the thickness to each side, along the normals of its points.

    Args:
        points: (P, 3) m.
        quads: (Q, 4); a triangle repeats its last corner. The mesh may be open. All quads have the same winding.
        thickness: m.
        layers: Number of cells through the thickness.
        kind: See ``cells.CELL_KINDS``.
    """
    points, quads = _merge_close_points(np.asarray(points, float), np.asarray(quads))
    normals = point_normals(points, quads)
    shares = np.linspace(-0.5, 0.5, layers + 1)
    stacked = (points[:, None] + thickness * shares[:, None] * normals[:, None]).reshape(-1, 3)
    # Corner 4 i + 2 j + k: (i, j) around the quad, k through the thickness.
    around = quads[:, [0, 3, 1, 2]] * (layers + 1)
    cells = [np.stack([around + layer, around + layer + 1], axis=-1).reshape(-1, 8) for layer in range(layers)]
    return _hexahedra(stacked, np.concatenate(cells), kind)


def thickened_patches(
    nets: ArrayLike, thickness: float, counts: Sequence[int], layers: int = 1, kind: str = "fitted"
) -> Lattice:
    """Thicken bicubic Bezier patches. Patches with a common edge are connected.

    Args:
        nets: (M, 4, 4, 3) control points, m.
        thickness: m.
        counts: (2,) cells along both parameters of each patch.
        layers: Number of cells through the thickness.
        kind: See ``cells.CELL_KINDS``.
    """
    return thickened(*patch_quads(nets, counts), thickness, layers, kind)


def sheet(points: ArrayLike, quads: ArrayLike, thickness: float) -> Lattice:
    """Build a membrane without bending stiffness, from the edges and diagonals of quads.

    Args:
        points: (P, 3) m.
        quads: (Q, 4); a triangle repeats its last corner.
        thickness: m.
    """
    points, quads = _merge_close_points(np.asarray(points, float), np.asarray(quads))
    points, quads = _order_for_memory(points, quads)
    a, b, c, d = np.moveaxis(points[quads], 1, 0)
    # Areas of quads that are not flat: the mean over both diagonals.
    halves = [(b - a, c - a), (c - a, d - a), (b - a, d - a), (c - b, d - b)]
    areas = 0.25 * np.asarray(sum(np.linalg.norm(np.cross(*half), axis=1) for half in halves))
    return lattice_of_cells(points, quads, thickness * areas, "sheet")


def rope(points: ArrayLike, radius: float) -> Lattice:
    """Build a rope along (N, 3) points, m, with a round section of ``radius``, m."""
    points = np.asarray(points, float)
    segments = np.stack([np.arange(len(points) - 1), np.arange(1, len(points))], axis=1)
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    return lattice_of_cells(points, segments, np.pi * radius**2 * lengths, "rope", regular=True)


def bezier_curve(controls: ArrayLike, count: int) -> np.ndarray:
    """Return (count, D) evenly spaced points on connected cubic Bezier curves with (3 n + 1, D) control points."""
    controls = np.asarray(controls, float)
    curves = [
        _bernstein(np.linspace(0.0, 1.0, CURVE_SAMPLES)) @ controls[start : start + 4]
        for start in range(0, len(controls) - 1, 3)
    ]
    return evenly_along(np.concatenate(curves), count)


def patch_quads(nets: ArrayLike, counts: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Divide bicubic Bezier patches into quads.

    Args:
        nets: (M, 4, 4, 3) control points, m.
        counts: (2,) quads along both parameters of each patch.

    Returns:
        (P, 3) points, m, and (Q, 4) quads.
    """
    across, along = (_bernstein(np.linspace(0.0, 1.0, count + 1)) for count in counts)
    points = np.einsum("ua,vb,mabi->muvi", across, along, np.asarray(nets, float))
    rows = np.arange(points[..., 0].size).reshape(points.shape[:-1])
    quads = np.stack([rows[:, :-1, :-1], rows[:, 1:, :-1], rows[:, 1:, 1:], rows[:, :-1, 1:]], axis=-1)
    return points.reshape(-1, 3), quads.reshape(-1, 4)


def _bernstein(parameter: np.ndarray) -> np.ndarray:
    """Compute the (N, 4) weights of the control points of a cubic at (N,) parameters."""
    t, s = parameter, 1.0 - parameter
    return np.stack([s**3, 3.0 * s**2 * t, 3.0 * s * t**2, t**3], axis=1)


def _solid(grid: np.ndarray, kind: str) -> Lattice:
    """Build cells between the points of an (I, J, K, 3) grid, which is closed where its ends coincide."""
    cubes = np.argwhere(np.ones(np.array(grid.shape[:3]) - 1, bool))
    cells = np.ravel_multi_index(tuple(np.moveaxis(cubes[:, None] + CORNERS, -1, 0)), grid.shape[:3])
    return _hexahedra(*_merge_close_points(grid.reshape(-1, 3), cells), kind, cubes.sum(axis=1) % 2)


def _hexahedra(points: np.ndarray, cells: np.ndarray, kind: str, parity: np.ndarray | None = None) -> Lattice:
    """Assemble a lattice of hexahedra; refuse folded cells."""
    points, cells = _order_for_memory(points, cells)
    volumes = hexahedron_volumes(points[cells])
    if volumes.sum() < 0.0:
        # All cells are left-handed: swap their corners along the last axis.
        cells, volumes = cells.reshape(-1, 4, 2)[..., ::-1].reshape(-1, 8), -volumes
    folded = int((corner_volumes(points[cells]).min(axis=1) < -FOLDED * volumes).sum())
    if folded:
        raise InvalidMeshError(
            f"{folded} of {len(cells)} cells of the lattice are inverted; reduce the thickness or enlarge the cells"
        )
    spans = points[cells[:, [4, 2, 1]]] - points[cells[:, :1]]
    lengths = np.linalg.norm(spans, axis=2)
    cube = np.allclose(lengths, lengths.mean(), rtol=1e-9) and np.allclose(volumes, lengths.mean() ** 3, rtol=1e-9)
    return lattice_of_cells(points, cells, volumes, kind, parity=parity, regular=cube)


def _merge_close_points(points: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Merge points that coincide, and renumber the corners of cells."""
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    pairs = cKDTree(points).query_pairs(WELD_SHARE * size, output_type="ndarray")
    number = components(pairs, len(points))
    _, first = np.unique(number, return_index=True)
    return points[first], number[cells]


def _order_for_memory(points: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Keep used points only, slab by slab along the longest side, so that near points are near in memory."""
    used, rows = np.unique(cells, return_inverse=True)
    points, cells = points[used], rows.reshape(cells.shape)
    thickness = np.median(np.linalg.norm(points[cells[:, -1]] - points[cells[:, 0]], axis=1))
    axes = np.argsort(np.ptp(points, axis=0), kind="stable")
    slabs = np.floor((points - points.min(axis=0))[:, axes] / thickness).astype(np.int64)
    order = np.lexsort((points[:, axes[0]], slabs[:, 1], slabs[:, 2]))
    number = np.empty(len(points), np.int64)
    number[order] = np.arange(len(points))
    return points[order], number[cells]
