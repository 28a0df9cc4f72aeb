"""The blasts, pressures and thermal shocks of a job, also relative to the load that first breaks something."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from ..data.job import Job
from ..data.thermal_shock import ThermalShock
from ..geometry.visibility import SeenFaces
from .blasts import blast_loads, faces_in_sight
from .breaking import Breaker
from .face_loads import FaceLoad
from .pressures import hollow_body, pressure_load
from .relative_loads import strength_for
from .rigid_fragment import Breakable, can_break
from .rigid_scene import RigidScene
from .thermal_shocks import check_closed, thermal_loads

# Loads of fragments by their row, and how they follow from the strength of a blast or a pressure.
Loads = dict[int, FaceLoad]
LoadsAt = Callable[[float], Loads]


class FaceLoads:
    """The blasts, pressures and thermal shocks of a job.

    Args:
        job: The job.
        breakables: Its bodies.

    Raises:
        SceneError: A pressure is in no cavity, or the volume of a thermal shock is not closed.
    """

    def __init__(self, job: Job, breakables: Sequence[Breakable]):
        self._job = job
        self._hollows = [hollow_body(breakables, pressure) for pressure in job.pressures]
        check_closed(job.thermal_shocks)
        # Loads of thermal shocks that wait for the heat, by their frame.
        self._late: dict[int, list[Loads]] = {}

    def on_frame(self, frame: int, scene: RigidScene, breaker: Breaker) -> Iterator[Loads]:
        """Yield the loads of each blast, pressure and thermal shock of a frame.

        Args:
            frame: The frame.
            scene: Its state. It is read again for each load: the caller breaks fragments in between.
            breaker: Computes the critical loads.
        """
        for blast in self._job.blasts:
            if blast.frame == frame:
                loads_at: LoadsAt = partial(blast_loads, scene, faces_in_sight(scene, self._job.colliders, blast.point))
                text = f"Charge of the blast on frame {frame}: {{:.3g}} kg"
                yield _loads(loads_at, blast.charge, blast.load_factor, text, scene, breaker)
        for pressure, (row, faces) in zip(self._job.pressures, self._hollows, strict=True):
            if pressure.frame != frame:
                continue
            if scene.fragments[row].key < 0:
                breaker.statistics[row].warn(
                    f"the pressure '{pressure.name}' has no effect, because the object around it breaks before frame "
                    f"{frame}; choose an earlier frame"
                )
            else:
                loads_at = partial(_in_hollow, scene, row, faces)
                text = f"Pressure '{pressure.name}': {{:.3g}} Pa"
                yield _loads(loads_at, pressure.pressure, pressure.load_factor, text, scene, breaker)
        for shock in self._job.thermal_shocks:
            if shock.frame == frame:
                self._delay(shock, thermal_loads(shock, scene, breaker), scene, breaker)
        for loads in self._late.pop(frame, []):
            yield {row: load for row, load in loads.items() if scene.fragments[row].key >= 0}

    def _delay(
        self, shock: ThermalShock, loads: dict[int, tuple[float, FaceLoad]], scene: RigidScene, breaker: Breaker
    ) -> None:
        """Store the loads of a thermal shock for the frames on which they break something."""
        last, by_frame = self._job.frame_end, defaultdict[int, Loads](dict)
        for row, (seconds, load) in loads.items():
            due = shock.frame + (round(seconds * self._job.frame_rate) if shock.waits else 0)
            if due > last:
                breaker.statistics[scene.fragments[row].body].warn(
                    f"the thermal shock '{shock.name}' takes until frame {due}, after the last frame {last}; turn off "
                    "Wait for Heat, raise the temperature difference or Heat Transfer, or choose a later last frame"
                )
            by_frame[due][row] = load
        for due, loads_then in by_frame.items():
            self._late.setdefault(due, []).append(loads_then)


def _in_hollow(scene: RigidScene, row: int, faces: SeenFaces, pressure: float) -> Loads:
    return {row: pressure_load(faces, scene.fragments[row], pressure, scene.violence(row))}


def _loads(loads_at: LoadsAt, strength: float, wanted: float, text: str, scene: RigidScene, breaker: Breaker) -> Loads:
    """Return the loads at a strength, or at the one with a wanted load factor, which goes into the report.

    Args:
        loads_at: Returns the loads at a strength.
        strength: Strength of the load in its unit.
        wanted: Load over the load that first breaks something; 0 for ``strength``.
        text: Sentence with a place for the strength.
        scene: State on the frame.
        breaker: Computes the critical loads.
    """
    if not wanted:
        return loads_at(strength)

    def load_factor(strength: float) -> float:
        return max((_load_factor(scene, breaker, *item) for item in loads_at(strength).items()), default=0.0)

    strength = strength_for(load_factor, strength, wanted)
    loads = loads_at(strength)
    for body in dict.fromkeys(scene.fragments[row].body for row in loads):
        breaker.statistics[body].loads.append(text.format(strength))
    return loads


def _load_factor(scene: RigidScene, breaker: Breaker, row: int, load: FaceLoad) -> float:
    """Return the load over the critical load of a fragment, without violence; 0 for one that may not break."""
    fragment = scene.fragments[row]
    breakable, size = breaker.breakables[fragment.body], len(fragment.cells)
    if not load.impacts or not can_break(breakable, fragment.depth, size, fragment.is_cracked):
        return 0.0
    critical = breaker.computed_critical_force(fragment, load.impacts)
    return sum(impact.contact_force for impact in load.impacts) / critical if critical > 0.0 else np.inf
