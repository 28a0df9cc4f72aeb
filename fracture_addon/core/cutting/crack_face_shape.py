"""Shape of crack faces: smoothing, lifting off the artist's surface, and roughening, without folds.

All three move points that the regions on both sides share. A move is reduced where it would invert a tetrahedron:
regions that overlap would not have the volume of the body together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numba import njit

from .crack_face_detail import averaging
from .crack_faces import CrackFaces
from .relief import Relief

# Distance over cell size by which points of crack faces on the boundary of the cells are lifted off the surface. Three
# small scenes break into 3, 12 and 7 or 8 pieces at 0.15 to 0.6; faces of the cut change by 8 %.
LIFT = 0.3
# Share of its volume that a tetrahedron keeps in a move. The move of a point is halved while it would leave less, and
# is 0 below the least share of the way. At half and twice each value, the same scenes break into at most one piece more
# or fewer; at 10 times the volume, a slab keeps a fifth of its triangles.
KEPT_VOLUME, LEAST_SHARE = 0.1, 0.2
# Volume over that of a regular tetrahedron with the same mean edge below which a tetrahedron has no space for two
# crack faces. From 0.001 to 0.01 three small breaks keep their bytes; at 0.05 one has 24 instead of 23 pieces.
FLATNESS = 0.01
# Share of the lift above which a point counts as lifted. From 0.25 to 0.75 three small breaks keep their bytes.
LIFTED = 0.5


def tet_volumes(points: np.ndarray, tets: np.ndarray) -> np.ndarray:
    """Return the signed volumes of tetrahedra, as ``solid.cell_volumes``; compiled, because it takes most time.

    Args:
        points: (P, 3) m.
        tets: (T, 4) rows of ``points``.

    Returns:
        (T,) m3.
    """
    volumes = np.empty(len(tets))
    _tet_volumes_kernel(points, tets, volumes)
    return volumes


@njit(cache=True)
def _tet_volumes_kernel(points: np.ndarray, tets: np.ndarray, volumes: np.ndarray) -> None:
    for row in range(len(tets)):
        volumes[row] = _tet_volume(points, tets[row])


@njit(cache=True, inline="always")
def _tet_volume(points: np.ndarray, tet: np.ndarray) -> float:
    a, b, c, d = tet
    px, py, pz = points[a, 0], points[a, 1], points[a, 2]
    bx, by, bz = points[b, 0] - px, points[b, 1] - py, points[b, 2] - pz
    cx, cy, cz = points[c, 0] - px, points[c, 1] - py, points[c, 2] - pz
    dx, dy, dz = points[d, 0] - px, points[d, 1] - py, points[d, 2] - pz
    return (bx * (cy * dz - cz * dy) + by * (cz * dx - cx * dz) + bz * (cx * dy - cy * dx)) / 6.0


def _corners_below(points: np.ndarray, asked: np.ndarray, tets: np.ndarray, least: np.ndarray) -> np.ndarray:
    """Return the corners (P,) bool of tetrahedra below their least volume.

    Args:
        points: (P, 3) m.
        asked: (P,) bool, points whose tetrahedra are tested.
        tets: (T, 4) rows of ``points``.
        least: (T,) m3, least volumes.
    """
    result = np.zeros(len(points), bool)
    _corners_below_kernel(points, asked, tets, least, result)
    return result


@njit(cache=True)
def _corners_below_kernel(
    points: np.ndarray, asked: np.ndarray, tets: np.ndarray, least: np.ndarray, result: np.ndarray
) -> None:
    for row in range(len(tets)):
        a, b, c, d = tets[row]
        if (asked[a] or asked[b] or asked[c] or asked[d]) and _tet_volume(points, tets[row]) < least[row]:
            result[a] = result[b] = result[c] = result[d] = True


@njit(cache=True)
def _middles_kernel(points: np.ndarray, tets: np.ndarray, with_middles: np.ndarray) -> None:
    """Write the points, and after them the centroid of each tetrahedron."""
    with_middles[: len(points)] = points
    for row in range(len(tets)):
        for axis in range(3):
            total = 0.0
            for corner in range(4):
                total += points[tets[row, corner], axis]
            with_middles[len(points) + row, axis] = 0.25 * total


def is_flat(points: np.ndarray, tets: np.ndarray) -> np.ndarray:
    """Return whether tetrahedra are flat.

    Args:
        points: (P, 3) m.
        tets: (T, 4) rows of ``points``, of positive volume.

    Returns:
        (T,) bool: whether the volume is below ``FLATNESS`` times that of a regular tetrahedron with the same mean edge.

    Notes:
        A shape measure of Parthasarathy, Graichen and Hathaway 1994, A Comparison of Tetrahedron Quality Measures, with
        the mean edge.

    Example:
        The fourth point is 1 m above the other three, then 1 mm.

        >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0.3, 0.3, 1], [0.3, 0.3, 0.001]])
        >>> is_flat(corners, np.array([[0, 1, 2, 3], [0, 1, 2, 4]])).tolist()
        [False, True]
    """
    edges = np.empty(len(tets))
    _mean_edges_kernel(points, tets, edges)
    return tet_volumes(points, tets) < FLATNESS * edges**3 / (6.0 * np.sqrt(2.0))


@njit(cache=True)
def _mean_edges_kernel(points: np.ndarray, tets: np.ndarray, edges: np.ndarray) -> None:
    for row in range(len(tets)):
        total = 0.0
        for corner in range(4):
            for other in range(corner):
                square = 0.0
                for axis in range(3):
                    square += (points[tets[row, corner], axis] - points[tets[row, other], axis]) ** 2
                total += np.sqrt(square)
        edges[row] = total / 6.0


def guarded(cracks: CrackFaces, tets: np.ndarray, flat: np.ndarray) -> np.ndarray:
    """Return the tetrahedra that must not be inverted when points of crack faces move.

    Args:
        cracks: Crack faces between the tetrahedra.
        tets: (T, 4) rows of the crack faces' points.
        flat: (T,) bool, flat tetrahedra. They count only if a crack face is one of their faces.

    Returns:
        (G,) rows of ``tets``.
    """
    on_crack, bounded = np.zeros(len(cracks.points), bool), np.zeros(len(tets), bool)
    on_crack[cracks.faces] = bounded[cracks.tets[cracks.tets >= 0]] = True
    a, b, c, d = on_crack[tets.T]
    return np.flatnonzero(bounded | ((a | b | c | d) & ~flat))


def smoothed(cracks: CrackFaces, tets: np.ndarray, rounds: int) -> CrackFaces:
    """Smooth the jagged crack faces between tetrahedra, or the stairs between cubes.

    Args:
        cracks: Crack faces between tetrahedra.
        tets: (G, 4) tetrahedra that must not be inverted.
        rounds: Number of rounds.

    Returns:
        The crack faces with moved points.

    Notes:
        Each round moves points half the way to the mean of their neighbours (``averaging``), as in the refinement of
        splines (Lane and Riesenfeld 1980), which Norton et al. 1991 use for broken edges.

    Example:
        The tip of a tent between two regions comes down by half.

        >>> points = np.array([[1.0, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0], [0, 0, 1]])
        >>> faces, between = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]), np.tile([0, 1], (4, 1))
        >>> tent = CrackFaces(points, points, faces, between, np.zeros(4, int), between)
        >>> smoothed(tent, np.empty((0, 4), int), 1).points[4].tolist()
        [0.0, 0.0, 0.5]
    """
    averaged = averaging(cracks)
    least = KEPT_VOLUME * tet_volumes(cracks.points, tets)
    points = cracks.points

    def inverted(moved: np.ndarray, share: np.ndarray, asked: np.ndarray) -> np.ndarray:
        return _corners_below(moved, asked, tets, least)

    for _ in range(rounds):
        points = _guarded_move(points, averaged(points), inverted)
    return replace(cracks, points=points)


def lifted(
    cracks: CrackFaces, tets: np.ndarray, rows: np.ndarray, flat: np.ndarray, normals: np.ndarray, size: float
) -> tuple[CrackFaces, np.ndarray]:
    """Lift points of crack faces on the boundary of the cells off the artist's surface.

    Crack faces therefore do not run along the surface.

    Args:
        cracks: Crack faces between the tetrahedra.
        tets: (T, 4) rows of the crack faces' points.
        rows: (G,) tetrahedra that must not be inverted.
        flat: (T,) bool, flat tetrahedra.
        normals: (P, 3) normals out of the cells; zero at points that are not on their boundary.
        size: Size of a cell, m.

    Returns:
        The crack faces, and the tetrahedra (T,) bool that may be folded: flat ones whose points were all lifted to the
        same side. These lie outside the surface, where nothing is cut. Flat ones inside a thin wall, whose points were
        lifted to both sides, must not be folded.
    """
    on_crack = np.zeros(len(cracks.points), bool)
    on_crack[cracks.faces] = True
    lift = LIFT * size * np.where((on_crack & ~cracks.on_hull)[:, None], normals, 0.0)
    tets, folded = tets[rows], np.zeros(len(tets), bool)
    least = KEPT_VOLUME * tet_volumes(cracks.points, tets)
    above = np.flatnonzero(flat[rows])
    one_way = np.einsum("tki,ti->tk", lift[tets[above]], lift[tets[above]].sum(axis=1))
    above = above[(one_way > 0.0).all(axis=1)]

    def inverted(moved: np.ndarray, share: np.ndarray, asked: np.ndarray) -> np.ndarray:
        bounds = least.copy()
        bounds[above[(share[tets[above]] >= LIFTED).all(axis=1)]] = -np.inf
        return _corners_below(moved, asked, tets, bounds)

    points = _guarded_move(cracks.points, cracks.points + lift, inverted)
    folded[rows] = tet_volumes(points, tets) < least
    return replace(cracks, points=points), folded


def roughened(
    cracks: CrackFaces, tets: np.ndarray, folded: np.ndarray, relief: Relief, size: float, fixed: np.ndarray
) -> CrackFaces:
    """Displace the crack faces by smooth noise, and smooth them.

    Args:
        cracks: Crack faces that are subdivided already.
        tets: (T, 4) tetrahedra between which they are.
        folded: (T,) bool, tetrahedra that may be inverted.
        relief: Warp and rounds of smoothing.
        size: Size of a cell, m.
        fixed: Points (N,) that stay where they are.

    Returns:
        The crack faces with moved points.
    """
    target, averaged = relief.warped(cracks.points, size), averaging(cracks)
    target[fixed] = cracks.points[fixed]
    for _ in range(relief.recipe.rounds):
        target = averaged(target)
    return replace(cracks, points=within_cells(cracks, tets, folded)(cracks.points, target))


def within_cells(
    cracks: CrackFaces, tets: np.ndarray, folded: np.ndarray
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Return a function that moves points of crack faces until faces would cross.

    Each face spans a tetrahedron with the centroid of the original tetrahedron on either side. None of them may be
    inverted.

    Args:
        cracks: The crack faces.
        tets: (T, 4) tetrahedra between which they are.
        folded: (T,) bool, tetrahedra that may be inverted.

    Returns:
        A function of points (P, 3) and their targets (P, 3); it returns the points reached, m.
    """
    bounded = np.zeros(len(tets), bool)
    bounded[cracks.tets[cracks.tets >= 0]] = True
    used = np.flatnonzero(bounded)
    middle = len(cracks.points) - 1 + np.cumsum(bounded)[cracks.tets]
    asked = (cracks.tets >= 0) & ~folded[cracks.tets]
    first = np.column_stack([middle[:, 0], cracks.faces])[asked[:, 0]]
    second = np.column_stack([middle[:, 1], cracks.faces[:, ::-1]])[asked[:, 1]]
    cones = np.concatenate([first, second])
    around, with_middles = tets[used], np.empty((len(cracks.points) + len(used), 3))

    def volumes(points: np.ndarray) -> np.ndarray:
        _middles_kernel(points, around, with_middles)
        return tet_volumes(with_middles, cones)

    def moved(points: np.ndarray, target: np.ndarray) -> np.ndarray:
        least = KEPT_VOLUME * volumes(points)

        def inverted(there: np.ndarray, share: np.ndarray, asked: np.ndarray) -> np.ndarray:
            bad, back = cones[volumes(there) < least], np.zeros(len(there), bool)
            back[bad[:, 1:]] = back[around[bad[:, 0] - len(there)]] = True
            return back

        return _guarded_move(points, target, inverted)

    return moved


