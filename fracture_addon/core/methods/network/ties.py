"""Ties: the reinforcement of a body, as bonds beside those of the faces that it crosses (docs/decisions/ties.md).

A film of plastic in glass and steel bars in concrete hold when the faces that they cross crack.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from ...data.material import Material
from ...data.mixture import TIE, Mixture
from ...data.settings.settings import ModelSettings
from ...data.solid import SolidModel, cell_centers, cell_edge, cell_volumes, face_vectors
from ...fields.mixtures import mixture_inside

# A film of polyvinyl butyral: 20 MPa at a strain of 2.5, handbook values, not checked against the source. Young's
# modulus in an impact at 20 °C: assumed, it changes by decades with time and temperature (Stevels and D'Haene 2020).
FILM = Material(
    "Film",
    young_modulus=1e8,
    poisson_ratio=0.45,
    tensile_strength=20e6,
    yield_strength=10e6,
    hardening=4e6,
    plastic_limit=2.5,
)
# Bars of the steel B500B: it yields at 500 MPa and reaches 540 MPa at a strain of 5 % (DIN 488). Young's modulus: EN
# 1992-1-1, 3.2.7.
STEEL = Material(
    "Steel",
    young_modulus=200e9,
    poisson_ratio=0.3,
    tensile_strength=540e6,
    yield_strength=500e6,
    hardening=0.8e9,
    plastic_limit=0.05,
)
# m, depth of the axes of the outer bars below the centres of the outer cells. EN 1992-1-1, 4.4.1 asks for a cover of 15
# to 45 mm, and the centres lie some millimetres below the surface. A beam of 20 x 30 cm at three times its critical
# load cracks into 27, 17 and 16 pieces at 12.5, 25 and 50 mm, and into 11 at 5 mm and with one bar in its middle (100
# mm); the bars hold them in 1 or 2 bodies (medians of three seeds, which scatter by as much).
COVER = 0.025
# Bars run along an axis of the body if its length is at least this share of the longest one: along a beam, in both
# directions of a slab. A beam of 2 m x 0.2 m x 0.3 m has 6 bars from 0.25 to 0.8, and 64 at 0.1. A slab of 2 m x 1.2 m
# has 40 bars in both directions up to 0.55, and 16 in one from 0.65; one of 2 m x 0.7 m has 38 at 0.25, and 10 from
# 0.4.
LONG = 0.5
# Steps in a right angle in the search for the narrowest box around the body; one is 1 degree. The cross-section of the
# box around a turned beam is 0.6 % larger with 15 to 45 steps, and the same with 90 to 360.
TURNS = 90


def reinforced(solid: SolidModel, material: Material, settings: ModelSettings, wall: float) -> SolidModel:
    """Return a solid with its ties as further faces, after all others; the same solid if it has none.

    Args:
        solid: Tetrahedra; several joined objects have no ties.
        material: Material of the body, without its reinforcement.
        settings: ``film_thickness``, ``bar_diameter``, ``bar_spacing``, ``grain``, and those that vary the strength.
        wall: m, wall thickness of the body.

    Returns:
        The solid; the ``mixture`` has the stiffness and strength of its faces and ties.

    Notes:
        Own (docs/decisions/ties.md).

    Example:
        A film of 10 mm in a pane of 100 mm: its tie has a tenth of the area of the shared face, 0.5 m2.

        >>> from ...data.material import PORCELAIN
        >>> from ...data.settings.settings import Settings
        >>> from ...data.solid import from_cells
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> solid = from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], [])
        >>> face_vectors(reinforced(solid, PORCELAIN, Settings.of(film_thickness=0.01), wall=0.1)).round(9).tolist()
        [[0.5, 0.0, 0.0], [0.05, 0.0, 0.0]]
    """
    strength = settings.strength
    if solid.mixture is not None or not (strength.film_thickness or strength.bar_diameter):
        return solid
    mixture, triangles, faces = [mixture_inside(solid, material, settings)], [], []
    if strength.film_thickness:
        triangles.append(film(solid, min(1.0, strength.film_thickness / wall)))
        faces.append(np.arange(solid.face_count))
        mixture.append(_values(FILM, solid.face_count))
    if strength.bar_diameter:
        for start, direction in bars(solid, strength.grain, strength.bar_spacing):
            corners, crossed = along_bar(solid, start, direction, 0.25 * math.pi * strength.bar_diameter**2)
            triangles.append(corners)
            faces.append(crossed)
            mixture.append(_values(STEEL, len(crossed)))
    corners, rows = np.concatenate(triangles), np.concatenate(faces)
    return SolidModel(
        np.concatenate([solid.points, corners.reshape(-1, 3)]),
        solid.cells,
        solid.padding_cells,
        np.concatenate([solid.faces, len(solid.points) + np.arange(3 * len(corners)).reshape(-1, 3)]),
        np.concatenate([solid.face_cells, solid.face_cells[rows]]),
        mixture=Mixture.joined(mixture),
    )


def film(solid: SolidModel, share: float) -> np.ndarray:
    """Return triangles with a share of the area of each shared face, at its centre.

    Args:
        solid: Tetrahedra.
        share: Thickness of the film over that of the wall, 0 to 1.

    Returns:
        (F, 3, 3) m.

    Example:
        A quarter of the area has half of the edges.

        >>> from ...data.solid import from_cells
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 3, 0], [0, 0, 3], [1, 0, 0]]
        >>> film(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), 0.25)[0].tolist()
        [[0.0, 0.5, 0.5], [0.0, 2.0, 0.5], [0.0, 0.5, 2.0]]
    """
    corners = solid.points[solid.faces]
    centers = corners.mean(axis=1, keepdims=True)
    return centers + math.sqrt(share) * (corners - centers)


def bars(solid: SolidModel, grain: np.ndarray, spacing: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the bars of a body: a cage below the surface of the narrowest box that has an edge along the grain.

    Args:
        solid: Tetrahedra.
        grain: (3,) direction.
        spacing: m, largest distance of two bars side by side. The size of a cell replaces a smaller value.

    Returns:
        A point (3,) m and the unit direction (3,) of each bar.

    Notes:
        Own (docs/decisions/ties.md).

    Example:
        A beam has a bar along each of its edges.

        >>> from fracture_addon.core.data.solid import from_cells
        >>> from scipy.spatial import Delaunay
        >>> points = np.random.default_rng(0).random((400, 3)) * [2.0, 0.2, 0.2]
        >>> found = bars(from_cells(points, Delaunay(points).simplices, []), np.array([1.0, 0.0, 0.0]), 0.2)
        >>> len(found), np.abs(found[0][1]).round(6).tolist()
        (4, [1.0, 0.0, 0.0])
    """
    centers = cell_centers(solid.points, solid.cells)
    axes = _box_axes(centers, grain)
    spacing = max(spacing, float(cell_edge(cell_volumes(solid.points, solid.cells).mean())))
    places = centers @ axes.T
    low, high = places.min(axis=0), places.max(axis=0)
    lines = [_side_by_side(bottom, top, spacing) for bottom, top in zip(low, high, strict=True)]
    found = []
    for axis in np.flatnonzero(high - low >= LONG * (high - low).max()):
        one, two = (other for other in range(3) if other != axis)
        for first, second in itertools.product(lines[one], lines[two]):
            if first in lines[one][[0, -1]] or second in lines[two][[0, -1]]:
                found.append((first * axes[one] + second * axes[two], axes[axis]))
    return found


