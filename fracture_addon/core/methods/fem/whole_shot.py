"""One body for a whole shot: it bends, flows and cracks among obstacles, and its pieces go on bending.

Small explicit steps follow waves and cracks; where no crack is near, semi-implicit steps as long as the caller's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...data.errors import SettingsError, SolverDivergedError
from ...data.impact import Impact
from ...data.job import Body, Collider
from ...data.solid import CELL_FACES, appears_once
from ...data.surface import Surface
from ...fields.painting import weights_at
from ...geometry.inside import is_inside
from ...geometry.nearest import nearest
from ..method import RigidMotion
from .advance import Leapfrog
from .contact.impact_pressure import on_surface
from .contact.loads import Loads
from .contact.obstacles import Obstacle, hold, keep_out, obstacle_of, would_hit
from .effort import Effort
from .elements import law_of
from .fracture import Cracking
from .fragments import Shown, shown
from .impact_window import MOST_SPEED, steps_a_look
from .implicit import Implicit, finite_masses
from .materials.plasticity import flow_of
from .materials.softening import softened
from .mesh import Mesh, lumped
from .prestress import temper
from .walls import mesh_with_walls

# No crack is near where tension is below this share of the strength everywhere, and nothing strikes so fast that a
# wave of that much would come of it.
CALM = 0.5
# What is hit faster than this, m/s, may bounce: long steps would take the energy, so small ones follow the waves in it
# for so many times as long as one needs to cross it.
BOUNCING, FOLLOWED = 0.5, 4.0
# Pieces move by no more than this share of an element against one another in a semi-implicit step.
FLIGHT = 0.5
# Looks between two pushes of pieces that touch.
LOOKS_A_PUSH = 12


class Shot:
    """A body in motion.

    Args:
        model: Of the method, as it is before it is softened.
        body: As the job has it, with the surface that the model is of.
        colliders: What it cannot enter.
        centers: (K, 3) m, each one's point of reference in rest space.
        effort: Of all bodies of the scene: once it is spent, there are only steps as long as the caller's.

    Raises:
        SettingsError: The softening makes no sense.
    """

    def __init__(
        self, model, body: Body, colliders: Sequence[Collider], centers: np.ndarray, effort: Effort | None = None
    ):
        self._effort = effort
        settings = body.settings
        if not 1.0 <= settings.softening <= 1e6:
            raise SettingsError(f"'{body.name}' is softened {settings.softening:g} times; use 1 to 1000000")
        root = float(np.sqrt(settings.softening))
        try:
            self._material = softened(model.material, settings.softening, settings.threshold)
        except SettingsError as error:
            problem = str(error).partition(";")[0]
            raise SettingsError(
                f"'{body.name}' is softened {settings.softening:g} times, too much for finite elements ({problem}); "
                "lower the softening, or raise the threshold"
            ) from error
        self._settings, self._cell_count = settings, model.solid.cell_count
        law = self._law = law_of(self._material, root * model.law.rigidity_damping / model.law.rigidity)
        mesh = self.mesh = mesh_with_walls(model.solid, law.density, RigidMotion(body.velocity, body.angular_velocity))
        step = root * model.step
        if settings.tempering > 0.0:
            temper(mesh, law, step, self._material, settings.tempering / root)
        self._motion = Leapfrog(mesh, law, step, MOST_SPEED * law.wave_speed)
        self._cracking = Cracking(mesh, self._motion, law, self._material, settings, lasting=True)
        self._flow, self._steps = flow_of(self._material), steps_a_look(mesh, law, step)
        self._fixed = np.full(mesh.node_count, body.track is not None)
        if settings.pinned is not None:
            self._fixed = weights_at(settings.pinned, mesh.rest) > 0.5
        mesh.velocity[self._fixed] = 0.0
        self._outer = on_surface(mesh)
        self._reach = _reach(body.surface, mesh, self._outer)
        self._faces: np.ndarray | None = None
        self._hold()
        above = body.surface.points.mean(axis=0)
        self._obstacles = [
            obstacle_of(item, center, self._cracking.size, self._material.friction, above)
            for item, center in zip(colliders, centers, strict=True)
        ]
        diagonal = float(np.linalg.norm(np.ptp(mesh.rest[mesh.mass > 0.0], axis=0)))
        self._crossing = diagonal * float(np.sqrt(law.density / law.rigidity))
        self._gentle = CALM * self._material.tensile_strength / (law.density * law.wave_speed)
        self._implicit: Implicit | None = None
        self._loads = Loads()
        self._frames: list[np.ndarray] = []
        self._time, self._quiet_from = 0.0, 0.0

    @property
    def pinned_rest(self) -> np.ndarray:
        """(F, 3) m, in rest space, of the nodes that are fixed."""
        return self.mesh.rest[self._fixed]

    @property
    def masses(self) -> np.ndarray:
        """(N,) kg of the nodes, those that are fixed as they would be without that."""
        return lumped(self.mesh.elements, self.mesh.density * self.mesh.volume, self.mesh.node_count)

    @property
    def size(self) -> float:
        """m, of an element."""
        return self._cracking.size

    @property
    def friction(self) -> float:
        """Coulomb's coefficient."""
        return self._material.friction

    @property
    def contact(self) -> str:
        """What presses where it meets others."""
        return self._settings.contact

    def faces(self) -> np.ndarray:
        """(F, 3) int32 nodes of its surface, sides of cracks included, wound so that normals point out."""
        if self._faces is None:
            nodes = self.mesh.elements[~self.mesh.ghost][:, CELL_FACES].reshape(-1, 3)
            self._faces = nodes[appears_once(nodes)]
        return self._faces

    def blow(self, forces: np.ndarray) -> None:
        """Let air push its nodes with (N, 3) N from now on."""
        self._loads.blow(forces)

    def strike(self, impact: Impact) -> None:
        """Let a blow begin: its point is in rest space, its direction in the world, its duration that of the pulse."""
        self._loads.strike(self.mesh, impact, self.size, self._cracking.bearing, self._time)
        self._quiet_from = max(self._quiet_from, self._loads.until + self._crossing)

    def push(self, velocity: np.ndarray) -> None:
        """Have others change the velocities of its nodes to (N, 3) m/s; small steps follow what is hard."""
        change = np.where(self._fixed[:, None], 0.0, velocity - self.mesh.velocity)
        self.mesh.velocity[:] += change
        if (change**2).sum(axis=1).max() > self._gentle**2:
            self._quiet_from = max(self._quiet_from, self._time + self._crossing)

    def record(self) -> None:
        """Take down a frame."""
        self._frames.append(self.mesh.position.copy())

    def advance(
        self, seconds: float, gravity: np.ndarray, motions: Sequence, carried: np.ndarray | None = None
    ) -> np.ndarray:
        """Go on.

        Args:
            seconds: For so long.
            gravity: (3,) m/s2.
            motions: Of each collider: its pose, velocity and angular velocity now; ``None`` where it is not there.
            carried: (F, 3) m, where the nodes that are fixed are to be then; where they are, if left out.

        Returns:
            (K, 3) N s that each collider took.

        Raises:
            SolverDivergedError: Nodes came out of all bounds.
        """
        mesh, fixed = self.mesh, self._fixed
        mesh.velocity[fixed] = 0.0 if carried is None else (carried - mesh.position[fixed]) / seconds
        there = [
            None if motion is None else item.at(motion.pose, motion.velocity, motion.angular_velocity)
            for item, motion in zip(self._obstacles, motions, strict=True)
        ]
        taken, done = np.zeros((len(there), 3)), 0.0
        while done < (1.0 - 1e-9) * seconds:
            now = [item and item.later(done) for item in there]
            hurried = self._effort is not None and self._effort.is_spent
            left = seconds - done if hurried else self._longest(seconds - done)
            if hurried or (self._time >= self._quiet_from and not self._is_struck(now, left, gravity)):
                self._implicit_step(left, gravity, now, taken)
            else:
                left = self._explicit_steps(seconds - done, gravity, now, taken)
            done += left
            self._time += left
            self._look()
        if not np.isfinite(mesh.position).all():
            raise SolverDivergedError("the finite elements came out of bounds; lower the detail, or soften it less")
        return taken

    def shown(self) -> Shown:
        """What became of it, on all frames."""
        cracking = self._cracking
        count = cracking.outcome.crack_count
        return shown(self.mesh, self._material, self._settings, self._cell_count, cracking.crushed, self._frames, count)

    def _longest(self, seconds: float) -> float:
        """s, a semi-implicit step in which pieces hardly move against one another."""
        if not self._cracking.outcome.crack_count:
            return seconds
        velocity = self.mesh.velocity[self.mesh.mass > 0.0]
        speed = float(np.linalg.norm(velocity - np.median(velocity, axis=0), axis=1).max())
        return min(seconds, max(FLIGHT * self._cracking.size / max(speed, 1e-300), self._steps * self._motion.step))

    def _is_struck(self, obstacles: Sequence[Obstacle | None], seconds: float, gravity: np.ndarray) -> bool:
        """Whether something would be hit hard within so many seconds."""
        mesh = self.mesh
        velocity, hard = mesh.velocity + seconds * gravity, min(self._gentle, BOUNCING)
        struck = would_hit(obstacles, mesh.position, velocity, mesh.mass > 0.0, self._reach, seconds, hard)
        if struck:
            self._quiet_from = max(self._quiet_from, self._time + seconds + FOLLOWED * self._crossing)
        return struck

    def _explicit_steps(self, most: float, gravity, obstacles, taken: np.ndarray) -> float:
        """Steps up to the next look; returns the time that they take, at most about ``most``, s."""
        mesh, motion = self.mesh, self._motion
        count = min(self._steps, max(1, round(most / motion.step)))
        span = count * motion.step
        self._cracking.keep_out(span, LOOKS_A_PUSH)
        weights, reach = self._weights(), self._reach
        ahead = mesh.position, mesh.position + span * mesh.velocity
        near = [
            row for row, item in enumerate(obstacles) if item and any(item.touch(at, reach).depth.any() for at in ahead)
        ]
        motion.load[:] = weights[:, None] * gravity + self._loads.forces(mesh, self._time, span)
        motion.drift = self._drift()
        # What touches is stopped at each step: once in several would take what a bounce has in it.
        parts = count if near else 1
        for part in range(parts):
            for row in near:
                item = obstacles[row].later(part * motion.step)
                taken[row] += keep_out(item, mesh.position, mesh.velocity, weights, reach, span)
            motion.advance(np.ones(count // parts))
        return span

    def _drift(self) -> np.ndarray:
        """(3,) m/s, what a body that is free flies with as a whole."""
        if self._fixed.any():
            return np.zeros(3)
        weights = self._weights()
        return weights @ self.mesh.velocity / max(float(weights.sum()), 1e-300)

    def _implicit_step(self, seconds: float, gravity, obstacles, taken: np.ndarray) -> None:
        mesh, motion = self.mesh, self._motion
        if self._implicit is None:
            self._implicit = Implicit(motion, self._fixed)
        self._cracking.keep_out(seconds, 1)
        weights = self._weights()
        velocity = mesh.velocity + seconds * gravity
        owner, leaving = hold(obstacles, mesh.position, velocity, weights > 0.0, self._reach, seconds)
        pushes = self._loads.forces(mesh, self._time, seconds)
        target = np.where(self._fixed[:, None], mesh.velocity, leaving)
        reaction = self._implicit.advance(weights, gravity, pushes, seconds, self._fixed | (owner >= 0), target)
        for row in range(len(obstacles)):
            taken[row] -= reaction[owner == row].sum(axis=0)

    def _look(self) -> None:
        if self._effort is not None:
            self._effort.spend(len(self._motion.rows))
        if self._flow:
            self._motion.flow(self._flow)
        changed = self._cracking.look(self._time, cracking=True)
        if changed:
            self._hold()
            self._loads.divided(self.mesh, self._cracking.bearing)
        if changed or self._cracking.greatest > CALM:
            self._quiet_from = max(self._quiet_from, self._time + self._crossing)

    def _hold(self) -> None:
        """Make what is fixed infinitely heavy; nodes that cracks put on an edge are fixed where both its ends are."""
        mesh = self.mesh
        for origin in mesh.origin[len(self._fixed) :]:
            self._fixed = np.append(self._fixed, self._fixed[origin].all())
            self._outer = np.append(self._outer, self._outer[origin].all())
            self._reach = np.append(self._reach, self._reach[origin].mean() if self._outer[-1] else 0.0)
        mesh.mass[self._fixed & (mesh.mass > 0.0)] = np.inf
        self._implicit = self._faces = None

    def _weights(self) -> np.ndarray:
        """(N,) kg of what is free."""
        mass = self.mesh.mass
        return np.where(self._fixed | (mass == 0.0), 0.0, finite_masses(self.mesh))


def _reach(surface: Surface, mesh: Mesh, outer: np.ndarray) -> np.ndarray:
    """(N,) m that a surface is beyond the ``outer`` nodes (N,) of a mesh: cells do not follow it to the point."""
    points = mesh.rest[outer]
    distance = nearest(surface, points)[2]
    result = np.zeros(mesh.node_count)
    result[outer] = np.where(is_inside(surface, points), distance, -distance)
    return result
