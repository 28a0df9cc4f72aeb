"""One deformable body that bends, yields and cracks among obstacles for a whole shot.

Small explicit steps resolve waves and cracks. While no crack is near, semi-implicit steps are as long as the caller's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ....data.errors import SettingsError, SolverDivergedError, about
from ....data.grip import Grip
from ....data.impact import Impact
from ....data.job import Body, Collider
from ....data.material import Material
from ....data.motion import Motion
from ...method import RigidMotion
from ...snapshots import prefixed, with_prefix
from ...whole_shot import Deformation, fixed_points
from ..advance import Leapfrog
from ..contact.loads import Loads
from ..elements import elastic_energy, law_of
from ..fracture import Cracking
from ..impact_window import MAX_SPEED, steps_per_check
from ..implicit import Equations, Implicit, finite_masses
from ..materials.fibres import fibres
from ..materials.plasticity import flow_of
from ..materials.softening import softened, stiffened
from ..model import Model
from ..prestress import prestress
from ..state import lumped
from ..walls import mesh_with_walls
from .fragments import deformation
from .pace import CALM, Pace
from .surroundings import Surroundings
from .work_limit import WorkLimit

# Largest relative movement of fragments in a semi-implicit step, in element sizes. From 0.005 to 50 all recordings keep
# their bytes.
FRAGMENT_TRAVEL = 0.5
# Number of checks between two contact pushes. Fewer pushes are faster: a dropped brick breaks into 13, 15 and 13
# fragments at 6, 12 and 24, and moves 43, 45 and 44 mm.
PUSH_INTERVAL = 12


class Shot:
    """A deformable body.

    Args:
        model: Model of the method, before softening.
        body: Body of the job, with the surface that the model was built from.
        colliders: Colliders that the body cannot enter.
        centers: (3,) m, reference point of each collider in rest space.
        work_limit: Work limit of all bodies of the scene; once it is spent, steps are as long as the caller's.
        grips: Grips, which hold the nodes in their spheres.

    Raises:
        SettingsError: The softening is too much for the material.
    """

    def __init__(
        self,
        model: Model,
        body: Body,
        colliders: Sequence[Collider],
        centers: Sequence[np.ndarray],
        work_limit: WorkLimit | None = None,
        grips: Sequence[Grip] = (),
    ):
        self._work_limit = work_limit
        settings = body.settings
        root = float(np.sqrt(settings.motion.softening))
        try:
            self._material = softened(model.material, settings.motion.softening, settings.motion.threshold)
        except SettingsError as error:
            problem = str(error).partition(";")[0]
            raise SettingsError(
                f"'{body.name}' is softened {settings.motion.softening:g} times, too much for finite elements "
                f"({problem}); lower the softening, or raise the threshold"
            ) from error
        self._name, self._settings, self._cell_count = body.name, settings, model.solid.cell_count
        # The model is that of the largest keyed stiffness, for which the time step must be stable.
        self._stiffest = max(1.0, float(body.stiffness_track.max(initial=1.0)))
        self._material = stiffened(self._material, self._stiffest)
        law = self._law = law_of(self._material, root * model.law.rigidity_damping / model.law.rigidity)
        motion = RigidMotion(body.velocity, body.angular_velocity)
        grain = fibres(model.solid, self._material, settings)
        mesh = self.mesh = mesh_with_walls(model.solid, law.density, motion, grain)
        step = root * model.step / float(np.sqrt(self._stiffest))
        with about(body.name):
            prestress(mesh, law, step, self._material, settings, root / self._stiffest)
        self._motion = Leapfrog(mesh, law, step, MAX_SPEED * law.wave_speed)
        self._cracking = Cracking(mesh, self._motion, law, self._material, settings, deformable=True)
        self._flow, self._steps = flow_of(self._material), steps_per_check(mesh, law, step)
        self._fixed = fixed_points(body, grips, mesh.rest)
        mesh.velocity[self._fixed] = 0.0
        self._around = Surroundings(mesh, body, self._material.friction, self._cracking.size)
        self._around.add(colliders, centers)
        self._fix_nodes()
        self._pace = Pace(mesh, law, self._material.tensile_strength)
        self._implicit: Implicit | None = None
        self._loads = Loads()
        self._frames: list[np.ndarray] = []
        self.set_stiffness(1.0)

    def add_colliders(self, colliders: Sequence[Collider], centers: Sequence[np.ndarray]) -> None:
        """Add colliders after those that the body knows, with the reference point (3,) m of each in rest space.

        Args:
            colliders: All colliders.
            centers: The reference points of all.
        """
        self._around.add(colliders, centers)

    @property
    def impulses(self) -> np.ndarray:
        """Sum of the impulses (K, COLUMNS) on each collider since ``begin``; see ``pushes``."""
        return self._around.impulses

    @property
    def fixed_rest(self) -> np.ndarray:
        """Rest positions (F, 3) of the fixed nodes, m."""
        return self.mesh.rest[self._fixed]

    @property
    def masses(self) -> np.ndarray:
        """Masses (N,) of the nodes, kg; fixed nodes have finite masses here."""
        return lumped(self.mesh.elements, self.mesh.density * self.mesh.volume, self.mesh.node_count)

    @property
    def size(self) -> float:
        """Median size of an element, m."""
        return self._cracking.size

    @property
    def name(self) -> str:
        """Name of the body."""
        return self._name

    @property
    def material(self) -> Material:
        """Softened material."""
        return self._material

    @property
    def friction(self) -> float:
        """Coefficient of friction."""
        return self._material.friction

    @property
    def contact_by_nodes(self) -> bool:
        """Whether contact pushes nodes out of elements instead of overlapping volumes; see ``FemSettings``."""
        return self._settings.fem.contact_by_nodes

    def faces(self) -> np.ndarray:
        """Return the (F, 3) int32 nodes of surface faces, including crack faces, with outward normals."""
        return self._around.faces()

    def set_stiffness(self, factor: float) -> None:
        """Set the factor on the stiffness from now on. The rest shape and all limits in strain stay.

        If a change sets the body swinging, small steps follow the waves as after a collision.
        """
        before, now = self._motion.factor, factor / self._stiffest
        self._set_factor(now)
        if now == before:
            return
        mesh, rows = self.mesh, self._motion.rows
        strained = (
            mesh.elements[rows],
            mesh.basis[rows],
            mesh.volume[rows],
            self._motion.shares[0],
            mesh.plastic_strain[rows],
            mesh.fibres_of(rows),
        )
        energy = elastic_energy(self._law, mesh.position, *strained)
        # A spring k that a load stretches by u swings by u |k' - k| / k' about its new place of rest.
        swing = abs(now - before) / float(np.sqrt(now)) * float(np.sqrt(2.0 * energy / max(self.masses.sum(), 1e-300)))
        if swing > self._pace.hard:
            self._pace.watch_bounce()

    def _set_factor(self, factor: float) -> None:
        """Set the factor on the largest stiffness, and how long waves take."""
        self._motion.factor = factor
        self._pace.set_stiffness(factor)
        self._cracking.set_slowness(1.0 / float(np.sqrt(factor)))

    @property
    def under_impact(self) -> bool:
        """Whether an impact is still pushing."""
        return self._loads.until > self._pace.time

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return all data that vary, but not the loads of impacts; see ``restore``."""
        factor = self._motion.factor * self._stiffest
        return {
            "times": np.array([self._pace.time, self._pace.calm_from, factor]),
            **prefixed("mesh", self.mesh.snapshot()),
            **prefixed("cracking", self._cracking.snapshot()),
        }

    def restore(self, snapshot: Mapping[str, np.ndarray]) -> None:
        """Continue from a ``snapshot`` of the same body, with the present settings, colliders and grips."""
        mesh = self.mesh
        mesh.restore(with_prefix("mesh", snapshot))
        self._cracking.restore(with_prefix("cracking", snapshot))
        self._fix_nodes()
        freed = np.isinf(mesh.mass) & ~self._fixed
        mesh.mass[freed] = self.masses[freed]
        self._pace.time, self._pace.calm_from, factor = snapshot["times"].tolist()
        self._set_factor(factor / self._stiffest)

    @property
    def frames(self) -> dict[str, np.ndarray]:
        """The recorded frames, (T,) numbers of nodes and the positions of all, m; set it to continue a run."""
        counts = np.array([len(frame) for frame in self._frames], np.int64)
        return {"counts": counts, "positions": np.concatenate([np.empty((0, 3)), *self._frames])}

    @frames.setter
    def frames(self, values: Mapping[str, np.ndarray]) -> None:
        self._frames = np.split(values["positions"], np.cumsum(values["counts"])[:-1])

    def set_wind(self, forces: np.ndarray) -> None:
        """Set the wind forces on the nodes, (N, 3) N, from now on."""
        self._loads.set_wind(forces)

    def strike(self, impact: Impact) -> None:
        """Start an impact: its point is in rest space, its direction in world space, its duration that of the pulse."""
        self._loads.start_impact(self.mesh, impact, self.size, self._cracking.carries_stress, self._pace.time)
        self._pace.watch_wave(self._loads.until)

    def push(self, velocity: np.ndarray) -> None:
        """Set the velocities of the nodes to (N, 3) m/s. After a large change, steps are small for a while."""
        change = np.where(self._fixed[:, None], 0.0, velocity - self.mesh.velocity)
        self.mesh.velocity[:] += change
        if (change**2).sum(axis=1).max() > self._pace.slow**2:
            self._pace.watch_wave()

    def record(self) -> None:
        """Record the positions of the nodes for a frame."""
        self._frames.append(self.mesh.position.copy())

    def begin(self, seconds: float, motions: Sequence[Motion | None], fixed_targets: np.ndarray | None = None) -> None:
        """Begin to advance by ``seconds``, in one or more steps.

        Args:
            seconds: Time to advance, s.
            motions: Pose and velocities of each collider now; ``None`` for an absent collider.
            fixed_targets: (F, 3) m, positions of the fixed nodes at the end; ``None`` leaves them at rest.
        """
        mesh, fixed = self.mesh, self._fixed
        mesh.velocity[fixed] = 0.0 if fixed_targets is None else (fixed_targets - mesh.position[fixed]) / seconds
        self._around.begin(motions)

    def begin_step(self, seconds: float, gravity: np.ndarray) -> None:
        """Find the obstacles that the body may reach in the next step; ``seconds`` are left."""
        self._around.find_reachable(seconds + self._motion.step, gravity)

    def end_step(self, seconds: float) -> None:
        """Move the obstacles by the step of ``seconds``, and let the material flow and crack.

        Raises:
            SolverDivergedError: Positions of nodes are not finite.
        """
        self._around.move(seconds)
        self._pace.time += seconds
        self._check()

    def check_finite(self) -> None:
        """Raise an error if the body has diverged.

        Raises:
            SolverDivergedError: Positions of nodes are not finite.
        """
        finite = np.isfinite(self.mesh.position).all(axis=1)
        if not finite.all():
            raise SolverDivergedError(
                f"'{self._name}': {np.count_nonzero(~finite)} nodes of the finite elements diverged; lower the detail "
                "or the softening"
            )

    def deformation(self) -> Deformation:
        """Return the fragments, and the positions of the nodes on all recorded frames."""
        return deformation(
            self.mesh, self._material, self._settings, self._cell_count, self._cracking.crushed, self._frames
        )

    @property
    def is_hurried(self) -> bool:
        """Whether all steps must be long, because the work limit is reached."""
        return self._work_limit is not None and self._work_limit.is_spent

    @property
    def step(self) -> float:
        """Explicit time step, s."""
        return self._motion.step

    @property
    def steps_per_check(self) -> int:
        """Number of explicit steps between two checks."""
        return self._steps

    def shorten_step(self, step: float) -> None:
        """Set a shorter explicit time step, s, before the first step."""
        self._motion.set_step(step)
        self._steps = steps_per_check(self.mesh, self._law, step)

    def watch_waves(self) -> None:
        """Take small steps while waves cross the body."""
        self._pace.watch_wave()

    def takes_long_step(self, seconds: float, gravity: np.ndarray) -> bool:
        """Return whether the next step is semi-implicit, by ``FemSettings.time_steps``."""
        if self._settings.fem.time_steps != "auto":
            return self._settings.fem.time_steps == "implicit"
        return self._pace.is_calm and not self._is_hit_hard(seconds, gravity)

    def implicit_seconds(self, seconds: float) -> float:
        """Return the semi-implicit step (s), at most ``seconds``, that limits relative movement of what may collide."""
        if not self._cracking.result.crack_count and not self._settings.lattice.self_collision:
            return seconds
        velocity = self.mesh.velocity[self.mesh.mass > 0.0]
        speed = float(np.linalg.norm(velocity - np.median(velocity, axis=0), axis=1).max())
        return min(
            seconds, max(FRAGMENT_TRAVEL * self._cracking.size / max(speed, 1e-300), self._steps * self._motion.step)
        )

    def _is_hit_hard(self, seconds: float, gravity: np.ndarray) -> bool:
        """Return whether an obstacle hits the body hard within ``seconds``; small steps then follow the bounce."""
        is_hit = self._around.would_hit(self.mesh.velocity + seconds * gravity, seconds, self._pace.hard)
        if is_hit:
            self._pace.watch_bounce(self._pace.time + seconds)
        return is_hit

    def begin_steps(self, count: int, gravity: np.ndarray) -> bool:
        """Begin ``count`` explicit steps up to the next check; return whether an obstacle is near.

        Contact with it is resolved at each step; less often it would damp a bounce.
        """
        mesh, motion, span = self.mesh, self._motion, count * self._motion.step
        self._cracking.push_apart(span, PUSH_INTERVAL)
        self._span, self._free_weights = span, self._weights()
        self._load = self._free_weights[:, None] * gravity + self._loads.forces(mesh, self._pace.time, span)
        motion.drift = self._drift()
        return self._around.find_near(span)

    def take_steps(self, count: int, load: np.ndarray | None = None) -> None:
        """Take some of the explicit steps, with a further ``load`` (N, 3) N on the nodes."""
        motion = self._motion
        self._around.touch_near(self._free_weights, self._span, motion.step)
        motion.load[:] = self._load if load is None else self._load + load
        motion.advance(np.ones(count))

    def _drift(self) -> np.ndarray:
        """Return the velocity (3,) m/s of the centre of mass; zero for a body with fixed nodes."""
        if self._fixed.any():
            return np.zeros(3)
        weights = self._weights()
        return weights @ self.mesh.velocity / max(float(weights.sum()), 1e-300)

    def equations(self, seconds: float, gravity: np.ndarray) -> Equations:
        """Return the equations of a semi-implicit step, in contact with obstacles; ``finish`` ends the step."""
        mesh = self.mesh
        if self._implicit is None:
            self._implicit = Implicit(self._motion, self._fixed)
        self._cracking.push_apart(seconds, 1)
        weights = self._weights()
        self._around.touch_free(weights, seconds)
        is_held, leaving = self._around.hold(mesh.velocity + seconds * gravity, weights, seconds)
        forces = self._loads.forces(mesh, self._pace.time, seconds)
        target = np.where(self._fixed[:, None], mesh.velocity, leaving)
        return self._implicit.equations(weights, gravity, forces, seconds, self._fixed | is_held, target)

    def finish(
        self,
        equations: Equations,
        change: np.ndarray,
        reaction: np.ndarray,
        gravity: np.ndarray,
        seconds: float,
        supported: np.ndarray | None = None,
    ) -> None:
        """End a semi-implicit step.

        Args:
            equations: From ``equations``.
            change: (N, 3) m/s, their solution.
            reaction: (N, 3) N s, impulses that hold nodes.
            gravity: (3,) m/s2.
            seconds: Time step, s.
            supported: (N,) bool, nodes that other bodies hold; ``None`` for none.
        """
        assert self._implicit is not None
        self._implicit.finish(equations, change, gravity, seconds, supported)
        self._around.take(reaction)

    def _check(self) -> None:
        """Let the material flow and crack, and choose small steps if a crack is near."""
        if self._work_limit is not None:
            self._work_limit.spend(len(self._motion.rows))
        if self._flow:
            self._motion.flow(self._flow)
        changed = self._cracking.check(self._pace.time, cracking=True)
        if changed:
            self._fix_nodes()
            self._loads.refresh(self.mesh, self._cracking.carries_stress)
        if changed or self._cracking.max_ratio > CALM:
            self._pace.watch_wave()

    def _fix_nodes(self) -> None:
        """Give fixed nodes an infinite mass; a new node on an edge is fixed if both ends are."""
        mesh = self.mesh
        for origin in mesh.origin[len(self._fixed) :]:
            self._fixed = np.append(self._fixed, self._fixed[origin].all())
        mesh.mass[self._fixed & (mesh.mass > 0.0)] = np.inf
        self._around.refresh()
        self._implicit = None

    def _weights(self) -> np.ndarray:
        """Return the (N,) masses of free nodes, kg; 0 for fixed ones."""
        mass = self.mesh.mass
        return np.where(self._fixed | (mass == 0.0), 0.0, finite_masses(self.mesh))
