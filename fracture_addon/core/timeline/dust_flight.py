"""Flight of dust that is kept as points: it leaves the break, falls, bounces and comes to rest on the colliders.

Dust exerts no forces and does not collide with dust or fragments. Thousands of balls cost less than one rigid fragment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..data.arrays import unit
from ..data.job import POSE_WIDTH, Collider, Job
from ..data.recording import Debris
from ..geometry.rays import RayGrid
from ..numerics.random_streams import rng
from ..numerics.rotations import IDENTITY, conjugate, interpolated_pose, matrices, multiply, pose_on_track
from .dust import DustBurst

# Steps of a frame. Insensitive: 2 and 8 change paths of debris only (docs/decisions/constants.md).
STEPS = 4
# Most bounces of a ball in one step. Insensitive: 6 gives the same bytes, 1 changes paths of debris
# (docs/decisions/constants.md).
BOUNCES = 3
# Distance beyond its path that a ball looks ahead for a face, in radii. A ball that meets a face at less than 1/8 rad
# may sink in for one step. Insensitive: 4 to 16 give the same bytes, 0 changes the result
# (docs/decisions/constants.md).
GRAZING = 8.0
# rad/s, greatest roll rate: 95 degrees a frame at 24 frames per second. Faster rotation looks random. It affects only
# the orientation of debris.
FASTEST_ROLL = 40.0
# A ball does not bounce if its impact is slower than this multiple of the speed that gravity adds in a step.
# Insensitive: 1 to 4 give the same bytes, 1e9 changes the result (docs/decisions/constants.md).
BOUNCE_STEPS = 2.0
# Smallest length (m), speed (m/s) or rate (rad/s) treated as nonzero in a division; no physical meaning.
TINY = 1e-300
# Smallest sine between a path and a face treated as nonzero in a division; no physical meaning.
SMALLEST_SINE = 1e-9


def simulate_dust(
    job: Job, bursts: Sequence[DustBurst], projectiles: Mapping[int, tuple[np.ndarray, np.ndarray]]
) -> tuple[Debris, ...]:
    """Follow all dust to the last frame.

    Args:
        job: The scene.
        bursts: The dust.
        projectiles: Centre of mass (3,) m in rest space and poses (T, 7) of each free collider, by its row in the job.

    Returns:
        Debris of each body that has any.
    """
    if not bursts:
        return ()
    flight = _Flight(job, bursts, projectiles)
    poses = flight.run()
    result = []
    for body in np.unique(flight.bodies):
        rows = np.flatnonzero(flight.bodies == body)
        births = job.frame_start + flight.birth_rows[rows]
        result.append(Debris(int(body), births, flight.sizes[rows], flight.first_velocities[rows], poses[:, rows]))
    return tuple(result)


class _Obstacle:
    """A collider with its motion. Its rest space is the world on the first frame."""

    def __init__(self, collider: Collider, center: np.ndarray, poses: np.ndarray | None):
        self.grid, self.center, self._poses = RayGrid.of(collider.surface), center, poses
        self.friction, self.restitution = collider.friction, collider.restitution

    def pose(self, frame_row: float) -> np.ndarray:
        """Return the pose (7,) at a time in frames since the first frame."""
        if self._poses is None:
            return np.concatenate([self.center, IDENTITY[3:]])
        low = min(int(frame_row), len(self._poses) - 1)
        return interpolated_pose(self._poses[low], self._poses[min(low + 1, len(self._poses) - 1)], frame_row - low)

    def to_rest(self, points: np.ndarray, pose: np.ndarray) -> np.ndarray:
        return (points - pose[:3]) @ matrices(pose[3:]) + self.center

    def to_world(self, points: np.ndarray, pose: np.ndarray) -> np.ndarray:
        return (points - self.center) @ matrices(pose[3:]).T + pose[:3]

    def first_contacts(
        self, starts: np.ndarray, ends: np.ndarray, radii: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Find where moving balls first touch a face, from either side.

        Args:
            starts: (N, 3) m, rest space.
            ends: (N, 3) m, rest space.
            radii: (N,) m.

        Returns:
            (N,) shares of the path, infinite without contact; (N, 3) m positions at the contact; (N, 3) unit normals
            towards the ball.
        """
        path = ends - starts
        length = np.maximum(np.linalg.norm(path, axis=1), TINY)
        directions = path / length[:, None]
        # On a grazing path a ball touches the face long before its centre reaches it.
        reach = length + GRAZING * radii
        front, back = self.grid.enters(starts, directions, reach), self.grid.leaves(starts, directions, reach)
        distance, face = np.where(front[0] <= back[0], front, back)
        normals = unit(self.grid.vectors[face.astype(np.int64)])
        closing = -np.einsum("ni,ni->n", directions, normals)
        normals = normals * np.where(closing < 0.0, -1.0, 1.0)[:, None]
        closing = np.maximum(np.abs(closing), SMALLEST_SINE)
        touching = np.isfinite(distance)
        distance = np.where(touching, distance, 0.0)
        travel = np.maximum(distance - radii / closing, 0.0)
        # A ball nearer to the face than its radius is pushed out.
        depth = np.maximum(radii - distance * closing, 0.0)
        positions = starts + travel[:, None] * directions + depth[:, None] * normals
        return np.where(touching, travel / length, np.inf), positions, normals


