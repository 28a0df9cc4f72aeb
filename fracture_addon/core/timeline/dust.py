"""Dust that flies on as grains: thrown by the break, falling, bouncing and coming to rest on the colliders.

A grain is a ball: one for each cell that crumbled, all of them together as large as what the cut left of these cells
(walls are smoothed, and what hangs on by little goes to the neighbours). It pushes nothing, meets neither other grains
nor fragments, and is followed along its path alone: thousands of them cost less than one rigid fragment would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..data.job import POSE_WIDTH, Collider, Job
from ..data.recording import Debris
from ..data.solid import SolidModel, cell_centers, cell_volumes
from ..geometry.rays import RayGrid
from ..numerics.rotations import IDENTITY, along, between, matrices, multiply
from ..rigid.rigid_properties import RigidProperties

# Steps a frame, and how often a grain may bounce in each.
STEPS, BOUNCES = 4, 3
# Radii that a ball looks ahead for a face; one at a flatter angle than their inverse lets it sink in for a step.
GRAZING = 8.0
# rad/s, the fastest that grains roll: faster cannot be seen at any frame rate.
FASTEST_ROLL = 40.0


@dataclass(frozen=True)
class Grains:
    """What crumbled in one break: a grain a cell.

    Attributes:
        body: Row of the job's bodies.
        birth_row: First frame on which they are there, from the job's first.
        positions: (N, 3) m, world.
        velocities: (N, 3) m/s.
        turns: (N, 3) rad/s.
        volumes: (N,) m3.
    """

    body: int
    birth_row: int
    positions: np.ndarray
    velocities: np.ndarray
    turns: np.ndarray
    volumes: np.ndarray


def crumble(
    solid: SolidModel,
    cells: np.ndarray,
    properties: RigidProperties,
    pose: np.ndarray,
    velocity: np.ndarray,
    turn: np.ndarray,
    share: float = 1.0,
) -> tuple[np.ndarray, ...]:
    """A rigid fragment as the cells that it is made of; they take its momentum along.

    Args:
        solid: Of the body.
        cells: (N,) rows of its cells.
        properties: Of them together.
        pose: (7,) of their centre of mass.
        velocity: (3,) m/s of it.
        turn: (3,) rad/s.
        share: Of the cells' volume that the grains have.

    Returns:
        Positions, velocities, turns (N, 3) and volumes (N,).
    """
    corners = solid.cells[cells]
    arms = (cell_centers(solid.points, corners) - properties.center) @ matrices(pose[3:]).T
    turns = np.tile(turn, (len(cells), 1))
    return pose[:3] + arms, velocity + np.cross(turns, arms), turns, share * cell_volumes(solid.points, corners)


def fly(
    job: Job, bursts: Sequence[Grains], projectiles: Mapping[int, tuple[np.ndarray, np.ndarray]]
) -> tuple[Debris, ...]:
    """Follow all grains to the end of a run.

    Args:
        job: The scene.
        bursts: What crumbled.
        projectiles: Centre of mass (3,) in rest space and poses (T, 7) of each free collider, by its row in the job.

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
        result.append(Debris(int(body), births, flight.sizes[rows], flight.thrown[rows], poses[:, rows]))
    return tuple(result)


