"""Cut the surface of a deformable body along its cracks, and move the surfaces of its fragments.

Each point of a fragment moves with the cell that it lies in. After that cell breaks, the point moves with the nearest
intact cell of its fragment.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...cutting import fragments
from ...data.cut_part import CutPart
from ...data.recording import Deformed
from ...data.surface import Surface, joined, volume
from ...geometry.embedding import embed
from ...meshing.thin import ropes
from ...methods.whole_shot import Debris, Deformation
from ..rigid_fragment import Breakable


def cut_body(row: int, item: Breakable, moved: Deformation) -> tuple[Deformed, dict[str, object]]:
    """Cut a body's surface along its cracks; return its fragments in motion, and the report on the body.

    Args:
        row: Row of the recording's bodies.
        item: The body.
        moved: Its fragments and their motion.
    """
    parts = _parts(item, moved)
    tracks = _tracks(parts, moved)
    surfaces = [part.surface for part in parts]
    interior = [part.interior for part in parts]
    if moved.debris is not None and len(moved.debris.shapes.faces):
        surfaces.append(_debris_surface(moved.debris, surfaces[0]))
        interior.append(np.ones(len(surfaces[-1].faces), bool))
        tracks.append(moved.debris.paths)
    surface = joined(surfaces)
    numbers = np.repeat(np.arange(len(surfaces), dtype=np.int32), [len(part.faces) for part in surfaces])
    result = Deformed(row, surface, np.concatenate(interior), numbers, np.concatenate(tracks, axis=1))
    whole = [part for part in parts if part.label >= 0]
    return result, _report(item, moved, len(whole), fragments.volume_error(item.surface, parts))


def _parts(item: Breakable, moved: Deformation) -> list[CutPart]:
    thin, labels = item.body.thin, moved.fragment_of_cell
    if thin is not None and thin.is_line:
        return ropes.pieces(thin, labels[np.unique(moved.owners, return_index=True)[1]])
    # The crushed cells are cut out as one more part.
    shifted = fragments.cut(item.surface, moved.solid, labels + 1, item.body.settings)
    return [CutPart(part.label - 1, part.surface, part.interior) for part in shifted]


def _tracks(parts: Sequence[CutPart], moved: Deformation) -> list[np.ndarray]:
    """Return the paths (T, P, 3) m of the points of each part."""
    result, count = [], len(moved.paths)
    for part in parts:
        points = part.surface.points
        mine = np.flatnonzero(moved.fragment_of_cell == part.label)
        own, cell = embed(points, moved.rest, moved.corners[mine])
        break_frames = moved.broken[mine][cell]
        intact = mine[moved.intact[mine]]
        # A part without intact cells keeps to its own.
        nearest = embed(points, moved.rest, moved.corners[intact])[0] if len(intact) else own
        path = np.empty((count, len(points), 3), np.float32)
        for frame, now in enumerate(moved.paths):
            path[frame] = np.where((frame < break_frames)[:, None], own.points(now), nearest.points(now))
            if part.label < 0 and len(points):
                # Each point of a crushed cell moves to a corner of the cell, so that nothing of it remains visible.
                crushed = np.flatnonzero(frame >= break_frames)
                path[frame, crushed] = now[moved.corners[mine][cell[crushed], 0]]
        result.append(path)
    return result


def _debris_surface(debris: Debris, like: Surface) -> Surface:
    """Return the particles in rest space, with the attributes of the surface ``like``."""
    shapes = debris.shapes
    faces = {
        name: np.zeros((len(shapes.faces), *np.shape(values)[1:]), np.asarray(values).dtype)
        for name, values in like.face_attributes.items()
    }
    if "material_index" in faces:
        faces["material_index"] -= 1
    corners = {
        name: np.zeros((len(shapes.faces), *values.shape[1:])) for name, values in like.corner_attributes.items()
    }
    if "normal" in corners:
        triangles = shapes.corners
        normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        corners["normal"] = np.repeat(normals / np.linalg.norm(normals, axis=1, keepdims=True), 3, axis=0).reshape(
            -1, 3, 3
        )
    return Surface(debris.centers + shapes.points, shapes.faces, shapes.face_source, faces, corners)


def _report(item: Breakable, moved: Deformation, fragment_count: int, volume_error: float) -> dict[str, object]:
    return {
        "name": item.body.name,
        "volume": volume(item.surface),
        "cells": moved.solid.cell_count,
        "bonds": moved.bond_count,
        "fragments": fragment_count,
        "dust_count": 0,
        "dust_volume": 0.0,
        "volume_error": float(volume_error),
        "load_factor": 0.0,
        "solve_count": 0,
        "breaks": int(fragment_count > 1),
        "repair": dict(item.repair),
        "warnings": [],
    }