def _guarded_move(
    points: np.ndarray,
    target: np.ndarray,
    inverted: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
) -> np.ndarray:
    """Move points to their targets, or less far where something would be inverted.

    Args:
        points: (P, 3) m; nothing is inverted there.
        target: (P, 3) m.
        inverted: Returns the points (P,) bool that have to move back, given the moved points (P, 3), their shares of
            the way (P,), and the points (P,) bool that changed since the last call.
    """
    share, moved, changed = np.ones(len(points)), points + (target - points), np.ones(len(points), bool)
    while _go_back_kernel(points, target, inverted(moved, share, changed), share, moved, changed):
        pass
    return moved


@njit(cache=True)
def _go_back_kernel(
    points: np.ndarray,
    target: np.ndarray,
    back: np.ndarray,
    share: np.ndarray,
    moved: np.ndarray,
    changed: np.ndarray,
) -> bool:
    """Halve the moves of the points ``back``, mark those that changed, and return whether there are any."""
    changed[:] = back & (share > 0.0)
    for row in np.flatnonzero(changed):
        share[row] = 0.5 * share[row] if share[row] > LEAST_SHARE else 0.0
        for axis in range(3):
            moved[row, axis] = points[row, axis] + share[row] * (target[row, axis] - points[row, axis])
    return bool(changed.any())