class _Obstacle:
    """A collider along its motion; ``rest`` is the scene on the first frame."""

    def __init__(self, collider: Collider, center: np.ndarray, poses: np.ndarray | None):
        self.grid, self.center, self._poses = RayGrid.of(collider.surface), center, poses
        self.friction, self.restitution = collider.friction, collider.restitution

    def pose(self, frame_row: float) -> np.ndarray:
        """(7,) at a time, in frames since the first one."""
        if self._poses is None:
            return np.concatenate([self.center, IDENTITY[3:]])
        low = min(int(frame_row), len(self._poses) - 1)
        return between(self._poses[low], self._poses[min(low + 1, len(self._poses) - 1)], frame_row - low)

    def to_rest(self, points: np.ndarray, pose: np.ndarray) -> np.ndarray:
        return (points - pose[:3]) @ matrices(pose[3:]) + self.center

    def to_world(self, points: np.ndarray, pose: np.ndarray) -> np.ndarray:
        return (points - self.center) @ matrices(pose[3:]).T + pose[:3]

    def meet(self, starts, ends, radii) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where balls that move from ``starts`` to ``ends`` (rest space) first touch a face, from either side.

        Returns:
            (N,) shares of the way, above 1 for those that do not; (N, 3) places then; (N, 3) normals towards the ball.
        """
        way = ends - starts
        length = np.maximum(np.linalg.norm(way, axis=1), 1e-300)
        directions = way / length[:, None]
        # A ball touches a face that it grazes long before its centre would: within so many radii that is found.
        reach = length + GRAZING * radii
        front, back = self.grid.enters(starts, directions, reach), self.grid.leaves(starts, directions, reach)
        distance, face = np.where(front[0] <= back[0], front, back)
        normals = self.grid.vectors[face.astype(np.int64)]
        normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
        closing = -np.einsum("ni,ni->n", directions, normals)
        normals = normals * np.where(closing < 0.0, -1.0, 1.0)[:, None]
        closing = np.maximum(np.abs(closing), 1e-9)
        touching = np.isfinite(distance)
        distance = np.where(touching, distance, 0.0)
        travel = np.maximum(distance - radii / closing, 0.0)
        # What is nearer than its radius is pushed out.
        sunk = np.maximum(radii - distance * closing, 0.0)
        places = starts + travel[:, None] * directions + sunk[:, None] * normals
        return np.where(touching, travel / length, np.inf), places, normals


class _Flight:
    """All grains of a run."""

    def __init__(self, job: Job, bursts: Sequence[Grains], projectiles):
        self._job = job
        self._obstacles = []
        for row, collider in enumerate(job.colliders):
            center, poses = projectiles.get(row, (collider.surface.points.mean(axis=0), None))
            if poses is None and collider.track is not None:
                rows = range(job.frame_end - job.frame_start + 1)
                poses = np.array([along(collider.track, frame_row, center) for frame_row in rows])
            if len(collider.surface.faces):
                self._obstacles.append(_Obstacle(collider, center, poses))
        self.bodies = np.concatenate([np.full(len(item.volumes), item.body) for item in bursts])
        self.birth_rows = np.concatenate([np.full(len(item.volumes), item.birth_row) for item in bursts])
        self.sizes = np.cbrt(np.concatenate([item.volumes for item in bursts]))
        self.thrown = np.concatenate([item.velocities for item in bursts])
        self._positions = np.concatenate([item.positions for item in bursts])
        self._velocities, self._turns = self.thrown.copy(), np.concatenate([item.turns for item in bursts])
        # However a grain lies when it breaks off, nobody has seen it before.
        random = np.random.default_rng([body.settings.seed for body in job.bodies])
        quaternions = random.normal(size=(len(self.bodies), 4))
        self._quaternions = quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)
        materials = [job.bodies[body].material for body in self.bodies]
        self._friction = np.array([material.friction for material in materials])
        self._restitution = np.array([material.restitution for material in materials])
        # Obstacle that each has come to rest on, and its place and turn relative to that.
        self._resting_on = np.full(len(self.bodies), -1)
        self._rest_places, self._rest_turns = np.zeros((len(self.bodies), 3)), self._quaternions.copy()

    def run(self) -> np.ndarray:
        """(T, N, 7) poses."""
        row_count = self._job.frame_end - self._job.frame_start + 1
        poses = np.empty((row_count, len(self.bodies), POSE_WIDTH))
        for row in range(row_count):
            self._carry(row)
            poses[row, :, :3], poses[row, :, 3:] = self._positions, self._quaternions
            for step in range(STEPS):
                flying = np.flatnonzero((self.birth_rows <= row) & (self._resting_on < 0))
                if len(flying) and row + 1 < row_count:
                    self._step(flying, row + step / STEPS, row + (step + 1) / STEPS)
        return poses

    def _carry(self, row: int) -> None:
        """Move what has come to rest as that moves on which it lies."""
        for number, obstacle in enumerate(self._obstacles):
            lying = np.flatnonzero(self._resting_on == number)
            pose = obstacle.pose(row)
            self._positions[lying] = obstacle.to_world(self._rest_places[lying], pose)
            self._quaternions[lying] = multiply(pose[3:], self._rest_turns[lying])

    def _step(self, rows: np.ndarray, start: float, end: float) -> None:
        seconds = (end - start) / self._job.frame_rate
        gravity = np.asarray(self._job.gravity, float)
        self._turn(rows, seconds)
        self._velocities[rows] += seconds * gravity
        fall = -0.5 * seconds**2 * gravity
        left = np.full(len(rows), seconds)
        for bounce in range(BOUNCES):
            goals = self._positions[rows] + left[:, None] * self._velocities[rows] + (0.0 if bounce else fall)
            # The obstacles go all their way while grains go to their first contact.
            share, number, places, normals = self._first(rows, goals, end if bounce else start, end)
            self._positions[rows] = places
            hit = np.flatnonzero(number >= 0)
            for which in np.unique(number[hit]):
                mine = hit[number[hit] == which]
                self._collide(rows[mine], normals[mine], self._obstacles[which], start, end)
            hit = hit[self._resting_on[rows[hit]] < 0]
            rows, left = rows[hit], left[hit] * (1.0 - share[hit])
            if not len(rows):
                return

    def _first(self, rows, goals, start: float, end: float):
        share, number = np.full(len(rows), np.inf), np.full(len(rows), -1)
        places, normals = goals.copy(), np.zeros_like(goals)
        for which, obstacle in enumerate(self._obstacles):
            before, after = obstacle.pose(start), obstacle.pose(end)
            starts, ends = obstacle.to_rest(self._positions[rows], before), obstacle.to_rest(goals, after)
            found, at, normal = obstacle.meet(starts, ends, 0.5 * self.sizes[rows])
            first = (found <= 1.0) & (found < share)
            share[first], number[first] = found[first], which
            places[first] = obstacle.to_world(at[first], after)
            normals[first] = normal[first] @ matrices(after[3:]).T
        return share, number, places, normals

    def _collide(self, rows, normals, obstacle: _Obstacle, start: float, end: float) -> None:
        """Bounce with both surfaces' mean restitution and friction, as the rigid world does; or come to rest."""
        before, after = obstacle.pose(start), obstacle.pose(end)
        places = obstacle.to_rest(self._positions[rows], after)
        seconds = (end - start) / self._job.frame_rate
        carried = (obstacle.to_world(places, after) - obstacle.to_world(places, before)) / seconds
        relative = self._velocities[rows] - carried
        friction = 0.5 * (self._friction[rows] + obstacle.friction)
        restitution = 0.5 * (self._restitution[rows] + obstacle.restitution)
        gravity = np.asarray(self._job.gravity, float)
        weight = float(np.linalg.norm(gravity))
        # What gravity gives in a step does not bounce.
        slow = weight * seconds
        into = np.minimum(np.einsum("ni,ni->n", relative, normals), 0.0)
        restitution = np.where(into < -2.0 * slow, restitution, 0.0)
        along_face = relative - into[:, None] * normals
        speed = np.maximum(np.linalg.norm(along_face, axis=1), 1e-300)
        grip = np.minimum(1.0, -friction * (1.0 + restitution) * into / speed)
        relative = along_face * (1.0 - grip)[:, None] - (restitution * into)[:, None] * normals
        self._velocities[rows] = carried + relative
        roll = np.cross(normals, relative) / (0.5 * self.sizes[rows])[:, None]
        rate = np.linalg.norm(roll, axis=1, keepdims=True)
        self._turns[rows] = roll * np.minimum(1.0, FASTEST_ROLL / np.maximum(rate, 1e-300))
        # Where friction holds it against its weight.
        uphill = -normals @ gravity >= weight / np.sqrt(1.0 + friction**2)
        still = (np.linalg.norm(relative, axis=1) <= slow) & uphill & (weight > 0.0)
        turn = after[3:] * [1.0, -1.0, -1.0, -1.0]
        self._rest_places[rows[still]] = places[still]
        self._rest_turns[rows[still]] = multiply(turn, self._quaternions[rows[still]])
        self._resting_on[rows[still]] = self._obstacles.index(obstacle)

    def _turn(self, rows: np.ndarray, seconds: float) -> None:
        rate = np.linalg.norm(self._turns[rows], axis=1)
        half = 0.5 * seconds * rate
        axes = self._turns[rows] / np.maximum(rate, 1e-300)[:, None]
        change = np.concatenate([np.cos(half)[:, None], np.sin(half)[:, None] * axes], axis=1)
        turned = multiply(change, self._quaternions[rows])
        self._quaternions[rows] = turned / np.linalg.norm(turned, axis=1, keepdims=True)
