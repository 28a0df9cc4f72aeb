"""Points that move rigidly with the nodes near them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ..data.arrays import ReadOnlyArrays

# Nodes in a patch. A crushed region of a coarse porcelain vase was drawn 8 cm too long with 12, 5 cm with 24 and 1 cm
# with 48 (measured).
PATCH_SIZE = 48


@dataclass(frozen=True)
class RigidPatches(ReadOnlyArrays):
    """Patches of nodes, each of which carries points without stretching them.

    Attributes:
        nodes: (G, K) nodes of each patch.
        centers: (G, 3) m, mean of each patch at rest.
        arms: (G, K, 3) m, vectors from the mean of each patch to its nodes, at rest.
        patch: (P,) patch of each point.
        offsets: (P, 3) m, vectors from the mean of its patch to each point, at rest.
    """

    nodes: np.ndarray
    centers: np.ndarray
    arms: np.ndarray
    patch: np.ndarray
    offsets: np.ndarray

    def points(self, now: np.ndarray) -> np.ndarray:
        """Return the positions (P, 3) of the points for positions (N, 3) of the nodes, m.

        Each patch moves by the rotation and translation that fit its nodes best (Kabsch 1976).
        """
        moved = now[self.nodes].astype(float)
        centers = moved.mean(axis=1)
        spread = np.einsum("gki,gkj->gij", self.arms, moved - centers[:, None])
        left, _, right = np.linalg.svd(spread)
        # A reflection would fit a flat patch as well; only rotations are wanted.
        left[:, :, 2] *= np.sign(np.linalg.det(left) * np.linalg.det(right))[:, None]
        rotations = np.einsum("gij,gjk->gik", left, right)
        return centers[self.patch] + np.einsum("pi,pij->pj", self.offsets, rotations[self.patch])


def patches_around(
    points: np.ndarray, rest: np.ndarray, anchors: np.ndarray, nodes: np.ndarray, size: int = PATCH_SIZE
) -> RigidPatches:
    """Bind each point to the patch around its nearest anchor.

    Args:
        points: (P, 3) m, at rest.
        rest: (N, 3) m, all nodes at rest.
        anchors: (A, 3) m, at rest; at least one.
        nodes: (M,) nodes that may be in a patch; at least one.
        size: Nodes in a patch: those nearest to its anchor.

    Returns:
        The patches of the anchors that have points.

    Notes:
        Own choice of the patches; each moves by the best rotation of Kabsch 1976, A Solution for the Best Rotation to
        Relate Two Sets of Vectors.

    Example:
        A patch turns, and a point far from it turns with it.

        >>> rest = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        >>> patches = patches_around(np.array([[5.0, 0.0, 0.0]]), rest, rest[:1], np.arange(4))
        >>> quarter_turn = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
        >>> (patches.points(rest @ quarter_turn).round(9) + 0.0).tolist()
        [[0.0, 5.0, 0.0]]
    """
    anchor = cKDTree(anchors).query(points)[1]
    used, patch = np.unique(anchor, return_inverse=True)
    count = min(size, len(nodes))
    near = cKDTree(rest[nodes]).query(anchors[used], count)[1].reshape(len(used), count)
    members = nodes[near]
    centers = rest[members].mean(axis=1)
    patch = patch.reshape(-1)
    return RigidPatches(members, centers, rest[members] - centers[:, None], patch, points - centers[patch])
