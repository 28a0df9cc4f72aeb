"""From bonds that hold and momenta that cells have got to fragments and their velocities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.errors import SettingsError
from ..data.impact import Impact
from ..data.job import Settings
from ..numerics.components import components
from .method import Break, RigidMotion
from .rigid_parts import Cells, Parts, find_parts, parts_of, sum_by


def split(
    cells: Cells,
    pairs: np.ndarray,
    areas: np.ndarray,
    alive: np.ndarray,
    impulses: np.ndarray,
    spins: np.ndarray,
    motion: RigidMotion,
    settings: Settings,
    *,
    load_factor: float,
    solve_count: int,
) -> Break:
    """The fragments that the bonds still ``alive`` hold together.

    Velocities keep momentum, v = P / M and omega = I^-1 L with each cell's own inertia, or are the paper's fit to three
    centroids, which does not keep it.

    Args:
        cells: All cells of the body.
        pairs: (F, 2) cells of a bond.
        areas: (F,) m2.
        alive: (F,) bool.
        impulses: (C, 3) momentum that each cell got from the blow, N s.
        spins: (C, 3) angular momentum about its own centroid that each cell got, N m s.
        motion: Of the whole body before the blow.
        settings: ``dust``, ``dust_volume`` and ``velocity_fit``.
        load_factor: For the account.
        solve_count: For the account.
    """
    fragment = find_parts(cells, pairs[alive]).part_of_cell
    shares = np.bincount(fragment, cells.masses) / cells.masses.sum()
    dust = shares < settings.dust_volume
    dust[np.argmax(shares)] = False
    if settings.dust == "merge":
        fragment = _merged(fragment, cells.masses, settings.dust_volume * cells.masses.sum(), pairs, areas)
    fragment = _by_falling_mass(fragment, cells.masses)
    count = int(fragment.max()) + 1
    final_shares = np.bincount(fragment, cells.masses) / cells.masses.sum()
    parts = parts_of(cells, fragment, count)
    velocity, angular_velocity = _velocities(cells, parts, impulses, spins)
    if settings.velocity_fit == "centroids":
        _fit_centroids(cells, parts, impulses, velocity, angular_velocity)
    elif settings.velocity_fit != "momentum":
        raise SettingsError(f"velocities are fitted by momentum or centroids, not by '{settings.velocity_fit}'")
    whole = cells.masses @ cells.centers / cells.masses.sum()
    velocity += motion.velocity + np.cross(motion.angular_velocity, parts.centers - whole)
    angular_velocity += motion.angular_velocity
    return Break(
        fragment,
        velocity,
        angular_velocity,
        load_factor,
        solve_count,
        int(dust.sum()),
        float(shares[dust].sum()),
        final_shares >= (settings.dust_volume if settings.dust != "merge" and count > 1 else 0.0),
    )


def unbroken(cells: Cells, impacts: Sequence[Impact], motion: RigidMotion, load_factor: float) -> Break:
    """The whole body after impacts that break nothing: it takes their momentum as a rigid body.

    Args:
        cells: All cells of the body.
        impacts: What pushes it.
        motion: Of the whole body before the impacts.
        load_factor: For the account.
    """
    parts = parts_of(cells, np.zeros(len(cells.masses), np.int32), 1)
    momenta = np.array([impact.impulse * impact.direction for impact in impacts])
    arms = np.array([impact.point for impact in impacts]) - parts.centers[0]
    turn = np.linalg.solve(parts.inertias[0], np.cross(arms, momenta).sum(axis=0))
    velocity = motion.velocity + momenta.sum(axis=0) / parts.masses[0]
    whole = velocity[None], (motion.angular_velocity + turn)[None]
    return Break(parts.part_of_cell, *whole, load_factor, 0, 0, 0.0, np.ones(1, bool))


def three_centroid_motion(centers: np.ndarray, velocities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The paper's fit (Smith et al. 2001, section 3.5): v and omega with p' = v + omega x p, least squares.

    It takes three cells of a fragment for the whole of it, so it keeps no momentum unless they all move as one
    rigid body.

    Args:
        centers: (3, 3) centroids, m, about the point whose velocity is wanted.
        velocities: (3, 3) m/s of them.

    Returns:
        (3,) m/s and (3,) rad/s.
    """
    matrix = np.zeros((9, 6))
    for row, (x, y, z) in enumerate(centers):
        matrix[3 * row : 3 * row + 3, :3] = np.eye(3)
        matrix[3 * row : 3 * row + 3, 3:] = -np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    motion = np.linalg.lstsq(matrix, np.asarray(velocities).ravel(), rcond=None)[0]
    return motion[:3], motion[3:]


