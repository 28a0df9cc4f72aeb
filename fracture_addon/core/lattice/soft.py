"""Bodies that stay lattices for the whole shot: they flex, sag, swing and break (Norton et al. 1991)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from ..errors import InvalidMeshError, SettingsError
from ..gluing import nearest_pairs, pairs_within
from ..inspection import is_flat
from ..job import Body as JobBody
from ..job import Collider, Glue
from ..pose import matrices
from ..surface import Surface, volume
from . import dynamics, structure
from .body import Body
from .labelling import label_cells
from .model import Lattice
from .obstacles import Obstacle
from .shape_obstacle import ShapeObstacle, distance_field
from .state import model_of
from .thresholds import softened

# What obstacles push with, over what the fastest vibration bears: they hardly shorten the largest stable step.
OBSTACLE_SHARE = 0.2
# Restitution of colliders, at least: with none damping would be critical, and ask for shorter steps.
LEAST_BOUNCE = 0.2
# A stiffness that falls to nothing would leave nothing to hold the body together.
SOFTEST = 1e-4
# Damping of the fastest vibration over its critical damping.
DAMPING_RATIO = 0.1


@dataclass(frozen=True)
class Motion:
    """How a collider moves: pose (7,) of its point of reference, (3,) m/s of that, and (3,) rad/s."""

    pose: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray


@dataclass
class _Joined:
    """Lattices as one, and where the rows of each went."""

    lattice: Lattice
    nodes: list[np.ndarray]
    bonds: list[np.ndarray]
    cells: list[np.ndarray]
    glued: list[tuple[np.ndarray, Glue]]


class SoftBodies:
    """Deformable bodies that touch, glue and wind hold or push.

    Args:
        bodies: Lattices, one a body of the job.
        jobs: The same bodies as the job has them.
        colliders: What they cannot enter.
        centers: (K, 3) m, each collider's point of reference in rest space.
        glues: Between the bodies.

    Raises:
        SettingsError: A setting makes no sense.
        InvalidMeshError: A collider has no inside.
    """

    def __init__(
        self,
        bodies: Sequence[Body],
        jobs: Sequence[JobBody],
        colliders: Sequence[Collider],
        centers: np.ndarray,
        glues: Sequence[Glue],
    ):
        for job in jobs:
            if not 1.0 <= job.settings.softening <= 1e6:
                raise SettingsError(f"'{job.name}' is softened {job.settings.softening:g} times; use 1 to 1000000")
        self._bodies, self._jobs = bodies, jobs
        self._joined = _join([body.model.lattice for body in bodies], glues)
        lattice = self._joined.lattice
        self._fixed = np.zeros(lattice.node_count, bool)
        density, modulus = np.zeros(lattice.node_count), np.full(lattice.bond_count, np.inf)
        thresholds = np.full(lattice.bond_count, np.inf)
        for row, (body, job) in enumerate(zip(bodies, jobs, strict=True)):
            softening, material = job.settings.softening, job.material
            nodes, bonds = self._joined.nodes[row], self._joined.bonds[row]
            held = bonds >= 0
            density[nodes] = material.density
            modulus[bonds[held]] = material.young_modulus / softening
            thresholds[bonds[held]] = job.settings.threshold * softened(body.model.thresholds[held], softening)
            if job.track is not None:
                self._fixed[nodes] = True
            if job.settings.pinned is not None:
                self._fixed[nodes] |= job.settings.pinned.at(body.model.lattice.points) > 0.5
        for bonds, glue in self._joined.glued:
            both = [(bodies[row].model.thresholds, jobs[row]) for row in (glue.first, glue.second)]
            weaker = min(
                job.settings.threshold * softened(np.median(bare), job.settings.softening) for bare, job in both
            )
            softer = min(job.material.young_modulus / job.settings.softening for _, job in both)
            modulus[bonds] = np.where(np.isinf(modulus[bonds]), softer, modulus[bonds])
            thresholds[bonds] = glue.strength * weaker
        self._model = model_of(
            lattice,
            density,
            modulus,
            thresholds=thresholds,
            damping_ratio=DAMPING_RATIO,
            fixed=self._fixed,
            contact_friction=float(np.mean([job.material.friction for job in jobs])),
            evened=0.02,
        )
        self._state = dynamics.initial_state(self._model)
        for row, job in enumerate(jobs):
            nodes = self._joined.nodes[row]
            arms = lattice.points[nodes] - np.average(lattice.points[nodes], axis=0, weights=self._model.masses[nodes])
            self._state.velocities[nodes] = job.velocity + np.cross(job.angular_velocity, arms)
        self._state.velocities[self._fixed] = 0.0
        self._obstacles = [_Placed(*item, self._model, jobs) for item in zip(colliders, centers, strict=True)]

    @property
    def masses(self) -> np.ndarray:
        """(N,) kg, of all nodes."""
        return self._model.masses

    def rows(self, body: int) -> np.ndarray:
        """Rows of all nodes that are a body's."""
        return self._joined.nodes[body]

    def nodes(self, body: int) -> tuple[np.ndarray, np.ndarray]:
        """(N, 3) m and (N, 3) m/s of a body's nodes, as its own lattice numbers them."""
        rows = self._joined.nodes[body]
        return self._state.positions[rows], self._state.velocities[rows]

    def whole(self, body: int) -> np.ndarray:
        """(K,) bool, cells of a body's lattice none of whose bonds broke."""
        return self._state.valid[self._joined.cells[body]]

    def labels(self, body: int) -> np.ndarray:
        """(C,) what each cell of a body's solid hangs together with."""
        settings = self._jobs[body].settings
        return label_cells(self._bodies[body], self.whole(body), settings.dust == "merge", settings.seed)

    def carry(self, body: int, positions: np.ndarray) -> None:
        """Put a held body's nodes at (N, 3) positions."""
        self._state.positions[self._joined.nodes[body]] = positions

    def advance(
        self,
        seconds: float,
        gravity: np.ndarray,
        stiffness: Sequence[float],
        motions: Sequence[Motion],
        pushes: np.ndarray | None = None,
    ) -> np.ndarray:
        """Go on, breaking what breaks.

        Args:
            seconds: How far.
            gravity: (3,) m/s2.
            stiffness: Scale of each body's stiffness.
            motions: One a collider.
            pushes: (N, 3) N on all nodes, or nothing.

        Returns:
            (K, 3) N s that each collider gave the bodies.
        """
        scale: float | np.ndarray = 1.0
        if any(factor != 1.0 for factor in stiffness):
            scale = np.ones(self._model.lattice.bond_count)
            for bonds, factor in zip(self._joined.bonds, stiffness, strict=True):
                scale[bonds[bonds >= 0]] = max(factor, SOFTEST)
        # Obstacles are as stiff as ever: no longer step than they bear.
        longest = dynamics.checked_step(self._model, None, np.maximum(scale, 1.0))
        count = max(int(np.ceil(seconds / longest)), 1)
        obstacles = [item.at(motion) for item, motion in zip(self._obstacles, motions, strict=True)]
        surroundings = dynamics.Surroundings(gravity, obstacles, pushes, scale)
        dynamics.run(self._model, self._state, surroundings, seconds / count, count)
        return np.array([seconds / count * obstacle.taken for obstacle in obstacles]).reshape(-1, 3)


