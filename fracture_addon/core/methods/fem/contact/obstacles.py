"""Contact of a mesh with obstacles.

Contact is between nodes and the shape. It limits velocities: a node inside must not move deeper. An explicit step
changes the velocities of these nodes directly. A semi-implicit step prescribes them in its solve (Baraff and Witkin
1998).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...obstacle import TINY, Obstacle
from ...pushes import COLUMNS, sum_of

# Share of a node's depth by which it moves out per contact interval, and the largest speed, m/s. With smaller values,
# bodies sink in; with larger ones, they bounce: a dropped brick moves 41, 45 and 47 mm at a half, one and two times the
# share, and 40, 45 and 50 mm for the speed.
RETURN, MAX_RETURN_SPEED = 0.1, 0.1
# Moments of a semi-implicit step, as shares of it, at which it is tested for hard impacts. One, three and six moments
# give the same bytes.
TEST_MOMENTS = (1.0 / 3.0, 2.0 / 3.0, 1.0)


def keep_out(
    obstacle: Obstacle,
    position: np.ndarray,
    velocity: np.ndarray,
    mass: np.ndarray,
    reach: np.ndarray,
    seconds: float,
) -> np.ndarray:
    """Stop nodes that move deeper into an obstacle, with friction.

    Args:
        obstacle: At its current pose.
        position: (N, 3) m.
        velocity: (N, 3) m/s, changed in place.
        mass: (N,) kg.
        reach: (N,) m, see ``Obstacle.touch``.
        seconds: Contact interval in which nodes move out by ``RETURN`` of their depth, s.

    Returns:
        (COLUMNS,) sum of the impulses on the obstacle; see ``pushes``.

    Notes:
        Own: contact prescribes velocities, as in Baraff and Witkin 1998, here after an explicit step.

    Example:
        A node of 1 kg is 10 mm below a floor and falls at 2 m/s. It leaves at a tenth of its depth in 0.1 s.

        >>> velocity, one = np.array([[0.0, 0.0, -2.0]]), np.ones(1)
        >>> impulse = keep_out(Obstacle.plane([0, 0, 0]), np.array([[0, 0, -0.01]]), velocity, one, 0 * one, 0.1)
        >>> velocity.round(9).tolist(), impulse.round(9).tolist()[2]
        ([[0.0, 0.0, 0.01]], -2.01)
    """
    contact = obstacle.touch(position, reach)
    rows = np.flatnonzero((contact.depth > 0.0) & (mass > 0.0))
    if not len(rows):
        return np.zeros(COLUMNS)
    normal, relative = contact.normal[rows], velocity[rows] - contact.velocity[rows]
    speed = np.einsum("ni,ni->n", relative, normal)
    push = np.maximum(leaving_speed(contact.depth[rows], seconds) - speed, 0.0)
    sliding = relative - speed[:, None] * normal
    size = np.linalg.norm(sliding, axis=1)
    stopped = np.minimum(obstacle.friction * push / np.maximum(size, TINY), 1.0)
    change = push[:, None] * normal - stopped[:, None] * sliding
    velocity[rows] += change
    return sum_of(position[rows], -mass[rows, None] * change)


def leaving_speed(depth: np.ndarray, seconds: float) -> np.ndarray:
    """Return the speed at which nodes leave an obstacle.

    Args:
        depth: (N,) m.
        seconds: Contact interval, s.

    Returns:
        (N,) m/s.

    Example:
        >>> leaving_speed(np.array([0.01, 1.0]), 0.1).round(9).tolist()
        [0.01, 0.1]
    """
    return np.minimum(RETURN * depth / seconds, MAX_RETURN_SPEED)


def reachable(
    obstacles: Sequence[Obstacle | None],
    position: np.ndarray,
    velocity: np.ndarray,
    reach: np.ndarray,
    seconds: float,
) -> list[Obstacle | None]:
    """Replace obstacles that no node can touch by ``None``: most fragments of a broken body are far away.

    Args:
        obstacles: At their current poses; ``None`` for an absent one.
        position: (N, 3) m.
        velocity: (N, 3) m/s, the largest velocities of the nodes in this time.
        reach: (N,) m, see ``Obstacle.touch``.
        seconds: Time ahead, s.
    """
    center = position.mean(axis=0)
    size = np.linalg.norm(position - center, axis=1).max() + reach.max()
    size += seconds * np.linalg.norm(velocity, axis=1).max()
    return [
        item if item and item.is_within(center, size + seconds * np.linalg.norm(item.velocity)) else None
        for item in obstacles
    ]


def would_hit(
    obstacles: Sequence[Obstacle | None],
    position: np.ndarray,
    velocity: np.ndarray,
    has_mass: np.ndarray,
    reach: np.ndarray,
    seconds: float,
    min_speed: float,
) -> bool:
    """Return whether an obstacle would hit a node faster than a given speed.

    Args:
        obstacles: At their current poses; ``None`` for an absent one.
        position: (N, 3) m.
        velocity: (N, 3) m/s, assumed constant.
        has_mass: (N,) bool, nodes that count.
        reach: (N,) m, see ``Obstacle.touch``.
        seconds: Time ahead, s.
        min_speed: m/s.

    Returns:
        Whether there is such a hit within ``seconds``.

    Notes:
        Own: a hard impact needs small explicit steps.

    Example:
        A node 0.1 m above a floor falls at 2 m/s. It arrives after 0.05 s.

        >>> node = np.array([[0.0, 0.0, 0.1]]), np.array([[0.0, 0.0, -2.0]]), np.ones(1, bool), np.zeros(1)
        >>> [would_hit([Obstacle.plane([0, 0, 0])], *node, seconds, min_speed=1.0) for seconds in (0.01, 0.1)]
        [False, True]
    """
    for item in obstacles:
        if item is None:
            continue
        for share in TEST_MOMENTS:
            contact = item.later(share * seconds).touch(position + share * seconds * velocity, reach)
            closing = np.einsum("ni,ni->n", contact.velocity - velocity, contact.normal)
            if (closing[(contact.depth > 0.0) & has_mass] > min_speed).any():
                return True
    return False


def hold(
    obstacles: Sequence[Obstacle | None],
    position: np.ndarray,
    velocity: np.ndarray,
    free: np.ndarray,
    reach: np.ndarray,
    seconds: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Find the nodes in contact during a semi-implicit step, and prescribe their velocities, with friction.

    Args:
        obstacles: At their current poses; ``None`` for an absent one.
        position: (N, 3) m.
        velocity: (N, 3) m/s at the end of the step without elastic forces.
        free: (N,) bool, nodes that are not fixed.
        reach: (N,) m, see ``Obstacle.touch``.
        seconds: Time step, s.

    Returns:
        (N,) row of the first obstacle in contact with each node, -1 for none; (N, 3) m/s of the nodes in contact.

    Notes:
        Baraff and Witkin 1998, section 5: constraints on velocities.

    Example:
        A node 1 mm above a floor falls at 1 m/s. In 10 ms it may move by 1 mm.

        >>> node = np.array([[0.0, 0.0, 0.001]]), np.array([[0.0, 0.0, -1.0]]), np.ones(1, bool), np.zeros(1)
        >>> owner, velocity = hold([Obstacle.plane([0, 0, 0])], *node, seconds=0.01)
        >>> owner.tolist(), velocity.round(9).tolist()
        ([0], [[0.0, 0.0, -0.1]])
    """
    owner, result = np.full(len(position), -1), np.zeros_like(velocity)
    for row, item in enumerate(obstacles):
        if item is None:
            continue
        contact = item.later(seconds).touch(position + seconds * velocity, reach)
        relative = velocity - contact.velocity
        speed = np.einsum("ni,ni->n", relative, contact.normal)
        leaving = np.minimum(speed + contact.depth / seconds, MAX_RETURN_SPEED)
        nodes = np.flatnonzero((contact.depth > 0.0) & (speed < leaving) & (owner < 0) & free)
        normal, push = contact.normal[nodes], leaving[nodes] - speed[nodes]
        sliding = relative[nodes] - speed[nodes, None] * normal
        size = np.maximum(np.linalg.norm(sliding, axis=1), TINY)
        slip = np.maximum(1.0 - item.friction * push / size, 0.0)
        result[nodes] = contact.velocity[nodes] + leaving[nodes, None] * normal + slip[:, None] * sliding
        owner[nodes] = row
    return owner, result
