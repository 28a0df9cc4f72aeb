"""Label the cells of the solid by fragment after a lattice breaks, and compute their momenta."""

from __future__ import annotations

import numpy as np

from ...data.arrays import sum_by
from ...data.settings.settings import StrikeSettings
from ...numerics.components import components
from ...numerics.random_streams import rng
from ..break_result import without_dust
from .joints import holding
from .model import BodyModel
from .state import State

# Number of cells of the smallest fragment. Smaller intact regions are no wider than a crack and count as dust: a
# dropped tile breaks into 21, 14 and 13 fragments at 2, 5 and 10.
SMALLEST_REGION = 5
# Half the largest width of a crack, in layers of broken cells. A crack breaks two to four cells across
# (docs/equations.md). Broken cells farther away are crushed material.
CRACK_LAYERS = 4
# Number of cells in a cluster of crushed material, whose real fragments are smaller than a cell. A block of glass that
# is crushed gets 17, 12 and 12 clusters at 30, 60 and 120.
CLUSTER_CELLS = 60
# Smallest number of clusters of a wholly crushed body. Without it, a body of few cells would stay whole: a tile of 400
# cells gets 6, 12 and 25 clusters at 6, 12 and 24.
FEWEST_CLUSTERS = 12


def label_cells(body: BodyModel, valid: np.ndarray, merge: bool, seed: int, *, crushed: bool = False) -> np.ndarray:
    """Label each cell of the solid by its fragment.

    Intact cells that share faces form a region. The broken cells of a crack join the adjacent regions layer by layer,
    so that the crack closes in its middle. Crushed cells beyond the width of a crack become clusters.

    Args:
        body: The broken body.
        valid: (K,) bool, intact cells of its lattice.
        merge: Whether regions smaller than ``SMALLEST_REGION`` join their neighbours.
        seed: Seed of the clusters.
        crushed: Whether crushed cells get the label -1 instead of clusters.

    Returns:
        (C,) labels.

    Notes:
        Own: broken cells are part of a fragment, so that no volume is lost.

    Example:
        Of two cells one is broken. It joins the intact one.

        >>> from ...data.material import PORCELAIN
        >>> from ...data.settings.settings import Settings
        >>> from ...data.solid import from_cells
        >>> from .model import build
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> body = build(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN, Settings())
        >>> label_cells(body, np.array([True, False]), merge=True, seed=0).tolist()
        [0, 0]
    """
    holds = holding(body.joints, valid, body.solid.face_count)
    pairs, areas, count = body.solid.face_cells[holds], body.areas[holds], body.solid.cell_count
    valid = valid[body.owners]
    region = components(pairs, count, valid[pairs].all(axis=1))
    sizes = np.where(valid, np.bincount(region)[region], 0)
    least = min(SMALLEST_REGION, int(sizes.max())) if merge else 1
    label = np.where(sizes >= max(least, 1), region, -1)
    _grow(label, pairs, areas, CRACK_LAYERS)
    if crushed:
        return label
    unlabelled = np.flatnonzero(label < 0)
    clusters = len(unlabelled) // min(CLUSTER_CELLS, max(count // FEWEST_CLUSTERS, 1))
    seeds = rng(seed, "fragment clusters").choice(unlabelled, clusters, replace=False)
    label[seeds] = count + seeds
    _grow(label, pairs, areas, count)
    # A cell that no region reaches is a fragment of its own.
    return np.where(label >= 0, label, count + np.arange(count))


def without_small(body: BodyModel, valid: np.ndarray, label: np.ndarray, settings: StrikeSettings) -> np.ndarray:
    """Merge dust, and the smallest fragments if there are more than wanted; see ``break_result.without_dust``.

    Args:
        body: The broken body.
        valid: (K,) bool, intact cells of its lattice.
        label: (C,) fragment of each cell, from ``label_cells``; -1 is none.
        settings: ``dust``, ``dust_volume`` and ``piece_count``.

    Returns:
        (C,) labels.

    Notes:
        Own: fragments of a lattice merge as those of the other methods do. A broken joint is no shared face.

    Example:
        Two cells of the same size are two fragments. At most one is wanted.

        >>> from ...data.material import PORCELAIN
        >>> from ...data.settings.settings import Settings
        >>> from ...data.solid import from_cells
        >>> from .model import build
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> body = build(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN, Settings())
        >>> one = StrikeSettings.of(piece_count=1)
        >>> without_small(body, np.ones(2, bool), np.array([0, 1]), one).tolist()
        [0, 0]
    """
    kept, faces = label >= 0, body.solid.face_cells
    shared = holding(body.joints, valid, len(faces)) & kept[faces].all(axis=1)
    fragment, row = np.unique(label[kept], return_inverse=True)[1], np.cumsum(kept) - 1
    masses, areas = body.cells.masses[kept], body.areas[shared]
    result = np.full(len(label), -1)
    result[kept] = without_dust(fragment, masses, row[faces[shared]], areas, settings)
    return result


