"""Repair of a surface so that it bounds a solid, with the least change, or a message with the remedy.

A clean surface is not changed. Windings are always corrected. If the artist allows a repair, the following is tried in
this order: drop empty faces and weld points, cap holes, give sheets a wall, unite overlapping parts, and remesh.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...data.arrays import distinct
from ...data.errors import InvalidMeshError
from ...data.job import Body
from ...data.progress import ShareProgress
from ...data.surface import Surface, area_vectors
from ...geometry import shells, thin_triangles
from ...geometry.inside import is_inside
from ...geometry.inspection import Defects, inspect, is_clean, is_flat
from ...geometry.nearest import distance, nearest, with_attributes_from
from ...geometry.surface_attributes import barycentric_weights
from . import cleaning, closing, rebuild, vessels, voxels

# Height over the diagonal below which triangles are removed: they may have no area in float32, which rounds at 6e-8.
NEEDLE = 5e-7
# Shares of the progress at which closing and union begin, and at which each way of remeshing begins and ends. They
# affect only the progress that is shown.
CLOSING_START, UNION_START = 0.1, 0.2
ENVELOPE_START, VOXELS_START, VOXELS_END = 0.3, 0.6, 0.9
# A torn surface bounds a solid if the winding number is about 1 behind at least this share of its area. The repairs of
# 13 damaged meshes (docs/gallery/repair.py) keep their bytes from 0.25 to 0.95.
SOLID_SHARE = 0.5
# Largest distance between old and new surface over the diagonal. At 0.02 a ball with a spike through it is refused;
# from 0.1 to 2 its repair stays the same, except for the differences between runs of fTetWild.
FARTHEST = 0.2
# Distance over the diagonal, in percent, below which a report says that the shape did not move: float32 rounds at
# 6e-6 %. It affects only the report.
REPORTED_SHARE = 1e-4
# Treatment of the openings of faces that bound no solid, as in ``RepairReport.openings``.
SCRAPS = "scraps"
# Default of ``prepare``: vessels stay hollow, with a wall that suits porcelain.
KEEP_VESSELS = closing.Openings()
SOLIDIFY = "give it thickness with a Solidify modifier"
REPAIR = "turn on Repair (--repair)"


@dataclass(frozen=True)
class RepairReport:
    """Defects of a surface and the repairs.

    Attributes:
        found: Sentence with the defects.
        done: Descriptions of the repairs, in order; empty for a clean surface.
        moved: Largest distance of the new surface from the old one, m, without caps and inner sides of walls.
        diagonal: Diagonal of the object, m.
        changed: Whether the result differs from the input.
        openings: Treatment of its openings: ``hollow``, ``filled``, ``scraps`` for a wall at each of many open parts
            that bound no solid, or empty if it had none.
    """

    found: str
    done: tuple[str, ...]
    moved: float
    diagonal: float
    changed: bool
    openings: str = ""

    def sentence(self) -> str:
        """Return the report in one line."""
        if not self.changed:
            return "closed and clean, left as it is"
        share = 100.0 * self.moved / self.diagonal
        moved = "the shape did not move"
        if share >= REPORTED_SHARE:
            moved = f"the surface moved by up to {self.moved:.2g} m ({share:.2g} % of its size)"
        return f"{self.found}: {', '.join(self.done)}; {moved}"


def prepare(
    surface: Surface,
    name: str,
    allow_repair: bool,
    progress: ShareProgress | None = None,
    openings: closing.Openings = KEEP_VESSELS,
) -> tuple[Surface, RepairReport]:
    """Return a closed surface with outward normals that does not cross itself.

    Args:
        surface: The artist's surface, welded.
        name: Name of the object, for messages.
        allow_repair: Whether the shape may change. Windings are corrected in any case.
        progress: Called with the finished share, 0 to 1.
        openings: Treatment of open parts.

    Returns:
        The surface, which is the input itself if that is clean, and a report.

    Raises:
        InvalidMeshError: The surface cannot bound a solid, or needs a repair that is not allowed.

    Notes:
        Own order of known repairs, the smallest change first: caps and walls, faces without height, a union
        (manifold3d), fTetWild (Hu et al. 2020), voxels (Jacobson et al. 2013).

    Example:
        >>> corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        >>> open_surface = Surface(corners, np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3]]))
        >>> closed, report = prepare(open_surface, "Tetrahedron", allow_repair=True)
        >>> len(closed.faces), report.sentence()
        (4, 'it has 3 open edges: 1 hole capped; the shape did not move')
    """
    _refuse_soup(surface, name)
    defects = inspect(surface)

    def reported(result: Surface, done: list[str], moved: float, kept: str = "") -> tuple[Surface, RepairReport]:
        is_changed = result is not surface
        return result, RepairReport(defects.sentence(), tuple(done), moved, surface.diagonal, is_changed, kept)

    if defects.clean:
        return reported(*_without_thin_triangles(surface), 0.0)
    _refuse_hopeless(surface, name, defects)
    if not (defects.open_edges or defects.crossing_faces or defects.nested_shells):
        result, done = cleaning.with_consistent_winding(surface)
        if is_clean(result):
            result, more = _without_thin_triangles(result)
            return reported(result, [*done, *more], 0.0)
    tidied, done = cleaning.tidied(surface)
    if not allow_repair:
        _refuse(tidied, name, defects)
    if defects.flat:
        tidied = closing.one_sided(tidied)
        done.append("one of its two sides kept")
    used = surface.points[distinct(surface.faces)]
    welded = float(nearest(tidied, used)[2].max()) if any("welded" in item for item in done) else 0.0
    result, more, moved, kept = _repaired(tidied, name, defects, openings, progress or (lambda share: None))
    return reported(result, [*done, *more], max(moved, welded), kept)


def report_if_clean(surface: Surface) -> RepairReport | None:
    """Return the report of a surface that ``prepare`` leaves as it is; ``None`` for any other surface.

    Example:
        >>> corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        >>> faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> report_if_clean(Surface(corners, faces)).sentence()
        'closed and clean, left as it is'
        >>> report_if_clean(Surface(corners, faces[:3])) is None
        True
    """
    defects = inspect(surface)
    if not defects.clean or _without_thin_triangles(surface)[0] is not surface:
        return None
    return RepairReport(defects.sentence(), (), 0.0, surface.diagonal, changed=False)


def prepare_body(body: Body, progress: ShareProgress | None = None) -> tuple[Surface, RepairReport]:
    """Prepare the surface of a body with its settings and material; see ``prepare``."""
    return prepare(body.surface, body.name, body.settings.repair.repair, progress, openings_of(body))


def openings_of(body: Body) -> closing.Openings:
    """Return the treatment of the open parts of a body."""
    wanted, wall = body.settings.repair, vessels.wall_of(body.material, body.surface.diagonal)
    return closing.Openings(wanted.openings, wanted.wall_thickness, wall)


def _refuse_soup(surface: Surface, name: str) -> None:
    """Refuse many faces that form no surface, before any long computation."""
    if len(surface.faces) and np.isfinite(surface.points).all() and cleaning.is_soup(surface.faces):
        whole, _ = cleaning.welded(surface)
        # Flat faces are the filling of an outline, as of a text. Each part of it can have a wall.
        if cleaning.is_soup(whole.faces) and not is_flat(surface.points[distinct(surface.faces)]):
            count = int(shells.shell_of_face(shells.edges(whole.faces)).max(initial=-1)) + 1
            parts = "1 part" if count == 1 else f"{count:,} parts"
            raise InvalidMeshError(
                f"'{name}' cannot be broken: its {len(surface.faces):,} faces ({parts}) form no surface, because most "
                "edges do not have two faces; merge the points that belong together (Mesh > Merge > By Distance), or "
                "add a Remesh modifier (Voxel)"
            )


def _refuse_hopeless(surface: Surface, name: str, defects: Defects) -> None:
    if not defects.face_count:
        raise InvalidMeshError(f"'{name}' cannot be broken: it has no faces; select an object with a mesh")
    if defects.invalid_points:
        raise InvalidMeshError(
            f"'{name}' cannot be broken: {defects.invalid_points} of its {defects.point_count} points are not numbers; "
            "delete them or undo the edit that made them"
        )
    if not area_vectors(surface).any():
        raise InvalidMeshError(
            f"'{name}' cannot be broken: none of its {defects.face_count} faces has an area; scale it back to its size"
        )


def _refuse(tidied: Surface, name: str, defects: Defects) -> None:
    """Raise an error with the defects and the remedy."""
    if defects.flat or defects.hollow:
        what = f"it is flat, {defects.face_count} faces around no volume"
    elif closing.sheet_parts(tidied).all():
        what = "it is an open sheet without thickness"
    else:
        raise InvalidMeshError(f"'{name}' cannot be broken: {defects.sentence()}; {REPAIR} or correct the mesh")
    raise InvalidMeshError(f"'{name}' cannot be broken: {what}; {REPAIR} to give it a wall, or {SOLIDIFY}")


def _without_thin_triangles(surface: Surface) -> tuple[Surface, list[str]]:
    """Remove triangles with a height below ``NEEDLE``, unless the result is not clean. Describe the change."""
    result, words = _slimmed(surface)
    return (result, words) if words and is_clean(result) else (surface, [])


def _slimmed(surface: Surface) -> tuple[Surface, list[str]]:
    """Remove triangles with a height below ``NEEDLE`` from a closed surface. Describe the change."""
    faces, rows = thin_triangles.without_thin_triangles(surface.points, surface.faces, NEEDLE * surface.diagonal)
    if len(rows) == len(surface.faces) and (faces == surface.faces).all():
        return surface, []
    lost = (thin_triangles.heights(surface.points, surface.faces) < NEEDLE * surface.diagonal).sum()
    words = f"{lost} face{'s' if lost > 1 else ''} without height removed"
    return with_attributes_from(surface, surface.points, faces, rows), [words]


def _repaired(
    surface: Surface, name: str, defects: Defects, openings: closing.Openings, progress: ShareProgress
) -> tuple[Surface, list[str], float, str]:
    """Close a tidied surface and remove its crossings.

    Returns:
        The surface, the descriptions, the largest distance, m, and the treatment of its openings.
    """
    if is_clean(surface):
        return surface, [], 0.0, ""
    progress(CLOSING_START)
    closed, done, kept = closing.closed(surface, openings)
    if done and is_clean(closed):
        return closed, done, 0.0, kept
    if shells.is_closed(closed.faces):
        # A triangle whose corners are on a line, as in the faces of a text, crosses its neighbours.
        closed, more = _slimmed(closed)
        done = [*done, *more]
        if more and is_clean(closed):
            return closed, done, 0.0, kept
    progress(UNION_START)
    one, moved = _united(closed)
    if one is not None:
        return one, [*done, f"overlapping parts united ({defects.shell_count} before)"], moved, kept
    are_scraps = closing.is_torn(closed) and voxels.solid_share(closed) < SOLID_SHARE
    if are_scraps and openings.kept != "filled":
        walled, walls = closing.walled_scraps(closed, openings)
        one, moved = (walled, 0.0) if is_clean(walled) else _united(walled)
        if one is not None:
            return one, [*done, *walls], moved, SCRAPS
    for points, faces, words in _remeshes(closed, are_scraps, progress):
        bare = Surface(points, faces)
        if not is_clean(bare):
            continue
        moved = max(distance(closed, bare), _lost(closed, bare))
        if moved > FARTHEST * surface.diagonal:
            share = 100.0 * moved / surface.diagonal
            raise InvalidMeshError(
                f"'{name}' cannot be repaired: {defects.sentence()}, and the nearest solid is up to "
                f"{moved:.2g} m ({share:.2g} % of its size) away; {SOLIDIFY} or remesh it"
            )
        result = with_attributes_from(closed, points, faces, np.full(len(faces), -1))
        rows, _, _ = nearest(closed, result.corners.mean(axis=1))
        return replace(result, face_source=closed.face_source[rows]), [*done, words], moved, kept
    raise InvalidMeshError(
        f"'{name}' cannot be repaired: {defects.sentence()}, and no enclosed volume was found; {SOLIDIFY} or remesh it"
    )


def _remeshes(
    surface: Surface, are_scraps: bool, progress: ShareProgress
) -> Iterator[tuple[np.ndarray, np.ndarray, str]]:
    """Yield points, faces and a description of new surfaces around the inside of a surface, the best first."""
    progress(ENVELOPE_START)
    # For faces that bound nothing, fTetWild takes up to half a minute and finds no inside.
    if not are_scraps:
        yield *rebuild.envelope(surface), "remeshed by fTetWild (differs slightly from run to run)"
    width = VOXELS_END - VOXELS_START
    count = voxels.SCRAP_SAMPLES if are_scraps else voxels.SAMPLES
    sampled = voxels.voxel_remesh(surface, lambda share: progress(VOXELS_START + width * share), count)
    yield *sampled, "remeshed from voxels"


def _lost(source: Surface, result: Surface) -> float:
    """Return the largest distance of the source outside the result, m, for example of a missing fin."""
    samples = np.concatenate([source.points[distinct(source.faces)], source.corners.mean(axis=1)])
    outside = samples[~is_inside(result, samples)]
    return float(nearest(result, outside)[2].max(initial=0.0))


def _united(surface: Surface) -> tuple[Surface | None, float]:
    """Return the union of closed parts, or ``None`` if it is not clean; and the largest distance of its corners, m."""
    union = rebuild.united(surface) if shells.is_closed(surface.faces) else None
    if union is None:
        return None, 0.0
    points, faces, rows = union
    # Parts that nearly touch leave thin triangles where they cross.
    slimmer, kept = thin_triangles.without_thin_triangles(points, faces, NEEDLE * surface.diagonal)
    for triangulation, source in ((slimmer, rows[kept]), (faces, rows)):
        result = with_attributes_from(surface, points, triangulation, source)
        if is_clean(result):
            corners = points[triangulation].reshape(-1, 3)
            triangles = surface.corners[np.repeat(source, 3)]
            places = np.einsum("fni,fik->fk", barycentric_weights(triangles, corners[:, None]), triangles)
            return result, float(np.linalg.norm(places - corners, axis=1).max(initial=0.0))
    return None, 0.0
