"""Fragments of a deformable body that still hold together on a frame.

A recording of a deformable body has the fragments of its last frame on all frames. Two of them hold together until the
crack between them has opened.
"""

from __future__ import annotations

import numpy as np

from fracture_addon.core.data.recording import Deformed
from fracture_addon.core.numerics.components import components

# Points of two fragments that coincide at rest are apart beyond this share of the body's diagonal. Fragments whose
# share of coincident points is below ``HOLDING`` are apart for good. Chosen by eye.
APART, HOLDING = 2e-3, 0.1


def connected_pieces(item: Deformed, row: int) -> np.ndarray:
    """Return for each fragment the lowest number of those that it still holds together with.

    Args:
        item: Motion of a deformable body, with K fragments.
        row: Row of the recording's frames.

    Returns:
        (K,) numbers of fragments.
    """
    count = int(item.piece_of_face.max()) + 1
    piece = np.zeros(len(item.surface.points), np.int64)
    piece[item.surface.faces] = item.piece_of_face[:, None]
    _, place = np.unique(item.surface.points, axis=0, return_inverse=True)
    order = np.argsort(place.ravel(), kind="stable")
    first, second = order[:-1], order[1:]
    twins = (place.ravel()[first] == place.ravel()[second]) & (piece[first] != piece[second])
    first, second = first[twins], second[twins]
    pairs, pair = np.unique(
        np.sort(np.stack([piece[first], piece[second]], axis=1), axis=1), axis=0, return_inverse=True
    )
    limit, holds = APART * item.surface.diagonal, np.ones(len(pairs), bool)
    for points in item.points[: row + 1]:
        near = np.linalg.norm(points[first] - points[second], axis=1) < limit
        holds &= np.bincount(pair.ravel(), near, len(pairs)) > HOLDING * np.bincount(pair.ravel(), minlength=len(pairs))
    label = components(pairs.astype(np.int32).reshape(-1, 2), count, holds)
    return np.unique(label, return_index=True)[1][label]