def carrying_cells(body: BodyModel, broken: np.ndarray, never: int, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Choose the cells that carry the surface of each fragment: its heaviest intact region.

    A fragment may contain smaller intact regions. They broke off, but are too small to be fragments. They move
    independently.

    Args:
        body: The broken body.
        broken: (C,) first frame on which each cell is broken.
        never: Value of ``broken`` for an intact cell.
        label: (C,) fragment of each cell, from ``label_cells``.

    Returns:
        (C,) bool, the carrying cells; and (C,) the first frame on which each cell is broken or separated, that is, not
        connected by intact cells with the carrying cells of its fragment.

    Notes:
        Own: with all intact regions the drawn surface stretched into spikes (docs/equations.md).

    Example:
        Of two cells of a fragment, the second breaks on frame 3.

        >>> from ...data.material import PORCELAIN
        >>> from ...data.settings.settings import Settings
        >>> from ...data.solid import from_cells
        >>> from .model import build
        >>> corners = [[-1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
        >>> body = build(from_cells(corners, [[0, 1, 2, 3], [1, 2, 3, 4]], []), PORCELAIN, Settings())
        >>> carries, leaves = carrying_cells(body, np.array([9, 3]), 9, np.zeros(2, int))
        >>> carries.tolist(), leaves.tolist()
        ([True, False], [9, 3])
    """
    pairs, count = body.solid.face_cells, body.solid.cell_count
    intact = broken == never
    region = components(pairs, count, intact[pairs].all(axis=1))
    rows = np.flatnonzero(intact & (label >= 0))
    by_mass = rows[np.argsort(np.bincount(region, body.cells.masses)[region[rows]], kind="stable")]
    carrier = np.full(int(label.max(initial=0)) + 1, -1)
    # A cell of the heaviest region of a fragment is written last.
    carrier[label[by_mass]] = by_mass
    mine = np.where(label >= 0, carrier[label], -1)
    carries = intact & (mine >= 0) & (region == region[mine])
    leaves = broken.copy()
    for frame in np.unique(broken[broken < never])[::-1]:
        left = broken > frame
        now = components(pairs, count, left[pairs].all(axis=1))
        leaves[left & (mine >= 0) & (now != now[mine])] = frame
    return carries, leaves


def _grow(label: np.ndarray, pairs: np.ndarray, areas: np.ndarray, layers: int) -> None:
    """Give cells without a label (-1) that of the neighbour across their largest face, layer by layer, in place."""
    first, second = np.concatenate([pairs, pairs[:, ::-1]]).T
    areas = np.tile(areas, 2)
    for _ in range(layers):
        rows = np.flatnonzero((label[first] < 0) & (label[second] >= 0))
        if not len(rows):
            return
        # Labels are written in rising order of area, so that the largest face decides.
        rows = rows[np.argsort(areas[rows], kind="stable")]
        label[first[rows]] = label[second[rows]]


def cell_momenta(body: BodyModel, state: State, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute the momentum of each cell of the solid from the nodes.

    A node belongs to the fragment with the largest mass around the node. Its momentum goes to the cells of that
    fragment around it, in proportion to their mass. The totals over cells and over nodes are therefore equal.

    Args:
        body: The body.
        state: Velocities of the nodes.
        label: (C,) fragment of each cell, from ``label_cells``.

    Returns:
        (C, 3) momentum, N s, and (C, 3) angular momentum about the cell's own centroid, N m s.
    """
    model, corners = body.model, body.corners
    count = model.lattice.node_count
    masses = np.repeat(body.cells.masses, 4)
    node, fragment = corners.ravel(), np.repeat(label, 4)
    # Mass of each fragment around each node.
    keys = node.astype(np.int64) * (int(label.max()) + 1) + fragment
    unique_keys, row = np.unique(keys, return_inverse=True)
    mass_around = np.bincount(row, masses)
    owner = unique_keys // (int(label.max()) + 1)
    order = np.argsort(mass_around, kind="stable")
    best = np.empty(count, np.int64)
    best[owner[order]] = order
    share = np.where(best[node] == row, masses, 0.0)
    share /= np.bincount(node, share, count)[node]
    momenta = (model.masses[:, None] * state.velocities)[node] * share[:, None]
    arms = model.lattice.points[node] - np.repeat(body.cells.centers, 4, axis=0)
    cell = np.repeat(np.arange(len(corners)), 4)
    return sum_by(cell, momenta, len(corners)), sum_by(cell, np.cross(arms, momenta), len(corners))


def dust(body: BodyModel, state: State, smallest: float) -> tuple[int, float]:
    """Count the components below a share of the mass, and sum their shares of the mass."""
    shares = np.bincount(state.component, body.model.masses) / body.model.masses.sum()
    small = shares < smallest
    return int(small.sum()), float(shares[small].sum())