def _box_axes(points: np.ndarray, grain: np.ndarray) -> np.ndarray:
    """Return the axes (3, 3) of the narrowest box around points whose first axis is along the grain."""
    along = grain / np.linalg.norm(grain)
    start = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    start /= np.linalg.norm(start)
    turned = np.cross(along, start)
    angles = np.linspace(0.0, 0.5 * np.pi, TURNS, endpoint=False)
    across = np.cos(angles)[:, None] * start + np.sin(angles)[:, None] * turned
    areas = np.ptp(points @ across.T, axis=0) * np.ptp(points @ np.cross(along, across).T, axis=0)
    best = across[np.argmin(areas)]
    return np.array([along, best, np.cross(along, best)])


def _side_by_side(low: float, high: float, spacing: float) -> np.ndarray:
    """Return the coordinates (N,) of bars between two sides of a body, m; one in the middle without room for two."""
    first, last = low + COVER, high - COVER
    if last <= first:
        return np.array([0.5 * (low + high)])
    return np.linspace(first, last, 1 + math.ceil((last - first) / spacing))


def along_bar(
    solid: SolidModel, start: np.ndarray, direction: np.ndarray, area: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ties of a straight bar: its cross-sections where it crosses faces.

    Args:
        solid: Tetrahedra.
        start: (3,) m, a point of the bar.
        direction: (3,) unit vector along it.
        area: m2, of its cross-section.

    Returns:
        Triangles (N, 3, 3) m with normals from the first cell to the second, and the faces (N,).

    Notes:
        Own (docs/decisions/ties.md). A line is inside a triangle if it passes all its edges on one side (Plücker 1865).

    Example:
        A bar of 3 cm2 crosses the face between two cells. Its tie is a triangle of this area around it.

        >>> from ...data.solid import from_cells
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> solid = from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], [])
        >>> ties, faces = along_bar(solid, np.array([-5, 0.2, 0.2]), np.array([1.0, 0.0, 0.0]), 3e-4)
        >>> a, b, c = ties[0]
        >>> (0.5e4 * np.cross(b - a, c - a)).round(6).tolist(), faces.tolist()
        ([3.0, 0.0, 0.0], [0])
    """
    a, b, c = np.moveaxis(solid.points[solid.faces] - start, 1, 0)
    # The line is inside a triangle if it passes all edges on the same side (Plücker).
    sides = np.array([np.cross(p, q) @ direction for p, q in ((a, b), (b, c), (c, a))])
    faces = np.flatnonzero((sides > 0.0).all(axis=0) | (sides < 0.0).all(axis=0))
    normals = face_vectors(solid)[faces]
    height = np.einsum("fi,fi->f", a[faces], normals) / (normals @ direction)
    across = np.linalg.svd(direction[None])[2][1:]
    across[1] = np.cross(direction, across[0])
    radius = math.sqrt(area / (0.75 * math.sqrt(3.0)))
    angles = 2.0 * np.pi / 3.0 * np.arange(3)
    signs = np.sign(normals @ direction)
    offsets = np.stack([np.cos(angles)[None] + 0.0 * signs[:, None], signs[:, None] * np.sin(angles)], axis=-1) @ across
    return start + (height[:, None] * direction)[:, None] + radius * offsets, faces


def _values(material: Material, count: int) -> Mixture:
    """Return the mixture values of ``count`` ties. Pressure does not break them: the closed crack carries it."""
    return Mixture(
        densities=np.zeros(0),
        strengths=np.full(count, material.elastic_strength),
        young_moduli=np.full(count, material.young_modulus),
        shear_moduli=np.full(count, material.shear_modulus),
        compression_factors=np.full(count, np.inf),
        size_effects=np.ones(count),
        joints=np.full(count, TIE, np.int32),
        layers=np.full((count, 2), np.inf),
    )
