"""Cut the surface of a deformable body along its cracks, and move the surfaces of its fragments.

Each point of a fragment moves with the cell that it lies in. After that cell breaks, the point moves rigidly with the
nearest intact cells of its fragment. A fragment without intact cells moves as one rigid body from its first break on. A
point far outside of all cells follows the strain of its cell only a little.
"""

from __future__ import annotations

import numpy as np

from ...cutting import fragments
from ...data.cut_part import CutPart
from ...data.recording import Deformed
from ...data.solid import cell_edge, cell_volumes
from ...data.surface import Surface, joined, volume
from ...geometry.embedding import embed
from ...geometry.rigid_patches import patches_around
from ...meshing.thin import ropes
from ...methods.whole_shot import Debris, Deformation
from ..rigid_fragment import Breakable
from .stretch import check_stretch, drawn_stretch

# Distance of a point from its cell, over the cell's height, beyond which the cell's strain moves it only a little.
# Thin cells exaggerate strain, and springs let a thin cell turn inside out. From 0.0025 to 25 points move by at most
# 0.05 mm in 77 mm, in the mean.
FARTHEST_OUTSIDE = 0.25
# Largest distance of such a point from the place to which the nearest nodes carry it rigidly, over the edge of a mean
# cell. Measured: with 0.02 and 0.05, no dropped shape of the tests stretches beyond the limit of its material.
MOST_EXTRAPOLATED = 0.05
# Number of these nodes. A few near ones follow a body that bends. Measured: with 12 and 24, no dropped shape of the
# tests splits.
NODES_BESIDE = 12


def cut_body(row: int, item: Breakable, moved: Deformation, frame_start: int) -> tuple[Deformed, dict[str, object]]:
    """Cut a body's surface along its cracks; return its fragments in motion, and the report on the body.

    Args:
        row: Row of the recording's bodies.
        item: The body.
        moved: Its fragments and their motion.
        frame_start: Number of the first frame.

    Raises:
        SolverDivergedError: The surface stretches without limit.
    """
    parts = _parts(item, moved)
    edge = float(cell_edge(cell_volumes(moved.solid.points, moved.solid.cells).mean()))
    tracks = []
    for part in parts:
        mine = np.flatnonzero(moved.fragment_of_cell == part.label)
        points = part.surface.points
        tracks.append(
            _crushed_track(points, mine, moved) if part.label < 0 else _fragment_track(points, mine, moved, edge)
        )
    surfaces = [part.surface for part in parts]
    interior = [part.interior for part in parts]
    if moved.debris is not None and len(moved.debris.shapes.faces):
        surfaces.append(_debris_surface(moved.debris, surfaces[0]))
        interior.append(np.ones(len(surfaces[-1].faces), bool))
        tracks.append(moved.debris.paths)
    surface = joined(surfaces)
    numbers = np.repeat(np.arange(len(surfaces), dtype=np.int32), [len(part.faces) for part in surfaces])
    paths = np.concatenate(tracks, axis=1)
    check_stretch(item.body.name, frame_start, drawn_stretch(surface, paths, edge))
    result = Deformed(row, surface, np.concatenate(interior), numbers, paths)
    whole = [part for part in parts if part.label >= 0]
    return result, _report(item, moved, len(whole), fragments.volume_error(item.surface, parts))


def _parts(item: Breakable, moved: Deformation) -> list[CutPart]:
    thin, labels = item.body.thin, moved.fragment_of_cell
    if thin is not None and thin.is_line:
        return ropes.pieces(thin, labels[np.unique(moved.owners, return_index=True)[1]])
    # The crushed cells are cut out as one more part.
    shifted = fragments.cut(item.surface, moved.solid, labels + 1, item.body.settings)
    return [CutPart(part.label - 1, part.surface, part.interior) for part in shifted]


def _fragment_track(points: np.ndarray, mine: np.ndarray, moved: Deformation, edge: float) -> np.ndarray:
    """Return the paths (T, P, 3) m of the points of a fragment.

    Args:
        points: (P, 3) m, rest space.
        mine: Cells of the fragment.
        moved: Motion of the body.
        edge: Edge of a mean cell, m.
    """
    own, cell = embed(points, moved.rest, moved.corners[mine])
    count, carrying = len(moved.paths), moved.intact[mine]
    if carrying.any():
        first_frames = np.where(carrying, count, moved.broken[mine])[cell]
        corners = moved.corners[mine[carrying]]
        nodes = np.unique(corners)
        carried = patches_around(points, moved.rest, moved.rest[corners].mean(axis=1), nodes)
    else:
        first_frames = np.full(len(points), moved.broken[mine].min())
        nodes = np.unique(moved.corners[mine])
        carried = patches_around(points, moved.rest, moved.rest[nodes[:1]], nodes, len(nodes))
    outside = np.flatnonzero(own.weights.min(axis=1) < -FARTHEST_OUTSIDE)
    beside = patches_around(points[outside], moved.rest, moved.rest[nodes], nodes, NODES_BESIDE)
    path = np.empty((count, len(points), 3), np.float32)
    for frame, now in enumerate(moved.paths):
        path[frame] = own.points(now)
        if len(outside):
            rigid = beside.points(now)
            path[frame, outside] = rigid + _shortened(path[frame, outside] - rigid, MOST_EXTRAPOLATED * edge)
        late = frame >= first_frames
        if late.any():
            path[frame, late] = carried.points(now)[late]
    return path


def _crushed_track(points: np.ndarray, mine: np.ndarray, moved: Deformation) -> np.ndarray:
    """Return the paths (T, P, 3) m of the points of crushed cells.

    From the frame on which its cell breaks, a point is at a corner of the cell, so that nothing of it remains visible.
    The arguments are those of ``_fragment_track``.
    """
    own, cell = embed(points, moved.rest, moved.corners[mine])
    break_frames, corner = moved.broken[mine][cell], moved.corners[mine][cell, 0]
    path = np.empty((len(moved.paths), len(points), 3), np.float32)
    for frame, now in enumerate(moved.paths):
        path[frame] = np.where((frame < break_frames)[:, None], own.points(now), now[corner])
    return path


def _shortened(offsets: np.ndarray, most: float) -> np.ndarray:
    """Shorten vectors (P, 3) m to a length of at most ``most``, m."""
    lengths = np.maximum(np.linalg.norm(offsets, axis=1, keepdims=True), most)
    return offsets * (most / lengths)


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
