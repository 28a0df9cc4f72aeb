"""Make a surface bound a solid with the least change, or refuse it with the remedy.

In order: pass it through; turn faces round (harmless, always done); and, where the artist allows it, drop what has no
area and weld, cap the holes, unite overlapping parts, and only then mesh it anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from . import remesh, shells, voxels
from .errors import InvalidMeshError
from .inspection import Defects, inspect, shell_faults
from .intersections import crossing_faces
from .nearest import carried, distance, held_barycentric
from .surface import Surface, area, volume

# Points nearer than this over the diagonal are one point.
WELD = 1e-6
# A hole whose cap would have more than this share of all area is the open side of a sheet, not a hole.
SHEET_SHARE = 0.3
# A body whose mean thickness (twice the volume over the area) is below this share of its diagonal is a sheet.
SHEET_THICKNESS = 1e-3
_REMESHES = ((0.3, remesh.envelope, "meshed anew by fTetWild"), (0.8, voxels.voxel_remesh, "meshed anew from voxels"))
SOLIDIFY = "give it thickness with a Solidify modifier"


@dataclass(frozen=True)
class RepairReport:
    """What was found and what was done about it.

    Attributes:
        found: The defects, in the artist's words.
        done: The repairs, in order; empty for a clean surface.
        moved: Metres, the farthest that the new surface lies from the old one (caps over holes apart,
            and welding, which closes gaps below a millionth of the diagonal).
        diagonal: Metres, of the object, to compare ``moved`` with.
        changed: Whether the surface is another than the one handed in.
    """

    found: str
    done: tuple[str, ...]
    moved: float
    diagonal: float
    changed: bool

    def sentence(self) -> str:
        """The report in one line."""
        if not self.changed:
            return "closed and clean, left as it is"
        share = 100.0 * self.moved / self.diagonal
        moved = "the shape did not move" if share < 1e-4 else f"the surface moved by up to {self.moved:.2g} m"
        moved += f" ({share:.2g} % of its size)" if share >= 1e-4 else ""
        return f"{self.found}: {', '.join(self.done)}; {moved}"


def prepare(
    surface: Surface, name: str, allow_repair: bool, progress: Callable[[float], None] | None = None
) -> tuple[Surface, RepairReport]:
    """A closed surface that does not cross itself, wound outwards: the same object where it is so already.

    Args:
        surface: As the artist modelled it, welded.
        name: Of the object, for messages.
        allow_repair: Whether the shape may be changed; turning faces round is done in any case.
        progress: Called with a share from 0 to 1.

    Raises:
        InvalidMeshError: It cannot bound a solid, or only after a repair that is not allowed.
    """
    defects = inspect(surface)
    if defects.clean:
        return surface, RepairReport(defects.sentence(), (), 0.0, surface.diagonal, False)
    _refuse_hopeless(surface, name, defects)
    if not (defects.open_edges or defects.crossing_faces or defects.nested_shells):
        result, done = _turned(surface)
        if inspect(result).clean:
            return result, RepairReport(defects.sentence(), tuple(done), 0.0, surface.diagonal, True)
    tidied, done = _tidied(surface)
    _refuse_sheet(tidied, name)
    if not allow_repair:
        raise InvalidMeshError(
            f"'{name}' cannot be broken: {defects.sentence()}; turn on Repair (--repair) or mend the mesh"
        )
    result, more, moved = _repaired(tidied, name, defects, progress or (lambda share: None))
    return result, RepairReport(defects.sentence(), (*done, *more), moved, surface.diagonal, True)


def _refuse_hopeless(surface: Surface, name: str, defects: Defects) -> None:
    if not defects.face_count:
        raise InvalidMeshError(f"'{name}' cannot be broken: it has no faces; select an object with a mesh")
    if defects.invalid_points:
        raise InvalidMeshError(
            f"'{name}' cannot be broken: {defects.invalid_points} of its {defects.point_count} points are not numbers; "
            "delete them or undo the edit that made them"
        )
    if defects.flat or defects.hollow:
        raise InvalidMeshError(
            f"'{name}' cannot be broken: it is flat, {defects.face_count} faces around no volume; {SOLIDIFY}"
        )


def _repaired(surface: Surface, name: str, defects: Defects, progress) -> tuple[Surface, list[str], float]:
    """The tidied surface closed and freed of crossings; what was done; and how far it moved, metres."""
    if inspect(surface).clean:
        return surface, [], 0.0
    progress(0.1)
    closed, done = _closed(surface)
    if done and inspect(closed).clean:
        return closed, done, 0.0
    progress(0.2)
    one, moved = _united(closed)
    if one is not None:
        return one, [*done, f"overlapping parts united ({defects.shell_count} before)"], moved
    for share, build, words in _REMESHES:
        progress(share)
        points, faces = build(closed)
        if len(faces):
            result = carried(closed, points, faces, np.full(len(faces), -1))
            if inspect(result).clean:
                return result, [*done, words], distance(closed, result)
    raise InvalidMeshError(
        f"'{name}' cannot be repaired: {defects.sentence()}, and no inside was found; {SOLIDIFY} or remesh it"
    )


def _tidied(surface: Surface) -> tuple[Surface, list[str]]:
    """Without faces that have no area or lie on one another, welded where that closes gaps, and wound alike."""
    faces, done = surface.faces, []
    if not shells.is_closed(faces):
        cell = np.round((surface.points - surface.points.min(axis=0)) / (WELD * surface.diagonal))
        _, first, welded = np.unique(cell, axis=0, return_index=True, return_inverse=True)
        faces = first[welded.reshape(-1)][faces]
        if len(np.unique(faces)) < len(np.unique(surface.faces)):
            done.append("points welded")
    rows = _without_doubles(faces)
    if len(rows) < len(faces):
        done.append(f"{len(faces) - len(rows)} empty or doubled faces dropped")
    result, turned = _turned(_picked(surface, faces, rows))
    return result, done + turned


def _without_doubles(faces: np.ndarray) -> np.ndarray:
    """Rows of faces with three points of their own: of equal ones the first, of opposite ones (a wall within) none."""
    ordered = np.sort(faces, axis=1)
    whole = (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
    _, first, group = np.unique(ordered, axis=0, return_index=True, return_inverse=True)
    # Faces whose corners sort by an odd permutation run the other way round.
    place = np.argsort(faces, axis=1)
    sense = np.where((place[:, 1] - place[:, 0]) % 3 == 1, 1, -1)
    net = np.bincount(group.reshape(-1), sense)
    first_of_sense = np.full(len(first), len(faces))
    agree = sense == np.sign(net)[group.reshape(-1)]
    np.minimum.at(first_of_sense, group.reshape(-1)[agree], np.flatnonzero(agree))
    rows = np.sort(first_of_sense[net != 0])
    return rows[whole[rows]]


def _closed(surface: Surface) -> tuple[Surface, list[str]]:
    """With caps over its holes, where they are plain loops: of hollow ends as rings, else one over each loop."""
    loops = remesh.boundary_loops(surface)
    if not loops:
        return surface, []
    found = []
    for together in (True, False):
        caps = remesh.capped(surface, together)
        if caps is not None:
            faces = np.concatenate([surface.faces, caps])
            rows = np.concatenate([np.arange(len(surface.faces)), np.full(len(caps), -1)])
            result, _ = _turned(carried(surface, surface.points, faces, rows))
            found.append((int(crossing_faces(result.points, result.faces).sum()), result))
            if found[-1][0] == 0:
                break
    if not found:
        return surface, []
    _, best = min(found, key=lambda item: item[0])
    return best, [f"{len(loops)} hole{'s' if len(loops) > 1 else ''} capped"]


def _refuse_sheet(tidied: Surface, name: str) -> None:
    """A sheet with open sides cannot be told from a solid with holes by its edges, but by how much is missing."""
    if not len(tidied.faces):
        raise InvalidMeshError(f"'{name}' cannot be broken: it is two coinciding sheets around no volume; {SOLIDIFY}")
    caps = remesh.capped(tidied, together=True)
    if caps is None or not len(caps):
        return
    whole = Surface(tidied.points, np.concatenate([tidied.faces, caps]))
    share = area(Surface(tidied.points, caps)) / area(whole)
    thickness = 2.0 * abs(volume(whole)) / area(whole)
    if share > SHEET_SHARE or thickness < SHEET_THICKNESS * tidied.diagonal:
        raise InvalidMeshError(
            f"'{name}' cannot be broken: it is an open sheet without thickness ({100.0 * share:.0f} % of its closed "
            f"surface is missing); {SOLIDIFY}"
        )


def _united(surface: Surface) -> tuple[Surface | None, float]:
    """The union of closed parts, where it is clean, and how far its corners lie from the faces that they came from."""
    union = remesh.united(surface) if shells.is_closed(surface.faces) else None
    if union is None:
        return None, 0.0
    points, faces, rows = union
    result = carried(surface, points, faces, rows)
    triangles = surface.corners[np.repeat(rows, 3)]
    corners = points[faces].reshape(-1, 3)
    places = np.einsum("ni,nik->nk", held_barycentric(triangles, corners), triangles)
    moved = float(np.linalg.norm(places - corners, axis=1).max(initial=0.0))
    return (result if inspect(result).clean else None), moved


def _turned(surface: Surface) -> tuple[Surface, list[str]]:
    """Wound alike within each shell; closed shells wound outwards, and inwards where they are cavities."""
    faces = surface.faces
    repeated = (faces == np.roll(faces, 1, axis=1)).any(axis=1)
    result, done = surface, []
    if repeated.any():
        result = _picked(surface, faces, np.flatnonzero(~repeated))
        done.append(f"{int(repeated.sum())} faces without area dropped")
    turn = shells.wound_alike(result.faces)
    alike = _flipped(result, turn)
    if shells.is_closed(alike.faces):
        label = shells.shell_of_face(shells.edges(alike.faces))
        crossing = crossing_faces(alike.points, alike.faces)
        if crossing.any():
            inwards = shells.shell_volumes(alike, label) < 0.0
            inverted = inwards & ~shells.cavities(alike, label, crossing)
        else:
            inverted, _ = shell_faults(alike, label)
        turn = turn ^ inverted[label]
    if turn.any():
        result = _flipped(result, turn)
        count = int(turn.sum())
        done.append(
            "turned the right side out" if turn.all() else f"{count} face{'s' if count > 1 else ''} turned round"
        )
    return result, done


def _picked(surface: Surface, faces: np.ndarray, rows: np.ndarray) -> Surface:
    """Some of the faces (over the same points), with their attributes."""
    return Surface(
        surface.points,
        faces[rows],
        surface.face_source[rows],
        {name: values[rows] for name, values in surface.face_attributes.items()},
        {name: values[rows] for name, values in surface.corner_attributes.items()},
    )


def _flipped(surface: Surface, turn: np.ndarray) -> Surface:
    """The faces ``turn`` (F,) bool wound the other way, their corner values with them and their normals negated."""
    order = np.where(turn[:, None], [0, 2, 1], [0, 1, 2])
    corner_attributes = {}
    for name, values in surface.corner_attributes.items():
        moved = np.take_along_axis(values, order[..., None], axis=1)
        corner_attributes[name] = np.where(turn[:, None, None], -moved, moved) if name == "normal" else moved
    faces = np.take_along_axis(surface.faces, order, axis=1)
    return Surface(surface.points, faces, surface.face_source, surface.face_attributes, corner_attributes)
