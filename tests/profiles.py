"""Lattices from profiles (Norton et al. 1991, "Geometric modeling"), and ropes and sheets (Sweeney et al. 1991)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from fracture_addon.core.data.thin import evenly_along, point_normals
from fracture_addon.core.methods.lattice.cells.cells import lattice_of_cells
from fracture_addon.core.methods.lattice.cells.profiles import (
    hexahedra,
    merge_close_points,
    order_for_memory,
    revolved,
    solid,
)
from fracture_addon.core.methods.lattice.lattice import Lattice

__all__ = [
    "bezier_curve",
    "patch_quads",
    "revolved",
    "rope",
    "sheet",
    "slab",
    "swept",
    "thickened",
    "thickened_patches",
]
# Points on each cubic Bezier curve for its arc length.
CURVE_SAMPLES = 64


def slab(size: ArrayLike, counts: Sequence[int], kind: str = "face") -> Lattice:
    """Build a block with one corner at the origin.

    Args:
        size: (3,) m.
        counts: (3,) cells along each side.
        kind: See ``cells.CELL_KINDS``.
    """
    grid = np.stack(np.meshgrid(*(np.arange(count + 1) for count in counts), indexing="ij"), axis=-1)
    return solid(grid * (np.asarray(size, float) / counts), kind)


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
    return solid(curve + radius * section, kind)


def thickened(points: ArrayLike, quads: ArrayLike, thickness: float, layers: int = 1, kind: str = "fitted") -> Lattice:
    """Thicken a mesh by half the thickness to each side, along the normals of its points.

    Args:
        points: (P, 3) m.
        quads: (Q, 4); a triangle repeats its last corner. The mesh may be open. All quads have the same winding.
        thickness: m.
        layers: Number of cells through the thickness.
        kind: See ``cells.CELL_KINDS``.
    """
    points, quads = merge_close_points(np.asarray(points, float), np.asarray(quads))
    normals = point_normals(points, quads)
    shares = np.linspace(-0.5, 0.5, layers + 1)
    stacked = (points[:, None] + thickness * shares[:, None] * normals[:, None]).reshape(-1, 3)
    # Corner 4 i + 2 j + k: (i, j) around the quad, k through the thickness.
    around = quads[:, [0, 3, 1, 2]] * (layers + 1)
    cells = [np.stack([around + layer, around + layer + 1], axis=-1).reshape(-1, 8) for layer in range(layers)]
    return hexahedra(stacked, np.concatenate(cells), kind)


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
    points, quads = merge_close_points(np.asarray(points, float), np.asarray(quads))
    points, quads = order_for_memory(points, quads)
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
