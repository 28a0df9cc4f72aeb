"""From the lattice of a deformable body on every frame to its pieces and where all their points were.

A surface is cut along what broke. The points of each piece go along with the cells they lie in: before a cell breaks
with itself, behind that with the nearest one of its piece that is whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...cutting import fragments
from ...data.cut_part import CutPart
from ...data.recording import Deformed
from ...data.surface import Surface, joined
from ...geometry.embedding import embed
from ...meshing.thin import ropes
from ...methods.lattice.shards import shards
from ..piece import Breakable

# A torn cell of a sheet counts so little for where its corners face.
TORN = 1e-6


@dataclass
class History:
    """What became of a body's lattice.

    Attributes:
        nodes: (T, N, 3) float32 m.
        broken: (K,) frame on which a cell was first found broken; T for never.
        alone: (N,) frame on which a node was first found without any bond; T for never.
    """

    nodes: np.ndarray
    broken: np.ndarray
    alone: np.ndarray

    @classmethod
    def of(cls, frames: int, nodes: int, cells: int) -> History:
        """Nothing noted yet."""
        return cls(np.empty((frames, nodes, 3), np.float32), np.full(cells, frames), np.full(nodes, frames))

    def note(self, frame: int, positions: np.ndarray, whole: np.ndarray, alone: np.ndarray) -> None:
        """Take down a frame.

        Args:
            frame: Its row.
            positions: (N, 3) m.
            whole: (K,) bool, cells none of whose bonds is broken.
            alone: (N,) bool, nodes without any bond.
        """
        self.nodes[frame] = positions
        self.broken[~whole & (self.broken > frame)] = frame
        self.alone[alone & (self.alone > frame)] = frame

    def until(self, frame: int) -> dict[str, np.ndarray]:
        """What is known on a frame."""
        never = -1
        broken, alone = (np.where(frames > frame, never, frames) for frames in (self.broken, self.alone))
        return {"nodes": self.nodes[: frame + 1], "broken": broken, "alone": alone}

    def put_back(self, values: Mapping[str, np.ndarray]) -> None:
        """Take over what ``until`` gave."""
        self.nodes[: len(values["nodes"])] = values["nodes"]
        for name in ("broken", "alone"):
            getattr(self, name)[:] = np.where(values[name] < 0, len(self.nodes), values[name])

    def places(self, body) -> np.ndarray:
        """(T, M, 3) float32 m, what the surface of a lattice's body is bound to."""
        result = np.empty((len(self.nodes), len(body.carriers), 3), np.float32)
        before: list[np.ndarray] = []
        for frame, nodes in enumerate(self.nodes):
            weights = np.where(self.broken > frame, 1.0, TORN)
            result[frame] = body.control_points(nodes.astype(float), before, weights)
        return result


def deformed(row: int, item: Breakable, labels: np.ndarray, history: History) -> tuple[Deformed, dict]:
    """A body's pieces in motion, and the report on it.

    Args:
        row: Of the recording's bodies.
        item: The body.
        labels: (C,) what each cell of its solid hangs together with; -1 for one that is crushed to grains.
        history: Of its lattice.
    """
    pieces = _pieces(item, labels)
    tracks = _tracks(item, pieces, labels, history)
    shown = [piece.surface for piece in pieces]
    interior = [piece.interior for piece in pieces]
    if item.body.settings.dust == "debris":
        grains, path = _grains(item, shown[0], history)
        if len(grains.faces):
            shown.append(grains)
            interior.append(np.ones(len(grains.faces), bool))
            tracks.append(path)
    surface = joined(shown)
    numbers = np.repeat(np.arange(len(shown), dtype=np.int32), [len(part.faces) for part in shown])
    result = Deformed(row, surface, np.concatenate(interior), numbers, np.concatenate(tracks, axis=1))
    wanted = [piece for piece in pieces if piece.label >= 0]
    return result, _report(item, len(wanted), fragments.volume_error(item.surface, pieces))


def _pieces(item: Breakable, labels: np.ndarray) -> list[CutPart]:
    thin = item.body.thin
    if thin is not None and thin.kind == "rope":
        return ropes.pieces(thin, labels[np.unique(item.model.owners, return_index=True)[1]])
    # What is crushed is cut out too, as one more piece.
    shifted = fragments.cut(item.surface, item.solid, labels + 1, item.body.settings)
    return [CutPart(piece.label - 1, piece.surface, piece.interior) for piece in shifted]


def _tracks(item: Breakable, pieces: Sequence[CutPart], labels, history: History) -> list[np.ndarray]:
    body, count = item.model, len(history.nodes)
    places, rest = history.places(body), body.control_points(body.model.lattice.points)
    broken = history.broken[body.owners]
    result = []
    for piece in pieces:
        points = piece.surface.points
        mine = np.flatnonzero(labels == piece.label)
        first, cell = embed(points, rest, body.corners[mine])
        until = broken[mine][cell]
        whole = mine[broken[mine] == count]
        # What is crushed throughout has nothing whole to go along with, and keeps to its own cells.
        then = embed(points, rest, body.corners[whole])[0] if len(whole) else first
        path = np.empty((count, len(points), 3), np.float32)
        for frame, now in enumerate(places):
            path[frame] = np.where((frame < until)[:, None], first.points(now), then.points(now))
            if piece.label < 0 and len(points):
                # Gone to grains, each point shrinks into a corner of its cell: nothing is left to be seen.
                gone = np.flatnonzero(frame >= until)
                path[frame, gone] = now[body.corners[mine][cell[gone], 0]]
        result.append(path)
    return result


def _grains(item: Breakable, like: Surface, history: History) -> tuple[Surface, np.ndarray]:
    """Nodes that lost all bonds as small tetrahedra, and their points; each is a point before it is alone."""
    lattice, count = item.model.model.lattice, len(history.nodes)
    rows = np.flatnonzero(history.alone < count)
    shapes = shards(np.zeros((len(rows), 3)), lattice.volumes[rows], item.body.settings.seed)
    seen = np.arange(count)[:, None] >= history.alone[rows]
    offsets = np.where(seen[:, :, None, None], shapes.points.reshape(1, len(rows), 4, 3), 0.0)
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
        sides = shapes.corners
        normals = np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0])
        corners["normal"] = np.repeat(normals / np.linalg.norm(normals, axis=1, keepdims=True), 3, axis=0).reshape(
            -1, 3, 3
        )
    return Surface(points, shapes.faces, shapes.face_source, faces, corners), path


def _report(item: Breakable, piece_count: int, error: float) -> dict:
    return {
        "name": item.body.name,
        "cells": item.solid.cell_count,
        "bonds": item.model.model.lattice.bond_count,
        "fragments": piece_count,
        "dust_count": 0,
        "dust_volume": 0.0,
        "volume_error": float(error),
        "load_factor": 0.0,
        "solve_count": 0,
        "breaks": int(piece_count > 1),
        "repair": dict(item.repair),
        "warnings": [],
    }
