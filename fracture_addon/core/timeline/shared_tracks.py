"""Collision groups of kinematic bodies that share a track.

These bodies and their kinematic fragments do not move relative to one another, so contacts between them have no effect.
Reading these contacts took 40 % of the time of 256 islands on one track (measured).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..rigid.engine import CollisionGroup
from .overlaps import MOST_GROUPS


def track_groups(tracks: Sequence[np.ndarray | None], taken: Mapping[int, CollisionGroup]) -> dict[int, CollisionGroup]:
    """Return a collision group for each kinematic body and its kinematic fragments.

    The group ignores all others on the same track. If there are more tracks than free collision groups, bodies on the
    last ones touch each other.

    Args:
        tracks: Track of each body; ``None`` for a dynamic one.
        taken: Groups of bodies that overlap others, by row. These bodies keep their groups.

    Returns:
        Groups by row.

    Example:
        Two bodies stay where they are, a third one moves by its keyframes, and a fourth one is dynamic.

        >>> still, moving = np.zeros((1, 7)), np.ones((2, 7))
        >>> groups = track_groups([still, still.copy(), moving, None], {})
        >>> sorted(groups), groups[0].ignores(groups[1]), groups[0].ignores(groups[2])
        ([0, 1, 2], True, False)
    """
    first_free = 1 + max((group.number for group in taken.values()), default=0)
    numbers: dict[bytes, int] = {}
    groups = {}
    for row, track in enumerate(tracks):
        if track is None or row in taken:
            continue
        number = numbers.setdefault(track.tobytes(), first_free + len(numbers))
        if number <= MOST_GROUPS:
            groups[row] = CollisionGroup(number, frozenset([number]))
    return groups