def _merged(fragment, masses, dust_mass, pairs, areas) -> np.ndarray:
    """Dust joins the neighbour with which it shares the largest area, again and again until there is none."""
    while True:
        grain_masses = np.bincount(fragment, masses)
        neighbour = _largest_neighbour(fragment, len(grain_masses), pairs, areas)
        grains = np.flatnonzero((grain_masses < dust_mass) & (neighbour >= 0))
        if not len(grains):
            return fragment
        fragment = components(np.stack([grains, neighbour[grains]], axis=1), len(grain_masses))[fragment]


def _largest_neighbour(fragment, count, pairs, areas) -> np.ndarray:
    """(N,) the fragment that shares the largest area with each, -1 where there is none."""
    first, second = fragment[pairs[:, 0]].astype(np.int64), fragment[pairs[:, 1]].astype(np.int64)
    apart = first != second
    keys = np.concatenate([first[apart] * count + second[apart], second[apart] * count + first[apart]])
    contacts, row = np.unique(keys, return_inverse=True)
    order = np.argsort(np.bincount(row, np.tile(areas[apart], 2)), kind="stable")
    result = np.full(count, -1)
    result[contacts[order] // count] = contacts[order] % count
    return result


def _by_falling_mass(fragment: np.ndarray, masses: np.ndarray) -> np.ndarray:
    labels, dense = np.unique(fragment, return_inverse=True)
    order = np.argsort(-np.bincount(dense, masses), kind="stable")
    rank = np.empty(len(labels), np.int32)
    rank[order] = np.arange(len(labels))
    return rank[dense]


def _velocities(cells: Cells, parts: Parts, impulses, spins) -> tuple[np.ndarray, np.ndarray]:
    """Of fragments as the momentum of their cells makes them, beside the motion of the whole."""
    fragment, count = parts.part_of_cell, len(parts.masses)
    arms = cells.centers - parts.centers[fragment]
    momentum = sum_by(fragment, impulses, count)
    angular_momentum = sum_by(fragment, spins + np.cross(arms, impulses), count)
    velocity = momentum / parts.masses[:, None]
    return velocity, np.linalg.solve(parts.inertias, angular_momentum[..., None])[..., 0]


def _fit_centroids(cells: Cells, parts: Parts, impulses, velocity, angular_velocity) -> None:
    """Overwrite the velocities of fragments of three cells or more by those of three cells far from one another."""
    order = np.argsort(parts.part_of_cell, kind="stable")
    for label, rows in enumerate(np.split(order, np.cumsum(np.bincount(parts.part_of_cell))[:-1])):
        if len(rows) < 3:
            continue
        arms = cells.centers[rows] - parts.centers[label]
        first = int(np.argmax((arms**2).sum(axis=1)))
        across = arms - arms[first]
        second = int(np.argmax((across**2).sum(axis=1)))
        third = int(np.argmax((np.cross(across, across[second]) ** 2).sum(axis=1)))
        chosen = rows[[first, second, third]]
        moves = impulses[chosen] / cells.masses[chosen, None]
        velocity[label], angular_velocity[label] = three_centroid_motion(arms[[first, second, third]], moves)
