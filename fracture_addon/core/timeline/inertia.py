"""Inertia of bodies that others push: a falling chimney breaks in the air (docs/decisions/collapse.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..data.arrays import ReadOnlyArrays, lengths
from ..data.job import Job
from ..data.readable import with_unit
from ..data.steady_load import RestingLoad
from ..methods.method import Break, RigidMotion
from ..numerics.rotations import length, matrices
from .breaking import Breaker
from .collapse import LOAD_CHANGED, TINY_FORCE, carries_weight
from .rigid_fragment import FEWEST_CELLS, Breakable, RigidFragment, can_break
from .rigid_scene import RigidScene

# Stress of a straight bar over the strength below which a body is not solved.
CHECKED_STRESS = 0.05
# Distance of points of contact from one another, over that from the centre of mass, below which they have no lever.
SAME_PLACE = 0.01
# No contacts.
FREE = RestingLoad(np.empty((0, 3)), np.empty((0, 3)))


@dataclass(frozen=True)
class Bar(ReadOnlyArrays):
    """Straight bar with the length, depth, volume and strength of a fragment.

    Attributes:
        length, depth: m, largest and smallest extent.
        volume: m3.
        density: kg/m3.
        strength: Pa, smallest tensile strength in the fragment's body.
    """

    length: float
    depth: float
    volume: float
    density: float
    strength: float

    @classmethod
    def of(cls, fragment: RigidFragment, breakable: Breakable) -> Bar:
        """Return the bar of a fragment."""
        points = fragment.solid.points[np.unique(fragment.solid.cells[fragment.cells])]
        axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2]
        extents, mixture = np.ptp(points @ axes.T, axis=0), breakable.solid.mixture
        strength = breakable.body.material.tensile_strength if mixture is None else mixture.strengths.min()
        density = fragment.properties.mass / fragment.volume
        return cls(float(extents.max()), float(extents.min()), fragment.volume, density, float(strength))

    def stress(self, force: float, spin: float) -> float:
        """Return the largest stress under a force across one end and under a spin.

        A free bar that is pushed at its end has the moment F r (1 - r / L)^2 at the distance r, with the maximum
        4 F L / 27 at r = L / 3. Over the section modulus V h / (6 L) this is 8 F L^2 / (9 V h).

        Args:
            force: N.
            spin: rad/s, angular velocity.

        Returns:
            Pa.

        Notes:
            Varieschi and Kamiya 2003, Toy models for the falling chimney. A spin adds rho spin^2 L^2 / 8.

        Example:
            >>> round(Bar(length=3.0, depth=1.0, volume=3.0, density=2000.0, strength=1e6).stress(3.0, 1.0), 3)
            2258.0
        """
        bending = 8.0 * force * self.length**2 / (9.0 * self.volume * self.depth)
        return bending + self.density * spin**2 * self.length**2 / 8.0


@dataclass(frozen=True)
class Carried(ReadOnlyArrays):
    """The load that a moving fragment is known to carry, rest orientation.

    Attributes:
        pushes: (6,) N, wrench of its contacts.
        pull: N, size of its centrifugal forces: mass times radius of gyration times spin squared.
    """

    pushes: np.ndarray
    pull: float


class Inertia:
    """The bodies of a job that move freely, and the loads that they last carried.

    Args:
        job: The job.
        breaker: Breaks its bodies.
    """

    def __init__(self, job: Job, breaker: Breaker):
        self._breaker, self._gravity, self._frame_rate = breaker, np.asarray(job.gravity, float), job.frame_rate
        self._bodies = {row for row, body in enumerate(job.bodies) if carries_weight(body)}
        # By the row of the fragment.
        self._bars: dict[int, Bar] = {}
        self._carried: dict[int, Carried] = {}
        # Momentum (6,) N s and N m s, and sum of the sizes of the pushes, N, on the last frame and on this one, by key.
        self._before: dict[int, tuple[np.ndarray, float]] = {}
        self._now: dict[int, tuple[np.ndarray, float]] = {}

    def on_frame(self, scene: RigidScene, frame: int) -> Iterator[tuple[int, np.ndarray, RigidMotion, Break]]:
        """Yield each moving fragment that its inertia breaks, as ``Collapse.on_frame`` does.

        Args:
            scene: State on the frame. The caller replaces the fragment.
            frame: The frame.
        """
        if not self._bodies:
            return
        self._before, self._now = self._now, {}
        moving = [(row, fragment) for row, fragment in enumerate(scene.fragments) if self._moves(fragment)]
        for row, fragment in moving:
            pose, motion = scene.motion(fragment)
            pushes = self._pushes_on(fragment, scene)
            if not self._is_new_load(row, fragment, motion, pushes):
                continue
            result = self._breaker.fly(fragment, motion, pushes)
            if not fragment.depth and self._rests(fragment, pose, pushes):
                self._report(fragment, frame, result)
            if result.broken:
                force = with_unit(total_of(pushes.forces), "N")
                text = f"Breaks on frame {frame} by its inertia against pushes of {force}"
                self._breaker.statistics[fragment.body].loads.append(text)
                yield row, pose, motion, result

    def _moves(self, fragment: RigidFragment) -> bool:
        """Return whether a fragment moves freely, and has enough cells to compute its stress."""
        breakable, count = self._breaker.breakables[fragment.body], len(fragment.cells)
        moves = fragment.key >= 0 and not fragment.kinematic and fragment.body in self._bodies
        return moves and count >= FEWEST_CELLS and can_break(breakable, fragment.depth, count, fragment.is_cracked)

    def _rests(self, fragment: RigidFragment, pose: np.ndarray, pushes: RestingLoad) -> bool:
        """Return whether the pushes of all bodies that touch a fragment carry its weight."""
        weight = fragment.properties.mass * (self._gravity @ matrices(pose[3:]))
        return length(pushes.forces.sum(axis=0) + weight) < LOAD_CHANGED * length(weight)

    def _report(self, fragment: RigidFragment, frame: int, result: Break) -> None:
        """Report the load of a whole body at rest, once."""
        statistics = self._breaker.statistics[fragment.body]
        if not statistics.weight:
            statistics.weight = result.load_factor
            load = f"{result.load_factor:.3g} times what it can carry"
            statistics.loads.append(f"Own weight at rest on frame {frame}, with what lies on it: {load}")

    def _is_new_load(self, row: int, fragment: RigidFragment, motion: RigidMotion, pushes: RestingLoad) -> bool:
        """Return whether a load may break a fragment and differs from the one that it carries, and store it."""
        if row not in self._bars:
            self._bars[row] = Bar.of(fragment, self._breaker.breakables[fragment.body])
        bar, spin, properties = self._bars[row], length(motion.angular_velocity), fragment.properties
        if bar.stress(total_of(pushes.forces), spin) < CHECKED_STRESS * bar.strength:
            return False
        pull = properties.mass * properties.gyration * spin**2
        load = Carried(pushes.wrench(properties.center, fragment.cell_size), pull)
        known = self._carried.get(row)
        if known is not None:
            least = LOAD_CHANGED * (properties.mass * length(self._gravity) + length(known.pushes))
            if abs(pull - known.pull) <= least and length(load.pushes - known.pushes) <= least:
                return False
        self._carried[row] = load
        return True

    def _pushes_on(self, fragment: RigidFragment, scene: RigidScene) -> RestingLoad:
        """Return the forces of the contacts on a fragment, rest orientation; none on the first frame of its life.

        They give it the change of its momentum in the frame. A body that lands is pushed harder for a moment, and its
        impact breaks it by itself. So the smaller of the forces on this frame and on the last one counts.
        """
        world, key, properties = scene.world, fragment.key, fragment.properties
        turn = matrices(world.pose(key)[3:])
        velocity, spin = world.velocities(key)
        momentum = np.concatenate([properties.mass * velocity, turn @ properties.inertia @ turn.T @ spin])
        self._now[key] = momentum, 0.0
        _, arms, pushes = world.contacts.pushes_on(key, fixed=True)
        if key not in self._before or not pushes.any():
            return FREE
        before, size_before = self._before[key]
        wrench = np.concatenate([-properties.mass * self._gravity, np.zeros(3)])
        if world.is_awake(key):
            # The world damps a body at rest, and stops one that falls asleep, without a contact.
            wrench += self._frame_rate * (momentum - before) + 0.5 * world.damping(key) * (momentum + before)
        own_wrench = np.concatenate([wrench[:3] @ turn, wrench[3:] @ turn])
        forces = with_wrench(arms, pushes @ turn / world.seconds, own_wrench)
        size = total_of(forces)
        self._now[key] = momentum, size
        return RestingLoad(properties.center + arms, forces * min(1.0, size_before / max(size, TINY_FORCE)))


def total_of(forces: np.ndarray) -> float:
    """Return the sum of the sizes of forces (K, 3), N."""
    return float(lengths(forces).sum())


def with_wrench(arms: np.ndarray, forces: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """Return the forces nearest to given ones that have a force and a moment, as far as their points allow.

    Args:
        arms: (K, 3) m, points of the forces relative to the centre of mass.
        forces: (K, 3) N.
        wrench: (6,) N and N m about the centre of mass.

    Returns:
        (K, 3) N.

    Notes:
        Own: the rigid world reports the pressures of its contacts in the last step, without friction. The rest of the
        wrench is friction, and what changed within the frame.

    Example:
        Two points carry 10 N, and friction of 4 N.

        >>> arms = np.array([[-1.0, 0, 0], [1, 0, 0]])
        >>> found = with_wrench(arms, np.array([[0.0, 0, 6], [0, 0, 2]]), np.array([4.0, 0, 10, 0, 0, 0]))
        >>> found[:, [0, 2]].round(6).tolist()
        [[2.0, 5.0], [2.0, 5.0]]
    """
    size = max(float(np.sqrt((arms**2).sum(axis=1).mean())), np.finfo(float).tiny)
    x, y, z = arms.T / size
    zero, one = np.zeros_like(x), np.ones_like(x)
    rows = [[one, zero, zero], [zero, one, zero], [zero, zero, one], [zero, -z, y], [z, zero, -x], [-y, x, zero]]
    matrix = np.array(rows).transpose(0, 2, 1).reshape(6, -1)
    rest = wrench / np.array([1.0, 1.0, 1.0, size, size, size]) - matrix @ forces.ravel()
    return forces + (np.linalg.pinv(matrix, rcond=SAME_PLACE) @ rest).reshape(-1, 3)
