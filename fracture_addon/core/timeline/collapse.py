"""Weight of bodies that stand on pins and of what rests on them: overloaded parts fall (docs/decisions/collapse.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..data.arrays import ReadOnlyArrays
from ..data.job import Body, Job
from ..data.readable import with_unit
from ..data.solid import cell_centers, cell_volumes
from ..data.steady_load import RestingLoad
from ..geometry.embedding import embed
from ..methods import table
from ..methods.method import Break, RigidMotion, Solver
from ..numerics.rotations import length, matrices
from .breaking import Breaker
from .rigid_fragment import FEWEST_CELLS, Breakable, RigidFragment
from .rigid_scene import RigidScene

# Change of gravity in rest orientation, over gravity, above which the stress under a body's weight is computed again: a
# tilt of half a degree. A shelf that turns from upright to level by 2 degrees a frame breaks on frame 12 from 0.0001 to
# 0.03, on frame 13 at 0.1, 19 at 0.3 and 31 at 1, with 47, 17, 7 and 3 solves (three seeds alike).
CHANGED = 0.01
# Change of the load by other bodies, over the weight and this load, above which the stress is computed again.
# At 0.01 and 0.2 a shelf needs as many solves, and breaks on the same frame (docs/decisions/collapse.md).
LOAD_CHANGED = 0.05
# N, smallest force treated as nonzero in a division; no physical meaning.
TINY_FORCE = 1e-30


@dataclass(frozen=True)
class Carried(ReadOnlyArrays):
    """The load that a fragment is known to carry, rest orientation.

    Attributes:
        gravity: (3,) m/s2.
        resting: (6,) N, wrench of the bodies that rest on it.
    """

    gravity: np.ndarray
    resting: np.ndarray


@dataclass(frozen=True)
class Support(ReadOnlyArrays):
    """Support of a standing fragment.

    Attributes:
        held: (H,) cells that do not move.
        solver: Solver of the fragment on its support. It keeps its factor from frame to frame.
    """

    held: np.ndarray
    solver: Solver


def carries_weight(body: Body) -> bool:
    """Return whether the weight of a body is computed: its settings ask for it, and its method can."""
    settings = body.settings
    return settings.motion.own_weight and "own_weight" not in table.capabilities(settings).unused_by_rigid


class Collapse:
    """The standing fragments of a job, and the weight that they last carried.

    Args:
        job: The job.
        breaker: Breaks its bodies.
    """

    def __init__(self, job: Job, breaker: Breaker):
        self._breaker, self._gravity = breaker, np.asarray(job.gravity, float)
        self._first_frame = job.frame_start
        self._bodies = [row for row, body in enumerate(job.bodies) if carries_weight(body)]
        self._supports: dict[int, Support] = {}
        self._carried: dict[int, Carried] = {}  # by the row of the fragment
        # N, size of the push of each body on each standing fragment, by their keys, on the last frame and on this one.
        self._before: dict[tuple[int, int], float] = {}
        self._now: dict[tuple[int, int], float] = {}

    def on_frame(self, scene: RigidScene, frame: int) -> Iterator[tuple[int, np.ndarray, RigidMotion, Break]]:
        """Yield each fragment that cannot carry its weight: row, pose (7,), motion and the result of the method.

        Fragments whose load has not changed since an earlier frame need no solve.

        Args:
            scene: State on the frame. The caller replaces the fragment.
            frame: The frame.
        """
        if not self._bodies:
            return
        standing = [row for row, fragment in enumerate(scene.fragments) if self._stands(fragment)]
        self._supports = {row: self._supports[row] for row in standing if row in self._supports}
        self._before, self._now = self._now, {}
        for row in standing:
            fragment = scene.fragments[row]
            pose, motion = scene.motion(fragment)
            gravity, resting = matrices(pose[3:]).T @ self._gravity, self._resting_on(fragment, scene)
            load = Carried(gravity, resting.wrench(fragment.properties.center, fragment.cell_size))
            if not self._has_changed(row, fragment, load):
                continue
            support = self._supports.get(row) or self._support(fragment)
            result = self._breaker.stand(fragment, motion, gravity, support.held, support.solver, resting)
            self._supports[row], self._carried[row] = support, load
            if frame == self._first_frame and not fragment.depth:
                self._report(fragment, result, support.held)
            if result.broken:
                self._report_break(fragment, frame, load)
                count = len(scene.fragments)
                yield row, pose, motion, result
                # The fragments that still stand are not overloaded: the method breaks until nothing is.
                unloaded = Carried(gravity, np.zeros(6))
                self._carried.update(dict.fromkeys(range(count, len(scene.fragments)), unloaded))

    def _has_changed(self, row: int, fragment: RigidFragment, load: Carried) -> bool:
        """Return whether the load of a fragment differs from the one that it is known to carry."""
        carried = self._carried.get(row)
        if carried is None or length(load.gravity - carried.gravity) > CHANGED * length(self._gravity):
            return True
        least = fragment.properties.mass * length(self._gravity) + length(carried.resting)
        return length(load.resting - carried.resting) > LOAD_CHANGED * least

    def _resting_on(self, fragment: RigidFragment, scene: RigidScene) -> RestingLoad:
        """Return the forces of the bodies that rest on a fragment.

        A body that lands pushes harder for a moment, and its impact breaks the fragment by itself. So the smaller of
        the pushes on this frame and on the last one counts.
        """
        keys, offsets, pushes = scene.world.contacts.pushes_on(fragment.key)
        forces = pushes @ matrices(scene.world.pose(fragment.key)[3:]) / scene.world.seconds
        for key in np.unique(keys):
            pair, size = (fragment.key, int(key)), length(forces[keys == key].sum(axis=0))
            self._now[pair] = size
            forces[keys == key] *= min(1.0, self._before.get(pair, 0.0) / max(size, TINY_FORCE))
        return RestingLoad(fragment.properties.center + offsets, forces)

    def _stands(self, fragment: RigidFragment) -> bool:
        """Return whether a fragment stands on pins, and has enough cells to compute its stress."""
        holds = fragment.key >= 0 and fragment.kinematic and len(fragment.anchors) > 0
        return holds and fragment.body in self._bodies and len(fragment.cells) >= FEWEST_CELLS

    def _support(self, fragment: RigidFragment) -> Support:
        cells = fragment.solid.cells[fragment.cells]
        held = np.unique(embed(fragment.anchors, fragment.solid.points, cells)[1])
        return Support(held, self._breaker.held_solver(fragment, held))

    def _report_break(self, fragment: RigidFragment, frame: int, load: Carried) -> None:
        """Report a break under what rests on a fragment."""
        force = length(load.resting[:3])
        if force > LOAD_CHANGED * fragment.properties.mass * length(self._gravity):
            text = f"Breaks on frame {frame} under its weight and {with_unit(force, 'N')} of what rests on it"
            self._breaker.statistics[fragment.body].loads.append(text)

    def _report(self, fragment: RigidFragment, result: Break, held: np.ndarray) -> None:
        """Report the weight of a body on the first frame, and warn if the body does not stand."""
        statistics, breakable = self._breaker.statistics[fragment.body], self._breaker.breakables[fragment.body]
        statistics.weight = result.load_factor
        statistics.loads.append(f"Own weight on the first frame: {result.load_factor:.3g} times what it can carry")
        if not result.broken:
            return
        fallen = ~np.isin(result.fragment_of_cell, result.fragment_of_cell[held])
        statistics.warn(
            f"it cannot stand: its weight is {result.load_factor:.3g} times what it can carry, so "
            f"{_fallen_part(breakable, fallen)} falls on the first frame; pin more of it, make it thicker, or choose a "
            "stronger material"
        )


def _fallen_part(breakable: Breakable, fallen: np.ndarray) -> str:
    """Name the cells ``fallen`` (C,) bool of a whole body: the object with most of them, or their height."""
    volumes = cell_volumes(breakable.solid.points, breakable.solid.cells)
    share = f"{volumes[fallen].sum() / volumes.sum():.0%} of it"
    if breakable.members:
        counts = [member.solid.cell_count for member in breakable.members]
        lost = np.bincount(np.repeat(np.arange(len(counts)), counts), volumes * fallen)
        return f"{share}, most of it in '{breakable.members[int(np.argmax(lost))].body.name}',"
    heights = cell_centers(breakable.solid.points, breakable.solid.cells)[fallen, 2]
    return f"{share}, between the heights {heights.min():.3g} and {heights.max():.3g} m,"
