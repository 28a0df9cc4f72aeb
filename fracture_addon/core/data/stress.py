"""What went on inside a body while it was struck: stress and cracks over the time of the blow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .arrays import frozen
from .solid import CELL_FACES, SolidModel, appears_once

# Moments of a blow that are kept, at most: memory and file grow with them.
MOST_MOMENTS = 24
# On a face that no crack has made.
NO_CRACK = -1


@dataclass(frozen=True)
class StressWindow:
    """A body's surface, both sides of its cracks included, over T moments of a blow.

    Attributes:
        times: (T,) s since the blow began.
        faces: (F, 3) int32, wound so that normals point out of the pieces.
        crack: (F,) int32, the first moment at which a crack has opened there; -1 on the body's own surface.
        rest: (P, 3) m, in rest space.
        points: (T, P, 3) float32 m, without the motion that the whole body has got from the blow.
        stress: (T, P) float32 Pa, the largest principal stress, tension positive; of a network, what its bonds bear.
    """

    times: np.ndarray
    faces: np.ndarray
    crack: np.ndarray
    rest: np.ndarray
    points: np.ndarray
    stress: np.ndarray

    def __post_init__(self):
        count = len(self.rest)
        object.__setattr__(self, "times", frozen(self.times, np.float64, -1))
        object.__setattr__(self, "faces", frozen(self.faces, np.int32, -1, 3))
        object.__setattr__(self, "crack", frozen(self.crack, np.int32, -1))
        object.__setattr__(self, "rest", frozen(self.rest, np.float64, -1, 3))
        object.__setattr__(self, "points", frozen(self.points, np.float32, -1, count, 3))
        object.__setattr__(self, "stress", frozen(self.stress, np.float32, -1, count))


@dataclass(frozen=True)
class StruckBody:
    """A body as a blow falls on it.

    Attributes:
        frame: The first on which what the blow does is seen.
        strength: Pa, tension at which it breaks: the material's strength, or that of a separation force.
        window: What the blow does.
    """

    frame: int
    strength: float
    window: StressWindow


@dataclass(frozen=True)
class Stresses:
    """One a body of the job, in its order; ``None`` for a body that nothing struck."""

    bodies: tuple[StruckBody | None, ...]


@dataclass(frozen=True)
class CellMoments:
    """T moments of a body whose cells stay as they are.

    Attributes:
        times: (T,) s.
        stress: (T, C) Pa, a cell.
        moves: (T, C, 4, 3) m, by which the corners of the cells have moved; ``None`` where they stay.
        crack: (F,) the first moment at which each of the solid's shared faces is broken; -1 for those that hold.
    """

    times: np.ndarray
    stress: np.ndarray
    moves: np.ndarray | None
    crack: np.ndarray


def chosen_moments(count: int) -> np.ndarray:
    """Rows of at most ``MOST_MOMENTS`` of ``count`` moments, the first and the last among them."""
    return np.unique(np.linspace(0, count - 1, min(count, MOST_MOMENTS)).round().astype(int))


def window_of_cells(solid: SolidModel, label: np.ndarray, moments: CellMoments) -> StressWindow:
    """The surfaces of the pieces that cells (C,) make up by their ``label``; a point has the mean of its cells."""
    corners = np.stack([solid.cells, np.repeat(label[:, None], 4, axis=1)], axis=-1).reshape(-1, 2)
    nodes, first, row = np.unique(corners, axis=0, return_index=True, return_inverse=True)
    cells = row.reshape(-1, 4)
    owner = np.repeat(np.arange(solid.cell_count), 4)
    count = np.bincount(row.ravel(), minlength=len(nodes))
    stress = [np.bincount(row.ravel(), values[owner], len(nodes)) / count for values in moments.stress]
    rest = solid.points[nodes[:, 0]]
    points = np.repeat(rest[None], len(moments.times), axis=0)
    if moments.moves is not None:
        points = points + moments.moves.reshape(len(points), -1, 3)[:, first]
    faces = cells[:, CELL_FACES].reshape(-1, 3)
    crack_of = {
        key: int(moment)
        for key, moment in zip(map(tuple, np.sort(solid.faces, axis=1).tolist()), moments.crack, strict=True)
    }
    outer = appears_once(faces)
    crack = [crack_of.get(key, NO_CRACK) for key in map(tuple, np.sort(nodes[faces[outer], 0], axis=1).tolist())]
    return compacted(moments.times, faces[outer], np.array(crack, np.int32), rest, points, stress)


def compacted(
    times, faces: np.ndarray, crack, rest: np.ndarray, points: np.ndarray, stress: Sequence[np.ndarray]
) -> StressWindow:
    """A window of the points that faces have, numbered anew.

    Args:
        times: (T,) s.
        faces: (F, 3) of the points.
        crack: (F,) as of ``StressWindow``.
        rest: (P, 3) m.
        points: (T, P, 3) m.
        stress: (P,) Pa of each of T moments.
    """
    used, faces = np.unique(faces, return_inverse=True)
    return StressWindow(times, faces.reshape(-1, 3), crack, rest[used], points[:, used], np.stack(stress)[:, used])
