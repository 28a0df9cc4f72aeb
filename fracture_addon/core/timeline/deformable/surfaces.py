"""Fragments of a deformable body of the lattice method, and the motion of their surfaces.

The surface is cut along the broken bonds. Each point of a fragment moves with the cell that it lies in. After that cell
breaks, the point moves with the nearest intact cell of its fragment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...cutting import fragments
from ...data.cut_part import CutPart
from ...data.recording import Deformed
from ...data.surface import Surface, joined
from ...geometry.embedding import embed
from ...meshing.thin import ropes
from ...methods.lattice.shards import shards
from ..rigid_fragment import Breakable

# Weight of a broken cell of a sheet in the normals at its corners, relative to an intact one: small, but above zero, so
# that a corner with broken cells only still has a normal. Chosen; not measured.
BROKEN_WEIGHT = 1e-6
# Frame that stands for never in the values of a checkpoint.
NEVER = -1


@dataclass
class History:
    """Recorded states of a body's lattice.

    Attributes:
        nodes: (T, N, 3) m, float32.
        broken: (K,) first frame on which each cell is broken; T for never.
        alone: (N,) first frame on which each node has no bond; T for never.
    """

    nodes: np.ndarray
    broken: np.ndarray
    alone: np.ndarray

    @classmethod
    def of(cls, frames: int, nodes: int, cells: int) -> History:
        """Return a history without recorded frames."""
        return cls(np.empty((frames, nodes, 3), np.float32), np.full(cells, frames), np.full(nodes, frames))

    def record(self, frame: int, positions: np.ndarray, whole: np.ndarray, alone: np.ndarray) -> None:
        """Record a frame.

        Args:
            frame: Row of the frame.
            positions: (N, 3) m.
            whole: (K,) bool, cells without a broken bond.
            alone: (N,) bool, nodes without a bond.
        """
        self.nodes[frame] = positions
        self.broken[~whole & (self.broken > frame)] = frame
        self.alone[alone & (self.alone > frame)] = frame

    def until(self, frame: int) -> dict[str, np.ndarray]:
        """Return the recorded values up to a frame, for a checkpoint."""
        broken, alone = (np.where(frames > frame, NEVER, frames) for frames in (self.broken, self.alone))
        return {"nodes": self.nodes[: frame + 1], "broken": broken, "alone": alone}

    def restore(self, values: Mapping[str, np.ndarray]) -> None:
        """Restore the values that ``until`` returned."""
        self.nodes[: len(values["nodes"])] = values["nodes"]
        for name in ("broken", "alone"):
            getattr(self, name)[:] = np.where(values[name] < 0, len(self.nodes), values[name])

    def carrier_paths(self, body: Any) -> np.ndarray:
        """Return the paths (T, M, 3) m, float32, of the points that carry the surface of a lattice's body."""
        result = np.empty((len(self.nodes), len(body.carriers), 3), np.float32)
        before: list[np.ndarray] = []
        for frame, nodes in enumerate(self.nodes):
            weights = np.where(self.broken > frame, 1.0, BROKEN_WEIGHT)
            result[frame] = body.control_points(nodes.astype(float), before, weights)
        return result


def cut_body(row: int, item: Breakable, labels: np.ndarray, history: History) -> tuple[Deformed, dict[str, object]]:
    """Cut a body's surface along its cracks; return its fragments in motion, and the report on the body.

    Args:
        row: Row of the recording's bodies.
        item: The body.
        labels: (C,) connected component of each cell of its solid; -1 for a crushed cell.
        history: Recorded states of its lattice.
    """
    parts = _parts(item, labels)
    tracks = _tracks(item, parts, labels, history)
    surfaces = [part.surface for part in parts]
    interior = [part.interior for part in parts]
    if item.body.settings.dust == "debris":
        dust, path = _dust(item, surfaces[0], history)
        if len(dust.faces):
            surfaces.append(dust)
            interior.append(np.ones(len(dust.faces), bool))
            tracks.append(path)
    surface = joined(surfaces)
    numbers = np.repeat(np.arange(len(surfaces), dtype=np.int32), [len(part.faces) for part in surfaces])
    result = Deformed(row, surface, np.concatenate(interior), numbers, np.concatenate(tracks, axis=1))
    whole = [part for part in parts if part.label >= 0]
    return result, _report(item, len(whole), fragments.volume_error(item.surface, parts))


def _parts(item: Breakable, labels: np.ndarray) -> list[CutPart]:
    thin = item.body.thin
    if thin is not None and thin.kind == "rope":
        owners: np.ndarray = item.model.owners
        return ropes.pieces(thin, labels[np.unique(owners, return_index=True)[1]])
    # The crushed cells are cut out as one more part.
    shifted = fragments.cut(item.surface, item.solid, labels + 1, item.body.settings)
    return [CutPart(part.label - 1, part.surface, part.interior) for part in shifted]


def _tracks(item: Breakable, parts: Sequence[CutPart], labels: np.ndarray, history: History) -> list[np.ndarray]:
    """Return the paths (T, P, 3) m of the points of each part."""
    body, count = item.model, len(history.nodes)
    carriers, rest = history.carrier_paths(body), body.control_points(body.model.lattice.points)
    broken = history.broken[body.owners]
    result = []
    for part in parts:
        points = part.surface.points
        mine = np.flatnonzero(labels == part.label)
        own, cell = embed(points, rest, body.corners[mine])
        break_frames = broken[mine][cell]
        intact = mine[broken[mine] == count]
        # A part without intact cells keeps to its own.
        nearest = embed(points, rest, body.corners[intact])[0] if len(intact) else own
        path = np.empty((count, len(points), 3), np.float32)
        for frame, now in enumerate(carriers):
            path[frame] = np.where((frame < break_frames)[:, None], own.points(now), nearest.points(now))
            if part.label < 0 and len(points):
                # Each point of a crushed cell moves to a corner of the cell, so that nothing of it remains visible.
                crushed = np.flatnonzero(frame >= break_frames)
                path[frame, crushed] = now[body.corners[mine][cell[crushed], 0]]
        result.append(path)
    return result


def _dust(item: Breakable, like: Surface, history: History) -> tuple[Surface, np.ndarray]:
    """Return the nodes without bonds as small tetrahedra, and the paths (T, P, 3) m of their points.

    Before its node has lost all bonds, a tetrahedron is a single point.

    Args:
        item: The body.
        like: A surface with the attributes that the tetrahedra get.
        history: Recorded states of the lattice.
    """
    lattice, count = item.model.model.lattice, len(history.nodes)
    rows = np.flatnonzero(history.alone < count)
    shapes = shards(np.zeros((len(rows), 3)), lattice.volumes[rows], item.body.settings.seed)
    visible = np.arange(count)[:, None] >= history.alone[rows]
    offsets = np.where(visible[:, :, None, None], shapes.points.reshape(1, len(rows), 4, 3), 0.0)
    path = (history.nodes[:, rows][:, :, None] + offsets).reshape(count, -1, 3).astype(np.float32)
    points = (lattice.points[rows][:, None] + shapes.points.reshape(-1, 4, 3)).reshape(-1, 3)
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
    return Surface(points, shapes.faces, shapes.face_source, faces, corners), path


def _report(item: Breakable, fragment_count: int, volume_error: float) -> dict[str, object]:
    return {
        "name": item.body.name,
        "cells": item.solid.cell_count,
        "bonds": item.model.model.lattice.bond_count,
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