class _Placed:
    """A collider as an obstacle that can be put anywhere."""

    def __init__(self, collider: Collider, center: np.ndarray, model, jobs: Sequence[JobBody]):
        # In proportion to the nodes' masses: light ones would be thrown about else.
        rate = float(np.sqrt(OBSTACLE_SHARE)) * 2.0 / model.largest_step
        # Of a mass on a spring with damping: restitution is exp(-pi zeta / sqrt(1 - zeta^2)).
        bounce = np.log(max(collider.restitution, LEAST_BOUNCE))
        common = {
            "stiffness": rate**2 * model.masses,
            "damping": -2.0 * bounce / np.hypot(np.pi, bounce) * rate * model.masses,
            "friction": 0.5 * (collider.friction + float(np.mean([job.material.friction for job in jobs]))),
        }
        points = collider.surface.points
        self._center = center
        if collider.shape == "sphere":
            middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
            radius = float(np.linalg.norm(points - middle, axis=1).max())
            self._obstacle = Obstacle(middle, radius=radius, **common)
        elif is_flat(points):
            origin = points.mean(axis=0)
            normal = np.linalg.svd(points - origin, full_matrices=False)[2][2]
            above = np.mean([job.surface.points.mean(axis=0) for job in jobs], axis=0)
            side = 1.0 if (above - origin) @ normal >= 0.0 else -1.0
            self._obstacle = Obstacle(origin, side * normal, **common)
        else:
            surface = _closed(collider)
            shape = distance_field(replace(surface, points=surface.points - center))
            self._obstacle = ShapeObstacle(shape, np.array([*center, 1.0, 0, 0, 0]), **common)

    def at(self, motion: Motion) -> Obstacle | ShapeObstacle:
        """The obstacle on its way."""
        taken = np.zeros(3)
        if isinstance(self._obstacle, ShapeObstacle):
            moving = {"velocity": motion.velocity, "angular_velocity": motion.angular_velocity}
            return replace(self._obstacle, pose=motion.pose, taken=taken, **moving)
        turn = matrices(motion.pose[3:])
        arm = turn @ (self._obstacle.point - self._center)
        velocity = motion.velocity + np.cross(motion.angular_velocity, arm)
        normal = turn @ self._obstacle.normal
        return replace(self._obstacle, point=motion.pose[:3] + arm, normal=normal, velocity=velocity, taken=taken)


