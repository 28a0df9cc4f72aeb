"""Rigid bodies that overlap deeply on the first frame.

Contacts would push such bodies apart with hundreds of thousands of contact points and speeds that have nothing to do
with the scene. Their contacts with each other are therefore switched off, for their fragments too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..data.solid import cell_centers
from ..geometry.inside import is_inside
from .rigid_fragment import Breakable

# Share of a body's cells inside another body from which the two ignore each other. Bricks of 65 mm that sink 1 mm into
# one another share 1.5 %. Chosen; not measured.
DEEP = 0.05
# Rapier has 32 collision groups; group 0 is for bodies that touch everything.
MOST_GROUPS = 31


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
    centers = [cell_centers(item.solid.points, item.solid.cells) for item in breakables]
    overlaps = []
    for first in range(len(breakables)):
        for second in range(first + 1, len(breakables)):
            share = max(
                _share_inside(centers[first], breakables[second]), _share_inside(centers[second], breakables[first])
            )
            if share >= DEEP:
                overlaps.append(Overlap(first, second, share))
    return overlaps


def collision_groups(overlaps: Sequence[Overlap]) -> dict[int, tuple[int, frozenset[int]]]:
    """Return the collision group of each overlapping body, and the groups that it ignores, by the body's row.

    If more than ``MOST_GROUPS`` bodies overlap, only the pairs with the largest shares ignore each other.
    """
    group_of: dict[int, int] = {}
    ignored: dict[int, set[int]] = {}
    for overlap in sorted(overlaps, key=lambda item: (-item.share, item.first, item.second)):
        rows = overlap.first, overlap.second
        if len(group_of.keys() | set(rows)) > MOST_GROUPS:
            continue
        for row in rows:
            group_of.setdefault(row, len(group_of) + 1)
        for row, other in (rows, rows[::-1]):
            ignored.setdefault(row, set()).add(group_of[other])
    return {row: (group, frozenset(ignored[row])) for row, group in group_of.items()}


def warning(overlap: Overlap, breakables: Sequence[Breakable]) -> str:
    """Return one line that names the bodies, the share and the remedy."""
    first, second = (breakables[row].body.name for row in (overlap.first, overlap.second))
    names = f"two islands of '{first}'" if first == second else f"'{first}' and '{second}'"
    return (
        f"{names} overlap by {overlap.share:.0%} on the first frame, so they pass through each other; "
        "move them apart, or join them into one object"
    )


def _share_inside(centers: np.ndarray, other: Breakable) -> float:
    """Return the share of points (N, 3) that lie inside a body."""
    low, high = other.surface.points.min(axis=0), other.surface.points.max(axis=0)
    near = ((centers > low) & (centers < high)).all(axis=1)
    return float(is_inside(other.surface, centers[near]).sum() / len(centers)) if near.any() else 0.0
