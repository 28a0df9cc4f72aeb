"""Chips: single cells that break off at the edges between cracks and the outside."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..data.arrays import sum_by
from ..data.solid import SolidModel, cell_centers, cell_volumes
from ..methods.method import Break
from ..numerics.components import components
from ..numerics.random_streams import rng

# Number of cells below which a fragment has no chips: fewer cells would mostly become chips. From 6 to 12 a slab of 300
# cells breaks into the same 35 fragments and chips; at 18 and 24 into 34, at 48 into 25.
FEWEST_CELLS = 12


def chipped(result: Break, solid: SolidModel, share: float, seed: int) -> Break:
    """Return a break in which some cells at the edges of cracks are fragments, with the velocity of their fragment.

    A chip is a cell between the outside and a crack that has at most two faces in common with its fragment. Cells that
    only chips connected to the fragment become further fragments.

    Args:
        result: Result of an impact.
        solid: Solid whose cells the result labels.
        share: Share of such cells that break off, 0 to 1.
        seed: Seed of the choice.

    Returns:
        The break; ``result`` itself without chips.
    """
    labels = np.asarray(result.fragment_of_cell)
    chips = _chips(labels, solid, result.kept, share, rng(seed, "chips"))
    if not len(chips):
        return result
    is_chip = np.zeros(len(labels), bool)
    is_chip[chips] = True
    same = labels[solid.face_cells[:, 0]] == labels[solid.face_cells[:, 1]]
    return divided(
        result, solid, components(solid.face_cells, len(labels), same & ~is_chip[solid.face_cells].any(axis=1))
    )


def divided(result: Break, solid: SolidModel, component: np.ndarray) -> Break:
    """Return a break whose fragments are divided further; the new ones have the rigid motion of their fragment.

    Args:
        result: Result of an impact.
        solid: Solid whose cells the result labels.
        component: (C,) number from 0 of the new fragment of each cell, which lies within one of the result's.

    Returns:
        The break, with fragments by falling volume.

    Notes:
        Own: rigid motion, v + omega x r.

    Example:
        A fragment of two equal cells that turns about Z is divided.

        >>> from ..data.solid import from_cells
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> solid = from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], [])
        >>> turning = np.zeros((1, 3)), np.array([[0.0, 0.0, 4.0]])
        >>> whole = Break(np.zeros(2, np.int32), *turning, 1.0, 1, 0, 0.0, np.ones(1, bool))
        >>> divided(whole, solid, np.arange(2)).velocity.tolist()
        [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]]
    """
    labels = np.asarray(result.fragment_of_cell)
    volumes = cell_volumes(solid.points, solid.cells)
    centers = cell_centers(solid.points, solid.cells)
    _, first = np.unique(component, return_index=True)
    source = labels[first]
    before = _middles(labels, centers, volumes, len(result.velocity))
    after = _middles(component, centers, volumes, len(source))
    turning = result.angular_velocity[source]
    velocity = result.velocity[source] + np.cross(turning, after - before[source])
    order = np.argsort(-np.bincount(component, volumes, len(source)), kind="stable")
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    return replace(
        result,
        fragment_of_cell=rank[component],
        velocity=velocity[order],
        angular_velocity=turning[order],
        kept=result.kept[source][order],
    )


def _chips(
    labels: np.ndarray, solid: SolidModel, kept: np.ndarray, share: float, random: np.random.Generator
) -> np.ndarray:
    """Return the cells that break off. No two of them share a face."""
    one, other = solid.face_cells.T
    same = labels[one] == labels[other]
    cell_count = solid.cell_count
    holds = np.bincount(solid.face_cells[same].ravel(), minlength=cell_count)
    cracks = np.bincount(solid.face_cells[~same].ravel(), minlength=cell_count)
    large = (np.bincount(labels, minlength=len(kept)) >= FEWEST_CELLS) & kept
    able = (holds <= 2) & (cracks >= 1) & (holds + cracks <= 3) & large[labels]
    chosen = able & (random.random(cell_count) < share)
    both = chosen[one] & chosen[other]
    chosen[other[both]] = False
    # A fragment keeps most of its cells.
    taken = np.bincount(labels[chosen], minlength=len(kept))
    too_many = 2 * taken > np.bincount(labels, minlength=len(kept))
    return np.flatnonzero(chosen & ~too_many[labels])


def _middles(labels: np.ndarray, centers: np.ndarray, volumes: np.ndarray, count: int) -> np.ndarray:
    """Return the centroids (N, 3), m, of the cells with each label."""
    return sum_by(labels, volumes[:, None] * centers, count) / np.bincount(labels, volumes, count)[:, None]
