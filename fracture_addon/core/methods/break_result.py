"""Fragments and their velocities, from the bonds that hold and the momentum of the cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.arrays import sum_by
from ..data.impact import Impact
from ..data.settings.settings import StrikeSettings
from ..numerics.components import components
from .method import Break, RigidMotion
from .rigid_components import Cells, RigidComponents, components_by_label, find_components


def with_smallest_fragment(settings: StrikeSettings, cells: float, cell_count: int) -> StrikeSettings:
    """Return settings for which fragments below a number of cells are dust.

    Where two cracks run side by side, single cells come off between them. The cells, not the stress, give such
    fragments their size. Where the artist wants a number of pieces or no dust, they remain.

    Args:
        settings: ``dust_volume`` and ``piece_count``.
        cells: Smallest fragment, in cells of mean volume.
        cell_count: Number of cells of the body.

    Returns:
        The settings with a ``dust_volume`` of at least that size.

    Notes:
        Own: otherwise the number of fragments falls with finer cells (docs/decisions/energy_limited_force.md).

    Example:
        >>> [with_smallest_fragment(StrikeSettings(), 4.0, count).pieces.dust_volume for count in (400, 80_000)]
        [0.01, 0.00025]
    """
    if settings.pieces.piece_count or not settings.pieces.dust_volume:
        return settings
    return settings.changed(dust_volume=max(settings.pieces.dust_volume, cells / cell_count))


def split(
    cells: Cells,
    pairs: np.ndarray,
    areas: np.ndarray,
    alive: np.ndarray,
    impulses: np.ndarray,
    spins: np.ndarray,
    motion: RigidMotion,
    settings: StrikeSettings,
    *,
    load_factor: float,
    solve_count: int,
    tie_start: int | None = None,
) -> Break:
    """Return the fragments that the unbroken bonds connect, with their velocities.

    Velocities conserve momentum: v = P / M and omega = I^-1 L. The fit to three centroids does not.

    Args:
        cells: All C cells of the body.
        pairs: (F, 2) cells of each bond.
        areas: (F,) m2, of the bonds.
        alive: (F,) bool, bonds that hold.
        impulses: (C, 3) N s, momentum that each cell received from the impact.
        spins: (C, 3) N m s, angular momentum about its own centroid that each cell received.
        motion: Motion of the body before the impact.
        settings: ``dust``, ``dust_volume`` and ``velocity_fit``; ``piece_count``, the largest number of fragments.
        load_factor: Peak load over critical load, for the report.
        solve_count: Number of linear solves or of checks for cracks, for the report.
        tie_start: First bond that is a tie: it holds a fragment together where it is cracked. ``None`` without ties.

    Returns:
        The fragments by falling mass, and their velocities.

    Notes:
        Smith et al. 2001, section 3.5.

    Example:
        The bond between two balls of 1 kg and 3 kg breaks. The lighter one received 2 N s.

        >>> cells = Cells(np.array([[0.0, 0, 0], [1, 0, 0]]), np.array([1.0, 3.0]), np.tile(np.eye(3), (2, 1, 1)))
        >>> impulses, still = np.array([[-2.0, 0, 0], [0, 0, 0]]), RigidMotion(np.zeros(3), np.zeros(3))
        >>> bond = np.array([[0, 1]]), np.ones(1), np.zeros(1, bool)
        >>> found = split(cells, *bond, impulses, 0 * impulses, still, StrikeSettings(), load_factor=1.0, solve_count=1)
        >>> found.fragment_of_cell.tolist(), found.velocity.tolist()
        ([1, 0], [[0.0, 0.0, 0.0], [-2.0, 0.0, 0.0]])
    """
    fragment = find_components(cells, pairs[alive]).part_of_cell
    shares = np.bincount(fragment, cells.masses) / cells.masses.sum()
    dust = shares < settings.pieces.dust_volume
    dust[np.argmax(shares)] = False
    fragment = _by_falling_mass(without_dust(fragment, cells.masses, pairs, areas, settings), cells.masses)
    part = None if tie_start is None else _parts(cells, fragment, pairs, areas, alive, tie_start, settings)
    count = int(fragment.max()) + 1
    final_shares = np.bincount(fragment, cells.masses) / cells.masses.sum()
    parts = components_by_label(cells, fragment, count)
    velocity, angular_velocity = VELOCITIES[settings.pieces.velocity_fit](cells, parts, impulses, spins)
    whole = cells.masses @ cells.centers / cells.masses.sum()
    velocity += motion.velocity + np.cross(motion.angular_velocity, parts.centers - whole)
    angular_velocity += motion.angular_velocity
    return Break(
        fragment_of_cell=fragment,
        velocity=velocity,
        angular_velocity=angular_velocity,
        load_factor=load_factor,
        solve_count=solve_count,
        dust_count=int(dust.sum()),
        dust_volume=float(shares[dust].sum()),
        kept=final_shares >= (0.0 if settings.pieces.dust_rule.merges or count == 1 else settings.pieces.dust_volume),
        part_of_cell=part,
    )


def unbroken(cells: Cells, impacts: Sequence[Impact], motion: RigidMotion, load_factor: float) -> Break:
    """Return the result of impacts that break nothing: the body receives their momentum as a rigid body.

    Args:
        cells: All cells of the body.
        impacts: Impacts on it.
        motion: Motion of the body before the impacts.
        load_factor: Peak load over critical load, for the report.

    Returns:
        One fragment, with v = P / M and omega = I^-1 L added to the motion of the body.

    Notes:
        Newton 1687 and Euler 1750: momentum and angular momentum of a rigid body.

    Example:
        >>> cells, still = Cells(np.zeros((1, 3)), np.full(1, 2.0), np.eye(3)[None]), RigidMotion(*np.zeros((2, 3)))
        >>> impact = Impact([0, 1, 0], [1, 0, 0], impulse=4.0, duration=1e-3, radius=0.1)
        >>> found = unbroken(cells, [impact], still, load_factor=0.5)
        >>> found.velocity.tolist(), found.angular_velocity.tolist()
        ([[2.0, 0.0, 0.0]], [[0.0, 0.0, -4.0]])
    """
    parts = components_by_label(cells, np.zeros(len(cells.masses), np.int32), 1)
    momenta = np.array([impact.impulse * impact.direction for impact in impacts])
    arms = np.array([impact.point for impact in impacts]) - parts.centers[0]
    turn = np.linalg.solve(parts.inertias[0], np.cross(arms, momenta).sum(axis=0))
    velocity = motion.velocity + momenta.sum(axis=0) / parts.masses[0]
    whole = velocity[None], (motion.angular_velocity + turn)[None]
    return Break(parts.part_of_cell, *whole, load_factor, 0, 0, 0.0, np.ones(1, bool))


def three_centroid_motion(centers: np.ndarray, velocities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Fit a rigid motion to three cells: p' = v + omega x p by least squares.

    Three cells represent a fragment. Momentum is conserved only if all cells of the fragment move as one rigid body.

    Args:
        centers: (3, 3) m, centroids relative to the point whose velocity is wanted.
        velocities: (3, 3) m/s, of the centroids.

    Returns:
        Velocity (3,) m/s and angular velocity (3,) rad/s.

    Notes:
        Smith et al. 2001, section 3.5.

    Example:
        >>> centers = np.eye(3)
        >>> velocity, spin = three_centroid_motion(centers, [1, 0, 0] + np.cross([0, 0, 2], centers))
        >>> (velocity.round(9) + 0.0).tolist(), (spin.round(9) + 0.0).tolist()
        ([1.0, 0.0, 0.0], [0.0, 0.0, 2.0])
    """
    matrix = np.zeros((9, 6))
    for row, (x, y, z) in enumerate(centers):
        matrix[3 * row : 3 * row + 3, :3] = np.eye(3)
        matrix[3 * row : 3 * row + 3, 3:] = -np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    motion = np.linalg.lstsq(matrix, np.asarray(velocities).ravel(), rcond=None)[0]
    return motion[:3], motion[3:]


