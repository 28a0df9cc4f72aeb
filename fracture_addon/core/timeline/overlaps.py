"""Rigid bodies that overlap deeply on the first frame.

Contacts would push such bodies apart with hundreds of thousands of contact points and speeds that have nothing to do
with the scene. Their contacts with each other are therefore switched off, for their fragments too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..data.solid import cell_centers
from ..geometry.inside import Windings
from ..rigid.engine import CollisionGroup
from .rigid_fragment import Breakable

# Share of a body's cells inside another body from which on the two ignore each other. Bricks of 65 mm that overlap by
# 1 mm share 1.5 %. Blocks of 10 cm that overlap by 4 mm share 3 to 4 %: with limits of 0.05 to 5 they collide, and with
# 0.025 they ignore each other.
DEEP = 0.05
# Rapier has 32 collision groups. Group 0 is for bodies that touch everything, and ``engine`` uses four.
MOST_GROUPS = 27


@dataclass(frozen=True)
class Overlap:
    """Two bodies that overlap deeply.

    Attributes:
        first, second: Rows of the bodies, ascending.
        share: Share of the cells of one body that lie inside the other; the larger of the two shares.
    """

    first: int
    second: int
    share: float


def find_overlaps(breakables: Sequence[Breakable]) -> list[Overlap]:
    """Find the pairs of rigid bodies that overlap deeply in rest space."""
    if len(breakables) < 2:
        return []
    points = [item.surface.points for item in breakables]
    low, high = np.array([item.min(axis=0) for item in points]), np.array([item.max(axis=0) for item in points])
    near = ((low[:, None] < high) & (high[:, None] > low)).all(axis=2)
    centers = [cell_centers(item.solid.points, item.solid.cells) for item in breakables]

    @cache
    def windings(row: int) -> Windings:
        return Windings(breakables[row].surface)

    def share_inside(row: int, other: int) -> float:
        return float((windings(other).around(centers[row]) > 0).mean())

    pairs = np.argwhere(np.triu(near, 1)).tolist()
    overlaps = [
        Overlap(first, second, max(share_inside(first, second), share_inside(second, first))) for first, second in pairs
    ]
    return [overlap for overlap in overlaps if overlap.share >= DEEP]


def collision_groups(overlaps: Sequence[Overlap]) -> dict[int, CollisionGroup]:
    """Return the collision group of each overlapping body, by the body's row.

    If more than ``MOST_GROUPS`` bodies overlap, only the pairs with the largest shares ignore each other.

    Args:
        overlaps: Pairs of bodies.

    Returns:
        Groups; bodies that overlap no other have none.

    Example:
        The body 1 overlaps the bodies 0 and 2, which collide with each other.

        >>> groups = collision_groups([Overlap(0, 1, 0.5), Overlap(1, 2, 0.2)])
        >>> [groups[first].ignores(groups[second]) for first, second in ((0, 1), (1, 2), (0, 2))]
        [True, True, False]
    """
    number_of: dict[int, int] = {}
    ignored: dict[int, set[int]] = {}
    for overlap in sorted(overlaps, key=lambda item: (-item.share, item.first, item.second)):
        rows = overlap.first, overlap.second
        if len(number_of.keys() | set(rows)) > MOST_GROUPS:
            continue
        for row in rows:
            number_of.setdefault(row, len(number_of) + 1)
        for row, other in (rows, rows[::-1]):
            ignored.setdefault(row, set()).add(number_of[other])
    return {row: CollisionGroup(number, frozenset(ignored[row])) for row, number in number_of.items()}


def warning(overlap: Overlap, groups: Mapping[int, CollisionGroup], breakables: Sequence[Breakable]) -> str:
    """Return one line that names the bodies, the share, what happens and the remedy.

    Args:
        overlap: The pair.
        groups: As ``collision_groups`` returns them.
        breakables: All bodies.
    """
    first, second = (breakables[row].body.name for row in (overlap.first, overlap.second))
    names = f"two islands of '{first}'" if first == second else f"'{first}' and '{second}'"
    ignored = overlap.first in groups and groups[overlap.first].ignores(groups.get(overlap.second))
    result = "so they pass through each other" if ignored else "and their contacts throw them apart"
    remedy = "move them apart, or join them into one object"
    return f"{names} overlap by {overlap.share:.0%} on the first frame, {result}; {remedy}"
