"""Defects of a surface: counts, and a sentence for the artist."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..data.arrays import distinct
from ..data.surface import Surface, volume
from . import shells
from .intersections import crossing_faces

# Thickness over the diagonal below which a surface is flat: Blender's float32 coordinates round at 6e-8. Volume over
# the diagonal's cube below which a closed surface is two coinciding sheets: float64 rounding of many faces.
FLAT, NO_VOLUME = 1e-6, 1e-12


@dataclass(frozen=True)
class Defects:
    """Defects that prevent a simulation, and a few facts about the surface.

    Attributes:
        point_count: Number of points.
        face_count: Number of faces.
        invalid_points: Points with a coordinate that is infinite or not a number.
        degenerate_faces: Faces with the same point twice.
        open_edges: Edges of one face.
        non_manifold_edges: Edges of three or more faces with different numbers of faces in the two directions.
        inconsistent_edges: Edges of two faces with opposite windings.
        crossing_faces: Faces that cross or cover another face.
        shell_count: Number of connected shells.
        inverted_shells: Closed shells with inward normals that are no cavity.
        nested_shells: Closed shells inside the volume of another shell.
        volume: Signed volume, m3; exact only for a clean surface.
        flat: Whether all points lie in a plane.
        hollow: Whether the surface is closed and encloses no volume.
    """

    point_count: int
    face_count: int
    invalid_points: int = 0
    degenerate_faces: int = 0
    open_edges: int = 0
    non_manifold_edges: int = 0
    inconsistent_edges: int = 0
    crossing_faces: int = 0
    shell_count: int = 0
    inverted_shells: int = 0
    nested_shells: int = 0
    volume: float = 0.0
    flat: bool = False
    hollow: bool = False

    @property
    def closed(self) -> bool:
        """Whether each edge has as many faces in one direction as in the other."""
        return not (
            self.open_edges or self.non_manifold_edges or self.inconsistent_edges or self.degenerate_faces
        ) and bool(self.face_count)

    @property
    def clean(self) -> bool:
        """Whether the surface bounds a solid."""
        broken = self.invalid_points or self.crossing_faces or self.inverted_shells or self.nested_shells
        return self.closed and not (broken or self.flat or self.hollow)

    def sentence(self) -> str:
        """Return all defects in one line without a full stop; ``no defects`` for a clean surface."""
        if not self.face_count:
            return "it has no faces"
        found = [
            _counted(self.invalid_points, "point that is not a number", "points that are not numbers"),
            "no thickness" if self.flat else "",
            "no volume inside" if self.hollow else "",
            _counted(self.degenerate_faces, "face without area", "faces without area"),
            _counted(self.open_edges, "open edge", "open edges"),
            _counted(self.non_manifold_edges, "edge with too many faces", "edges with too many faces"),
            _counted(self.inconsistent_edges, "edge between opposite normals", "edges between opposite normals"),
            _counted(self.crossing_faces, "self-intersecting face", "self-intersecting faces"),
            _counted(self.inverted_shells, "part turned inside out", "parts turned inside out"),
            _counted(self.nested_shells, "part inside another", "parts inside others"),
        ]
        found = [item for item in found if item]
        if not found:
            return "no defects"
        if len(found) == 1:
            return f"it has {found[0]}"
        return f"it has {', '.join(found[:-1])} and {found[-1]}"


def inspect(surface: Surface) -> Defects:
    """Count the defects of a surface.

    Args:
        surface: Any surface.

    Returns:
        The defects. Self-intersections are searched in every surface with finite points. Nested and inverted shells are
        searched only if all shells are closed and no faces cross, because inside is undefined otherwise.

    Notes:
        Own: the conditions for a surface to bound a solid (compare Attene 2010, A Lightweight Approach to Repairing
        Digitized Polygon Meshes), counted for the message.

    Example:
        >>> points = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        >>> inspect(Surface(points, np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3]]))).sentence()
        'it has 3 open edges'
    """
    points, faces = surface.points, surface.faces
    invalid = int((~np.isfinite(points).all(axis=1)).sum())
    if invalid or not len(faces):
        return Defects(len(points), len(faces), invalid_points=invalid)
    repeated = (faces == np.roll(faces, 1, axis=1)).any(axis=1)
    faces = faces[~repeated]
    table = shells.edges(faces)
    count, balanced = table.face_count, table.forward == table.backward
    label = shells.shell_of_face(table) if len(faces) else np.empty(0, int)
    found = Defects(
        len(points),
        len(surface.faces),
        degenerate_faces=int(repeated.sum()),
        open_edges=int((count == 1).sum()),
        non_manifold_edges=int(((count > 2) & ~balanced).sum()),
        inconsistent_edges=int(((count == 2) & ~balanced).sum()),
        crossing_faces=int(crossing_faces(points, faces).sum()),
        shell_count=int(label.max(initial=-1)) + 1,
        volume=volume(Surface(points, faces)) if len(faces) else 0.0,
        flat=is_flat(points[distinct(faces)]),
    )
    if balanced.all() and len(faces):
        enclosed = np.abs(shells.shell_volumes(Surface(points, faces), label)).sum()
        found = replace(found, hollow=bool(enclosed < NO_VOLUME * surface.diagonal**3))
        if not found.crossing_faces:
            inverted, nested = shell_faults(Surface(points, faces), label)
            found = replace(found, inverted_shells=int(inverted.sum()), nested_shells=int(nested.sum()))
    return found


def is_clean(surface: Surface) -> bool:
    """Return whether ``inspect`` finds no defect. It does not search an open surface for crossings, to save time."""
    return shells.is_closed(surface.faces) and inspect(surface).clean


def is_flat(points: np.ndarray) -> bool:
    """Return whether points lie in a plane, on a line or at one point.

    Args:
        points: (N, 3) m.

    Returns:
        Whether their root mean square distance from the best plane is at most ``FLAT`` of their box's diagonal.

    Notes:
        Pearson 1901, On Lines and Planes of Closest Fit to Systems of Points in Space.

    Example:
        >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
        >>> is_flat(corners), is_flat(np.vstack([corners, [0.0, 0.0, 0.1]]))
        (True, False)
    """
    if len(points) < 4:
        return True
    centered = points - points.mean(axis=0)
    thickness = np.linalg.svd(centered.T @ centered)[1][-1] ** 0.5 / len(points) ** 0.5
    return bool(thickness <= FLAT * np.linalg.norm(np.ptp(points, axis=0)))


def shell_faults(surface: Surface, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find inverted and nested shells of a closed surface without crossing faces.

    An outermost shell must have a positive volume. Otherwise it and all shells inside it are inverted. Inside, a
    negative shell is a cavity if exactly one solid surrounds it, and a positive shell is a solid only in a cavity. All
    others are nested.

    Args:
        surface: Closed surface.
        label: (F,) shell of each face.

    Returns:
        (S,) bool inverted, and (S,) bool nested.

    Notes:
        Own; the winding number is 0 or 1 everywhere if no shell is inverted or nested.

    Example:
        A tetrahedron in another one, both with outward normals.

        >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> two = Surface(np.vstack([corners, 0.2 + 0.2 * corners]), np.vstack([faces, faces + 4]))
        >>> inverted, nested = shell_faults(two, np.repeat([0, 1], 4))
        >>> inverted.tolist(), nested.tolist()
        ([False, False], [False, True])
    """
    positive = shells.shell_volumes(surface, label) > 0.0
    inside = shells.containment(surface, label)
    outermost = ~inside.any(axis=0)
    upside_down = outermost & ~positive
    inverted = upside_down | (inside[upside_down].any(axis=0))
    positive = positive ^ inverted
    filled = np.where(positive, 1, -1) @ inside
    return inverted, filled != np.where(positive, 0, 1)


def _counted(number: int, one: str, many: str) -> str:
    return "" if not number else f"1 {one}" if number == 1 else f"{number:,} {many}"
