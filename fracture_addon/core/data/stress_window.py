"""Stress and cracks in a body over the time of an impact, for the stress preview."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .arrays import ReadOnlyArrays, frozen
from .solid import SolidModel, outer_faces

# Largest number of moments of one impact: one second of playback at 24 frames per second. The size of the file is
# proportional to it.
MOST_MOMENTS = 24
# Moment of a face that is no crack face.
NO_CRACK = -1


@dataclass(frozen=True)
class StressWindow:
    """Surface of a body and both faces of its cracks, over T moments of an impact.

    Attributes:
        times: (T,) s since the impact began.
        faces: (F, 3) int32, with normals out of the fragments.
        crack: (F,) int32, first moment at which the crack at a face is open; ``NO_CRACK`` on the body's surface.
        rest: (P, 3) m, in rest space.
        points: (T, P, 3) float32 m, without the rigid motion of the whole body.
        stress: (T, P) float32 Pa, largest principal stress, positive in tension; for a network the stress of its bonds.
    """

    times: np.ndarray
    faces: np.ndarray
    crack: np.ndarray
    rest: np.ndarray
    points: np.ndarray
    stress: np.ndarray

    def __post_init__(self) -> None:
        count = len(self.rest)
        object.__setattr__(self, "times", frozen(self.times, np.float64, -1))
        object.__setattr__(self, "faces", frozen(self.faces, np.int32, -1, 3))
        object.__setattr__(self, "crack", frozen(self.crack, np.int32, -1))
        object.__setattr__(self, "rest", frozen(self.rest, np.float64, -1, 3))
        object.__setattr__(self, "points", frozen(self.points, np.float32, -1, count, 3))
        object.__setattr__(self, "stress", frozen(self.stress, np.float32, -1, count))


@dataclass(frozen=True)
class BodyStress:
    """A body during its first impact.

    Attributes:
        frame: First frame that shows the effect of the impact.
        strength: Pa, tensile strength of the material, or the stress that the separation force stands for.
        factor: (P,) local strength of the points over ``strength``, by placed and painted fields.
        window: Stress and cracks.
    """

    frame: int
    strength: float
    factor: np.ndarray
    window: StressWindow

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", frozen(self.factor, np.float32, len(self.window.rest)))

    @property
    def first_break(self) -> int:
        """The moment before the first crack opens; the moment of the largest stress over strength if none does."""
        opened = self.window.crack[self.window.crack != NO_CRACK]
        if len(opened):
            return max(int(opened.min()) - 1, 0)
        return int((self.window.stress / self.factor).max(axis=1).argmax())

    @property
    def largest_share(self) -> float:
        """The largest stress over the local strength; at least 1 if a crack opens."""
        share = float((self.window.stress / (self.strength * self.factor)).max(initial=0.0))
        return max(share, 1.0) if np.any(self.window.crack != NO_CRACK) else share


@dataclass(frozen=True)
class Stresses:
    """Result of a stress preview: one entry for each body of the job, in its order; ``None`` without an impact."""

    bodies: tuple[BodyStress | None, ...]


@dataclass(frozen=True)
class CellMoments(ReadOnlyArrays):
    """T moments of a body whose cells do not change.

    Attributes:
        times: (T,) s since the impact began.
        stress: (T, C) Pa, stress of each cell, as for ``StressWindow``.
        moves: (T, C, 4, 3) m, displacement of the corners of the cells; ``None`` for zero.
        crack: (F,) first moment at which each shared face of the solid is broken; ``NO_CRACK`` for the others.
    """

    times: np.ndarray
    stress: np.ndarray
    moves: np.ndarray | None
    crack: np.ndarray


def chosen_moments(count: int) -> np.ndarray:
    """Return the rows of at most ``MOST_MOMENTS`` of ``count`` moments, with the first and the last."""
    return np.unique(np.linspace(0, count - 1, min(count, MOST_MOMENTS)).round().astype(int))


def window_of_cells(solid: SolidModel, label: np.ndarray, moments: CellMoments) -> StressWindow:
    """Return the surfaces of fragments over time.

    Args:
        solid: Solid with C cells.
        label: (C,) fragment of each cell.
        moments: Stress and displacements of the cells. A point has the mean stress of its cells in the fragment.

    Returns:
        The surfaces, with the moment at which each crack face opened.
    """
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
    faces, _ = outer_faces(cells)
    crack_of = {
        key: int(moment)
        for key, moment in zip(map(tuple, np.sort(solid.faces, axis=1).tolist()), moments.crack, strict=True)
    }
    crack = [crack_of.get(key, NO_CRACK) for key in map(tuple, np.sort(nodes[faces, 0], axis=1).tolist())]
    return compacted(moments.times, faces, np.array(crack, np.int32), rest, points, stress)


def compacted(
    times: ArrayLike,
    faces: np.ndarray,
    crack: ArrayLike,
    rest: np.ndarray,
    points: np.ndarray,
    stress: Sequence[np.ndarray],
) -> StressWindow:
    """Return a window that contains only the points of its faces.

    Args:
        times: (T,) s.
        faces: (F, 3) rows of ``rest``.
        crack: (F,) as for ``StressWindow``.
        rest: (P, 3) m.
        points: (T, P, 3) m.
        stress: (P,) Pa, for each of T moments.

    Returns:
        The window; its points keep their order.
    """
    used, faces = np.unique(faces, return_inverse=True)
    times, crack = np.asarray(times, float), np.asarray(crack, np.int32)
    return StressWindow(times, faces.reshape(-1, 3), crack, rest[used], points[:, used], np.stack(stress)[:, used])