class _Flight:
    """All dust of a run."""

    def __init__(self, job: Job, bursts: Sequence[DustBurst], projectiles: Mapping[int, tuple[np.ndarray, np.ndarray]]):
        self._job = job
        self._obstacles = []
        for row, collider in enumerate(job.colliders):
            center: np.ndarray = collider.surface.points.mean(axis=0)
            poses: np.ndarray | None = None
            if row in projectiles:
                center, poses = projectiles[row]
            if poses is None and collider.track is not None:
                rows = range(job.frame_end - job.frame_start + 1)
                poses = np.array([pose_on_track(collider.track, frame_row, center) for frame_row in rows])
            if len(collider.surface.faces):
                self._obstacles.append(_Obstacle(collider, center, poses))
        self.bodies = np.concatenate([np.full(len(item.volumes), item.body) for item in bursts])
        self.birth_rows = np.concatenate([np.full(len(item.volumes), item.birth_row) for item in bursts])
        self.sizes = np.cbrt(np.concatenate([item.volumes for item in bursts]))
        self.first_velocities = np.concatenate([item.velocities for item in bursts])
        self._positions = np.concatenate([item.positions for item in bursts])
        self._velocities, self._spins = self.first_velocities.copy(), np.concatenate([item.spins for item in bursts])
        # The first orientations are random.
        random = rng([body.settings.seed for body in job.bodies], "debris orientation")
        quaternions = random.normal(size=(len(self.bodies), 4))
        self._quaternions = quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)
        materials = [job.bodies[body].material for body in self.bodies]
        self._friction = np.array([material.friction for material in materials])
        self._restitution = np.array([material.restitution for material in materials])
        # Obstacle below each resting ball (-1 for none), and the ball's pose in that obstacle's rest space.
        self._resting_on = np.full(len(self.bodies), -1)
        self._rest_positions, self._rest_quaternions = np.zeros((len(self.bodies), 3)), self._quaternions.copy()

    def run(self) -> np.ndarray:
        """Return the poses (T, N, 7)."""
        row_count = self._job.frame_end - self._job.frame_start + 1
        poses = np.empty((row_count, len(self.bodies), POSE_WIDTH))
        for row in range(row_count):
            self._move_resting(row)
            poses[row, :, :3], poses[row, :, 3:] = self._positions, self._quaternions
            for step in range(STEPS):
                flying = np.flatnonzero((self.birth_rows <= row) & (self._resting_on < 0))
                if len(flying) and row + 1 < row_count:
                    self._step(flying, row + step / STEPS, row + (step + 1) / STEPS)
        return poses

    def _move_resting(self, row: int) -> None:
        """Move resting balls with the obstacle below them."""
        for number, obstacle in enumerate(self._obstacles):
            resting = np.flatnonzero(self._resting_on == number)
            pose = obstacle.pose(row)
            self._positions[resting] = obstacle.to_world(self._rest_positions[resting], pose)
            self._quaternions[resting] = multiply(pose[3:], self._rest_quaternions[resting])

    def _step(self, rows: np.ndarray, start: float, end: float) -> None:
        seconds = (end - start) / self._job.frame_rate
        gravity = np.asarray(self._job.gravity, float)
        self._rotate(rows, seconds)
        self._velocities[rows] += seconds * gravity
        fall = -0.5 * seconds**2 * gravity
        left = np.full(len(rows), seconds)
        for bounce in range(BOUNCES):
            goals = self._positions[rows] + left[:, None] * self._velocities[rows] + (0.0 if bounce else fall)
            # Obstacles make their whole move before the first contact, and rest during the others.
            share, number, positions, normals = self._first_contacts(rows, goals, end if bounce else start, end)
            self._positions[rows] = positions
            contact = np.flatnonzero(number >= 0)
            for which in np.unique(number[contact]):
                mine = contact[number[contact] == which]
                self._bounce(rows[mine], normals[mine], self._obstacles[which], start, end)
            contact = contact[self._resting_on[rows[contact]] < 0]
            rows, left = rows[contact], left[contact] * (1.0 - share[contact])
            if not len(rows):
                return

    def _first_contacts(
        self, rows: np.ndarray, goals: np.ndarray, start: float, end: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Find the first contact of balls with any obstacle.

        Args:
            rows: (N,) balls.
            goals: (N, 3) m, their ends without contact.
            start: Time of the obstacles' poses before the move, in frames since the first frame.
            end: The same after the move.

        Returns:
            (N,) shares of the path; (N,) numbers of the obstacles, -1 for none; (N, 3) m positions; (N, 3) normals.
        """
        share, number = np.full(len(rows), np.inf), np.full(len(rows), -1)
        positions, normals = goals.copy(), np.zeros_like(goals)
        for which, obstacle in enumerate(self._obstacles):
            before, after = obstacle.pose(start), obstacle.pose(end)
            starts, ends = obstacle.to_rest(self._positions[rows], before), obstacle.to_rest(goals, after)
            own_share, position, normal = obstacle.first_contacts(starts, ends, 0.5 * self.sizes[rows])
            first = (own_share <= 1.0) & (own_share < share)
            share[first], number[first] = own_share[first], which
            positions[first] = obstacle.to_world(position[first], after)
            normals[first] = normal[first] @ matrices(after[3:]).T
        return share, number, positions, normals

    def _bounce(self, rows: np.ndarray, normals: np.ndarray, obstacle: _Obstacle, start: float, end: float) -> None:
        """Bounce balls off an obstacle, or let them rest on it.

        As in the rigid world, restitution and friction are the means of both surfaces.
        """
        before, after = obstacle.pose(start), obstacle.pose(end)
        positions = obstacle.to_rest(self._positions[rows], after)
        seconds = (end - start) / self._job.frame_rate
        obstacle_velocity = (obstacle.to_world(positions, after) - obstacle.to_world(positions, before)) / seconds
        relative = self._velocities[rows] - obstacle_velocity
        friction = 0.5 * (self._friction[rows] + obstacle.friction)
        restitution = 0.5 * (self._restitution[rows] + obstacle.restitution)
        gravity = np.asarray(self._job.gravity, float)
        weight = float(np.linalg.norm(gravity))
        slow = weight * seconds
        into = np.minimum(np.einsum("ni,ni->n", relative, normals), 0.0)
        restitution = np.where(into < -BOUNCE_STEPS * slow, restitution, 0.0)
        along_face = relative - into[:, None] * normals
        speed = np.maximum(np.linalg.norm(along_face, axis=1), TINY)
        grip = np.minimum(1.0, -friction * (1.0 + restitution) * into / speed)
        relative = along_face * (1.0 - grip)[:, None] - (restitution * into)[:, None] * normals
        self._velocities[rows] = obstacle_velocity + relative
        roll = np.cross(normals, relative) / (0.5 * self.sizes[rows])[:, None]
        rate = np.linalg.norm(roll, axis=1, keepdims=True)
        self._spins[rows] = roll * np.minimum(1.0, FASTEST_ROLL / np.maximum(rate, TINY))
        # Friction holds a ball where the slope is below the friction angle.
        held = -normals @ gravity >= weight / np.sqrt(1.0 + friction**2)
        still = (np.linalg.norm(relative, axis=1) <= slow) & held & (weight > 0.0)
        self._rest_positions[rows[still]] = positions[still]
        self._rest_quaternions[rows[still]] = multiply(conjugate(after[3:]), self._quaternions[rows[still]])
        self._resting_on[rows[still]] = self._obstacles.index(obstacle)

    def _rotate(self, rows: np.ndarray, seconds: float) -> None:
        rate = np.linalg.norm(self._spins[rows], axis=1)
        half = 0.5 * seconds * rate
        axes = self._spins[rows] / np.maximum(rate, TINY)[:, None]
        change = np.concatenate([np.cos(half)[:, None], np.sin(half)[:, None] * axes], axis=1)
        rotated = multiply(change, self._quaternions[rows])
        self._quaternions[rows] = rotated / np.linalg.norm(rotated, axis=1, keepdims=True)
