"""Own weight of bodies that stand on pins: overloaded parts break off and fall (docs/decisions/collapse.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..data.arrays import ReadOnlyArrays
from ..data.job import Body, Job
from ..data.solid import cell_centers, cell_volumes
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
        # (3,) m/s2 by the row of a fragment, gravity in rest orientation that it carries.
        self._carried: dict[int, np.ndarray] = {}
        for row in self._bodies:
            if not len(breaker.breakables[row].anchors) or job.bodies[row].track is None:
                breaker.statistics[row].warn(
                    "Own Weight has no effect, because nothing holds it; pin a part of it, or join it with an object "
                    "that does not move"
                )

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
        for row in standing:
            fragment = scene.fragments[row]
            pose, motion = scene.motion(fragment)
            gravity, carried = matrices(pose[3:]).T @ self._gravity, self._carried.get(row)
            if carried is not None and length(gravity - carried) <= CHANGED * length(self._gravity):
                continue
            support = self._supports.get(row) or self._support(fragment)
            result = self._breaker.stand(fragment, motion, gravity, support.held, support.solver)
            self._supports[row], self._carried[row] = support, gravity
            if frame == self._first_frame and not fragment.depth:
                self._report(fragment, result, support.held)
            if result.broken:
                count = len(scene.fragments)
                yield row, pose, motion, result
                # The fragments that still stand are not overloaded: the method breaks until nothing is.
                self._carried.update(dict.fromkeys(range(count, len(scene.fragments)), gravity))

    def _stands(self, fragment: RigidFragment) -> bool:
        """Return whether a fragment stands on pins, and has enough cells to compute its stress."""
        holds = fragment.key >= 0 and fragment.kinematic and len(fragment.anchors) > 0
        return holds and fragment.body in self._bodies and len(fragment.cells) >= FEWEST_CELLS

    def _support(self, fragment: RigidFragment) -> Support:
        cells = fragment.solid.cells[fragment.cells]
        held = np.unique(embed(fragment.anchors, fragment.solid.points, cells)[1])
        return Support(held, self._breaker.held_solver(fragment, held))

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