def _parts(
    cells: Cells,
    fragment: np.ndarray,
    pairs: np.ndarray,
    areas: np.ndarray,
    alive: np.ndarray,
    tie_start: int,
    settings: StrikeSettings,
) -> np.ndarray | None:
    """Return ``Break.part_of_cell``: the parts into which cracks divide the fragments that ties hold together."""
    holds = alive.copy()
    holds[tie_start:] = False
    part = find_components(cells, pairs[holds]).part_of_cell
    inner = fragment[pairs[:, 0]] == fragment[pairs[:, 1]]
    part = without_dust(part, cells.masses, pairs[inner], areas[inner], settings)
    return part.astype(np.int32) if len(np.unique(part)) > fragment.max() + 1 else None


def without_dust(
    fragment: np.ndarray, masses: np.ndarray, pairs: np.ndarray, areas: np.ndarray, settings: StrikeSettings
) -> np.ndarray:
    """Merge dust if the settings say so, then the smallest fragments until at most ``piece_count`` are left.

    Args:
        fragment: (C,) label of each cell, from 0.
        masses: (C,) kg, of the cells.
        pairs: (F, 2) cells that share a face.
        areas: (F,) m2, of the shared faces.
        settings: ``dust``, ``dust_volume`` and ``piece_count``.

    Returns:
        (C,) labels.

    Notes:
        Own: Smith et al. 2001 keep all fragments.

    Example:
        The second of two cells has 1 % of the mass.

        >>> masses, face = np.array([0.99, 0.01]), (np.array([[0, 1]]), np.ones(1))
        >>> labels = [without_dust(np.arange(2), masses, *face, StrikeSettings.of(dust_volume=x)) for x in (0.0, 0.02)]
        >>> [found.tolist() for found in labels]
        [[0, 1], [0, 0]]
    """
    dust_mass, merges = settings.pieces.dust_volume * masses.sum(), settings.pieces.dust_rule.merges
    if merges:
        fragment = _merged(fragment, masses, dust_mass, pairs, areas)
    if settings.pieces.piece_count:
        fragment = merged_to_count(
            fragment, masses, settings.pieces.piece_count, 0.0 if merges else dust_mass, pairs, areas
        )
    return fragment


