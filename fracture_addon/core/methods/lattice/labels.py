"""From a lattice that broke to cells of the solid: which piece each belongs to, and the momentum it has."""

from __future__ import annotations

import numpy as np

from ...numerics.components import components
from ..rigid_parts import sum_by
from .body import Body
from .state import State

# Whole regions of fewer cells than this lie within the width of a crack: they are crumbs, not pieces.
SMALLEST_REGION = 5
# A crack is up to twice so many broken cells wide. What is broken beyond is crushed, finer than the lattice can tell;
# it comes off in grains of about so many cells.
CRACK_LAYERS, GRAIN = 4, 60
# A body of few cells that is crushed all through comes apart too, in at least about so many grains.
FEWEST_GRAINS = 12
SEED_STREAM = 4


def label_cells(body: Body, valid: np.ndarray, merge: bool, seed: int, *, crushed: bool = False) -> np.ndarray:
    """(C,) the region of each cell of the solid.

    Whole cells that share faces are a region; the broken cells of a crack join the regions beside it layer by layer,
    so that it closes in its middle. What is crushed beyond a crack's width becomes grains.

    Args:
        body: What broke.
        valid: (K,) bool, cells of its lattice that are whole.
        merge: Whether crumbs join the regions around them too.
        seed: Of where grains form.
        crushed: What is crushed has the label -1 instead.
    """
    pairs, count = body.solid.face_cells, body.solid.cell_count
    valid = valid[body.owners]
    region = components(pairs, count, valid[pairs].all(axis=1))
    sizes = np.where(valid, np.bincount(region)[region], 0)
    least = min(SMALLEST_REGION, int(sizes.max())) if merge else 1
    label = np.where(sizes >= max(least, 1), region, -1)
    _grow(label, pairs, body.areas, CRACK_LAYERS)
    if crushed:
        return label
    rubble = np.flatnonzero(label < 0)
    grains = len(rubble) // min(GRAIN, max(count // FEWEST_GRAINS, 1))
    seeds = np.random.default_rng([seed, SEED_STREAM]).choice(rubble, grains, replace=False)
    label[seeds] = count + seeds
    _grow(label, pairs, body.areas, count)
    # Cells that nothing reaches stay alone.
    return np.where(label >= 0, label, count + np.arange(count))


def _grow(label: np.ndarray, pairs: np.ndarray, areas: np.ndarray, layers: int) -> None:
    """Let cells without a label (-1) take that of the neighbour behind the largest face, layer by layer."""
    first, second = np.concatenate([pairs, pairs[:, ::-1]]).T
    areas = np.tile(areas, 2)
    for _ in range(layers):
        rows = np.flatnonzero((label[first] < 0) & (label[second] >= 0))
        if not len(rows):
            return
        # Written in rising order of area, the largest face's label stays.
        rows = rows[np.argsort(areas[rows], kind="stable")]
        label[first[rows]] = label[second[rows]]


def cell_momenta(body: Body, state: State, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(C, 3) momentum, N s, and (C, 3) angular momentum about its own centroid, N m s, of each cell of the solid.

    A node's momentum goes to the cells around it in proportion to their mass: to those of the node's own piece, that
    is, the piece with most of the mass around it. Sums over all cells are those over all nodes.
    """
    model, corners = body.model, body.corners
    count = model.lattice.node_count
    masses = np.repeat(body.cells.masses, 4)
    node, side = corners.ravel(), np.repeat(label, 4)
    # The mass that each node finds of each piece around it.
    keys = node.astype(np.int64) * (int(label.max()) + 1) + side
    pieces, row = np.unique(keys, return_inverse=True)
    found = np.bincount(row, masses)
    owner = pieces // (int(label.max()) + 1)
    order = np.argsort(found, kind="stable")
    best = np.empty(count, np.int64)
    best[owner[order]] = order
    share = np.where(best[node] == row, masses, 0.0)
    share /= np.bincount(node, share, count)[node]
    momenta = (model.masses[:, None] * state.velocities)[node] * share[:, None]
    arms = model.lattice.points[node] - np.repeat(body.cells.centers, 4, axis=0)
    cell = np.repeat(np.arange(len(corners)), 4)
    return sum_by(cell, momenta, len(corners)), sum_by(cell, np.cross(arms, momenta), len(corners))


def dust(body: Body, state: State, smallest: float) -> tuple[int, float]:
    """Number of the lattice's components below a share of the mass, and the share that they have together."""
    shares = np.bincount(state.component, body.model.masses) / body.model.masses.sum()
    small = shares < smallest
    return int(small.sum()), float(shares[small].sum())
