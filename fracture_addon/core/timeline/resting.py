"""Separation of fragments that rest: the drawn fragments of a heap do not overlap.

The rigid world knows fragments as balls and simplified triangles (docs/decisions/rigid_contacts.md). Corners that pass
between the balls sink in, and thin walls pass through each other in a fall. So when the run is over, fragments at rest
are translated until their drawn surfaces are apart. They take the way in the frames before they come to rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from manifold3d import Manifold

from ..data.job import Collider, Job
from ..data.surface import Surface, joined
from ..numerics.rotations import matrices, pose_on_track
from ..rigid.collider_shape import slab_below
from ..rigid.engine import CollisionGroup
from ..rigid.separation import separated, solid_of
from .rigid_fragment import MOST_SURFACES, Breakable, RigidFragment

# Thickness of an overlap that stays, and simplification of the surfaces, over the median diagonal of the bodies. In
# heaps of cup, bowl and jar, tolerances of 2e-4 and 1e-3 change the largest way by 0 to 25 %, and take 1.5 and 0.9
# times as long.
TOLERANCE, DETAIL = 5e-4, 5e-5
# A body rests if its points move less than this in a frame, over the median diagonal, for this number of frames. A
# sleeping body does not move at all, and a falling one moves more by its second frame. From 1e-5 to 1e-3 the largest
# way in these heaps changes by up to 4 %.
STILL, STILL_FRAMES = 1e-4, 2
# s, time before a rest in which a fragment takes its way to its separated position.
RAMP = 0.25
# Colliders with more faces are left out, because each overlap with them takes the time of all their faces.
MOST_FACES = 20_000


@dataclass(frozen=True)
class _Rest:
    """A time in which a body rests.

    Attributes:
        owner: Row of the fragment; -1 for a collider.
        body: Row of the job's body; -1 for a collider.
        is_whole: Whether it is a body that has not broken.
        first, last: Rows of the first and the last frame.
        solid: What is drawn, in the world.
        inverse_mass: 1/kg; 0 if nothing may move it.
    """

    owner: int
    body: int
    is_whole: bool
    first: int
    last: int
    solid: Manifold
    inverse_mass: float


def separate(
    job: Job,
    fragments: Sequence[RigidFragment],
    breakables: Sequence[Breakable],
    groups: Mapping[int, CollisionGroup],
    projectiles: Mapping[int, tuple[np.ndarray, np.ndarray]],
    wait: Callable[[], None] = lambda: None,
) -> list[RigidFragment]:
    """Take the drawn surfaces of resting fragments apart.

    Args:
        job: The scene.
        fragments: Fragments of the run, parents before children.
        breakables: The bodies.
        groups: Collision groups of bodies that pass through others, by row of the body.
        projectiles: Centre of mass (3,) m in rest space and poses (T, 7) of each free collider, by its row in the job.
        wait: Called again and again meanwhile; it may raise an error to end the run.

    Returns:
        The fragments; those that move, with other poses. What nothing has moved since the first frame or since its
        birth, and what follows keyframes, stays in place. Whole bodies are not taken apart from each other, and
        fragments of a break into more than ``MOST_SURFACES`` are left as they are.

    Notes:
        Own (docs/decisions/rigid_contacts.md). Nothing moves downwards.

    Example:
        >>> separate(Job(()), [], [], {}, {})
        []
    """
    rows = len(fragments[0].poses) if fragments else 0
    if rows <= STILL_FRAMES or job.is_at_rest:
        return list(fragments)
    length = float(np.median([item.surface.diagonal for item in breakables]))
    siblings = Counter(item.parent for item in fragments if item.parent >= 0)
    few = [row for row, item in enumerate(fragments) if siblings[item.parent] <= MOST_SURFACES]
    rests = [rest for row in few for rest in _rests(job, row, fragments[row], length)]
    if not any(rest.inverse_mass for rest in rests):
        return list(fragments)
    rests += _collider_rests(job, projectiles, rows, length)
    strength = float(np.linalg.norm(job.gravity))
    up = -job.gravity / strength if strength else np.zeros(3)
    ways = separated(
        [rest.solid for rest in rests],
        np.array([rest.inverse_mass for rest in rests]),
        _touching(rests, groups),
        up,
        TOLERANCE * length,
        wait,
    )
    return _displaced(fragments, rests, ways, max(1, round(RAMP * job.frame_rate)))


def still_frames(poses: np.ndarray, reach: float, least: float) -> list[tuple[int, int]]:
    """Find the times in which a body rests.

    Args:
        poses: (T, 7) of the body.
        reach: m, largest distance of its points from the centre.
        least: m, motion of a point between two frames below which the body is still.

    Returns:
        First and last row of each rest.

    Example:
        >>> poses = np.zeros((6, 7))
        >>> poses[:, 3], poses[:2, 0] = 1.0, [2.0, 1.0]
        >>> still_frames(poses, 1.0, 0.1)
        [(2, 5)]
    """
    before, after = poses[:-1], poses[1:]
    # A quaternion and its negative are the same rotation; their difference is half the angle.
    half_angle = np.minimum(*(np.linalg.norm(after[:, 3:] + sign * before[:, 3:], axis=1) for sign in (-1.0, 1.0)))
    moves = np.linalg.norm(after[:, :3] - before[:, :3], axis=1) + 2.0 * reach * half_angle
    edges = np.flatnonzero(np.diff(np.concatenate([[False], moves < least, [False]]).astype(int)))
    return [(first, last) for first, last in edges.reshape(-1, 2).tolist() if last - first >= STILL_FRAMES]


def _rests(job: Job, row: int, item: RigidFragment, length: float) -> Iterator[_Rest]:
    """Find the times in which a fragment rests; ``length`` is the median diagonal of the bodies, m."""
    end = len(item.poses) if item.death_row < 0 else item.death_row
    poses = item.poses[item.birth_row : end]
    if len(poses) <= STILL_FRAMES or not item.surfaces:
        return
    drawn = joined(item.surfaces)
    reach = float(np.linalg.norm(drawn.points - item.properties.center, axis=1).max())
    track = job.bodies[item.body].track if item.track is None else item.track
    for first, last in still_frames(poses, reach, STILL * length):
        points = _placed(drawn.points, item.properties.center, poses[last])
        solid = solid_of(Surface(points, drawn.faces), DETAIL * length)
        if solid is None:
            continue
        way = np.abs(points - _placed(drawn.points, item.properties.center, poses[0])).max()
        held = item.kinematic or (track is not None and last + 1 < len(poses)) or way < TOLERANCE * length
        inverse_mass = 0.0 if held else 1.0 / item.properties.mass
        yield _Rest(row, item.body, item.depth == 0, item.birth_row + first, item.birth_row + last, solid, inverse_mass)


def _collider_rests(
    job: Job, projectiles: Mapping[int, tuple[np.ndarray, np.ndarray]], rows: int, length: float
) -> list[_Rest]:
    """Find the times in which colliders rest. Sheets that do not move are slabs, as in the rigid world."""
    result = []
    above = np.mean([body.surface.points.mean(axis=0) for body in job.bodies], axis=0)
    for row, collider in enumerate(job.colliders):
        surface = collider.surface
        if not len(surface.faces) or len(surface.faces) > MOST_FACES:
            continue
        center, poses = _motion(collider, projectiles.get(row), rows)
        reach = float(np.linalg.norm(surface.points - center, axis=1).max())
        slab = slab_below(surface, above, 2.0 * length, exact=True)
        for first, last in still_frames(poses, reach, STILL * length):
            if slab is None:
                points = _placed(surface.points, center, poses[last])
                solid = solid_of(Surface(points, surface.faces), DETAIL * length)
            else:
                solid = Manifold.hull_points(_placed(slab, center, poses[last])).as_original()
            if solid is not None:
                result.append(_Rest(-1, -1, False, first, last, solid, 0.0))
    return result


def _motion(collider: Collider, free: tuple[np.ndarray, np.ndarray] | None, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a point (3,) m of a collider in rest space, and its poses (T, 7) on each frame."""
    if free is not None:
        return free
    center = collider.surface.points.mean(axis=0)
    if collider.track is not None:
        return center, np.array([pose_on_track(collider.track, row, center) for row in range(rows)])
    return center, np.tile(np.concatenate([center, [1.0, 0.0, 0.0, 0.0]]), (rows, 1))


