"""What is wrong with a surface, counted, and said in the artist's words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.arrays import distinct
from ..data.surface import Surface, volume
from . import shells
from .intersections import crossing_faces

# A body thinner than this in some direction, over its diagonal, is flat; a closed one with less volume than this
# over diagonal^3 is two coinciding sheets.
FLAT, NO_VOLUME = 1e-6, 1e-12


@dataclass(frozen=True)
class Defects:
    """Counts of all that a simulation cannot use, and a few facts beside them.

    Attributes:
        point_count, face_count: Of the surface.
        invalid_points: Points that are not a number or infinite.
        degenerate_faces: Faces that name a point twice.
        open_edges: Edges of one face only.
        non_manifold_edges: Edges of three or more faces that cannot be paired up by their directions.
        inconsistent_edges: Edges of two faces of which one is wound the wrong way.
        crossing_faces: Faces that run through or lie in another one.
        shell_count: Connected pieces of surface.
        inverted_shells: Closed shells wound inside out.
        nested_shells: Closed shells that fill again what another shell already fills.
        volume: Signed, m3; exact only for a clean surface.
        flat: No extent, or none in one direction.
        hollow: Closed, but around no volume.
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
        """Whether every edge has as many faces on the one side as on the other."""
        return not (
            self.open_edges or self.non_manifold_edges or self.inconsistent_edges or self.degenerate_faces
        ) and bool(self.face_count)

    @property
    def clean(self) -> bool:
        """Whether the surface bounds a solid as it is."""
        broken = self.invalid_points or self.crossing_faces or self.inverted_shells or self.nested_shells
        return self.closed and not (broken or self.flat or self.hollow)

    def sentence(self) -> str:
        """All defects in one line, without a full stop; ``no defects`` for a clean surface."""
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

    Self-intersections are looked for in any surface of finite points; nesting and inside-out shells only where all
    shells are closed and none crosses another, because inside means nothing otherwise.
    """
    points, faces = surface.points, surface.faces
    sizes = {"point_count": len(points), "face_count": len(faces)}
    invalid = int((~np.isfinite(points).all(axis=1)).sum())
    if invalid or not len(faces):
        return Defects(**sizes, invalid_points=invalid)
    repeated = (faces == np.roll(faces, 1, axis=1)).any(axis=1)
    faces = faces[~repeated]
    table = shells.edges(faces)
    count, balanced = table.face_count, table.forward == table.backward
    label = shells.shell_of_face(table) if len(faces) else np.empty(0, int)
    found = {
        "degenerate_faces": int(repeated.sum()),
        "open_edges": int((count == 1).sum()),
        "non_manifold_edges": int(((count > 2) & ~balanced).sum()),
        "inconsistent_edges": int(((count == 2) & ~balanced).sum()),
        "crossing_faces": int(crossing_faces(points, faces).sum()),
        "shell_count": int(label.max(initial=-1)) + 1,
        "volume": volume(Surface(points, faces)) if len(faces) else 0.0,
        "flat": is_flat(points[distinct(faces)]),
    }
    if balanced.all() and len(faces):
        enclosed = np.abs(shells.shell_volumes(Surface(points, faces), label)).sum()
        found["hollow"] = bool(enclosed < NO_VOLUME * surface.diagonal**3)
        if not found["crossing_faces"]:
            inverted, nested = shell_faults(Surface(points, faces), label)
            found |= {"inverted_shells": int(inverted.sum()), "nested_shells": int(nested.sum())}
    return Defects(**sizes, **found)


def is_clean(surface: Surface) -> bool:
    """Whether ``inspect`` finds no defect; an open surface is not searched for crossings, which takes long."""
    return shells.is_closed(surface.faces) and inspect(surface).clean


def is_flat(points: np.ndarray) -> bool:
    """Whether (N, 3) points lie within a plane, a line or a point."""
    if len(points) < 4:
        return True
    centered = points - points.mean(axis=0)
    thickness = np.linalg.svd(centered.T @ centered)[1][-1] ** 0.5 / len(points) ** 0.5
    return bool(thickness <= FLAT * np.linalg.norm(np.ptp(points, axis=0)))


def shell_faults(surface: Surface, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which closed shells are wound inside out, and which fill again what is already full.

    A shell outside all others has to have a positive volume, else it and all within it is inside out. Within, a
    negative shell is a cavity where exactly one solid surrounds it; a positive one is a solid only in a cavity.

    Returns:
        (S,) bool inverted, (S,) bool nested.
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
