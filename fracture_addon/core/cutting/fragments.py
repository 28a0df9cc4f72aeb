"""Cut of the artist's surface into closed fragments, by the labels of cells."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from ..data.arrays import distinct, order_of
from ..data.cut_part import CutPart
from ..data.settings.settings import Settings
from ..data.solid import SolidModel, cell_volumes
from ..data.surface import Surface, volume
from ..geometry.inside import is_inside
from ..geometry.surface_attributes import (
    EDGE_WEAR,
    corner_normals,
    cut_corner_attributes,
    cut_face_attributes,
    edge_distances,
)
from ..geometry.thin_triangles import heights, without_thin_triangles
from .cell_complex import CellComplex
from .crack_faces import CrackFaces
from .cut import Cuts, intersect
from .fragment_regions import build_crack_faces
from .relief import Relief
from .slivers import components_of, take, without_slivers

# Share of the body's volume below which a component results from rounding.
NUMERICAL_SHARE = 1e-9
# The relief limits the displacement of each point of a crack face, but does not keep neighbours from crossing. Where
# rough faces cross, the volumes of the fragments do not sum to that of the body. Difference over the cube of the
# diagonal above which the cut is made again with less roughness, and the shares of the roughness that are tried. The
# difference exceeds what ``intersect`` allows its source to lose; the crossing that was measured changed 9e-8.
CROSSED, ROUGHNESS_SHARES = 1e-8, (1.0, 0.5, 0.25, 0.0)
# Volume over that of a mean cell below which a further component of a fragment was cut off by the surface. It is merged
# with the neighbour with the largest common area. A fork of four prongs, cut with 150 cells, has 33, 31, 27, 22 and 22
# fragments at 0.05, 0.25, 0.5, 1 and 2. Slabs, a ball, tori, a bowl and a jar have no such components.
SLIVER_CELLS = 0.5
# Height over the breadth of a fragment below which a triangle may have no area in float32, which rounds at 6e-8.
STORED = 2e-7


def cut(
    surface: Surface,
    solid: SolidModel,
    fragment_of_cell: np.ndarray,
    settings: Settings,
    origin: np.ndarray | None = None,
    known: CellComplex | None = None,
) -> list[CutPart]:
    """Cut a surface into closed fragments along the faces between cells with different labels.

    Args:
        surface: Closed manifold surface with outward normals and any number of shells.
        solid: Cells that fill it, and the padding around them. To break a fragment again, cut the fragment's surface
            with ``solid.extract`` of its cells (and ``fragment_regions.nearby`` of that). The new fragments then fill
            it exactly.
        fragment_of_cell: (C,) label of each cell; -1 for cells that are not wanted, which form one region.
        settings: Relief, seed, and the dust volume if dust is merged.
        origin: (3,) m, impact point, the centre of the ripples of a conchoidal relief.
        known: Complex of the solid, if it exists already.

    Returns:
        Fragments sorted by label, and by volume, the largest first. A label has several if its region intersects the
        surface in several components. It has none if its region is outside, or so small that it was merged with a
        neighbour. If no label is -1, the volumes sum to that of the surface.

    Raises:
        InvalidMeshError: The surface is not closed.
        FractureError: A region could not be cut.

    Notes:
        Own (docs/decisions/fragment_surfaces.md): the regions between crack faces are intersected with the surface,
        because cells fill it only approximately. Smith et al. 2001 draw the cells.

    Example:
        >>> from ..data.solid import cell_centers
        >>> from ..meshing.filling.tetrahedralize import tetrahedralize
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> surface = Surface(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> solid = tetrahedralize(surface, 200, seed=1)
        >>> upper = cell_centers(solid.points, solid.cells)[:, 2] > 0.3
        >>> parts = cut(surface, solid, upper.astype(np.int32), Settings())
        >>> [part.label for part in parts], abs(sum(volume(part.surface) for part in parts) - volume(surface)) < 1e-9
        ([0, 1], True)
    """
    fragment_of_cell = np.asarray(fragment_of_cell)
    wanted = distinct(fragment_of_cell[fragment_of_cell >= 0])
    if not len(wanted):
        return []
    region_of_cell = np.where(fragment_of_cell < 0, len(wanted), np.searchsorted(wanted, fragment_of_cell))
    relief = Relief.of(settings, origin)
    whole, sizes = volume(surface), cell_volumes(solid.points, solid.cells)
    # The volumes sum to that of the body only if all cells are wanted.
    shares = ROUGHNESS_SHARES if relief.amplitude > 0.0 and (fragment_of_cell >= 0).all() else (1.0,)
    for share in shares:
        less = replace(relief, amplitude=share * relief.amplitude)
        cracks = build_crack_faces(solid, region_of_cell, less, lambda points: is_inside(surface, points), known)
        cuts = intersect(surface.points, surface.faces, cracks, range(len(wanted)))
        if abs(volume(Surface(cuts.points, cuts.faces)) - whole) <= CROSSED * surface.diagonal**3:
            break
    least = whole * _least_shares(fragment_of_cell, sizes, wanted, settings.pieces.merged_below)
    cuts = without_slivers(cuts, SLIVER_CELLS * sizes.mean(), least, NUMERICAL_SHARE * whole)
    return _pieces(surface, cuts, cracks, wanted, NUMERICAL_SHARE * whole, np.radians(relief.recipe.crease))


def volume_error(surface: Surface, parts: Sequence[CutPart]) -> float:
    """Return the relative difference between the sum of the fragments' volumes and the volume of the surface."""
    return abs(sum(volume(part.surface) for part in parts) / volume(surface) - 1.0)


def _least_shares(
    fragment_of_cell: np.ndarray, cell_volumes: np.ndarray, wanted: np.ndarray, dust: float
) -> np.ndarray:
    """Return the share of the volume (K,) below which a cut fragment is dust; 0 if its cells had a smaller share."""
    kept = fragment_of_cell >= 0
    sums = np.bincount(np.searchsorted(wanted, fragment_of_cell[kept]), cell_volumes[kept], len(wanted))
    return np.where(sums >= dust * (1.0 - NUMERICAL_SHARE) * cell_volumes.sum(), dust, 0.0)


def _pieces(
    surface: Surface, cuts: Cuts, cracks: CrackFaces, wanted: np.ndarray, numerical_volume: float, crease: float
) -> list[CutPart]:
    component, volumes = components_of(cuts)
    component = _with_hollows(cuts, component, volumes)
    # One order for everything: by label, then by volume, the largest first, then as the cut gave it.
    region = np.zeros(len(volumes), int)
    region[component] = cuts.region
    rank = np.empty(len(volumes), int)
    rank[np.lexsort((-volumes, region))] = np.arange(len(volumes))
    order = order_of(rank[component])
    order = order[volumes[component[order]] > numerical_volume]
    cuts, component = _stored_whole(take(cuts, order), component[order])
    inner = np.flatnonzero(cuts.source_row < 0)
    # A crack face is smooth where it separates the same two fragments.
    one, other = cracks.labels[cuts.crack_row[inner]].T
    group = np.minimum(one, other) * (len(wanted) + 1) + np.maximum(one, other)
    face_source = np.where(cuts.source_row < 0, -1, surface.face_source[cuts.source_row])
    with ThreadPoolExecutor(1) as pool:
        # On another core than the rest: both are mostly compiled loops that let other threads run.
        wear = pool.submit(edge_distances, cuts.points, cuts.faces, component, face_source < 0)
        normals = corner_normals(cuts.points, cuts.faces[inner], group, crease)
        face_attributes = cut_face_attributes(surface, cuts.source_row)
        axis = cracks.axis[cuts.crack_row]
        corner_attributes = cut_corner_attributes(surface, cuts.points, cuts.faces, cuts.source_row, axis, normals)
        corner_attributes[EDGE_WEAR] = wear.result()
    ends = _ends(component)
    # No two components share a point: those of the first come first.
    owner = np.full(len(cuts.points), len(ends))
    owner[cuts.faces] = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))[:, None]
    order = order_of(owner)
    row, first = np.empty(len(order), np.int64), np.searchsorted(owner[order], np.arange(len(ends) + 1))
    row[order] = np.arange(len(order))
    points, faces = cuts.points[order], row[cuts.faces]
    pieces = []
    for number, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        part = Surface(
            points[first[number] : first[number + 1]],
            faces[start:end] - first[number],
            face_source[start:end],
            {name: values[start:end] for name, values in face_attributes.items()},
            {name: values[start:end] for name, values in corner_attributes.items()},
        )
        pieces.append(CutPart(int(wanted[cuts.region[start]]), part, part.face_source < 0))
    return pieces


