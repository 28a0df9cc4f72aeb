"""Stretch of the drawn surface of a deformable body, and the error if it is too large."""

from __future__ import annotations

import numpy as np

from ...data.errors import SolverDivergedError
from ...data.surface import Surface
from ...methods.whole_shot import MOST_STRETCH


def drawn_stretch(surface: Surface, points: np.ndarray, cell_edge: float) -> np.ndarray:
    """Compute the largest stretch of the drawn edges on each frame.

    Args:
        surface: The surface at rest.
        points: (T, P, 3) m, its points on all frames.
        cell_edge: m. It is added to the length at rest, because the motion of shorter edges is not resolved.

    Returns:
        (T,) largest length of an edge over its length at rest plus ``cell_edge``; below 1 for a rigid body.

    Notes:
        Own.

    Example:
        >>> surface = Surface([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])
        >>> drawn_stretch(surface, 6.0 * surface.points[None], 0.0).tolist()
        [6.0]
    """
    pairs = np.sort(surface.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    first, second = np.unique(pairs, axis=0).T
    rest = np.linalg.norm(surface.points[second] - surface.points[first], axis=1) + cell_edge
    return np.array([(np.linalg.norm(now[second] - now[first], axis=1) / rest).max() for now in points])


def check_stretch(name: str, frame_start: int, stretch: np.ndarray) -> None:
    """Refuse a result that stretches beyond all materials.

    Args:
        name: Name of the object.
        frame_start: Number of the first frame.
        stretch: (T,) from ``drawn_stretch``.

    Raises:
        SolverDivergedError: A stretch exceeds ``MOST_STRETCH`` or is not a number.

    Notes:
        Own limit: soft rubber breaks at 8 to 10.

    Example:
        >>> check_stretch("jar", 1, np.array([1.0, 19.0]))
        >>> check_stretch("jar", 1, np.array([1.0, 30.0]))  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        fracture_addon.core.data.errors.SolverDivergedError: 'jar' is drawn 30 times as long as at rest on frame 2, ...
    """
    wrong = np.flatnonzero(~(stretch <= MOST_STRETCH))
    if len(wrong):
        raise SolverDivergedError(
            f"'{name}' is drawn {stretch[wrong[0]]:.3g} times as long as at rest on frame {frame_start + wrong[0]}, "
            f"and the limit is {MOST_STRETCH:g}; raise its detail, or lower its Threshold or Softening"
        )
