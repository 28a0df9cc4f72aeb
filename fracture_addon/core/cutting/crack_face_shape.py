"""The shape of the walls: smoothed, lifted off the surface, and roughened, but never folded.

All three move the points that the regions on both sides share. Each move is held back where it would turn something
inside out, because regions that overlap have no volumes that sum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numba import njit

from .crack_face_detail import averaging
from .crack_faces import Walls
from .relief import Relief

# Where walls end on the boundary of the cells they are lifted off the surface by this share of a cell's size.
LIFT = 0.3
# A move leaves every tetrahedron at a wall this share of its volume. A point goes half as far each time that it would
# not, and stays where it is once it has come down to the least share of its way.
LEAST_VOLUME, LEAST_SHARE = 0.1, 0.2
# Tetrahedra flatter than this (volume over that of a regular one with the same mean edge) have no room for two walls.
FLATNESS = 0.01


def tet_volumes(points: np.ndarray, tets: np.ndarray) -> np.ndarray:
    """(T,) signed volumes: ``solid.cell_volumes``, which the guards would spend most of their time in, compiled."""
    volumes = np.empty(len(tets))
    _tet_volumes_kernel(points, tets, volumes)
    return volumes


@njit(cache=True)
def _tet_volumes_kernel(points, tets, volumes):
    for row in range(len(tets)):
        volumes[row] = _tet_volume(points, tets[row])


@njit(cache=True, inline="always")
def _tet_volume(points, tet):
    a, b, c, d = tet
    px, py, pz = points[a, 0], points[a, 1], points[a, 2]
    bx, by, bz = points[b, 0] - px, points[b, 1] - py, points[b, 2] - pz
    cx, cy, cz = points[c, 0] - px, points[c, 1] - py, points[c, 2] - pz
    dx, dy, dz = points[d, 0] - px, points[d, 1] - py, points[d, 2] - pz
    return (bx * (cy * dz - cz * dy) + by * (cz * dx - cx * dz) + bz * (cx * dy - cy * dx)) / 6.0


def _corners_below(points: np.ndarray, asked: np.ndarray, tets: np.ndarray, least: np.ndarray) -> np.ndarray:
    """(P,) bool, corners of tetrahedra that have less than the least volume (T,) of each.

    Args:
        points: (P, 3).
        asked: (P,) bool, points whose tetrahedra are asked for.
        tets: (T, 4).
        least: (T,) m3.
    """
    result = np.zeros(len(points), bool)
    _corners_below_kernel(points, asked, tets, least, result)
    return result


@njit(cache=True)
def _corners_below_kernel(points, asked, tets, least, result):
    for row in range(len(tets)):
        a, b, c, d = tets[row]
        if (asked[a] or asked[b] or asked[c] or asked[d]) and _tet_volume(points, tets[row]) < least[row]:
            result[a] = result[b] = result[c] = result[d] = True


@njit(cache=True)
def _middles_kernel(points, tets, with_middles):
    """Points, and behind them the mean of the corners of each tetrahedron."""
    with_middles[: len(points)] = points
    for row in range(len(tets)):
        for axis in range(3):
            total = 0.0
            for corner in range(4):
                total += points[tets[row, corner], axis]
            with_middles[len(points) + row, axis] = 0.25 * total


def is_flat(points: np.ndarray, tets: np.ndarray) -> np.ndarray:
    """(T,) bool, tetrahedra without thickness."""
    edges = np.empty(len(tets))
    _mean_edges_kernel(points, tets, edges)
    return tet_volumes(points, tets) < FLATNESS * edges**3 / (6.0 * np.sqrt(2.0))


@njit(cache=True)
def _mean_edges_kernel(points, tets, edges):
    for row in range(len(tets)):
        total = 0.0
        for corner in range(4):
            for other in range(corner):
                square = 0.0
                for axis in range(3):
                    square += (points[tets[row, corner], axis] - points[tets[row, other], axis]) ** 2
                total += np.sqrt(square)
        edges[row] = total / 6.0


def guarded(walls: Walls, tets: np.ndarray, flat: np.ndarray) -> np.ndarray:
    """(G,) rows of tetrahedra that walls must not turn inside out, where their cells' own points move.

    Args:
        walls: Of the tetrahedra.
        tets: (T, 4).
        flat: (T,) bool, those without thickness: they are asked for only where they have a wall for a face.
    """
    at_wall, bounded = np.zeros(len(walls.points), bool), np.zeros(len(tets), bool)
    at_wall[walls.faces] = bounded[walls.tets[walls.tets >= 0]] = True
    a, b, c, d = at_wall[tets.T]
    return np.flatnonzero(bounded | ((a | b | c | d) & ~flat))


def smoothed(walls: Walls, tets: np.ndarray, rounds: int) -> Walls:
    """Take the jags of the tetrahedra, or the stairs of cubes, off the walls.

    A point between two regions moves with all of the wall around it, one between three along their common line; where
    more meet it stays. Each round goes half the way to the mean of the neighbours: as in the refinement of splines
    (Lane and Riesenfeld 1980), averaging is what makes curves of stairs.

    Args:
        walls: Of some tetrahedra.
        tets: (G, 4) those that are guarded.
        rounds: How many.
    """
    averaged = averaging(walls)
    least = LEAST_VOLUME * tet_volumes(walls.points, tets)
    points = walls.points

    def inverted(moved, _, asked):
        return _corners_below(moved, asked, tets, least)

    for _ in range(rounds):
        points = _guarded_move(points, averaged(points), inverted)
    return replace(walls, points=points)


def lifted(
    walls: Walls, tets: np.ndarray, rows: np.ndarray, flat: np.ndarray, normals: np.ndarray, size: float
) -> tuple[Walls, np.ndarray]:
    """Lift the walls' points on the boundary of the cells off the artist's surface, along which walls would run.

    Args:
        walls: Of the tetrahedra ``tets``.
        tets: (T, 4).
        rows: (G,) those that are guarded.
        flat: (T,) bool, those without thickness.
        normals: (P, 3) out of the cells, zero where a point is not on their boundary.
        size: Of a cell, metres.

    Returns:
        The walls, and (T,) bool the tetrahedra that may have folded: those without thickness between points that were
        all lifted one way. Above the surface it does not matter how they lie, for nothing is cut there; within a thin
        wall, whose points were lifted both ways, it does.
    """
    at_wall = np.zeros(len(walls.points), bool)
    at_wall[walls.faces] = True
    lift = LIFT * size * np.where((at_wall & ~walls.on_hull)[:, None], normals, 0.0)
    tets, folded = tets[rows], np.zeros(len(tets), bool)
    least = LEAST_VOLUME * tet_volumes(walls.points, tets)
    above = np.flatnonzero(flat[rows])
    one_way = np.einsum("tki,ti->tk", lift[tets[above]], lift[tets[above]].sum(axis=1))
    above = above[(one_way > 0.0).all(axis=1)]

    def inverted(moved, share, asked):
        bounds = least.copy()
        bounds[above[(share[tets[above]] >= 0.5).all(axis=1)]] = -np.inf
        return _corners_below(moved, asked, tets, bounds)

    points = _guarded_move(walls.points, walls.points + lift, inverted)
    folded[rows] = tet_volumes(points, tets) < least
    return replace(walls, points=points), folded


def roughened(walls: Walls, tets: np.ndarray, folded: np.ndarray, relief: Relief, size: float) -> Walls:
    """Warp and round the walls.

    Args:
        walls: Divided already.
        tets: (T, 4) the tetrahedra that they part.
        folded: (T,) those of which nothing can be asked.
        relief: Whose warp and rounds are used.
        size: Of a cell, metres.
    """
    target, averaged = relief.warped(walls.points, size), averaging(walls)
    for _ in range(relief.recipe.rounds):
        target = averaged(target)
    return replace(walls, points=within_cells(walls, tets, folded)(walls.points, target))


def within_cells(walls: Walls, tets: np.ndarray, folded: np.ndarray) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """A move of the walls' points from a place to another, less far where walls of one tetrahedron would cross.

    A face may not turn away from the middle of a tetrahedron on either side of it: triangles follow a warp only at
    their corners, and a tetrahedron without thickness has no room for what happens between.
    """
    bounded = np.zeros(len(tets), bool)
    bounded[walls.tets[walls.tets >= 0]] = True
    used = np.flatnonzero(bounded)
    middle = len(walls.points) - 1 + np.cumsum(bounded)[walls.tets]
    asked = (walls.tets >= 0) & ~folded[walls.tets]
    first = np.column_stack([middle[:, 0], walls.faces])[asked[:, 0]]
    second = np.column_stack([middle[:, 1], walls.faces[:, ::-1]])[asked[:, 1]]
    cones = np.concatenate([first, second])
    around, with_middles = tets[used], np.empty((len(walls.points) + len(used), 3))

    def volumes(points):
        _middles_kernel(points, around, with_middles)
        return tet_volumes(with_middles, cones)

    def moved(points: np.ndarray, target: np.ndarray) -> np.ndarray:
        least = LEAST_VOLUME * volumes(points)

        def inverted(there, *_):
            bad, back = cones[volumes(there) < least], np.zeros(len(there), bool)
            back[bad[:, 1:]] = back[around[bad[:, 0] - len(there)]] = True
            return back

        return _guarded_move(points, target, inverted)

    return moved


def _guarded_move(points: np.ndarray, target: np.ndarray, inverted) -> np.ndarray:
    """Move points to their targets, less far (by halves, in the end not at all) where something would invert.

    Args:
        points: (P, 3), where nothing is inverted.
        target: (P, 3).
        inverted: Of the moved points, (P,) their shares of the way and (P,) bool which of them moved since the last
            time, (P,) bool those that have to hold back.
    """
    share, moved, changed = np.ones(len(points)), points + (target - points), np.ones(len(points), bool)
    while _go_back_kernel(points, target, inverted(moved, share, changed), share, moved, changed):
        pass
    return moved


@njit(cache=True)
def _go_back_kernel(points, target, back, share, moved, changed):
    """Take points that have to hold back half their way back, note which changed, and say whether any did."""
    changed[:] = back & (share > 0.0)
    for row in np.flatnonzero(changed):
        share[row] = 0.5 * share[row] if share[row] > LEAST_SHARE else 0.0
        for axis in range(3):
            moved[row, axis] = points[row, axis] + share[row] * (target[row, axis] - points[row, axis])
    return changed.any()