def _ends(component: np.ndarray) -> np.ndarray:
    """Return the end of each component's faces, which are contiguous."""
    return np.flatnonzero(np.append(np.diff(component) != 0, len(component) > 0)) + 1


def _stored_whole(cuts: Cuts, component: np.ndarray) -> tuple[Cuts, np.ndarray]:
    """Remove faces that may have no area in float32, in which Blender stores meshes."""
    if not len(component):
        return cuts, component
    corners, ends = cuts.points[cuts.faces.ravel()], _ends(component)
    starts = np.append(0, ends[:-1])
    least = STORED * np.max(np.maximum.reduceat(corners, 3 * starts) - np.minimum.reduceat(corners, 3 * starts), axis=1)
    slim = np.logical_or.reduceat(heights(cuts.points, cuts.faces) < np.repeat(least, ends - starts), starts)
    if not slim.any():
        return cuts, component
    faces, kept = [], []
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        own, parents = cuts.faces[start:end], np.arange(end - start)
        if slim[number]:
            own, parents = without_thin_triangles(cuts.points, own, least[number])
        faces.append(own)
        kept.append(start + parents)
    rows = np.concatenate(kept)
    return replace(take(cuts, rows), faces=np.concatenate(faces)), component[rows]


def _with_hollows(cuts: Cuts, component: np.ndarray, volumes: np.ndarray) -> np.ndarray:
    """Return components in which each cavity (inward normals) belongs to the smallest component around it.

    A cavity without a component around it results from a rough crack face that crosses itself. It belongs to the
    largest component of its region, so that the volumes still sum to that of the body. A region that consists of
    cavities alone has no volume, up to rounding: its cavities stay as they are.
    """
    joined = np.arange(len(volumes))
    for hollow in distinct(component[volumes[component] < 0.0]):
        rows = np.flatnonzero(component == hollow)
        shells = distinct(component[(cuts.region == cuts.region[rows[0]]) & (volumes[component] > 0.0)])
        if not len(shells):
            continue
        inside = cuts.points[cuts.faces[rows[:1], 0]]
        joined[hollow] = shells[np.argmax(volumes[shells])]
        for shell in shells[np.argsort(volumes[shells], kind="stable")]:
            if is_inside(Surface(cuts.points, cuts.faces[component == shell]), inside)[0]:
                joined[hollow] = shell
                break
    return joined[component]