def _placed(points: np.ndarray, center: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """Return points (N, 3) m at a pose of a center in rest space."""
    return (points - center) @ matrices(pose[3:]).T + pose[:3]


def _touching(rests: Sequence[_Rest], groups: Mapping[int, CollisionGroup]) -> np.ndarray:
    """Return (N, N) bool, the pairs that are drawn at the same time and do not pass through each other."""
    first, last, owner, body = np.array([(rest.first, rest.last, rest.owner, rest.body) for rest in rests]).T
    touches = (first[:, None] <= last) & (first <= last[:, None]) & (owner[:, None] != owner)
    # In a pile of whole bodies the ways would add up with its height.
    is_whole = np.array([rest.is_whole for rest in rests])
    touches &= ~(is_whole[:, None] & is_whole)
    for one, group in groups.items():
        ignored = [other for other in range(body.max() + 1) if group.ignores(groups.get(other))]
        touches &= ~((body[:, None] == one) & np.isin(body, ignored))
    return touches & touches.T


def _displaced(
    fragments: Sequence[RigidFragment], rests: Sequence[_Rest], ways: np.ndarray, ramp: int
) -> list[RigidFragment]:
    """Return the fragments with poses that contain the ways (N, 3) m of their rests.

    A fragment starts with the way of its parent, keeps the way of a rest until the next one, and takes the difference
    in the last ``ramp`` frames before it.
    """
    result: list[RigidFragment] = []
    ends: list[np.ndarray] = []
    of: dict[int, list[int]] = {}
    for number, rest in enumerate(rests):
        of.setdefault(rest.owner, []).append(number)
    for row, item in enumerate(fragments):
        way = ends[item.parent] if item.parent >= 0 else np.zeros(3)
        frames, values = [item.birth_row], [way]
        for number in of.get(row, ()):
            first, last = rests[number].first, rests[number].last
            frames += [max(first - ramp, frames[-1]), max(first, frames[-1]), last]
            values += [values[-1], ways[number], ways[number]]
        ends.append(values[-1])
        if any(value.any() for value in values):
            poses, rows = item.poses.copy(), np.arange(len(item.poses))
            poses[:, :3] += np.column_stack([np.interp(rows, frames, axis) for axis in np.array(values).T])
            item = replace(item, poses=poses)
        result.append(item)
    return result