def _closed(collider: Collider) -> Surface:
    """The shape of a collider as a closed surface: its own, or its hull."""
    points = collider.surface.points
    if collider.shape == "box":
        low, high = points.min(axis=0), points.max(axis=0)
        points = np.where(list(np.ndindex(2, 2, 2)), high, low)
    elif collider.shape == "mesh" and volume(collider.surface) > 1e-6 * collider.surface.diagonal**3:
        return collider.surface
    try:
        hull = ConvexHull(points)
    except QhullError as error:
        raise InvalidMeshError(f"'{collider.name}' has no inside; give it a thickness") from error
    corners = points[hull.simplices]
    turned = np.einsum(
        "fi,fi->f", np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), hull.equations[:, :3]
    )
    return Surface(points, np.where((turned < 0.0)[:, None], hull.simplices[:, ::-1], hull.simplices))


def _join(lattices: Sequence[Lattice], glues: Sequence[Glue]) -> _Joined:
    """Lattices one after the other, glued to those before them."""
    first = lattices[0]
    whole = _Joined(
        first, [np.arange(first.node_count)], [np.arange(first.bond_count)], [np.arange(len(first.cells))], []
    )
    for row, lattice in enumerate(lattices[1:], 1):
        mine = [glue for glue in glues if row == max(glue.first, glue.second) and glue.first != glue.second]
        kinds = {glue.kind for glue in mine}
        if len(kinds) > 1 or not kinds <= {"nodes", "bonds"}:
            raise SettingsError(f"glue of {' and '.join(sorted(kinds))} on one object; use either nodes or bonds")
        merging = kinds == {"nodes"}
        find = nearest_pairs if merging else pairs_within
        pairs, owners = [np.empty((0, 2), np.int64)], [np.empty(0, np.int64)]
        for number, glue in enumerate(mine):
            there = whole.nodes[min(glue.first, glue.second)]
            found = find(whole.lattice.points[there], lattice.points, glue.distance)
            pairs.append(np.stack([there[found[:, 0]], found[:, 1]], axis=1))
            owners.append(np.full(len(found), number))
        pairs, owner = np.concatenate(pairs), np.concatenate(owners)
        if merging:
            rows = np.unique(pairs[:, 0], return_index=True)[1]
            pairs, owner = pairs[rows], owner[rows]
            joined, glued = structure.merged(whole.lattice, lattice, pairs)
            new = []
            for number, glue in enumerate(mine):
                shared = glued.second_points[pairs[owner == number, 1]]
                new.append((np.flatnonzero(np.isin(joined.bonds, shared).any(axis=1)), glue))
        else:
            joined, glued = structure.tied(whole.lattice, lattice, pairs, float(np.median(lattice.stiffness)))
            new = [(glued.glue_edges[owner == number], glue) for number, glue in enumerate(mine)]
        whole = _Joined(
            joined,
            [*(glued.first_points[rows] for rows in whole.nodes), glued.second_points],
            [*(_through(glued.first_edges, rows) for rows in whole.bonds), glued.second_edges],
            [*(glued.first_cells[rows] for rows in whole.cells), glued.second_cells],
            [*((_held(_through(glued.first_edges, rows)), glue) for rows, glue in whole.glued), *new],
        )
    return whole


def _through(numbers: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Where rows went; -1 stays -1."""
    return np.where(rows >= 0, numbers[rows], -1)


def _held(rows: np.ndarray) -> np.ndarray:
    return rows[rows >= 0]
