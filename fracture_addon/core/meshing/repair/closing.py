"""Closing of open surfaces: caps over holes, and walls for sheets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...data.readable import length_text
from ...data.surface import Surface, area, area_vectors, joined, volume
from ...geometry import shells
from ...geometry.inspection import is_flat
from ...geometry.intersections import crossing_faces
from ...geometry.nearest import with_attributes_from
from ...numerics.components import components
from . import cleaning, rebuild, thickening, vessels

# Area of the caps over the area with caps above which an open part is a sheet, and not a solid with holes. The open
# side of a hemisphere has 0.33. The repairs of 13 damaged meshes (docs/gallery/repair.py) keep their bytes from 0.15 to
# 3; at 0.03, two solids with holes become sheets.
SHEET_SHARE = 0.3
# Mean thickness (twice the volume over the area) over the diagonal below which a body is a sheet. The repairs keep
# their bytes from 1e-4 to 1e-2.
SHEET_THICKNESS = 1e-3
# Default thickness of the wall of a sheet over the diagonal of the whole surface. The volume is proportional to it.
WALL = 0.01
# Thickness of the wall of scraps over the median diagonal of the open parts: that of porcelain cups, as for vessels.
SCRAP_WALL = 0.02
# Number of open parts above which a surface is torn, and the number for a flat one, whose parts are letters of a text.
# 60 leaves get walls of 1.8 mm, a share of each leaf, up to 50, and of 23 mm, a share of the whole, from 100 on.
MOST_SHEETS, MOST_LETTERS = 100, 2000
# Largest distance over the diagonal by which an inner wall may extend beyond the outer wall that contains it. The
# repairs keep their bytes at 0.025 and 0.05; at 0.005 half a jar gets other walls (1.1 instead of 1.3 l), and at 0.1 a
# teapot with open parts is filled (3.3 instead of 0.7 l).
LINING = 0.05


def sheet_parts(surface: Surface, only_flat: bool = False) -> np.ndarray:
    """Find open sheets without thickness. The other open parts are solids with holes.

    A part is a sheet if its caps would have a large share of the area, or if it would have hardly any volume with caps.
    Nested rims at the end of a hollow body connect its inner and outer wall to one part.

    Args:
        surface: Result of ``cleaning.tidied``.
        only_flat: Count only parts with hardly any volume as sheets.

    Returns:
        (F,) bool, faces of sheets.

    Example:
        A square, beside a long wedge without its small end.

        >>> square = Surface([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
        >>> wedge = Surface([[5, 0, 0], [6, 0, 0], [5, 1, 0], [5, 0, 9]], [[0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> sheet_parts(joined([square, wedge])).tolist()
        [True, True, False, False, False]
    """
    table = shells.edges(surface.faces)
    label = shells.shell_of_face(table)
    if not len(label) or not (table.face_count == 1).any():
        return np.zeros(len(label), bool)
    caps = rebuild.capped(surface, together=True)
    if caps is None:
        caps = np.empty((0, 3), np.int64)
    ends = _labels_at(surface, label, caps)
    part_of_label = components(ends, int(label.max()) + 1)
    part, part_of_cap = part_of_label[label], part_of_label[ends[:, 0]]
    missing = area(Surface(surface.points, caps))
    if missing > SHEET_SHARE * (missing + area(surface)) and not only_flat:
        return np.isin(part, part_of_cap)
    result = np.zeros(len(label), bool)
    for number in np.unique(part_of_cap):
        own = part == number
        whole = Surface(surface.points, np.concatenate([surface.faces[own], caps[part_of_cap == number]]))
        result[own] = 2.0 * abs(volume(whole)) < SHEET_THICKNESS * surface.diagonal * area(whole)
    return result


def shells_with_linings(surface: Surface) -> np.ndarray:
    """Return the shell of each face. A ring-shaped cap connects an inner wall to the outer one around it.

    Args:
        surface: Result of ``cleaning.tidied``.

    Returns:
        (F,).
    """
    label = shells.shell_of_face(shells.edges(surface.faces))
    caps = rebuild.capped(surface, together=True) if len(label) else None
    if caps is None or not len(caps):
        return label
    count = int(label.max()) + 1
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    corners = surface.corners
    np.minimum.at(low, label, corners.min(axis=1))
    np.maximum.at(high, label, corners.max(axis=1))
    pairs = _labels_at(surface, label, caps)[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    # A lid on the rim of a pot is no inner wall, because it extends beyond the pot.
    slack = LINING * surface.diagonal
    one, other = pairs[:, 0], pairs[:, 1]
    within = ((low[one] >= low[other] - slack) & (high[one] <= high[other] + slack)).all(axis=1)
    within |= ((low[other] >= low[one] - slack) & (high[other] <= high[one] + slack)).all(axis=1)
    return components(pairs[within], count)[label]


def _labels_at(surface: Surface, label: np.ndarray, caps: np.ndarray) -> np.ndarray:
    """Return the shell (K, 3) of the surface at each corner of caps."""
    label_of_point = np.full(len(surface.points), -1)
    label_of_point[surface.faces] = label[:, None]
    return label_of_point[caps]


def one_sided(surface: Surface) -> Surface:
    """Return the faces of a flat body that face one side: a sheet."""
    vectors = area_vectors(surface)
    normal = np.linalg.svd(vectors, full_matrices=False)[2][0]
    facing = vectors @ normal
    facing = facing if facing.max() > -facing.min() else -facing
    return cleaning.picked(surface, surface.faces, np.flatnonzero(facing > 0.0))


@dataclass(frozen=True)
class Openings:
    """Treatment of the open parts of a surface.

    Attributes:
        kept: ``auto``, ``hollow`` or ``filled``, as the setting Openings.
        thickness: Thickness of the wall of every open part, m; 0 for a default, and for the choice of ``kept``.
        vessel_wall: Default thickness of the wall of a vessel, m.
    """

    kept: str = "auto"
    thickness: float = 0.0
    vessel_wall: float = 0.0


def closed(surface: Surface, openings: Openings) -> tuple[Surface, list[str], str]:
    r"""Close the open edges of a surface as far as possible.

    Args:
        surface: Result of ``cleaning.tidied``.
        openings: Treatment of its open parts.

    Returns:
        The surface, a description of each change, and the treatment of its openings: ``hollow``, ``filled``, or empty
        if it had none.

    Notes:
        Own: sheets and vessels get walls, holes in solids get caps, because a cap on a cup would fill it.

    Example:
        >>> square = Surface([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
        >>> wall, done, _ = closed(square, Openings(thickness=0.1))
        >>> round(volume(wall), 6), done
        (0.1, ['1 open sheet given a wall of 100\xa0mm'])
    """
    done = []
    surface, apart = thickening.separate_sheets(surface)
    if apart:
        done.append(f"{_counted(apart, 'edge')} with too many faces or in a one-sided strip separated")
    table = shells.edges(surface.faces)
    label = shells.shell_of_face(table)
    is_open = _open_faces(table, label)
    most = MOST_LETTERS if is_flat(surface.points[np.unique(surface.faces)]) else MOST_SHEETS
    if len(np.unique(label[is_open])) > most:
        return surface, done, ""
    walled, wall = _walled(surface, is_open, openings)
    rest, capping = _capped(cleaning.picked(surface, surface.faces, np.flatnonzero(~walled)))
    done += capping
    if not walled.any():
        return rest, done, "filled" if capping else ""
    sheets = _sheets(surface, label, np.unique(label[walled]))
    walls = [thickening.thickened(sheet, wall) for sheet in sheets]
    done.append(f"{_counted(len(walls), 'open sheet')} given a wall of {length_text(wall)}")
    return joined([rest, *walls] if len(rest.faces) else walls), done, "hollow"


def walled_scraps(surface: Surface, openings: Openings) -> tuple[Surface, list[str]]:
    """Give each open part of a torn surface a wall: leaves, and triangles that form no surface.

    Args:
        surface: Result of ``cleaning.tidied``.
        openings: Treatment of its open parts.

    Returns:
        Closed parts, which may cross, and a description of the change.
    """
    surface, _ = thickening.separate_sheets(surface)
    table = shells.edges(surface.faces)
    label = shells.shell_of_face(table)
    is_open = _open_faces(table, label)
    sheets = _sheets(surface, label, np.unique(label[is_open]))
    wall = openings.thickness or SCRAP_WALL * float(np.median([sheet.diagonal for sheet in sheets]))
    walls = [thickening.thickened(sheet, wall) for sheet in sheets]
    rest = cleaning.picked(surface, surface.faces, np.flatnonzero(~is_open))
    done = [f"{_counted(len(walls), 'open sheet')} given a wall of {length_text(wall)}"]
    return joined([rest, *walls] if len(rest.faces) else walls), done


def _sheets(surface: Surface, label: np.ndarray, numbers: np.ndarray) -> list[Surface]:
    """Return the shells ``numbers``, each as a surface with outward normals."""
    result = []
    for number in numbers:
        sheet = cleaning.compact(cleaning.picked(surface, surface.faces, np.flatnonzero(label == number)))
        if thickening.volume_to_rim(sheet) < 0.0:
            sheet = cleaning.flipped(sheet, np.ones(len(sheet.faces), bool))
        result.append(sheet)
    return result


def _walled(surface: Surface, is_open: np.ndarray, openings: Openings) -> tuple[np.ndarray, float]:
    """Return the faces (F,) bool that get a wall, and its thickness, m."""
    if openings.thickness > 0.0:
        return is_open, openings.thickness
    return WALLED[openings.kept](surface, is_open, openings)


def _walls_of_flat_sheets(surface: Surface, is_open: np.ndarray, openings: Openings) -> tuple[np.ndarray, float]:
    return sheet_parts(surface, only_flat=True), WALL * surface.diagonal


def _walls_of_open_parts(surface: Surface, is_open: np.ndarray, openings: Openings) -> tuple[np.ndarray, float]:
    return is_open, openings.vessel_wall or vessels.WALL * surface.diagonal


def _walls_of_vessels(surface: Surface, is_open: np.ndarray, openings: Openings) -> tuple[np.ndarray, float]:
    if is_open.any() and vessels.has_vessel(surface, shells_with_linings(surface)):
        return _walls_of_open_parts(surface, is_open, openings)
    return sheet_parts(surface), WALL * surface.diagonal


# Faces that get a wall, by the setting Openings.
WALLED = {"auto": _walls_of_vessels, "hollow": _walls_of_open_parts, "filled": _walls_of_flat_sheets}


def is_torn(surface: Surface) -> bool:
    """Return whether a surface has more open parts than ``closed`` accepts.

    Args:
        surface: Any surface.

    Returns:
        Whether there are more than ``MOST_SHEETS``.
    """
    table = shells.edges(surface.faces)
    label = shells.shell_of_face(table)
    return len(np.unique(label[_open_faces(table, label)])) > MOST_SHEETS


def _open_faces(table: shells.Edges, label: np.ndarray) -> np.ndarray:
    """Return the faces (F,) bool of shells with an edge of one face."""
    rim = (table.face_count == 1)[table.of_corner].any(axis=1)
    return np.isin(label, label[rim])


def _capped(surface: Surface) -> tuple[Surface, list[str]]:
    """Cap the holes of a surface if their rims are simple loops: rings at hollow ends, otherwise one cap per loop."""
    loops = rebuild.boundary_loops(surface)
    if not loops:
        return surface, []
    found = []
    for together in (True, False):
        caps = rebuild.capped(surface, together)
        if caps is not None:
            faces = np.concatenate([surface.faces, caps])
            rows = np.concatenate([np.arange(len(surface.faces)), np.full(len(caps), -1)])
            result, _ = cleaning.with_consistent_winding(with_attributes_from(surface, surface.points, faces, rows))
            found.append((int(crossing_faces(result.points, result.faces).sum()), result))
            if found[-1][0] == 0:
                break
    if not found:
        return surface, []
    _, best = min(found, key=lambda item: item[0])
    return best, [f"{_counted(len(loops), 'hole')} capped"]


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
