"""Cell labels to closed pieces of the artist's own surface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .cut import Cuts, intersect
from .inside import is_inside
from .job import Settings
from .regions import build_walls
from .solid import SolidModel, cell_volumes
from .surface import Surface, volume
from .surface_attributes import carry_corners, carry_faces
from .walls import Walls

# A component below this share of the body's volume is rounding.
NUMERICAL_SHARE = 1e-9
# A smaller component of a fragment than this share of a mean cell was trimmed off by the surface, and is given to the
# fragment that it sticks to.
SLIVER_CELLS = 0.5


@dataclass(frozen=True)
class Piece:
    """One connected part of a fragment.

    Attributes:
        label: The fragment's label.
        surface: Closed, wound outwards, in the space of the surface that was cut. ``face_source`` is the cut surface's
            own for its parts, and -1 for faces that the crack made.
        interior: (F,) bool, faces that this crack or an earlier one made.
    """

    label: int
    surface: Surface
    interior: np.ndarray


def cut(surface: Surface, solid: SolidModel, fragment_of_cell: np.ndarray, settings: Settings) -> list[Piece]:
    """Cut a surface by the regions that cell labels describe.

    Args:
        surface: Closed, manifold and wound outwards; shells may be several.
        solid: Cells that fill it, and the padding around them. To break a piece again, cut the piece's own surface
            with ``solid.extract`` of its cells: its parts then fill it exactly.
        fragment_of_cell: (C,) labels; -1 for cells that are not wanted, which are a region of their own.
        settings: ``roughness`` and ``seed`` are used.

    Returns:
        Pieces by label and falling volume. A label has several where its region meets the surface in several parts,
        and none where it misses it. The volumes sum to the surface's when no label is -1.

    Raises:
        InvalidMeshError: The surface is not closed.
        FractureError: A region could not be cut.
    """
    fragment_of_cell = np.asarray(fragment_of_cell)
    wanted = np.unique(fragment_of_cell[fragment_of_cell >= 0])
    if not len(wanted):
        return []
    region_of_cell = np.where(fragment_of_cell < 0, len(wanted), np.searchsorted(wanted, fragment_of_cell))
    walls = build_walls(solid, region_of_cell, settings.roughness, settings.seed)
    cuts = intersect(surface.points, surface.faces, walls, range(len(wanted)))
    whole = volume(surface)
    cell_volume = cell_volumes(solid.points, solid.cells).mean()
    cuts = _without_slivers(cuts, walls, SLIVER_CELLS * cell_volume, NUMERICAL_SHARE * whole)
    return _pieces(surface, cuts, walls, wanted, NUMERICAL_SHARE * whole)


def volume_error(surface: Surface, pieces: Sequence[Piece]) -> float:
    """How far the pieces' volumes are from summing to the surface's, relative to it."""
    return abs(sum(volume(piece.surface) for piece in pieces) / volume(surface) - 1.0)


def _components(cuts: Cuts) -> tuple[np.ndarray, np.ndarray]:
    """(F,) component of each face, and (K,) signed volumes of the components; the hollow ones are negative."""
    start, end = cuts.faces.ravel(), np.roll(cuts.faces, -1, axis=1).ravel()
    graph = coo_array((np.ones(len(start), bool), (start, end)), shape=(len(cuts.points),) * 2)
    count, component_of_point = connected_components(graph, directed=False)
    component = component_of_point[cuts.faces[:, 0]] if len(cuts.faces) else np.empty(0, int)
    # Each component's volume about a point of its own: no rounding from its distance to the origin.
    _, first = np.unique(component_of_point, return_index=True)
    a, b, c = np.moveaxis(cuts.points[cuts.faces] - cuts.points[first[component]][:, None], 1, 0)
    return component, np.bincount(component, np.einsum("fi,fi->f", a, np.cross(b, c)) / 6.0, count)


def _without_slivers(cuts: Cuts, walls: Walls, sliver_volume: float, numerical_volume: float) -> Cuts:
    """Give what the surface trimmed off a fragment to the neighbour that it sticks to; drop what is rounding."""
    component, volumes = _components(cuts)
    region = np.zeros(len(volumes), int)
    region[component] = cuts.region
    largest = np.zeros(int(region.max(initial=0)) + 1)
    np.maximum.at(largest, region, volumes)
    small = (volumes >= 0.0) & (volumes < sliver_volume) & (volumes < largest[region])
    for sliver in np.flatnonzero(small)[np.argsort(volumes[small], kind="stable")]:
        glued = _glued(cuts, walls, np.flatnonzero(component == sliver))
        if glued is not None:
            cuts, component = glued[0], component[glued[1]]
    kept = np.abs(volumes[component]) > numerical_volume
    # A glued sliver's faces still name it here, and must stay with the piece that they are now a part of.
    kept |= region[component] != cuts.region
    return _take(cuts, np.flatnonzero(kept))


def _glued(cuts: Cuts, walls: Walls, sliver: np.ndarray) -> tuple[Cuts, np.ndarray] | None:
    """The cuts with a sliver's faces (rows) made a part of the neighbour with most contact, and the rows that remain.

    ``None`` when the two do not meet cleanly.
    """
    own = cuts.region[sliver[0]]
    inner = sliver[cuts.wall_row[sliver] >= 0]
    sides = walls.labels[cuts.wall_row[inner]]
    others = np.where(sides[:, 0] == own, sides[:, 1], sides[:, 0])
    a, b, c = np.moveaxis(cuts.points[cuts.faces[inner]], 1, 0)
    contact = np.bincount(others[others >= 0], np.linalg.norm(np.cross(b - a, c - a), axis=1)[others >= 0])
    if not len(contact):
        return None
    host = int(np.argmax(contact))
    seam = inner[others == host]
    # The host's side of the seam: faces of the same walls, with all corners where the sliver has some.
    names = {cuts.points[point].tobytes(): point for point in np.unique(cuts.faces[seam])}
    candidates = np.flatnonzero((cuts.region == host) & np.isin(cuts.wall_row, cuts.wall_row[seam]))
    match = {point: names.get(cuts.points[point].tobytes(), -1) for point in np.unique(cuts.faces[candidates])}
    touches = [all(match[point] >= 0 for point in face) for face in cuts.faces[candidates]]
    candidates = candidates[np.array(touches, bool)]
    if not len(candidates):
        return None
    faces, region = cuts.faces.copy(), cuts.region.copy()
    renamed = np.arange(len(cuts.points))
    for point in np.unique(faces[candidates]):
        renamed[match[point]] = point
    faces[sliver] = renamed[faces[sliver]]
    region[sliver] = host
    rows = np.setdiff1d(np.arange(len(faces)), np.concatenate([seam, candidates]))
    glued = replace(cuts, faces=faces, region=region)
    glued = _take(glued, rows)
    return (glued, rows) if _is_closed(glued.faces[glued.region == host]) else None


def _is_closed(faces: np.ndarray) -> bool:
    """Whether every edge has exactly two faces, which run along it in opposite directions."""
    start, end = faces.ravel().astype(np.int64), np.roll(faces, -1, axis=1).ravel().astype(np.int64)
    width = int(faces.max(initial=0)) + 1
    along, back = np.sort(start * width + end), np.sort(end * width + start)
    return bool((np.diff(along) > 0).all() and (along == back).all())


def _take(cuts: Cuts, rows: np.ndarray) -> Cuts:
    return Cuts(cuts.points, cuts.faces[rows], cuts.region[rows], cuts.source_row[rows], cuts.wall_row[rows])


def _pieces(surface: Surface, cuts: Cuts, walls: Walls, wanted: np.ndarray, numerical_volume: float) -> list[Piece]:
    component, volumes = _components(cuts)
    component = _with_hollows(cuts, component, volumes)
    # One order for everything: by label, then falling volume, then as the cut gave it.
    order = np.lexsort((component, -volumes[component], cuts.region))
    order = order[volumes[component[order]] > numerical_volume]
    cuts, component = _take(cuts, order), component[order]
    corners = cuts.points[cuts.faces]
    face_attributes = carry_faces(surface, cuts.source_row)
    corner_attributes = carry_corners(surface, corners, cuts.source_row, walls.axis[cuts.wall_row])
    face_source = np.where(cuts.source_row < 0, -1, surface.face_source[cuts.source_row])
    starts = np.flatnonzero(np.append(True, np.diff(component) != 0)) if len(component) else []
    pieces = []
    for start, end in zip(starts, [*starts[1:], len(component)], strict=True):
        used, faces = np.unique(cuts.faces[start:end], return_inverse=True)
        part = Surface(
            cuts.points[used],
            faces.reshape(-1, 3),
            face_source[start:end],
            {name: values[start:end] for name, values in face_attributes.items()},
            {name: values[start:end] for name, values in corner_attributes.items()},
        )
        pieces.append(Piece(int(wanted[cuts.region[start]]), part, part.face_source < 0))
    return pieces


def _with_hollows(cuts: Cuts, component: np.ndarray, volumes: np.ndarray) -> np.ndarray:
    """Join each hollow (a component wound inwards) to the smallest component of its region that is around it."""
    joined = np.arange(len(volumes))
    for hollow in np.unique(component[volumes[component] < 0.0]):
        rows = np.flatnonzero(component == hollow)
        shells = np.unique(component[(cuts.region == cuts.region[rows[0]]) & (volumes[component] > 0.0)])
        inside = cuts.points[cuts.faces[rows[:1], 0]]
        for shell in shells[np.argsort(volumes[shells], kind="stable")]:
            if is_inside(Surface(cuts.points, cuts.faces[component == shell]), inside)[0]:
                joined[hollow] = shell
                break
    return joined[component]
