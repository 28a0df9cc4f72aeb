"""Move fast fragments to their first contact with whole bodies that they would pass through in a step.

Rapier's continuous detection finds fixed bodies only, and its prediction takes the velocity of a fragment as zero (see
``look_ahead``). A fragment that moves by more than its thickness in a step would therefore pass through a body at rest.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import rapier3d as rapier

from ..numerics.rotations import matrices
from .look_ahead import SAFE_SHARE
from .units import vector


class FirstContacts:
    """The balls of the fragments and whole bodies of a world, by key."""

    def __init__(self) -> None:
        """Start without bodies."""
        self._fragments: dict[int, _Balls] = {}
        self._whole: dict[int, _Balls] = {}

    def watch(self, key: int, centers: np.ndarray, radii: np.ndarray, *, whole: bool) -> None:
        """Include a body of balls.

        Args:
            key: Its key.
            centers: (B, 3) world units, relative to the centre of mass.
            radii: (B,) world units.
            whole: Whether fast fragments stop at it.
        """
        (self._whole if whole else self._fragments)[key] = _Balls(centers, radii)

    def forget(self, key: int) -> None:
        """Remove a body."""
        self._whole.pop(key, None)
        self._fragments.pop(key, None)

    def approach(self, bodies: Mapping[int, rapier.RigidBody], seconds: float) -> None:
        """Move each fragment that would pass through a whole body to its first contact with it.

        Args:
            bodies: All bodies, by key.
            seconds: Duration of the next step, s. A fragment is early by less than that.
        """
        if not self._whole:
            return
        fast = {key: way for key in self._fragments if (way := self._fast_way(bodies[key], key, seconds)) is not None}
        if not fast:
            return
        keys = list(self._whole)
        places = np.array([bodies[key].translation.to_tuple() for key in keys])
        ways = seconds * np.array([bodies[key].linvel.to_tuple() for key in keys])
        reaches = np.array([self._whole[key].reach for key in keys])
        for key, way in fast.items():
            body, balls = bodies[key], self._fragments[key]
            place, relative = np.array(body.translation.to_tuple()), way - ways
            near = np.flatnonzero(_distances(places - place, relative) < reaches + balls.reach)
            shares = [_share(body, balls, bodies[keys[row]], self._whole[keys[row]], relative[row]) for row in near]
            if shares and min(shares) < 1.0:
                first = int(np.argmin(shares))
                body.translation = vector(place + shares[first] * relative[near[first]])  # type: ignore[assignment]

    def _fast_way(self, body: rapier.RigidBody, key: int, seconds: float) -> np.ndarray | None:
        """Return the way (3,) of a fragment in a step; ``None`` if it is too short to pass through anything."""
        if body.is_sleeping:
            return None
        x, y, z = body.linvel.to_tuple()
        least = SAFE_SHARE * self._fragments[key].thickness
        return seconds * np.array([x, y, z]) if seconds**2 * (x * x + y * y + z * z) > least * least else None


class _Balls:
    """Balls of a body about its centre of mass: centres (B, 3), radii (B,), thickness and reach, world units."""

    def __init__(self, centers: np.ndarray, radii: np.ndarray):
        self.centers, self.radii = centers, radii
        self.thickness = 2.0 * float(radii.max())
        self.reach = float((np.linalg.norm(centers, axis=1) + radii).max())


def _share(body: rapier.RigidBody, balls: _Balls, target: rapier.RigidBody, others: _Balls, way: np.ndarray) -> float:
    """Return the share of a fragment's way (3,) to a whole body after which their balls touch.

    1 if they do not touch within the way, or touch already.
    """
    own, center = _placed(body, balls.centers), np.array(body.translation.to_tuple())
    centers = _placed(target, others.centers)
    near = _distances(centers - center, way) < balls.reach + others.radii
    arms, sums = centers[near] - own[:, None], balls.radii[:, None] + others.radii[near]
    # Two balls touch at the smaller root of |arm - share way| = sum.
    along, square = arms @ way, way @ way
    gaps = np.einsum("abi,abi->ab", arms, arms) - sums**2
    if (gaps <= 0.0).any():
        return 1.0
    under_root = along**2 - square * gaps
    meets = (along > 0.0) & (under_root >= 0.0)
    return float(((along[meets] - np.sqrt(under_root[meets])) / square).min(initial=1.0))


def _placed(body: rapier.RigidBody, points: np.ndarray) -> np.ndarray:
    """Return points (P, 3) of a body in the world, world units."""
    x, y, z, w = body.rotation.to_tuple()
    return points @ matrices(np.array([w, x, y, z])).T + np.array(body.translation.to_tuple())


def _distances(arms: np.ndarray, ways: np.ndarray) -> np.ndarray:
    """Return the distances (N,) of points (N, 3) from segments that start at the origin: (N, 3), or one (3,)."""
    squares = np.maximum((ways * ways).sum(axis=-1), np.finfo(float).tiny)
    shares = np.clip((arms * ways).sum(axis=1) / squares, 0.0, 1.0)
    return np.linalg.norm(arms - shares[:, None] * ways, axis=1)