def _merged(
    fragment: np.ndarray, masses: np.ndarray, dust_mass: float, pairs: np.ndarray, areas: np.ndarray
) -> np.ndarray:
    """Merge dust with the neighbour of the largest shared area, and repeat until no dust has a neighbour."""
    while True:
        fragment_masses = np.bincount(fragment, masses)
        neighbour = _largest_neighbour(fragment, len(fragment_masses), pairs, areas)
        dust = np.flatnonzero((fragment_masses < dust_mass) & (neighbour >= 0))
        if not len(dust):
            return fragment
        fragment = components(np.stack([dust, neighbour[dust]], axis=1), len(fragment_masses))[fragment]


def merged_to_count(
    fragment: np.ndarray, masses: np.ndarray, most: int, least: float, pairs: np.ndarray, areas: np.ndarray
) -> np.ndarray:
    """Merge the smallest fragments with the neighbour of the largest shared area until at most ``most`` are left.

    Args:
        fragment: (C,) label of each cell.
        masses: (C,) kg, of the cells.
        most: Largest number of fragments.
        least: kg, mass below which fragments neither count nor merge.
        pairs: (F, 2) cells that share a face.
        areas: (F,) m2, of the shared faces.

    Returns:
        (C,) labels.

    Notes:
        Own: Smith et al. 2001 keep all fragments.

    Example:
        Of three cells in a row, the middle one is the lightest. It joins the first one across the larger face.

        >>> row = np.array([[0, 1], [1, 2]]), np.array([2.0, 1.0])
        >>> merged_to_count(np.arange(3), np.array([3.0, 1.0, 4.0]), 2, 0.0, *row).tolist()
        [0, 0, 1]
    """
    while True:
        fragment = np.unique(fragment, return_inverse=True)[1].reshape(-1)
        fragment_masses = np.bincount(fragment, masses)
        neighbour = _largest_neighbour(fragment, len(fragment_masses), pairs, areas)
        counted = np.flatnonzero(fragment_masses >= least)
        merging = counted[neighbour[counted] >= 0]
        if len(counted) <= most or not len(merging):
            return fragment
        smallest = merging[np.argmin(fragment_masses[merging])]
        fragment = np.where(fragment == smallest, neighbour[smallest], fragment)


def _largest_neighbour(fragment: np.ndarray, count: int, pairs: np.ndarray, areas: np.ndarray) -> np.ndarray:
    """Return (N,) the fragment with which each fragment shares the largest area, -1 for none."""
    first, second = fragment[pairs[:, 0]].astype(np.int64), fragment[pairs[:, 1]].astype(np.int64)
    differ = first != second
    keys = np.concatenate([first[differ] * count + second[differ], second[differ] * count + first[differ]])
    contacts, row = np.unique(keys, return_inverse=True)
    order = np.argsort(np.bincount(row, np.tile(areas[differ], 2)), kind="stable")
    result = np.full(count, -1)
    result[contacts[order] // count] = contacts[order] % count
    return result


def _by_falling_mass(fragment: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """Return the labels (C,) renumbered from 0 by falling mass of the fragments."""
    labels, dense = np.unique(fragment, return_inverse=True)
    order = np.argsort(-np.bincount(dense, masses), kind="stable")
    rank = np.empty(len(labels), np.int32)
    rank[order] = np.arange(len(labels))
    return rank[dense]


def _velocities(
    cells: Cells, parts: RigidComponents, impulses: np.ndarray, spins: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return velocities (N, 3) m/s and (N, 3) rad/s of fragments from the momentum of their cells.

    The motion of the body before the impact is not included.
    """
    fragment, count = parts.part_of_cell, len(parts.masses)
    arms = cells.centers - parts.centers[fragment]
    momentum = sum_by(fragment, impulses, count)
    angular_momentum = sum_by(fragment, spins + np.cross(arms, impulses), count)
    velocity = momentum / parts.masses[:, None]
    return velocity, np.linalg.solve(parts.inertias, angular_momentum[..., None])[..., 0]


def _centroid_velocities(
    cells: Cells, parts: RigidComponents, impulses: np.ndarray, spins: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the same as ``_velocities``, but fit fragments of three or more cells to three distant cells."""
    velocity, angular_velocity = _velocities(cells, parts, impulses, spins)
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
    return velocity, angular_velocity


# By ``PieceSettings.velocity_fit``.
VELOCITIES = {"momentum": _velocities, "centroids": _centroid_velocities}
